# SPDX-License-Identifier: Apache-2.0
"""TileGym's backend "cutile-rs", served by the ports in the ports folder.

    import tileport.backend
    tilegym.set_backend("cutile-rs")

Importing this module enables the backend; TileGym is imported if it was not, and is not changed on disk.
While it is enabled, every operator name that TileGym knows leads to a port or, where there is none, to an
error that says which conversion is missing: nothing falls back. `disable` puts back what was there before.
"""

from __future__ import annotations

import warnings

from tileport.backend.readiness import OpStatus
from tileport.backend.registration import BACKEND, disable, enable, is_enabled, require, status
from tileport.wrappers.errors import LaunchError, MissingSpecializationError, PortMissingError
from tileport.wrappers.ports import ports_folder

__all__ = [
    "BACKEND",
    "LaunchError",
    "MissingSpecializationError",
    "OpStatus",
    "PortMissingError",
    "disable",
    "enable",
    "is_enabled",
    "launch_counts",
    "require",
    "status",
]


def launch_counts() -> dict[str, int]:
    """Entry (a NAME of index.json) -> kernel launches that were accepted in this process."""
    from tileport.wrappers import runtime

    return runtime.launch_counts()


if not enable():
    warnings.warn(
        f"backend {BACKEND} is unavailable: no usable port in {ports_folder()}. "
        "Run `tileport convert softmax`; tileport.backend.status() tells more.",
        stacklevel=2,
    )
