#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target of a build folder over the seeds: run.sh BUILD RUNS. An input that breaks one stays in
# BUILD/findings; when its defect is mended, it becomes a test (tests/data/tileir/bad, tests/data/text).
set -euo pipefail
build=$1 runs=$2
data=$(cd "$(dirname "$0")/../data" && pwd)
cd "$build"
mkdir -p findings
for target in fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    mkdir -p "corpus/$target"
    # Limits far above what an input of this size may cost, so that only a blow-up reaches them.
    if ! "./$target" "corpus/$target" "$data"/tileir/golden "$data"/tileir/bad "$data"/text/accepted "$data"/text/refused -runs="$runs" \
        -max_len=4096 -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=128 -use_value_profile=0 \
        -artifact_prefix=findings/ -print_final_stats=1 >"$target.log" 2>&1; then
        tail -60 "$target.log"
        echo "$target: FAILED; the input is in $build/findings" >&2
        exit 1
    fi
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log") inputs," \
        "none crashed, leaked or took too long"
done
