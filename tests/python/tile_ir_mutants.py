# SPDX-License-Identifier: Apache-2.0
"""Makes wrong (and sometimes right) Tile IR of good Tile IR, to compare verdicts on it.

Some mutants damage bytes; most change one thing of one op, type or table, so that the file stays well-formed
and the rules about ops decide. ``mutant(rng, seeds)`` is the same for the same generator and seeds.
"""

from __future__ import annotations

import contextlib
import copy
import random
from collections.abc import Callable, Sequence
from typing import Any

import tile_ir_edit as edit
from tile_ir_edit import Attribute, Block, File, Function, Op
from tile_ir_near import any_element, change_table_type, other_type
from tile_ir_synthesis import synthesize

_INTERESTING = [0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32, 2**63]


def mutant(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One mutant of one of the files."""
    data = rng.choice(seeds)
    if rng.random() < 0.12:
        return _damage(rng, data)
    file = edit.parse(data)
    if rng.random() < 0.8:
        # There is a place an op and no more: ops that are added would be refused for that alone.
        for function in file.functions:
            function.location = 0
    for _ in range(rng.choice((1, 1, 1, 2))):
        change = rng.choices(_CHANGES, [weight for _, weight in _WEIGHTED])[0]
        # Some files have nothing that some changes need: constants, strings.
        with contextlib.suppress(IndexError, ValueError):
            change(rng, file)
    try:
        return file.build()
    except (OverflowError, ValueError):
        # A number that doesn't fit its field.
        return _damage(rng, data)


def _damage(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(8, len(out))
        kind = rng.randrange(5)
        if kind == 0:
            out[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[place] = rng.randrange(256)
        elif kind == 2:
            out[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 3:
            del out[place : place + rng.randrange(1, 4)]
        else:
            out[place:place] = rng.randbytes(rng.randrange(1, 4))
    return bytes(out)


# ---- ops --------------------------------------------------------------------------------------------------


def _pick(
    rng: random.Random, file: File, wanted: Callable[[Op], Any] = lambda op: True
) -> tuple[Block, Op] | None:
    function = _function(rng, file)
    found = [place for place in function.walk() if wanted(place[1])] if function else []
    # Ops that are rare are as interesting as common ones.
    names = sorted({op.row["name"] for _, op in found})
    if not names:
        return None
    name = rng.choice(names)
    return rng.choice([place for place in found if place[1].row["name"] == name])


def _function(rng: random.Random, file: File) -> Function | None:
    return rng.choice(file.functions) if file.functions else None


def change_result(rng: random.Random, file: File) -> None:
    if place := _pick(rng, file, lambda op: op.results):
        results = place[1].results
        number = rng.randrange(len(results))
        results[number] = other_type(rng, file, results[number])


def change_operand(rng: random.Random, file: File) -> None:
    if place := _pick(rng, file, lambda op: any(op.operands)):
        group = rng.choice([group for group in place[1].operands if group])
        group[rng.randrange(len(group))] = rng.randrange(max(1, place[1].visible + (rng.random() < 0.05)))


def change_count(rng: random.Random, file: File) -> None:
    """One operand or result more or less of a variadic group."""

    def variadic(op: Op) -> bool:
        return any(group["variadic"] for group in op.row["operands"] + op.row["results"])

    if place := _pick(rng, file, variadic):
        op = place[1]
        results = any(group["variadic"] for group in op.row["results"]) and rng.random() < 0.4
        if results:
            which = op.results
            new = rng.randrange(len(file.types))
        else:
            groups = [
                i
                for i, group in enumerate(op.row["operands"])
                if group["variadic"] and op.row["operands_encoding"] != "counted"
            ]
            which = op.operands[rng.choice(groups) if groups else 0] if op.operands else []
            new = rng.randrange(max(1, op.visible))
        if which and rng.random() < 0.5:
            which.pop(rng.randrange(len(which)))
        else:
            which.insert(rng.randrange(len(which) + 1), which[0] if which and rng.random() < 0.5 else new)


def change_flag(rng: random.Random, file: File) -> None:
    """A unit flag, or an optional operand that comes or goes with its flag."""
    if place := _pick(rng, file, lambda op: op.row["flags"]):
        op = place[1]
        bits = op.row["flags"]["bits"]
        number = rng.randrange(len(bits))
        name = bits[number]["name"]
        groups = [group["name"] for group in op.row["operands"]]
        attributes = [info["name"] for info in op.row["attributes"]]
        if file.minor < edit.version_of(op.row["flags"]["since"]):
            return
        if bits[number]["kind"] == "unit_attr":
            op.flags ^= 1 << number
        elif name in groups:
            group = op.operands[groups.index(name)]
            if group:
                group.clear()
            else:
                group.append(rng.randrange(max(1, op.visible)))
            op.set_presence(name, bool(group))
        else:
            at = attributes.index(name)
            if op.attributes[at] is not None:
                op.attributes[at] = None
            elif op.row["attributes"][at]["enc"] == "enum":
                op.attributes[at] = rng.randrange(3)
            else:
                op.attributes[at] = Attribute(11, [])
            op.set_presence(name, op.attributes[at] is not None)


def change_attribute(rng: random.Random, file: File) -> None:
    if place := _pick(rng, file, lambda op: any(value is not None for value in op.attributes)):
        op = place[1]
        numbers = [i for i, value in enumerate(op.attributes) if value is not None]
        number = rng.choice(numbers)
        info = op.row["attributes"][number]
        op.attributes[number] = _other(rng, file, info, op.attributes[number])


def _other(rng: random.Random, file: File, info: dict[str, Any], value: Any) -> Any:
    enc = info["enc"]
    if enc == "enum":
        return rng.randrange(len(edit.ENUMERATIONS[info["type"]]) + (rng.random() < 0.03))
    if enc == "int":
        return rng.choice((value + 1, max(0, value - 1), value * 2, rng.choice(_INTERESTING)))
    if enc == "bool":
        return 1 - value
    if enc == "str":
        return rng.randrange(len(file.strings))
    if enc == "dense_typed_elements":
        return rng.randrange(len(file.constants))
    if enc in ("dense_int32_array", "dense_bool_array"):
        return _near_list(rng, value, 2 if enc == "dense_bool_array" else len(value) + 1)
    if enc == "tagged":
        return _near_predicate(rng, value)
    return _near_array(rng, file, value)


def _near_list(rng: random.Random, values: list[int], below: int) -> list[int]:
    out = list(values)
    kind = rng.randrange(4)
    if kind == 0 and out:
        out.pop(rng.randrange(len(out)))
    elif kind == 1:
        out.insert(rng.randrange(len(out) + 1), rng.randrange(below))
    elif kind == 2 and out:
        out[rng.randrange(len(out))] = rng.randrange(below)
    else:
        rng.shuffle(out)
    return out


def _near_predicate(rng: random.Random, value: Attribute) -> Attribute:
    number = lambda: rng.choice((None, -1, 0, 1, 2, 8, 16, 127, 128, -128, -129, 2**31, -(2**31), 2**62))  # noqa: E731
    kind = rng.randrange(5)
    if kind == 0:
        return Attribute(8, [None, None, rng.choice((0, 1, 2, 3, 8, 16, 2**62, 2**63))])
    if kind == 1:
        return Attribute(8, [number(), number(), rng.choice((1, 4, 16))])
    if kind == 2:
        return Attribute(9, [rng.choice((0, 1, 2, 4, 16, 64, -1)) for _ in range(rng.randrange(4))])
    if kind == 3:
        return Attribute(12, [number(), number(), 0])
    out = copy.deepcopy(value)
    if out.tag in (8, 12):
        out.content[rng.randrange(2)] = number()
    return out


def _near_array(rng: random.Random, file: File, value: Attribute) -> Attribute:
    """Identities, or hints."""
    out = copy.deepcopy(value)
    items = out.content
    kind = rng.randrange(4)
    if not items or kind == 0:
        if value.tag == 6:
            items.append(Attribute(3, 1) if not items else copy.deepcopy(items[0]))
        else:
            hint = Attribute(10, []) if rng.random() < 0.5 else Attribute(3, 1)
            items.append([rng.randrange(len(file.strings)), hint])
        return out
    if kind == 1:
        items.pop()
        return out
    item = items[0] if value.tag == 6 else items[0][1]
    if item.tag in (1, 2) and kind == 2:
        item.content[0] = any_element(rng, file)
        integer = file.types[item.content[0]].kind.startswith("i")
        item.tag, item.content[1] = (1 if integer else 2), b"\0"
    else:
        item.tag, item.content = rng.choice(((3, 1), (5, 0), (4, item.content[0] if item.tag < 3 else 0)))
    return out


def change_opcode(rng: random.Random, file: File) -> None:
    """Another op that is written alike."""
    if place := _pick(rng, file):
        op = place[1]
        alike = [
            row
            for row in edit.ROWS.values()
            if _layout(row) == _layout(op.row)
            and row["name"] != op.row["name"]
            and file.minor >= edit.version_of(row["since"])
            and row["opcode"] < 0x100
        ]
        if alike:
            op.row = rng.choice(alike)


def _layout(row: dict[str, Any]) -> Any:
    groups = [(group["variadic"], group["optional"]) for group in row["operands"]]
    results = [(group["variadic"], group["since"]) for group in row["results"]]
    attributes = [(info["enc"], info["optional"], info["since"]) for info in row["attributes"]]
    flags = row["flags"] and (row["flags"]["since"], [bit["kind"] for bit in row["flags"]["bits"]])
    encodings = (row["results_encoding"], row["operands_encoding"])
    return groups, results, attributes, flags, encodings, row["regions"]


def change_arguments(rng: random.Random, file: File) -> None:
    """The arguments of a body."""
    if place := _pick(rng, file, lambda op: op.regions):
        region = rng.choice(place[1].regions)
        if region:
            arguments = region[0].arguments
            if arguments and rng.random() < 0.8:
                number = rng.randrange(len(arguments))
                arguments[number] = other_type(rng, file, arguments[number])
            elif arguments and rng.random() < 0.5:
                arguments.pop()
            else:
                arguments.append(rng.randrange(len(file.types)))


def change_block(rng: random.Random, file: File) -> None:
    """Ops that go, come twice, change places; branches that go."""
    if not (place := _pick(rng, file)):
        return
    block, op = place
    at = block.ops.index(op)
    kind = rng.randrange(6)
    if kind == 0:
        del block.ops[at]
    elif kind == 1:
        block.ops.insert(rng.randrange(len(block.ops) + 1), copy.deepcopy(op))
    elif kind == 2 and len(block.ops) > 1:
        other = rng.randrange(len(block.ops))
        block.ops[at], block.ops[other] = block.ops[other], block.ops[at]
    elif kind == 3 and op.regions:
        op.regions[-1] = []
    elif kind == 4 and op.regions and op.regions[0]:
        op.regions[rng.randrange(len(op.regions))] = [copy.deepcopy(op.regions[0][0])]
    else:
        block.ops = block.ops[: at + 1]


def insert_op(rng: random.Random, file: File) -> None:
    """An op of any kind before the end of a body, where it renumbers nothing."""
    function = _function(rng, file)
    if not function:
        return
    blocks = [function.body] + [
        inner for _, op in function.walk() for region in op.regions for inner in region
    ]
    block = rng.choice(blocks)
    rows = [row for row in edit.ROWS.values() if file.minor >= edit.version_of(row["since"])]
    row = rng.choice([row for row in rows if row["opcode"] < 0x100 and not row["regions"]])
    if row["name"] in ("entry", "module", "global"):
        return
    visible = block.ops[-1].visible if block.ops else block.visible
    op = Op(row, [], 0, [], [], [], visible)
    for group in row["results"]:
        count = rng.randrange(3) if group["variadic"] else int(file.minor >= edit.version_of(group["since"]))
        op.results += [rng.randrange(len(file.types)) for _ in range(count)]
    for info in row["attributes"]:
        written = file.minor >= edit.version_of(info["since"]) and not info["optional"]
        op.attributes.append(_any_attribute(rng, file, info) if written else None)
    groups = []
    for group in row["operands"]:
        count = rng.randrange(3) if group["variadic"] else int(not group["optional"])
        groups.append([rng.randrange(max(1, visible)) for _ in range(count)])
    op.operands = (
        [[v for group in groups for v in group]] if row["operands_encoding"] == "counted" else groups
    )
    block.ops.insert(max(0, len(block.ops) - 1), op)


def _any_attribute(rng: random.Random, file: File, info: dict[str, Any]) -> Any:
    empty: dict[str, Any] = {
        "dense_int32_array": [0, 1],
        "dense_bool_array": [0, 1],
        "tagged": Attribute(8, [None, None, 4]),
        "array": Attribute(6, []),
        "optimization_hints": Attribute(11, []),
    }
    if info["enc"] in ("str", "dense_typed_elements"):
        return rng.randrange(max(1, len(file.strings if info["enc"] == "str" else file.constants)))
    if info["enc"] in ("int", "bool"):
        return rng.randrange(2)
    return empty[info["enc"]] if info["enc"] in empty else rng.randrange(len(edit.ENUMERATIONS[info["type"]]))


def synthesize_op(rng: random.Random, file: File) -> None:
    """A copy of an op on fresh values; often an attribute, a flag or a count is changed too."""
    function = _function(rng, file)
    if not function or not function.body.ops:
        return
    op = synthesize(rng, file, function)
    if op and rng.random() < 0.6:
        body = Block([], [op])
        only = File(file.minor, [], file.strings, file.types, file.constants, [], [])
        only.functions = [Function(0, function.type, 0, 0, None, None, body)]
        rng.choice((change_attribute, change_flag, change_attribute, change_count))(rng, only)


# ---- the file ---------------------------------------------------------------------------------------------


def change_function(rng: random.Random, file: File) -> None:
    function = _function(rng, file)
    if not function:
        return
    kind = rng.randrange(6)
    if kind == 0:
        function.type = other_type(rng, file, function.type)
    elif kind == 1:
        function.flags = rng.randrange(16)
    elif kind == 2:
        function.name = rng.randrange(len(file.strings))
    elif kind == 3:
        file.functions.append(copy.deepcopy(function))
        if rng.random() < 0.5:
            file.strings.append(b"another")
            file.functions[-1].name = len(file.strings) - 1
    elif kind == 4 and function.hints:
        function.hints = _near_array(rng, file, function.hints)
    elif function.arguments:
        function.arguments = _near_array(rng, file, function.arguments)


def change_global(rng: random.Random, file: File) -> None:
    if not file.globals:
        change_attribute(rng, file)
        return
    row = rng.choice(file.globals)
    kind = rng.randrange(5)
    if kind == 0:
        row.name = rng.randrange(len(file.strings))
    elif kind == 1:
        row.type = other_type(rng, file, row.type)
    elif kind == 2:
        row.constant = rng.randrange(len(file.constants))
    elif kind == 3:
        row.alignment = rng.choice(_INTERESTING)
    else:
        row.private, row.is_constant = rng.randrange(2), rng.randrange(2)


def change_string(rng: random.Random, file: File) -> None:
    place = rng.randrange(len(file.strings))
    file.strings[place] = rng.choice((b"", b"%d", b"x %5.2f y", b"%", b"100%%", rng.choice(file.strings)))


def change_constant(rng: random.Random, file: File) -> None:
    if file.constants:
        place = rng.randrange(len(file.constants))
        old = file.constants[place]
        file.constants[place] = rng.choice((old[:-1], old + b"\0", old * 2, b"", bytes(8), bytes(1)))


_WEIGHTED: list[tuple[Callable[[random.Random, File], None], int]] = [
    (synthesize_op, 40),
    (change_result, 14),
    (change_operand, 14),
    (change_table_type, 12),
    (change_attribute, 14),
    (change_flag, 8),
    (change_count, 7),
    (change_opcode, 8),
    (change_arguments, 4),
    (change_block, 4),
    (insert_op, 5),
    (change_function, 3),
    (change_global, 2),
    (change_string, 2),
    (change_constant, 2),
]
_CHANGES = [change for change, _ in _WEIGHTED]
