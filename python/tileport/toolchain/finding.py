# SPDX-License-Identifier: Apache-2.0
"""Where the programs are. Each is looked for in this order: the environment variable that names it, the
installed wheels or this checkout, the user's cache, PATH."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tileport.errors import ToolchainError
from tileport.toolchain.cache import cache_folder

MINIMUM_RUST = (1, 89)

_PROBE_TIMEOUT_S = 30.0
_GET_ASSEMBLER = "pip install 'tileport[capture]'   (in a checkout: make setup)"
_GET_RUST = "rustup toolchain install stable   (Debian's own cargo is older than 1.89)"
_GET_CHECK = "the command that `tileport doctor` shows"


@dataclass(frozen=True)
class Tool:
    """One program. ``problem`` says why it cannot be used (None if it can), ``help`` how to get it."""

    name: str
    path: Path | None
    version: str | None
    problem: str | None
    help: str


@dataclass(frozen=True)
class Toolchain:
    """The programs that conversion needs, as found; one with a ``problem`` raises on `require`."""

    tileiras: Tool
    tileirdisasm: Tool
    tileport_check: Tool
    cargo: Tool
    rustc: Tool

    @functools.cached_property
    def bytecode_versions(self) -> tuple[str, ...]:
        """Versions of Tile IR bytecode that tileiras lists, oldest first: ("13.1", ...)."""
        if self.tileiras.path is None:
            return ()
        return tuple(
            re.findall(r"^\s*(\d+\.\d+)\s*$", program_output(self.tileiras.path, "--list-versions"), re.M)
        )

    @functools.cached_property
    def targets(self) -> tuple[str, ...]:
        """Architectures that tileiras assembles for: ("sm_80", ...)."""
        if self.tileiras.path is None:
            return ()
        return tuple(re.findall(r"^\s*=(sm_\w+)", program_output(self.tileiras.path, "--help"), re.M))

    def require(self, name: str) -> Path:
        """The path of "tileiras", "tileirdisasm", "tileport-check", "cargo" or "rustc"; ToolchainError if
        it is missing or unusable."""
        tool: Tool = getattr(self, name.replace("-", "_"))
        if tool.path is None or tool.problem is not None:
            raise ToolchainError(
                "missing-tool",
                f"{name} {tool.problem}",
                "",
                f"Get it with: {tool.help}\nSee `tileport doctor`.",
            )
        return tool.path


def program_output(program: Path, *arguments: str) -> str:
    """What a program prints; "" if it can't be run, fails or takes too long."""
    try:
        finished = subprocess.run(
            [str(program), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return finished.stdout if finished.returncode == 0 else ""


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def checkout() -> Path | None:
    """The source tree this package runs from (an editable install), or None."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "rust" / "tileport-check" / "Cargo.toml").is_file() else None


def rust_sources() -> Path | None:
    """The folder of tileport's Rust workspace, which generated crates build on: ``$TILEPORT_RUST``, else this
    checkout's, else the one that came with the package; None without any."""
    named = os.environ.get("TILEPORT_RUST")
    tree = checkout()
    folder = Path(named) if named else (tree or Path(__file__).resolve().parents[1]) / "rust"
    return folder if (folder / "Cargo.toml").is_file() else None


def wheel_folders(package: str) -> list[Path]:
    """Folders of an installed package or namespace package, without importing what is in it."""
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return [Path(folder) for folder in (found.submodule_search_locations or [])] if found else []


def distribution_version(name: str) -> str | None:
    """The version of an installed distribution, without importing it."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _find(
    name: str,
    variable: str,
    places: Callable[[], list[Path]],
    read_version: Callable[[Path], str | None],
    help: str,
) -> Tool:
    named = os.environ.get(variable, "")
    if named:
        path = Path(named)
        if not _executable(path):
            problem = f"is missing: {variable} names {named}, which is no executable file"
            return Tool(name, None, None, problem, f"unset {variable}, or set it to the program's path")
    else:
        on_path = shutil.which(name)
        candidates = [*places(), *([Path(on_path)] if on_path else [])]
        found = next((candidate for candidate in candidates if _executable(candidate)), None)
        if found is None:
            return Tool(name, None, None, "is not installed", help)
        path = found
    version = read_version(path)
    return Tool(
        name, path, version, None if version else f"does not run ({path} --version gives nothing)", help
    )


def _nvidia_programs(name: str) -> Callable[[], list[Path]]:
    return lambda: [folder / "bin" / name for folder in wheel_folders("nvidia.cu13")]


def _nvidia_version(path: Path) -> str | None:
    match = re.search(r"\bV(\d+\.\d+\.\d+)", program_output(path, "--version"))
    return match.group(1) if match else None


def _first_number(path: Path) -> str | None:
    match = re.search(r"\d+\.\d+\.\d+", program_output(path, "--version"))
    return match.group(0) if match else None


def _check_programs() -> list[Path]:
    root = checkout()
    built = list((root / "rust" / "target").glob("*/tileport-check")) if root else []
    built.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return [*built, cache_folder() / "bin" / "tileport-check", _cargo_home() / "bin" / "tileport-check"]


def _cargo_home() -> Path:
    return Path(os.environ.get("CARGO_HOME") or Path("~/.cargo").expanduser())


def _rust_program(name: str) -> Tool:
    # rustup's folder may be missing from the PATH of a non-login shell. The variable is the one cargo itself
    # uses for its children.
    on_path = shutil.which(name)
    tool = _find(
        name,
        name.upper(),
        lambda: [] if on_path else [_cargo_home() / "bin" / name],
        _first_number,
        _GET_RUST,
    )
    if tool.version and tuple(int(part) for part in tool.version.split(".")[:2]) < MINIMUM_RUST:
        wanted = ".".join(map(str, MINIMUM_RUST))
        return Tool(name, tool.path, tool.version, f"is {tool.version}, older than {wanted}", _GET_RUST)
    return tool


def find_toolchain() -> Toolchain:
    """Looks every program up; the answer is kept until an environment variable that steers it changes."""
    steering = (
        "TILEPORT_TILEIRAS",
        "TILEPORT_TILEIRDISASM",
        "TILEPORT_CHECK",
        "CARGO",
        "RUSTC",
        "CARGO_HOME",
    )
    return _find_toolchain(
        tuple(os.environ.get(name) for name in (*steering, "PATH", "XDG_CACHE_HOME", "HOME"))
    )


@functools.lru_cache(maxsize=8)
def _find_toolchain(steering: tuple[str | None, ...]) -> Toolchain:
    return Toolchain(
        tileiras=_find(
            "tileiras", "TILEPORT_TILEIRAS", _nvidia_programs("tileiras"), _nvidia_version, _GET_ASSEMBLER
        ),
        tileirdisasm=_find(
            "tileirdisasm",
            "TILEPORT_TILEIRDISASM",
            _nvidia_programs("tileirdisasm"),
            _nvidia_version,
            _GET_ASSEMBLER,
        ),
        tileport_check=_find("tileport-check", "TILEPORT_CHECK", _check_programs, _first_number, _GET_CHECK),
        cargo=_rust_program("cargo"),
        rustc=_rust_program("rustc"),
    )


# ---- what building a crate that uses cutile needs ---------------------------------------------------------


# The Makefile's copy of the headers and of libclang comes before the installed wheels: its path is the same
# for every clone, and cargo rebuilds whatever saw another one.
def _headers_folder() -> Path:
    return cache_folder() / "cuda-headers"


def find_cuda_headers() -> Path | None:
    """The folder to give cargo as CUDA_TOOLKIT_PATH: include/ has cuda.h, curand.h and crt/host_config.h."""
    named = os.environ.get("CUDA_TOOLKIT_PATH", "")
    places = [Path(named)] if named else []
    places += [_headers_folder() / "nvidia" / "cu13", *wheel_folders("nvidia.cu13"), Path("/usr/local/cuda")]
    needed = ("cuda.h", "cuda_runtime.h", "curand.h", "crt/host_config.h")
    return next((at for at in places if all((at / "include" / name).is_file() for name in needed)), None)


def find_libclang() -> Path | None:
    """The folder to give bindgen as LIBCLANG_PATH."""
    named = os.environ.get("LIBCLANG_PATH", "")
    places = [Path(named)] if named else []
    places += [folder / "native" for folder in (_headers_folder() / "clang", *wheel_folders("clang"))]
    places += sorted(Path("/usr/lib").glob("llvm-*/lib"), reverse=True)
    places += [Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64")]
    return next((place for place in places if any(place.glob("libclang*.so*"))), None)


def cargo_environment() -> dict[str, str]:
    """The whole environment for cargo commands on crates that use cutile. What the user has set stays."""
    environment = dict(os.environ)
    headers, libclang = find_cuda_headers(), find_libclang()
    if headers is not None:
        environment.setdefault("CUDA_TOOLKIT_PATH", str(headers))
    if libclang is not None:
        environment.setdefault("LIBCLANG_PATH", str(libclang))
        # libclang from PyPI comes without its builtin headers (stddef.h); gcc's own serve as well.
        if libclang.name == "native" and "BINDGEN_EXTRA_CLANG_ARGS" not in environment:
            compiler = shutil.which("gcc") or shutil.which("cc")
            include = program_output(Path(compiler), "-print-file-name=include").strip() if compiler else ""
            if include.startswith("/"):
                environment["BINDGEN_EXTRA_CLANG_ARGS"] = f"-isystem {include}"
    return environment


def build_check_command() -> str:
    """The shell command that builds tileport-check and puts it where it is found."""
    sources = rust_sources()
    if sources is None:
        return "set TILEPORT_RUST to the folder rust/ of tileport's source tree, then ask doctor again"
    environment = cargo_environment()
    names = ("CUDA_TOOLKIT_PATH", "LIBCLANG_PATH", "BINDGEN_EXTRA_CLANG_ARGS")
    settings = [f"{name}={shlex.quote(environment[name])}" for name in names if name in environment]
    install = [
        "cargo", "install", "--locked", "--root", str(cache_folder()),
        "--target-dir", str(cache_folder() / "tileport-check"), "--path", str(sources / "tileport-check"),
    ]  # fmt: skip
    return " ".join([*settings, shlex.join(install)])
