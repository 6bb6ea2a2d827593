#!/bin/bash
# check_gpu.sh -- verify the GPU's part on the GPU of this machine, and write tests/gpu-verified.txt
# SPDX-License-Identifier: MIT
#
# usage: tests/gpu/check_gpu.sh DIR     from make check-gpu, with the suite's variables
#
# DIR has the programs: gpu_twins and the like, bench-gpu, and gpu_ways-64 and so on for wider keys.
#
# Twins stage by stage, every distribution and boundary against CUB, repeated runs, the four tools
# of compute-sanitizer on small inputs, and the whole Bats suite with --device=gpu, each file by
# itself, ten minutes at most, BATS_JOBS files side by side (default: a quarter of the processors).
#
# Each step and file that passes is noted in the directory GPU_STATE (default build/gpu-state) for
# this GPU and these sources, a file also for its own text, and is not run again: a call that is cut
# short is continued by the next. When all are noted, tests/gpu-verified.txt is written. The output
# of what failed stays in GPU_STATE/NAME.log. GSORT_QUICK=1 leaves the suite out in this call, and
# TESTS names the files to run in it (default: all).
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
dir=$1
widths=(64 128)
state=${GPU_STATE:-build/gpu-state}
jobs=${BATS_JOBS:-$(($(nproc) / 4))}
limit=600        # seconds for a file
large_mib=102400 # of a GPU that has room for 2^32 keys five times and what sorts them

[ "$jobs" -ge 1 ] || jobs=1
mkdir -p "$state" || exit 2
hash=$(make -s gpu-hash) && [ -n "$hash" ] || exit 2
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
gpu_mib=$(nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits 2>/dev/null | head -n 1)
[ -n "$gpu" ] || gpu='no GPU'
export state hash gpu limit

# The key of a note: what must be the same for it to count. key_of FILE... (none for a step)
key_of()
{
    printf '%s %s %s\n' "$hash" "$gpu" \
        "$([ "$#" -eq 0 ] || cat -- "$@" tests/helper.bash | sha256sum | cut -d ' ' -f 1)"
}

# noted NOTE KEY: it passed before.
noted()
{
    [ -e "$state/$1" ] && [ "$(head -n 1 "$state/$1")" = "$2" ]
}

# note NOTE KEY RESULT: whole or not at all, and the log is not needed any more.
note()
{
    printf '%s\n%s\n' "$2" "$3" >"$state/$1.new" && mv "$state/$1.new" "$state/$1" &&
        rm -f "$state/$1.log"
}

# The name of a step's note.
slug()
{
    tr -cs 'a-z0-9' '-' <<<"${1,,}" | sed 's/-*$//'
}

steps=() # the names of all, in order

# step NAME COMMAND...
step()
{
    local name=$1 file start=$EPOCHSECONDS status=0 key
    shift
    file=step-$(slug "$name")
    key=$(key_of)
    steps+=("$name")
    if noted "$file" "$key"; then
        printf '== %s: passed before\n' "$name"
        return
    fi
    rm -f "$state/$file"
    printf '== %s: %s\n' "$name" "$*"
    "$@" 2>&1 | tee "$state/$file.log" || status=$?
    if [ "$status" -eq 0 ]; then
        note "$file" "$key" "$((EPOCHSECONDS - start)) s"
    else
        printf '== %s: FAILED: exit status %d\n' "$name" "$status"
    fi
}

# watched TOOL COMMAND...: no error and no leak of ours; --error-exitcode makes a finding a failure.
watched()
{
    compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 5 "${@:2}"
}

