#!/bin/bash
# check_gpu.sh -- verify the GPU's part on the GPU of this machine, and write tests/gpu-verified.txt
# SPDX-License-Identifier: MIT
#
# usage: tests/check_gpu.sh GPU_TWINS BENCH_GPU     from make check-gpu, with the suite's variables
#
# Twins stage by stage, every distribution and boundary against CUB, repeated runs, the four tools
# of compute-sanitizer on small inputs, and the whole Bats suite with --device=gpu. The file is
# written if all of that passed. GSORT_QUICK=1 leaves the suite out, and writes nothing.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 2
twins=$1
bench=$2
read -ra TEST_FILES <<<"${TESTS:-tests}"
results=()
failed=0

# run NAME COMMAND...
run()
{
    local name=$1 start=$EPOCHSECONDS status=0
    shift
    printf '== %s: %s\n' "$name" "$*"
    "$@" || status=$?
    if [ "$status" -eq 0 ]; then
        results+=("passed: $name ($((EPOCHSECONDS - start)) s)")
    else
        results+=("FAILED: $name: exit status $status")
        failed=1
    fi
}

# sanitize TOOL: no error and no leak of ours; --error-exitcode makes a finding a failure.
sanitize()
{
    local tool=$1
    compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 "$twins" 60000 &&
        compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 \
            "$bench" --check-small --sizes=16
}

# Bats, keeping the counts.
suite()
{
    local log status=0
    log=$(mktemp)
    GSORT_DEVICE=gpu ${BATS:-bats} ${BATS_JOBS:+--jobs "$BATS_JOBS"} \
        "${TEST_FILES[@]}" | tee "$log" || status=$?
    suite_counts="$(grep -c '^ok' "$log") ok, $(grep -c '^not ok' "$log") not ok"
    suite_counts+=", $(grep -c '^ok.*# skip' "$log") of them skipped"
    rm -f "$log"
    return "$status"
}
suite_counts='not run'

run 'twins, stage by stage' "$twins"
run 'every distribution, sizes around every boundary, against CUB' "$bench" --check --sizes=26
run 'more than 2^32 keys against CUB' "$bench" --check-large
run '1000 sorts of 2^20 keys under varied seeds' "$bench" --repeat=1000 --sizes=20
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
        run "compute-sanitizer $tool" sanitize "$tool"
    done
else
    results+=('skipped: compute-sanitizer is not installed')
fi
[ "${GSORT_QUICK:-0}" = 1 ] || run 'the suite with --device=gpu' suite

printf '\n'
printf '%s\n' "${results[@]}"
[ "$failed" -eq 0 ] || exit 1
[ "${GSORT_QUICK:-0}" = 1 ] && exit 0
{
    printf 'What make check-gpu verified, on what. Written by tests/check_gpu.sh.\n\n'
    printf 'sources: %s (make -s gpu-hash)\n' "$(make -s gpu-hash)"
    printf 'date:    %s\n' "$(date -u +%F)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed -n '1s/^/device:  /p'
    nvcc --version | sed -n 's/^Cuda compilation tools, /nvcc:    /p'
    printf 'suite:   %s\n\n' "$suite_counts"
    printf '%s\n' "${results[@]}"
} >tests/gpu-verified.txt
cat tests/gpu-verified.txt
