# SPDX-License-Identifier: Apache-2.0
"""Types that differ a little from other types."""

from __future__ import annotations

import copy
import random

import tile_ir_edit as edit
from tile_ir_edit import File, Type

_ELEMENTS = [name for name, tag in edit.TYPE_TAGS.items() if tag <= 11 or name in ("f8E8M0FNU", "f4E2M1FN")]
_NEW_ELEMENTS = ["i4", "fnv8E5M3FNU"]


def any_element(rng: random.Random, file: File) -> int:
    names = _ELEMENTS + (_NEW_ELEMENTS if file.minor >= 4 else [])
    return file.type_id(Type(rng.choice(names)))


def near_extents(rng: random.Random, extents: list[int]) -> list[int]:
    out = list(extents)
    kind = rng.randrange(7)
    if kind == 0 and out:
        place = rng.randrange(len(out))
        out[place] = rng.choice((1, 2, 4, 8, 16, 32, 64, 128, out[place] * 2, max(1, out[place] // 2)))
    elif kind == 1 and len(out) > 1:
        rng.shuffle(out)
    elif kind == 2:
        out.insert(rng.randrange(len(out) + 1), rng.choice((1, 2, 8, 16)))
    elif kind == 3 and out:
        del out[rng.randrange(len(out))]
    elif kind == 4 and out:
        out[rng.randrange(len(out))] = rng.choice((0, 3, -1, 12, 2**20, 2**24, 2**31 - 1, -(2**63)))
    elif kind == 5:
        out = []
    else:
        out = [rng.choice((1, 2, 4, 8, 16, 32)) for _ in range(rng.randrange(4))]
    return out


def near_type(rng: random.Random, file: File, old: int) -> int:
    """A type that differs a little from another one; it is added to the table."""
    type = copy.deepcopy(file.types[old])
    address = rng.choice((None, 0, 1, 2)) if file.minor >= 4 else None
    if type.kind == "tile":
        inner = file.types[type.element]
        kind = rng.randrange(4)
        if kind <= 1:
            type.shape = near_extents(rng, type.shape)
        elif (kind == 2 and inner.kind == "ptr") or rng.random() < 0.2:
            type.element = file.type_id(Type("ptr", any_element(rng, file), address=address))
        else:
            type.element = any_element(rng, file)
    elif type.kind == "tensor_view":
        kind = rng.randrange(4)
        if kind == 0:
            type.shape = near_extents(rng, type.shape)
        elif kind == 1:
            type.strides = near_extents(rng, type.strides)
        elif kind == 2:
            type.element = any_element(rng, file)
        else:
            type.address = address
    elif type.kind.endswith("_view"):
        _near_view(rng, file, type)
    elif type.kind == "function":
        which = rng.choice((type.inputs, type.results))
        if which and rng.random() < 0.7:
            place = rng.randrange(len(which))
            which[place] = near_type(rng, file, which[place])
        else:
            which.append(rng.randrange(len(file.types)))
    elif type.kind == "ptr":
        type.element, type.address = any_element(rng, file), address
    else:
        return rng.randrange(len(file.types))
    return file.type_id(type)


def _near_view(rng: random.Random, file: File, type: Type) -> None:
    kind = rng.randrange(6)
    if kind == 0:
        type.shape = near_extents(rng, type.shape)
    elif kind == 1:
        type.padding = rng.choice((None, 0, 1, 2, 3, 4, 5))
    elif kind == 2:
        type.dim_map = [rng.randrange(-1, 3) for _ in type.dim_map] if rng.random() < 0.5 else []
        type.sparse_dim = rng.randrange(4)
    elif kind == 3:
        type.strides = near_extents(rng, type.strides)
    elif kind == 4:
        type.element = near_type(rng, file, type.element)
    else:
        type.kind = rng.choice(("partition_view", "strided_view", "gather_scatter_view"))
        if type.kind == "strided_view" and not type.strides:
            type.strides = [1 for _ in type.shape]
        if type.kind != "gather_scatter_view" and not type.dim_map:
            type.dim_map = list(range(len(type.shape)))


def other_type(rng: random.Random, file: File, old: int) -> int:
    """Another type for a place where one stands."""
    return rng.randrange(len(file.types)) if rng.random() < 0.3 else near_type(rng, file, old)


def change_table_type(rng: random.Random, file: File) -> None:
    """A type changes wherever it is used."""
    place = rng.randrange(len(file.types))
    new = near_type(rng, file, place)
    if new != place:
        file.types[place] = copy.deepcopy(file.types[new])