# sanitize TOOL. gpu_twins launches every kernel of the sorts on the device, with every kind of keys
# and number of bins, but count_values with GS_GPU_FEW_CELLS, which gpu_values does, and what larger
# inputs have: sort_few of more than 2^16 keys, scatter_bins' large tiles, blocks for large bins,
# wide positions. gpu_pages adds the ends of pages, gpu_close bins of values that lie close,
# gpu_narrow those of remainders, gpu_engines the shared-memory engines; gpu_ways sends more
# distributions through the same kernels. racecheck follows each access to shared memory, of CUB's
# kernels in gpu_ways too, and would take minutes: it gets smaller inputs, half of the kinds for
# each number of bins, and no gpu_ways, and so the same kernels. For wider keys, gpu_ways' inputs
# are all. gpu_array and gpu_argsort add what loads and stores records of all kinds.
sanitize()
{
    local width sizes=1,1000,5000,20000,50001
    local -a calls=() # the library asks whether a page is pinned by a call that fails if not
    [ "$1" != memcheck ] || calls=(--report-api-errors no)
    if [ "$1" = racecheck ]; then
        watched "$1" "$dir/gpu_twins" 20000 2 && watched "$1" "$dir/gpu_values" 20000 &&
            watched "$1" "$dir/gpu_array" "$REFERENCE" 257
    else
        watched "$1" "$dir/gpu_twins" 60000 && watched "$1" "$dir/gpu_values" 40000 &&
            watched "$1" "${calls[@]}" "$dir/gpu_array" "$REFERENCE" 33000 &&
            watched "$1" "$dir/gpu_ways" --sizes=$sizes &&
            watched "$1" "$dir/gpu_ways" --sizes=$sizes --no-wait
    fi && watched "$1" "$dir/gpu_pages" && watched "$1" "$dir/gpu_narrow" 0 &&
        watched "$1" "$dir/gpu_close" 1 && watched "$1" "$dir/gpu_engines" 300 37 &&
        watched "$1" "${calls[@]}" "$dir/gpu_argsort" 257 || return
    local -a but=()
    [ "$1" != racecheck ] || but=(--kernel-regex-exclude kns=Radix) # CUB's kernels
    for width in "${widths[@]}"; do
        watched "$1" "${but[@]}" "$dir/gpu_ways-$width" --sizes=$sizes || return
    done
}

# suite_file FILE: run it, and note its counts: ok, of them skipped, seconds.
suite_file()
{
    local file name log key status=0 start=$EPOCHSECONDS
    file=$1
    name=suite-$(slug "${file%.bats}")
    key=$(key_of "$file")
    if noted "$name" "$key"; then
        return
    fi
    log=$state/$name.log
    rm -f "${state:?}/$name"
    GSORT_DEVICE=gpu timeout --kill-after=10 "$limit" "${BATS:-bats}" --tap "$file" \
        >"$log" 2>&1 || status=$?
    if [ "$status" -eq 0 ] && ! grep -q '^not ok' "$log"; then
        printf 'ok %s (%d s)\n' "$file" $((EPOCHSECONDS - start))
        note "$name" "$key" "$(grep -c '^ok' "$log") $(grep -c '^ok.*# skip' "$log") $((
            EPOCHSECONDS - start))"
    else
        printf 'FAILED %s: exit status %d, after %d s\n' "$file" "$status" $((
            EPOCHSECONDS - start))
        grep -A 12 '^not ok' "$log"
        return 1
    fi
}
export -f key_of noted note slug suite_file

# The files that TESTS means.
test_files()
{
    local word
    for word in ${TESTS:-tests}; do
        if [ -d "$word" ]; then
            find "$word" -name '*.bats' | sort
        else
            printf '%s\n' "$word"
        fi
    done
}

step 'twins, stage by stage' "$dir/gpu_twins"
step 'engines, every n and number of lists' "$dir/gpu_engines"
step 'slots of few values' "$dir/gpu_values"
step 'bins of values that lie close' "$dir/gpu_close"
step 'bins that end where pages do' "$dir/gpu_pages"
step 'bins of 16-bit remainders' "$dir/gpu_narrow"
step 'a GPU of 64 or 99 KiB a block' "$dir/gpu_small"
step 'arrays of the library, on the device' "$dir/gpu_array" "$REFERENCE"
step 'positions of the library, on the device' "$dir/gpu_argsort"
step 'arrays in graphs, and without a wait on the host' "$dir/gpu_graph"
step 'contexts of the caller, another GPU, a broken one' "$dir/gpu_hostile"
step 'arrays of Python, on the device' env PYTHONPATH="$LIBRARY/lib/python3/dist-packages" \
    PYTHONDONTWRITEBYTECODE=1 python3 tests/gpu/device_array.py
