# SPDX-License-Identifier: Apache-2.0
"""Compares what tileiras made of a reference and of its port for one target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileport import cubin
from tileport.errors import Error
from tileport.toolchain import Assembled

_LONGEST_NOTE = 2000
_MORE_RUNS = 3
"""How often each side is assembled again when the codes differ and the Tile IR does not. With two equally
likely codes, one comparison in 128 still finds no common one."""


def compare(
    reference: Assembled,
    port: Assembled | None,
    timeout_s: float,
    refusal: str | None = None,
    again: Callable[[str], Assembled] | None = None,
) -> dict[str, Any]:
    """The evidence for one target, as proof.json has it.

    ``port`` is None if there is no bytecode to assemble; ``refusal`` says why if cutile's compiler refused
    the entry for this target. ``again``, given where both sides have the same Tile IR, assembles one side
    anew (see `compare_again`).
    """
    sides = (_summary(reference), _summary(port))
    evidence: dict[str, Any] = {
        name: [side[name] if side else None for side in sides]
        for name in ("instructions", "registers", "shared_bytes")
    }
    code_class, notes = _classify(reference, port, timeout_s, refusal)
    found = {"class": code_class, **evidence, "notes": [note[:_LONGEST_NOTE] for note in notes]}
    if code_class == "differs" and port is not None and again is not None:
        return compare_again(found, reference, port, timeout_s, again)
    return found


def compare_again(
    evidence: dict[str, Any],
    reference: Assembled,
    port: Assembled,
    timeout_s: float,
    assemble: Callable[[str], Assembled],
) -> dict[str, Any]:
    """The evidence for a target whose codes differ although the Tile IR is the same.

    tileiras 13.5.37 makes of some files one code in one run and another in the next. So both sides are
    assembled again, by ``assemble`` with "reference" or "port", and a code that both have counts. What always
    differs, still does; a note tells when a side has several codes.
    """
    sides = {"reference": [reference], "port": [port]}
    for _ in range(_MORE_RUNS):
        for name, runs in sides.items():
            runs.append(assemble(name))
            other = sides["port" if name == "reference" else "reference"]
            for known in other:
                pair = (runs[-1], known) if name == "reference" else (known, runs[-1])
                if _classify(*pair, timeout_s, None)[0] == "identical":
                    note = (
                        "tileiras makes different code of the same file in different runs; "
                        f"run {len(runs)} of the {name} and run {other.index(known) + 1} of the other agree"
                    )
                    return {**compare(*pair, timeout_s), "notes": [note]}
    for name, runs in sides.items():
        if len({run.cubin for run in runs}) > 1:
            note = f"tileiras makes different code of the {name} in different runs"
            evidence = {**evidence, "notes": [*evidence["notes"], note]}
    return evidence


def _summary(assembled: Assembled | None) -> dict[str, int] | None:
    if assembled is None or assembled.cubin is None:
        return None
    try:
        [kernel] = cubin.summarize(assembled.cubin)
    except (Error, ValueError):
        # The comparison says what is wrong with a cubin that can't be read or is not of one kernel.
        return None
    return {
        "instructions": kernel.instructions,
        "registers": kernel.registers,
        "shared_bytes": kernel.shared_bytes,
    }


def _classify(
    reference: Assembled, port: Assembled | None, timeout_s: float, refusal: str | None
) -> tuple[str, list[str]]:
    if port is None and refusal is None:
        # Not "neither", even if the reference is refused: nobody asked about a port.
        return "differs", ["there is no port to assemble"]
    if port is None and reference.cubin is None and not reference.timed_out:
        return "neither", [
            f"tileiras refuses the reference: {_reason(reference)}",
            f"cutile refuses the port: {refusal}",
        ]
    if port is None:
        return "differs", [f"cutile refuses the port: {refusal}"]
    slow = [
        f"the {side} took tileiras more than {timeout_s:g} s"
        for side, assembled in (("reference", reference), ("port", port))
        if assembled.timed_out
    ]
    if slow:
        return "timeout", slow
    if reference.cubin is None and port.cubin is None:
        return "neither", [f"tileiras refuses both: {_reason(reference)}"]
    if reference.cubin is None:
        return "differs", [f"tileiras refuses the reference only: {_reason(reference)}"]
    if port.cubin is None:
        return "differs", [f"tileiras refuses the port only: {_reason(port)}"]
    try:
        comparison = cubin.compare(reference.cubin, port.cubin)
    except Error as error:
        return "differs", [f"the cubins cannot be compared: {error.message}"]
    if comparison.identical:
        return "identical", []
    return "differs", [
        f"{difference.what}: {difference.reference} in the reference, {difference.port} in the port"
        for difference in comparison.differences
    ]


def _reason(assembled: Assembled) -> str:
    return assembled.stderr.strip() or "no reason given"
