# SPDX-License-Identifier: Apache-2.0
"""The GPUs that capture pretends to run on. They differ in what host code asks for: target and size."""

from __future__ import annotations

from dataclasses import dataclass

from tileport.errors import UsageError


@dataclass(frozen=True)
class DeviceModel:
    """One GPU as host code sees it; the numbers are the vendor's for the product named."""

    name: str
    product: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int
    l2_cache_bytes: int

    @property
    def target(self) -> str:
        """The architecture that tileiras compiles for, as in "sm_90"."""
        major, minor = self.compute_capability
        return f"sm_{major}{minor}"


_GIB = 1 << 30
_MIB = 1 << 20

DEVICE_MODELS: dict[str, DeviceModel] = {
    model.name: model
    for model in (
        DeviceModel("b200", "NVIDIA B200", (10, 0), 148, 180 * _GIB, 126 * _MIB),
        DeviceModel("h200", "NVIDIA H200", (9, 0), 132, 141 * _GIB, 50 * _MIB),
    )
}


def select_device_models(names: tuple[str, ...] | list[str]) -> tuple[DeviceModel, ...]:
    """The models of the given names, each once and in the order given; a wrong name is a UsageError."""
    if not names:
        raise UsageError(
            "no-device-model", "no device model given", help=f"choose from {', '.join(DEVICE_MODELS)}"
        )
    for name in names:
        if name not in DEVICE_MODELS:
            raise UsageError(
                "unknown-device-model",
                f"there is no device model {name!r}",
                help=f"choose from {', '.join(DEVICE_MODELS)}",
            )
    return tuple(DEVICE_MODELS[name] for name in dict.fromkeys(names))