step '10,000 bits flipped between stages, each told by the proof' "$dir/gpu_flip"
step 'every distribution, sizes around every boundary, against CUB' "$dir/gpu_ways"
step 'the same, up to as many keys as there is room for' "$dir/gpu_ways" --most=4194304
step 'the same without a wait on the host' "$dir/gpu_ways" --most=4194304 --no-wait
large_note=
if [ "${gpu_mib:-0}" -ge "$large_mib" ]; then
    step 'more than 2^32 keys against CUB' "$dir/gpu_ways" --sizes=4294967297 \
        --distributions=uniform,zipf,nearly
    # Large slots of many copies have so many values that neither way to a digit for each will do.
    step '2^28 uneven keys against CUB' "$dir/bench-gpu" --sizes=28 --repetitions=1 \
        --distributions=k-mers,low-entropy
else
    large_note="skipped: more than 2^32 keys against CUB: $gpu_mib MiB are too few"
fi
step '2^26 keys, every distribution' "$dir/bench-gpu" --sizes=26 --repetitions=1
step '1000 times 2^20 keys under varied seeds' "$dir/gpu_ways" --repeat=1000
for width in "${widths[@]}"; do
    step "keys of $width bits, the same against CUB" "$dir/gpu_ways-$width" --most=16777216
    step "keys of $width bits without a wait on the host" \
        "$dir/gpu_ways-$width" --most=4194304 --no-wait
    step "200 times 2^20 keys of $width bits" "$dir/gpu_ways-$width" --repeat=200
    # A block of each kind sorts some bins of every distribution here.
    step "1,000 bits of keys of $width bits flipped, each told by the proof" \
        "$dir/gpu_flip-$width" 1000
    step "2^26 keys of $width bits, every distribution" \
        "$dir/bench-gpu-$width" --sizes=26 --repetitions=1
done
sanitizer_note=
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
        step "compute-sanitizer $tool" sanitize "$tool"
    done
else
    sanitizer_note='skipped: compute-sanitizer is not installed'
fi
if [ "${GSORT_QUICK:-0}" != 1 ]; then
    printf '== the suite with --device=gpu, %d files side by side\n' "$jobs"
    test_files | tr '\n' '\0' | xargs -0 -P "$jobs" -I{} bash -c 'suite_file "$1"' suite {}
fi

# What is noted for these very sources, and what is not.
results=()
missing=()
key=$(key_of)
for name in "${steps[@]}"; do
    file=step-$(slug "$name")
    if noted "$file" "$key"; then
        results+=("passed: $name ($(sed -n 2p "$state/$file"))")
    else
        missing+=("$name")
    fi
done
[ -z "$large_note" ] || results+=("$large_note")
[ -z "$sanitizer_note" ] || results+=("$sanitizer_note")
ok=0
skipped=0
seconds=0
for test_file in tests/*/*.bats; do
    file=suite-$(slug "${test_file%.bats}")
    if noted "$file" "$(key_of "$test_file")"; then
        read -r file_ok file_skipped file_seconds <<<"$(sed -n 2p "$state/$file")"
        ok=$((ok + file_ok))
        skipped=$((skipped + file_skipped))
        seconds=$((seconds + file_seconds))
    else
        missing+=("$test_file")
    fi
done

printf '\n'
printf '%s\n' "${results[@]}"
printf 'suite: %d ok, %d of them skipped\n' "$ok" "$skipped"
if [ "${#missing[@]}" -gt 0 ]; then
    printf 'not passed: %s\n' "${missing[@]}"
    exit 1
fi
[ "$gpu" != 'no GPU' ] || exit 1
{
    printf 'What make check-gpu verified, on what. Written by tests/gpu/check_gpu.sh.\n\n'
    printf 'sources: %s (make -s gpu-hash)\n' "$hash"
    printf 'date:    %s\n' "$(date -u +%F)"
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed -n '1s/^/device:  /p'
    nvcc --version | sed -n 's/^Cuda compilation tools, /nvcc:    /p'
    printf 'suite:   %d ok, 0 not ok, %d of them skipped\n\n' "$ok" "$skipped"
    printf '%s\n' "${results[@]}"
    printf 'passed: the suite with --device=gpu, file by file (%d s of them all)\n' "$seconds"
} >tests/gpu-verified.txt
cat tests/gpu-verified.txt
