# SPDX-License-Identifier: Apache-2.0
"""What a conversion tells while it runs. The base class is silent; the command line has two that speak."""

from __future__ import annotations

STAGES = ("capture", "translate", "check", "prove", "host", "report")


class Progress:
    """Called from the thread that converts; override what is of interest."""

    def begin(self, op: str, stage: str) -> None:
        """A stage starts."""

    def advance(self, op: str, stage: str, done: int, total: int, what: str = "") -> None:
        """``done`` of ``total`` steps of the running stage are finished; ``total`` is 0 while unknown."""

    def end(self, op: str, stage: str, seconds: float, summary: str, up_to_date: bool = False) -> None:
        """A stage has finished, or was found to be up to date."""

    def note(self, op: str, text: str) -> None:
        """Something worth knowing that stops nothing."""
