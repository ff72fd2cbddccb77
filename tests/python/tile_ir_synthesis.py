# SPDX-License-Identifier: Apache-2.0
"""Copies of ops on fresh values, whose types are changed in step: wrong in one respect only, or right."""

from __future__ import annotations

import copy
import random

import tile_ir_edit as edit
from tile_ir_edit import Block, File, Function, Op, Type
from tile_ir_near import any_element, near_extents, near_type


class _Fresh:
    """Appends ops at the end of a kernel that make values of any type."""

    def __init__(self, file: File, function: Function) -> None:
        self.file, self.ops = file, function.body.ops
        self.end = self.ops.pop() if self.ops else None
        self.visible = self.end.visible if self.end else function.body.visible

    def add(self, op: Op) -> int:
        """The number of the op's first result."""
        self.ops.append(op)
        first = self.visible
        self.visible += len(op.results)
        return first

    def close(self) -> None:
        if self.end:
            self.ops.append(self.end)

    def value(self, type: int) -> int:
        """What a loop gives whose body never ends may be of any type but a view; views are made."""
        kind = self.file.types[type].kind
        if kind == "tensor_view":
            return self.tensor_view(type)
        if kind.endswith("_view"):
            name = f"make_{kind}"
            return self.add(self.op(name, [type], [[self.value(self.file.types[type].element)]]))
        again = self.op("continue", [], [[]])
        loop = self.op("loop", [type], [[]])
        loop.regions = [[Block([], [again], self.visible)]]
        return self.add(loop)

    def tensor_view(self, type: int) -> int:
        view = self.file.types[type]
        scalar = self.file.type_id(Type("tile", self.file.type_id(Type("i32"))))
        pointer = self.file.type_id(Type("ptr", view.element, address=view.address))
        base = self.value(self.file.type_id(Type("tile", pointer)))
        sizes, strides = (
            [self.value(scalar) for n in ns if n == _DYNAMIC] for ns in (view.shape, view.strides)
        )
        return self.add(self.op("make_tensor_view", [type], [[base], sizes, strides]))

    def op(self, name: str, results: list[int], operands: list[list[int]]) -> Op:
        return Op(_BY_NAME[name], results, 0, [], operands, [], self.visible)


_DYNAMIC = -(2**63)
_BY_NAME = {row["name"]: row for row in edit.ROWS.values()}


def _types_of_values(file: File, function: Function) -> list[int]:
    """The types of the values that ops at function level can use, by number."""
    types = list(file.types[function.type].inputs)
    for op in function.body.ops:
        types += op.results
    return types


def _renumber(op: Op, old: int, new: int) -> None:
    """Inner values of an op that moves from where ``old`` values are visible to where ``new`` are."""
    for region in op.regions:
        for block in region:
            for inner in block.ops:
                inner.operands = [
                    [v - old + new if v >= old else v for v in group] for group in inner.operands
                ]
                inner.visible += new - old
                _renumber(inner, old, new)


def _other_types(rng: random.Random, file: File, used: list[int]) -> dict[int, int]:
    """Changes of the types that an op uses: of one type, of one element or shape everywhere."""
    kind = rng.randrange(4)
    pick = rng.choice(used)
    if kind == 0:
        return {pick: near_type(rng, file, pick)}
    tiles = [type for type in set(used) if file.types[type].kind == "tile"]
    if not tiles:
        return {pick: near_type(rng, file, pick)}
    model = file.types[rng.choice(tiles)]
    if kind <= 2:
        new = any_element(rng, file)
        return {
            type: file.type_id(Type("tile", new, list(file.types[type].shape)))
            for type in tiles
            if file.types[type].element == model.element
        }
    shape = near_extents(rng, model.shape)
    return {
        type: file.type_id(Type("tile", file.types[type].element, list(shape)))
        for type in tiles
        if file.types[type].shape == model.shape
    }


def synthesize(rng: random.Random, file: File, function: Function) -> Op | None:
    """A copy of an op on fresh values, whose types are changed in step, at the end of the kernel."""
    names = sorted({op.row["name"] for op in function.body.ops[:-1]})
    if not names:
        return None
    name = rng.choice(names)
    template = rng.choice([op for op in function.body.ops[:-1] if op.row["name"] == name])
    known = _types_of_values(file, function)
    op = copy.deepcopy(template)
    used = [known[v] for group in op.operands for v in group if v < len(known)] + op.results
    if not used:
        return None
    new = _other_types(rng, file, used) if rng.random() < 0.85 else {}
    alone = rng.randrange(len(used)) if rng.random() < 0.25 else None
    fresh = _Fresh(file, function)
    place = 0
    for group in op.operands:
        for i, value in enumerate(group):
            type = known[value] if value < len(known) else used[0]
            changed = new.get(type, type) if alone is None or alone == place else type
            group[i] = fresh.value(changed)
            place += 1
    op.results = [
        new.get(type, type) if alone is None or alone == place + i else type
        for i, type in enumerate(op.results)
    ]
    for region in op.regions:
        for block in region:
            block.arguments = [new.get(type, type) for type in block.arguments]
    _renumber(op, template.visible, fresh.visible)
    op.visible = fresh.visible
    fresh.add(op)
    fresh.close()
    return op
