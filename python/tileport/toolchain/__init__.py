# SPDX-License-Identifier: Apache-2.0
"""Finding and running the programs that tileport builds on: tileiras, tileirdisasm, cargo, tileport-check."""

from tileport.toolchain.assembler import Assembled, assemble, disassemble, tool_environment
from tileport.toolchain.cache import RecordCache, cache_folder, write_atomically
from tileport.toolchain.finding import Tool, Toolchain, cargo_environment, find_toolchain

__all__ = [
    "Assembled",
    "RecordCache",
    "Tool",
    "Toolchain",
    "assemble",
    "cache_folder",
    "cargo_environment",
    "disassemble",
    "find_toolchain",
    "tool_environment",
    "write_atomically",
]
