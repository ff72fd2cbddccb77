# SPDX-License-Identifier: Apache-2.0
"""dispatch.json: which entry of kernel.rs, with which generics, serves each specialization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tileport import contract
from tileport.stages.port import Port
from tileport.toolchain.check import Instance
from tileport.translate import Translation


def write(port: Port, translation: Translation) -> None:
    """Writes what a translation says; kernel.rs is written apart."""
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
    document = {"schema": contract.DISPATCH, "op": port.op, "variants": variants, "instances": instances}
    contract.write(contract.DISPATCH, document, port.dispatch)


def read(port: Port, names: Sequence[str]) -> dict[str, Instance]:
    """The instances of those of ``names`` that have one, in their order.

    Where there is no dispatch.json each specialization has an entry of its name.
    """
    if not port.dispatch.is_file():
        return {name: Instance(name, name) for name in names}
    rows: dict[str, Mapping[str, Any]] = {
        row["name"]: row for row in contract.read(contract.DISPATCH, port.dispatch)["instances"]
    }
    return {
        name: Instance(name, rows[name]["entry"], rows[name]["generics"], rows[name]["hints"])
        for name in names
        if name in rows
    }
