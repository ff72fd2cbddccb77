# SPDX-License-Identifier: Apache-2.0
"""Takes Tile IR bytecode apart into ops, types and tables that tests can change, and puts it together again.

Independent of the library: rows of ops come from tests/data/tileir/ops.json, which is made from the dialect's
description. ``parse(data).build()`` gives a file with the same meaning, not always the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_DIALECT = json.loads((Path(__file__).resolve().parents[1] / "data" / "tileir" / "ops.json").read_text())
ROWS: dict[int, dict[str, Any]] = {row["opcode"]: row for row in _DIALECT["ops"]}
ENUMERATIONS: dict[str, list[str]] = _DIALECT["enumerations"]
TYPE_TAGS: dict[str, int] = {row["name"]: row["tag"] for row in _DIALECT["types"]}
_TYPE_NAMES = {tag: name for name, tag in TYPE_TAGS.items()}

STRING, FUNCTION, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = range(1, 8)


def version_of(text: str) -> int:
    """The minor version; preview ops belong to the newest one."""
    return 5 if text == "preview" else int(text.split(".")[1])


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


class Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self) -> int:
        raw = self.varint()
        return raw >> 1 if raw % 2 == 0 else -(raw >> 1) - 1

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def list(self, width: int) -> list[int]:
        return [int.from_bytes(self.take(width), "little", signed=True) for _ in range(self.varint())]

    def ids(self) -> list[int]:
        return [self.varint() for _ in range(self.varint())]


def _list(values: list[int], width: int) -> bytes:
    return varint(len(values)) + b"".join(v.to_bytes(width, "little", signed=True) for v in values)


def _ids(values: list[int]) -> bytes:
    return varint(len(values)) + b"".join(map(varint, values))


# ---- types ------------------------------------------------------------------------------------------------


@dataclass
class Type:
    """``element`` is the type that it holds; which members count depends on ``kind``."""

    kind: str
    element: int = 0
    shape: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    dim_map: list[int] = field(default_factory=list)
    sparse_dim: int = 0
    padding: int | None = None
    address: int | None = None
    inputs: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)

    def build(self, minor: int) -> bytes:
        out = varint(TYPE_TAGS[self.kind])
        flags = b""
        if self.kind in ("ptr", "tensor_view") and minor >= 4:
            flags = varint(self.address is not None)
        tail = varint(self.address) if flags and self.address is not None else b""
        if self.kind == "ptr":
            return out + flags + varint(self.element) + tail
        if self.kind == "tile":
            return out + varint(self.element) + _list(self.shape, 8)
        if self.kind == "tensor_view":
            return out + flags + varint(self.element) + _list(self.shape, 8) + _list(self.strides, 8) + tail
        if self.kind == "function":
            return out + _ids(self.inputs) + _ids(self.results)
        if self.kind.endswith("_view"):
            return out + self._view(minor)
        return out

    def _view(self, minor: int) -> bytes:
        flags = varint(self.padding is not None)
        body = _list(self.shape, 4)
        if self.kind == "strided_view":
            body += _list(self.strides, 4)
        body += varint(self.element)
        body += varint(self.sparse_dim) if self.kind == "gather_scatter_view" else _list(self.dim_map, 4)
        padding = varint(self.padding) if self.padding is not None else b""
        return flags + body + padding if minor >= 3 else body + flags + padding


def parse_type(data: bytes, minor: int) -> Type:
    r = Reader(data)
    type = Type(_TYPE_NAMES[r.varint()])
    if type.kind in ("ptr", "tensor_view"):
        flagged = minor >= 4 and r.varint() == 1
        type.element = r.varint()
        if type.kind == "tensor_view":
            type.shape, type.strides = r.list(8), r.list(8)
        if flagged:
            type.address = r.varint()
    elif type.kind == "tile":
        type.element, type.shape = r.varint(), r.list(8)
    elif type.kind == "function":
        type.inputs, type.results = r.ids(), r.ids()
    elif type.kind.endswith("_view"):
        flagged = minor >= 3 and r.varint() == 1
        type.shape = r.list(4)
        if type.kind == "strided_view":
            type.strides = r.list(4)
        type.element = r.varint()
        if type.kind == "gather_scatter_view":
            type.sparse_dim = r.varint()
        else:
            type.dim_map = r.list(4)
        if minor < 3:
            flagged = r.varint() == 1
        if flagged:
            type.padding = r.varint()
    return type


# ---- attributes -------------------------------------------------------------------------------------------


@dataclass
class Attribute:
    """One tagged attribute; ``content`` by tag, see ``parse_attribute``."""

    tag: int
    content: Any

    def build(self) -> bytes:
        return varint(self.tag) + self.payload()

    def payload(self) -> bytes:
        content = self.content
        if self.tag in (1, 2):
            return varint(content[0]) + content[1]
        if self.tag == 3:
            return bytes([content])
        if self.tag in (4, 5):
            return varint(content)
        if self.tag == 6:
            return varint(len(content)) + b"".join(item.build() for item in content)
        if self.tag == 7:
            return varint(content[0]) + varint(content[1])
        if self.tag in (8, 12):
            head = varint(content[2]) if self.tag == 8 else b""
            first, second = content[0], content[1]
            bits = (first is not None) | (second is not None) << 1
            return head + bytes([bits]) + b"".join(zigzag(n) for n in (first, second) if n is not None)
        if self.tag == 9:
            return _list(content, 8)
        return varint(len(content)) + b"".join(varint(key) + item.build() for key, item in content)


def parse_attribute(r: Reader, types: list[Type], tag: int | None = None) -> Attribute:
    tag = r.varint() if tag is None else tag
    if tag in (1, 2):
        # The number as it is written: a float's byte or zigzag, an integer's varint.
        type = r.varint()
        start = r.at
        if tag == 2 and types[type].kind.startswith(("f8", "f4", "fnv8")):
            r.byte()
        else:
            r.varint()
        return Attribute(tag, [type, r.data[start : r.at]])
    if tag == 3:
        return Attribute(tag, r.byte())
    if tag in (4, 5):
        return Attribute(tag, r.varint())
    if tag == 6:
        return Attribute(tag, [parse_attribute(r, types) for _ in range(r.varint())])
    if tag == 7:
        return Attribute(tag, [r.varint(), r.varint()])
    if tag in (8, 12):
        divisor = r.varint() if tag == 8 else 0
        bits = r.byte()
        first = r.zigzag() if bits & 1 else None
        second = r.zigzag() if bits & 2 else None
        return Attribute(tag, [first, second, divisor])
    if tag == 9:
        return Attribute(tag, r.list(8))
    return Attribute(tag, [[r.varint(), parse_attribute(r, types)] for _ in range(r.varint())])


# ---- ops --------------------------------------------------------------------------------------------------


@dataclass
class Block:
    arguments: list[int]
    ops: list[Op]
    visible: int = 0
    """Values that its first op can use."""


@dataclass
class Op:
    """``attributes`` has an entry an attribute of the row, None where it is not written; ``operands`` has a
    list of value numbers a group of the row (one list for ops with one count)."""

    row: dict[str, Any]
    results: list[int]
    flags: int
    attributes: list[Any]
    operands: list[list[int]]
    regions: list[list[Block]]
    visible: int
    """Values that it can use."""

    def build(self, minor: int) -> bytes:
        row = self.row
        out = bytearray(varint(row["opcode"]))
        if row["results_encoding"] == "counted":
            out += varint(len(self.results))
        for type in self.results:
            out += varint(type)
        if row["flags"] and minor >= version_of(row["flags"]["since"]):
            out += varint(self.flags)
        for info, value in zip(row["attributes"], self.attributes, strict=True):
            if value is not None:
                out += _build_attribute(info["enc"], value)
        counted = row["operands_encoding"] == "counted"
        if counted:
            out += varint(sum(map(len, self.operands)))
        for number, group in enumerate(self.operands):
            if not counted and row["operands"][number]["variadic"]:
                out += varint(len(group))
            out += b"".join(map(varint, group))
        if row["regions"]:
            out += varint(len(self.regions))
            for region in self.regions:
                out += varint(len(region)) + b"".join(_build_block(block, minor) for block in region)
        return bytes(out)

    def set_presence(self, name: str, present: bool) -> None:
        bits = [bit["name"] for bit in self.row["flags"]["bits"]]
        mask = 1 << bits.index(name)
        self.flags = self.flags | mask if present else self.flags & ~mask


def _build_attribute(enc: str, value: Any) -> bytes:
    if enc == "bool":
        return bytes([value])
    if enc == "dense_int32_array":
        return _list(value, 4)
    if enc == "dense_bool_array":
        return varint(len(value)) + bytes(value)
    if enc == "tagged":
        built: bytes = value.build()
        return built
    if enc in ("array", "optimization_hints"):
        payload: bytes = value.payload()
        return payload
    return varint(value)


def _build_block(block: Block, minor: int) -> bytes:
    out = _ids(block.arguments) + varint(len(block.ops))
    return out + b"".join(op.build(minor) for op in block.ops)


class _Body:
    def __init__(self, r: Reader, minor: int, types: list[Type], visible: int) -> None:
        self.r, self.minor, self.types, self.visible = r, minor, types, visible

    def op(self) -> Op:
        r, minor = self.r, self.minor
        row = ROWS[r.varint()]
        written = sum(minor >= version_of(group["since"]) for group in row["results"])
        count = r.varint() if row["results_encoding"] == "counted" else written
        results = [r.varint() for _ in range(count)]
        flags = r.varint() if row["flags"] and minor >= version_of(row["flags"]["since"]) else 0
        op = Op(row, results, flags, [], [], [], self.visible)
        present = {
            bit["name"] for i, bit in enumerate((row["flags"] or {"bits": []})["bits"]) if flags >> i & 1
        }
        for info in row["attributes"]:
            written_now = minor >= version_of(info["since"])
            if not written_now or (info["optional"] and info["name"] not in present):
                op.attributes.append(None)
            else:
                op.attributes.append(self.attribute(info["enc"]))
        if row["operands_encoding"] == "counted":
            op.operands.append(r.ids())
        else:
            for group in row["operands"]:
                size = 1
                if group["variadic"]:
                    size = r.varint()
                elif group["optional"]:
                    size = int(group["name"] in present)
                op.operands.append([r.varint() for _ in range(size)])
        if row["regions"]:
            for _ in range(r.varint()):
                op.regions.append([self.block() for _ in range(r.varint())])
        self.visible += len(results)
        return op

    def block(self) -> Block:
        arguments = self.r.ids()
        outer = self.visible
        self.visible += len(arguments)
        block = Block(arguments, [], self.visible)
        for _ in range(self.r.varint()):
            block.ops.append(self.op())
        self.visible = outer
        return block

    def attribute(self, enc: str) -> Any:
        r = self.r
        if enc == "bool":
            return r.byte()
        if enc == "dense_int32_array":
            return r.list(4)
        if enc == "dense_bool_array":
            return [r.byte() for _ in range(r.varint())]
        if enc == "tagged":
            return parse_attribute(r, self.types)
        if enc == "array":
            return parse_attribute(r, self.types, 6)
        if enc == "optimization_hints":
            return parse_attribute(r, self.types, 11)
        return r.varint()


# ---- files ------------------------------------------------------------------------------------------------


@dataclass
class Function:
    name: int
    type: int
    flags: int
    location: int
    hints: Attribute | None
    arguments: Attribute | None
    body: Block

    def walk(self) -> Iterator[tuple[Block, Op]]:
        """Every op with the block that it stands in."""

        def below(block: Block) -> Iterator[tuple[Block, Op]]:
            for op in block.ops:
                yield block, op
                for region in op.regions:
                    for inner in region:
                        yield from below(inner)

        return below(self.body)


@dataclass
class Global:
    name: int
    type: int
    constant: int
    alignment: int
    private: int
    is_constant: int


@dataclass
class File:
    minor: int
    sections: list[tuple[int, int, bytes]]
    """Id, alignment (0 if it has none), payload; those that are built from the members below are empty."""
    strings: list[bytes]
    types: list[Type]
    constants: list[bytes]
    globals: list[Global]
    functions: list[Function]

    def type_id(self, type: Type) -> int:
        """The number of a type, which is added if the table has none like it."""
        if type not in self.types:
            self.types.append(type)
        return self.types.index(type)

    def build(self, rebuild: bool = True) -> bytes:
        """The file. Without ``rebuild``, of the payloads in ``sections`` as they stand."""
        out = bytearray(b"\x7fTileIR\0" + bytes([13, self.minor, 0, 0]))
        for id, alignment, payload in self.sections:
            if rebuild and id in (STRING, FUNCTION, CONSTANT, TYPE, GLOBAL):
                payload = self._payload(id)
            out += bytes([id | (0x80 if alignment else 0)]) + varint(len(payload))
            if alignment:
                out += varint(alignment)
                out += b"\xcb" * (-len(out) % alignment)
            out += payload
        return bytes(out) + b"\0"

    def _payload(self, id: int) -> bytes:
        if id == STRING:
            return _table(self.strings, 4)
        if id == TYPE:
            return _table([type.build(self.minor) for type in self.types], 4)
        if id == CONSTANT:
            return _table([varint(len(data)) + data for data in self.constants], 8)
        if id == GLOBAL:
            return varint(len(self.globals)) + b"".join(map(self._global, self.globals))
        return varint(len(self.functions)) + b"".join(map(self._function, self.functions))

    def _global(self, row: Global) -> bytes:
        out = varint(row.name) + varint(row.type) + varint(row.constant) + varint(row.alignment)
        return out + (varint(row.private) + varint(row.is_constant) if self.minor >= 3 else b"")

    def _function(self, function: Function) -> bytes:
        out = varint(function.name) + varint(function.type) + bytes([function.flags])
        out += varint(function.location)
        for attribute in (function.hints, function.arguments):
            out += attribute.build() if attribute else b""
        body = b"".join(op.build(self.minor) for op in function.body.ops)
        return out + varint(len(body)) + body


def _table(items: list[bytes], width: int) -> bytes:
    out = bytearray(varint(len(items)))
    out += b"\xcb" * (-len(out) % width)
    at = 0
    for item in items:
        out += at.to_bytes(width, "little")
        at += len(item)
    return bytes(out) + b"".join(items)


def _items(payload: bytes, width: int) -> list[bytes]:
    r = Reader(payload)
    count = r.varint() if payload else 0
    if count == 0:
        return []
    r.at += -r.at % width
    offsets = [int.from_bytes(r.take(width), "little") for _ in range(count)]
    data = payload[r.at :]
    return [data[a:b] for a, b in zip(offsets, [*offsets[1:], len(data)], strict=True)]


def parse(data: bytes) -> File:
    r = Reader(data, 12)
    file = File(data[9], [], [], [], [], [], [])
    payloads = {}
    while head := r.byte():
        size, alignment = r.varint(), 0
        if head & 0x80:
            alignment = r.varint()
            r.at += -r.at % alignment
        payloads[head & 0x7F] = r.take(size)
        file.sections.append((head & 0x7F, alignment, payloads[head & 0x7F]))
    file.strings = _items(payloads[STRING], 4)
    file.types = [parse_type(item, file.minor) for item in _items(payloads.get(TYPE, b""), 4)]
    for item in _items(payloads.get(CONSTANT, b""), 8):
        constant = Reader(item)
        file.constants.append(constant.take(constant.varint()))
    if GLOBAL in payloads:
        g = Reader(payloads[GLOBAL])
        width = 6 if file.minor >= 3 else 4
        for _ in range(g.varint()):
            fields = [g.varint() for _ in range(width)]
            file.globals.append(Global(*[*fields, 0, 0][:6]))
    f = Reader(payloads[FUNCTION])
    file.functions = [_parse_function(f, file) for _ in range(f.varint())]
    return file


def _parse_function(r: Reader, file: File) -> Function:
    name, type, flags, location = r.varint(), r.varint(), r.byte(), r.varint()
    newest = file.minor >= 5
    hints = parse_attribute(r, file.types) if newest or flags & 4 else None
    arguments = parse_attribute(r, file.types) if newest else None
    size = r.varint()
    end = r.at + size
    inputs = file.types[type].inputs
    body = Block([], [], len(inputs))
    reader = _Body(r, file.minor, file.types, len(inputs))
    while r.at < end:
        body.ops.append(reader.op())
    return Function(name, type, flags, location, hints, arguments, body)
