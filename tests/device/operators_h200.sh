#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a machine with a Hopper GPU and no network: TileGym's own tests of operators, run against their ports.
#
#   operators_h200.sh first     keeps the first part of the toolchain (.kit1, see make_kit.sh) in /tmp
#   operators_h200.sh run [OP...]     unpacks it with the second (.kit2), then a smoke test of softmax and TileGym's
#                               tests of the ports in .kitso (see pack_ports.sh), with fallback disabled
#   operators_h200.sh again [OP...]   run without unpacking
#
# Without OP all operators in .kitso are tested. PYTEST_OPTIONS="-n 12" runs tests side by side.
#
# Everything that is learnt goes to $OUT: environment.txt, smoke.json, smoke.log, and for each operator
# OP.xml, OP.log and OP.json (per test id: outcome and entries launched). Exit status 0 if all tests of all
# operators passed or skip themselves, and each that passed launched the port.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
site=/tmp/tileport-site
kit=/tmp/tileport-kit
out=${OUT:?set OUT to the folder for results}
nvidia=$site/nvidia/cu13

if [ "$1" = first ]; then
    mkdir -p "$kit"
    cp -r .kit1/. "$kit/"
    ls -la "$kit" >"$out/first.txt"
    nvidia-smi >>"$out/first.txt"
    exit 0
fi

if [ "$1" = run ]; then
    if [ ! -f "$kit/toolchain.a" ]; then
        echo "the first part is not here: the machine was given back in between; start with 'first'" >&2
        exit 3
    fi
    mkdir -p "$nvidia"
    cat "$kit/toolchain.a" .kit2/toolchain.b | xz -dc -T0 | tar -C "$nvidia" -xf -
    python3 -m pip install --quiet --no-index --no-deps --target "$site" "$kit"/*.whl
    # cuTile Python takes the toolchain whose version these name; they are what its own wheels would bring.
    version=$(cat "$kit/toolchain.version")
    for name in nvidia_cuda_tileiras nvidia_cuda_nvcc nvidia_nvvm; do
        mkdir -p "$site/$name-$version.dist-info"
        printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$(echo "$name" | tr _ -)" "$version" \
            >"$site/$name-$version.dist-info/METADATA"
    done
    rm -rf /tmp/tilegym-tests "$kit/ports"
    mkdir /tmp/tilegym-tests
    xz -dc -T0 .kitso/ports.tar.xz | tar -C "$kit" -xf -
    tar -C /tmp/tilegym-tests -xzf .kitso/tilegym-tests.tar.gz
fi

export PYTHONPATH="$PWD/python:$site" PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
export PATH="$nvidia/bin:$PATH" CUDA_HOME="$nvidia"
export TILEPORT_TILEIRAS="$nvidia/bin/tileiras" CUTILE_TILEIRAS_PATH="$nvidia/bin/tileiras"
export CUTILE_BYTECODE_VERSION=13.3 CUTILE_RS_AUTOBUILD=0 TILEPORT_AUTOBUILD=0
export TILEGYM_DISABLE_AUTOTUNE=1 DISABLE_FALLBACK=1 TILEPORT_PORTS="$kit/ports"

{
    nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total --format=csv
    python3 --version
    python3 -c 'import torch; print("torch", torch.__version__, "CUDA", torch.version.cuda)'
    "$TILEPORT_TILEIRAS" --version
    (cd "$kit/ports" && sha256sum -c "$root/.kitso/SHA256SUMS")
    git rev-parse HEAD 2>/dev/null || true
} >"$out/environment.txt" 2>&1
cat "$out/environment.txt"

shift
[ "$#" -gt 0 ] || set -- $(cat .kitso/operators)
status=0
for op; do
    if [ "$op" = softmax ]; then
        timeout 240 python3 tests/device/softmax_smoke.py "$out/smoke.json" >"$out/smoke.log" 2>&1 || status=1
        tail -n 60 "$out/smoke.log"
    fi
    (
        cd /tmp/tilegym-tests
        timeout "${OPERATOR_TIMEOUT:-330}" python3 -m pytest -p tileport.pytest_plugin --tileport-replace \
            --tileport-strict -p no:benchmark -p no:cacheprovider -o addopts="" -o junit_family=xunit1 -v -rA \
            --tb=short ${PYTEST_OPTIONS:-} --junitxml="$out/$op.xml" "tests/ops/test_$op.py" >"$out/$op.log" 2>&1
    ) || status=1
    tail -n 5 "$out/$op.log" | cut -c1-300
    echo "$op: $(python3 tests/device/junit_summary.py "$out/$op.xml" "$out/$op.json")" || status=1
done
echo "exit status $status"
exit "$status"
