# SPDX-License-Identifier: Apache-2.0
"""Turns this process into one where host code launches on a pretended GPU and every launch is recorded.

The order of the steps is what makes it work, so there is one function for it. It cannot be undone: it is for
processes of their own, such as the capture's workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from tileport.capture.device_models import DeviceModel

if TYPE_CHECKING:
    from tileport.capture.launches import Launch, Recorder

BYTECODE_VERSION = "13.3"


def start(
    model: DeviceModel,
    on_launch: Callable[[Launch], None],
    *,
    autotune: bool = False,
    real_numbers: bool = False,
) -> Recorder:
    """Pretends to be on ``model`` from now on and calls ``on_launch`` for every launch.

    ``on_launch`` gets the host's real arguments; what it writes into the tensors is what the host code reads.
    With ``autotune`` operators tune as they would on a GPU, and every candidate is recorded; without, TileGym
    takes each operator's default, and searches that cannot be switched off stop at their first candidate.
    ``real_numbers``: launches compute, so what host code fills in is not cut short.
    """
    from tileport.capture.stub_driver import StubDriver

    os.environ["TILEGYM_DISABLE_AUTOTUNE"] = "0" if autotune else "1"
    # Without these TileGym would look for other back ends: build Rust with cargo, run nvcc, import Triton,
    # which fails without a GPU. None of them matters for what cuTile Python launches.
    os.environ["CUTILE_RS_AUTOBUILD"] = "0"
    os.environ["TILECPP_NVCC_PATH"] = os.devnull
    os.environ["TILEGYM_DISABLE_TRITON"] = "1"
    # Refused by TileGym when it names a back end that is not there yet.
    os.environ.pop("CUTILE_TUTORIALS_BACKEND", None)

    StubDriver().install(model)

    from tileport.capture import fake_cuda

    fake_cuda.install(model, real_numbers=real_numbers)

    from tileport.capture.launches import Recorder

    recorder = Recorder(model, on_launch, BYTECODE_VERSION, every_candidate=autotune)
    recorder.install()
    return recorder
