# SPDX-License-Identifier: Apache-2.0
# The extension module has no types of its own; the modules that re-export it (tileport.ir and so on) have.
from typing import Any

__version__: str

def __getattr__(name: str) -> Any: ...
