# SPDX-License-Identifier: Apache-2.0
"""dispatch.json: which entry of kernel.rs, with which generics, serves each specialization."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tileport import contract
from tileport.stages.generics import Recovered
from tileport.stages.port import Port
from tileport.toolchain.check import Instance


def write(port: Port, recovered: Recovered) -> None:
    """Writes what a translation says, and the bytecode that confirms its generics; kernel.rs is written
    apart."""
    translation = recovered.translation
    variants = [
        {
            "entry": variant.name,
            "kernel": variant.kernel,
            "generics": [
                {
                    "name": each.name,
                    "kind": "type" if each.is_type else "i32",
                    "derivation": each.derivation.document if each.derivation else None,
                    "follows": each.derivation.text if each.derivation else None,
                    "refuted": each.refuted,
                }
                for each in variant.generics
            ],
        }
        for variant in translation.variants
    ]
    instances = [
        {
            "name": name,
            "entry": variant.name,
            "generics": instance.generics,
            "hints": instance.hints,
        }
        for variant in translation.variants
        for name, instance in variant.instances.items()
    ]
    unseen = [
        {
            "name": name,
            "of": recovered.variations[name].of,
            "constants": recovered.variations[name].constants,
            "sha256": hashlib.sha256(recovered.variations[name].data).hexdigest(),
            "entry": variant.name,
            "generics": instance.generics,
            "hints": instance.hints,
        }
        for variant in translation.variants
        for name, instance in variant.variations.items()
        if name in recovered.variations
    ]
    document = {
        "schema": contract.DISPATCH,
        "op": port.op,
        "variants": variants,
        "instances": instances,
        "unseen": unseen,
    }
    with port.scratch("unseen") as scratch:
        folder = scratch / "unseen"
        folder.mkdir()
        for name, variation in recovered.variations.items():
            (folder / f"{name}.tileirbc").write_bytes(variation.data)
        port.replace_folder(folder, port.unseen)
    contract.write(contract.DISPATCH, document, port.dispatch)


def read(port: Port, names: Sequence[str]) -> dict[str, Instance]:
    """The instances of those of ``names`` that have one, in their order; the unseen are among them.

    Where there is no dispatch.json each specialization has an entry of its name.
    """
    if not port.dispatch.is_file():
        return {name: Instance(name, name) for name in names}
    document = contract.read(contract.DISPATCH, port.dispatch)
    rows: dict[str, Mapping[str, Any]] = {
        row["name"]: row for row in (*document["instances"], *document["unseen"])
    }
    return {
        name: Instance(name, rows[name]["entry"], rows[name]["generics"], rows[name]["hints"])
        for name in names
        if name in rows
    }


def unseen(port: Port) -> list[dict[str, Any]]:
    """The rows of dispatch.json about constants that were not captured."""
    if not port.dispatch.is_file():
        return []
    rows: list[dict[str, Any]] = contract.read(contract.DISPATCH, port.dispatch)["unseen"]
    return rows
