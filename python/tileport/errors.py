# SPDX-License-Identifier: Apache-2.0
"""The errors that tileport raises on purpose. Each says what is wrong, where, and what to do about it."""

from __future__ import annotations


class Error(Exception):
    """Base of everything tileport raises on purpose.

    ``code`` is a stable machine-readable name ("unknown-op"), ``where`` the file, option or object that is
    wrong, ``help`` what to do next. ``exit_status`` is what the command line ends with.
    """

    exit_status = 1

    def __init__(self, code: str, message: str, where: str = "", help: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.help = help

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n{self.help}" if self.help else ""
        return f"{place}{self.message} [{self.code}]{advice}"

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str, str]]:
        return type(self), (self.code, self.message, self.where, self.help)

    def as_dict(self) -> dict[str, str]:
        """What ``--json`` prints under "error"."""
        return {"code": self.code, "message": self.message, "where": self.where, "help": self.help}


class UsageError(Error):
    """The command or call was used wrongly: an unknown op, a bad option value."""

    exit_status = 2


class InputError(Error):
    """A file or folder that was given cannot be read or is malformed."""

    exit_status = 2


class ToolchainError(Error):
    """Something that the work needs is not installed or does not run; ``tileport doctor`` tells more."""

    exit_status = 3


class RefusedError(Error):
    """A kernel cannot be expressed or accepted; the reason is in the message."""

    exit_status = 1
