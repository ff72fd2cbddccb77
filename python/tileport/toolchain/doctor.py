# SPDX-License-Identifier: Apache-2.0
"""What is installed, what is missing, and the command that gets each missing thing."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tileport.toolchain.finding import (
    Tool,
    Toolchain,
    build_check_command,
    distribution_version,
    find_cuda_headers,
    find_libclang,
    find_toolchain,
    program_output,
    rust_sources,
    wheel_folders,
)

BYTECODE_VERSION = "13.3"
_GET_CAPTURE = "pip install 'tileport[capture]'"
_GET_TILEGYM = "pip install 'tileport[tilegym]'   (PyTorch: about 6 GB installed)"


@dataclass(frozen=True)
class Check:
    """One line of the report. ``status`` is "ok", "missing" (needed to convert) or "absent" (not needed)."""

    group: str
    name: str
    status: str
    version: str
    path: str
    needed_for: str
    help: str


def _check(
    group: str,
    name: str,
    needed_for: str,
    help: str,
    version: str | None,
    path: Path | str = "",
    problem: str | None = None,
    required: bool = True,
) -> Check:
    """A line that is ok if there is a version and no problem; a problem stands where the version would."""
    if version is not None and problem is None:
        return Check(group, name, "ok", version, str(path), needed_for, "")
    status = "missing" if required else "absent"
    return Check(group, name, status, problem or "not installed", str(path), needed_for, help)


def _of_tool(group: str, tool: Tool, needed_for: str) -> Check:
    return _check(group, tool.name, needed_for, tool.help, tool.version, tool.path or "", tool.problem)


def _compiler() -> Check:
    needed_for = "linking Rust crates; building tileport itself (C++20: g++ 12 or clang 14)"
    for name in (os.environ.get("CXX", ""), "g++", "clang++", "c++"):
        path = shutil.which(name) if name else None
        if path is None:
            continue
        version = re.search(r"\d+\.\d+\.\d+", program_output(Path(path), "--version"))
        linker = shutil.which("cc")
        problem = None if linker else "there is a C++ compiler, but no `cc`, which Rust links with"
        return _check("build", Path(path).name, needed_for, "apt-get install gcc g++",
                      version.group(0) if version else None, path, problem)  # fmt: skip
    return _check("build", "C++ compiler", needed_for, "apt-get install gcc g++", None)


def _libclang() -> Check:
    folder = find_libclang()
    library = next(iter(sorted(folder.glob("libclang*.so*"))), None) if folder else None
    return _check("rust", "libclang", "binding the CUDA headers in Rust", "pip install libclang==18.1.1",
                  library.name if library else None, folder or "")  # fmt: skip


def _cuda_headers() -> Check:
    folder = find_cuda_headers()
    version = None
    if folder is not None:
        text = (folder / "include" / "cuda.h").read_text(errors="replace")
        number = re.search(r"^#define\s+CUDA_VERSION\s+(\d+)", text, re.M)
        version = (
            f"{int(number.group(1)) // 1000}.{int(number.group(1)) % 1000 // 10}" if number else "unknown"
        )
    help = "pip install nvidia-cuda-runtime nvidia-cuda-crt==13.5.37 nvidia-curand, or set CUDA_TOOLKIT_PATH"
    return _check("rust", "CUDA headers", "building Rust crates that use cutile", help, version, folder or "")


def _bytecode(toolchain: Toolchain) -> Check:
    versions = toolchain.bytecode_versions
    problem = None
    if versions and BYTECODE_VERSION not in versions:
        problem = f"{', '.join(versions)}: {BYTECODE_VERSION}, which tileport writes, is not among them"
    return _check("assembler", "bytecode versions", "reading what is captured", _GET_CAPTURE,
                  ", ".join(versions) or None, "", problem)  # fmt: skip


def _distribution(group: str, name: str, needed_for: str, help: str, pinned: str) -> Check:
    version = distribution_version(name)
    problem = None
    if version is not None and version.split("+")[0] != pinned:
        problem = f"is {version}; tileport is made for {pinned}"
    return _check(group, name, needed_for, help, version, "", problem)


def _extension() -> Check:
    try:
        from tileport import _core

        version, path, problem = str(_core.__version__), str(_core.__file__), None
    except ImportError as error:
        version, path, problem = None, "", f"does not load: {error}"
    help = "pip install tileport (in a checkout: make setup)"
    return _check("tileport", "C++ core", "everything", help, version, path, problem)


def _checker(tool: Tool) -> Check:
    return _check("tileport", tool.name, "compiling kernel.rs to Tile IR", build_check_command(),
                  tool.version, tool.path or "", tool.problem)  # fmt: skip


def _rust_sources() -> Check:
    folder = rust_sources()
    help = "set TILEPORT_RUST to the folder rust/ of tileport's source tree"
    return _check("tileport", "Rust sources", "building generated crates", help,
                  "found" if folder else None, folder or "")  # fmt: skip


def _driver_facts() -> tuple[str | None, list[str], str | None]:
    """Driver API version, names of the GPUs, and the problem, of the real driver if there is one."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None, [], "no NVIDIA driver"
    number = ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return None, [], "the driver does not answer"
    version = f"{number.value // 1000}.{number.value % 1000 // 10}"
    status = driver.cuInit(0)
    if status != 0 or driver.cuDeviceGetCount(ctypes.byref(number)) != 0:
        return version, [], f"cuInit fails with status {status}"
    names = []
    for ordinal in range(number.value):
        name = ctypes.create_string_buffer(256)
        device = ctypes.c_int()
        if driver.cuDeviceGet(ctypes.byref(device), ordinal) == 0:
            driver.cuDeviceGetName(name, len(name), device)
            names.append(name.value.decode(errors="replace"))
    return version, names, None if names else "no GPU"


