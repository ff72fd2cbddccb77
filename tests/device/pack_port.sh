#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copies what serves a converted operator from a ports folder into .kitso/, for a GPU machine: wrapper, index,
# sources, the built library with the record of its sources, and TileGym's tests.
# Usage: tests/device/pack_port.sh PORTS_FOLDER OP TILEGYM_TESTS.tar.gz     (.kitso/ must be ignored by git)
set -eu
cd "$(dirname "$0")/../.."
ports=$1 op=$2 tests=$3
rm -rf .kitso
mkdir -p ".kitso/ports/$op/reference" ".kitso/ports/$op/src" .kitso/ports/cutile_kernels/src
cp "$ports/Cargo.toml" "$ports/libcutile_kernels.so" "$ports/libcutile_kernels.json" .kitso/ports/
strip -s .kitso/ports/libcutile_kernels.so
cp "$ports/cutile_kernels/Cargo.toml" .kitso/ports/cutile_kernels/
cp "$ports/cutile_kernels/src/lib.rs" .kitso/ports/cutile_kernels/src/
cp -r "$ports/$op/$op.py" "$ports/$op/kernel.rs" "$ports/$op/ffi.rs" "$ports/$op/Cargo.toml" ".kitso/ports/$op/"
[ ! -d "$ports/$op/support" ] || cp -r "$ports/$op/support" ".kitso/ports/$op/"
cp "$ports/$op/src/lib.rs" ".kitso/ports/$op/src/"
cp "$ports/$op/reference/index.json" ".kitso/ports/$op/reference/"
cp "$tests" .kitso/tilegym-tests.tar.gz
find .kitso -name __pycache__ -prune -exec rm -r {} +
(cd .kitso/ports && sha256sum libcutile_kernels.so "$op/kernel.rs" "$op/ffi.rs" >../SHA256SUMS)
du -sh .kitso
