# SPDX-License-Identifier: Apache-2.0
"""Gives cuda.tile's native launcher the stub driver (stub_driver.cpp) in place of libcuda."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import types

from tileport.capture.device_models import DeviceModel
from tileport.errors import ToolchainError

_MODULE = "tileport.capture._stub_driver"
_LOADER = "cuda.tile._load_libcuda"


def library_path() -> str:
    """Where the compiled stub driver is; ToolchainError if this build of tileport lacks it."""
    # It is no Python module, but finding it as one also works where the package is installed as editable.
    spec = importlib.util.find_spec(_MODULE)
    if spec is None or not spec.origin:
        raise ToolchainError(
            "stub-driver-missing",
            "this installation of tileport has no compiled stub driver",
            _MODULE,
            "install tileport again from a wheel or with `pip install .`, which compile it",
        )
    return spec.origin


class StubDriver:
    """The one device that the launcher sees in this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(library_path())
        self._library.tileport_stub_driver_entry.restype = ctypes.c_void_p
        self._library.tileport_stub_driver_refused.restype = ctypes.c_char_p

    def install(self, model: DeviceModel) -> None:
        """Must run before ``cuda.tile`` is imported: the launcher looks everything up when it is loaded."""
        assert "cuda.tile" not in sys.modules, "cuda.tile has already looked for the real driver"
        self._library.tileport_stub_driver_set_device(*model.compute_capability, model.multiprocessors)
        # cuda.tile's native module takes exactly this one attribute from exactly this module, which would
        # otherwise load libcuda.so.1 and fail.
        loader = types.ModuleType(_LOADER)
        vars(loader)["cuGetProcAddress_v2_ptrptr"] = self._library.tileport_stub_driver_entry()
        sys.modules[_LOADER] = loader

    def refused(self) -> list[str]:
        """Driver functions that the launcher looked up and that would fail if it called them."""
        return self._library.tileport_stub_driver_refused().decode().split()