def _gpu() -> list[Check]:
    version, names, problem = _driver_facts()
    help = "nothing to do: a GPU is needed only to run ports and to time them"
    cupti = [
        lib
        for folder in wheel_folders("nvidia.cu13")
        for lib in sorted((folder / "lib").glob("libcupti.so*"))
    ]
    system = ctypes.util.find_library("cupti")
    found = str(cupti[0]) if cupti else system
    return [
        _check("gpu", "driver", "running ports", help, version, "", None if version else problem, False),
        _check("gpu", "GPU", "running ports", help, ", ".join(names) or None, "", problem, required=False),
        _check("gpu", "CUPTI", "timing kernels", "pip install nvidia-cuda-cupti",
               Path(found).name if found else None, found or "", required=False),
    ]  # fmt: skip


def _python() -> Check:
    return _check("tileport", "Python", "everything", "", platform.python_version(), sys.executable)


def examine() -> list[Check]:
    """All checks, in the order of the report. Imports neither torch, tilegym nor cuda.tile."""
    toolchain = find_toolchain()
    makers: list[Callable[[], Check | list[Check]]] = [
        _python,
        _extension,
        lambda: _checker(toolchain.tileport_check),
        _rust_sources,
        lambda: _of_tool("assembler", toolchain.tileiras, "comparing machine code"),
        lambda: _of_tool("assembler", toolchain.tileirdisasm, "naming and printing Tile IR"),
        lambda: _bytecode(toolchain),
        lambda: _distribution(
            "capture", "cuda-tile", "capturing cuTile Python kernels", _GET_CAPTURE, "1.7.0"
        ),
        lambda: _distribution("capture", "tilegym", "TileGym's operators", _GET_TILEGYM, "1.5.1"),
        lambda: _distribution("capture", "torch", "running operators' host code", _GET_TILEGYM, "2.15.0"),
        _compiler,
        lambda: _of_tool("rust", toolchain.cargo, "checking generated crates"),
        lambda: _of_tool("rust", toolchain.rustc, "checking generated crates"),
        _libclang,
        _cuda_headers,
        _gpu,
    ]
    checks: list[Check] = []
    for make in makers:
        made = make()
        checks += made if isinstance(made, list) else [made]
    return checks


def ready(checks: list[Check]) -> bool:
    """Whether everything that conversion needs is there."""
    return all(check.status != "missing" for check in checks)


def as_json(checks: list[Check]) -> dict[str, Any]:
    return {"ready": ready(checks), "checks": [asdict(check) for check in checks]}
