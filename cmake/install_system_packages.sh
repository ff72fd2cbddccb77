#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure of the programs and header-only libraries that come from the system: installs Debian's packages
# as root, and otherwise says exactly which to install. PYTHON names the interpreter of the environment. With
# the argument "fuzz", only what fuzzing needs besides.
set -euo pipefail
python=${PYTHON:-python3.11}

missing=()
package() { # NAME: a package whose files nothing else on the machine is likely to bring
    dpkg-query -Wf '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' || missing+=("$1")
}
program() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null || missing+=("$2")
}

if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian or Ubuntu: make sure yourself of g++ 12, CMake 3.22, ninja, ccache," \
        "Python 3.11 with headers and pip, clang 19 with its sanitizers (fuzzing), Catch2 2.13, fmt, nlohmann-json, tl-expected and valijson."
else
    if [ "${1:-}" = fuzz ]; then
        program clang++-19 clang-19
        package libclang-rt-19-dev
    fi
    program g++ g++
    program cmake cmake
    program ninja ninja-build
    program ccache ccache
    for name in catch2 libfmt-dev nlohmann-json3-dev libexpected-dev; do package "$name"; done
    if ! command -v "$python" >/dev/null; then
        missing+=(python3.11 python3.11-dev python3-pip)
    else
        "$python" -c 'import pip' 2>/dev/null || missing+=(python3-pip)
        header=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include") + "/Python.h")')
        [ -e "$header" ] || missing+=(python3.11-dev)
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        if [ "$(id -u)" -ne 0 ]; then
            echo "These Debian packages are missing. Install them and run make again:" >&2
            echo "    sudo apt-get install --no-install-recommends ${missing[*]}" >&2
            exit 1
        fi
        echo "Installing Debian packages: ${missing[*]}"
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q >/dev/null
        apt-get install -yq --no-install-recommends "${missing[@]}" >/dev/null
    fi
fi

if ! command -v cargo >/dev/null; then
    echo "Rust is missing: install rustup, then \`rustup toolchain install stable\` (1.89 or later;" \
        "Debian's own cargo is too old)." >&2
    exit 1
fi
version=$(rustc -V | cut -d' ' -f2)
if [ "$(printf '1.89.0\n%s\n' "$version" | sort -V | head -1)" != 1.89.0 ]; then
    echo "Rust $version is too old: tileport needs 1.89 or later. Get it: rustup toolchain install stable" >&2
    exit 1
fi
