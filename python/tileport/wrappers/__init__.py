# SPDX-License-Identifier: Apache-2.0
"""Ports TileGym's wrappers to the Rust kernels, generates the crates that serve them, and runs both.

Importing this package imports neither torch nor tilegym; its module ``runtime``, which ported wrappers
import, does import torch.
"""

from __future__ import annotations

from tileport.wrappers.build import build_library
from tileport.wrappers.crate import write_check_crate, write_crate
from tileport.wrappers.port import KernelDescriptor, PortedWrapper, port_wrapper
from tileport.wrappers.ports import ports_folder

__all__ = [
    "KernelDescriptor",
    "PortedWrapper",
    "build_library",
    "port_wrapper",
    "ports_folder",
    "write_check_crate",
    "write_crate",
]
