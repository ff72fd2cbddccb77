#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copies what serves the operators of a ports folder into .kitso/, for a GPU machine: wrappers, indices, sources,
# the built library with the record of its sources, and TileGym's tests. OP... are those to be tested there.
# Usage: tests/device/pack_ports.sh PORTS_FOLDER TILEGYM_TESTS.tar.gz OP...     (.kitso/ must be ignored by git)
set -eu
cd "$(dirname "$0")/../.."
ports=$1 tests=$2
shift 2
rm -rf .kitso
mkdir -p .kitso/ports/cutile_kernels/src
cp "$ports/Cargo.toml" "$ports/libcutile_kernels.so" "$ports/libcutile_kernels.json" .kitso/ports/
strip -s .kitso/ports/libcutile_kernels.so
cp "$ports/cutile_kernels/Cargo.toml" .kitso/ports/cutile_kernels/
cp "$ports/cutile_kernels/src/lib.rs" .kitso/ports/cutile_kernels/src/
cp -r "$ports/tileport-rt" .kitso/ports/
for crate in "$ports"/*/ffi.rs; do
    op=$(basename "$(dirname "$crate")")
    mkdir -p ".kitso/ports/$op/reference" ".kitso/ports/$op/src"
    for part in "$op.py" kernel.rs ffi.rs Cargo.toml; do cp "$ports/$op/$part" ".kitso/ports/$op/"; done
    [ ! -d "$ports/$op/support" ] || cp -r "$ports/$op/support" ".kitso/ports/$op/"
    cp "$ports/$op/src/lib.rs" ".kitso/ports/$op/src/"
    cp "$ports/$op/reference/index.json" ".kitso/ports/$op/reference/"
    [ ! -f "$ports/$op/dispatch.json" ] || cp "$ports/$op/dispatch.json" ".kitso/ports/$op/"
done
printf '%s\n' "$@" >.kitso/operators
cp "$tests" .kitso/tilegym-tests.tar.gz
find .kitso -name __pycache__ -prune -exec rm -r {} +
(cd .kitso/ports && sha256sum libcutile_kernels.so ./*/kernel.rs ./*/ffi.rs >../SHA256SUMS)
tar -C .kitso --sort=name --owner=0 --group=0 -cf - ports | xz -T0 >.kitso/ports.tar.xz
rm -r .kitso/ports
du -sh .kitso
