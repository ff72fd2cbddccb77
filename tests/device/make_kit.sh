#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs what a GPU machine without network needs to compile Tile IR and to run TileGym: the assembler, PTX
# assembler and libnvvm of the installed wheels, split into .kit1/ and .kit2/ (each under 40 MiB), and the
# wheels of cuda-tile and tilegym for its Python. Both folders must be ignored by git (.git/info/exclude).
# Usage: tests/device/make_kit.sh [PYTHON_VERSION]      (default 3.12); needs xz, pip and network once.
set -eu
cd "$(dirname "$0")/../.."
version=${1:-3.12}
nvidia=$(.venv/bin/python -c 'import importlib.util as u; print(list(u.find_spec("nvidia.cu13").submodule_search_locations)[0])')
mkdir -p .kit1 .kit2
if [ ! -f .kit1/toolchain.a ]; then
    tar -C "$nvidia" --sort=name --owner=0 --group=0 -cf - bin/tileiras bin/ptxas lib/libnvvm.so.4 |
        nice -n 19 xz -9e -T1 >.kit1/toolchain.xz.part
    half=$(($(stat -c %s .kit1/toolchain.xz.part) / 2 + 1))
    split -b "$half" .kit1/toolchain.xz.part .kit1/split.
    mv .kit1/split.ab .kit2/toolchain.b
    mv .kit1/split.aa .kit1/toolchain.a
    rm .kit1/toolchain.xz.part
fi
pins=$(.venv/bin/python -c 'import importlib.metadata as m; print(*(f"{n}=={m.version(n)}" for n in ("cuda-tile", "tilegym")))')
# shellcheck disable=SC2086
python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version "$version" \
    --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 --dest .kit1 $pins
.venv/bin/python - >.kit1/toolchain.version <<'EOF'
import importlib.metadata
print(importlib.metadata.version("nvidia-cuda-tileiras"))
EOF
du -sh .kit1 .kit2
