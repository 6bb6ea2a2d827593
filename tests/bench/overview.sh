#!/bin/bash
# overview.sh -- speed in memory, and from file to file compared with cp and numpy
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/overview.sh GSORT BENCH_MEMORY KEYGEN [-d DIR] [-p PAIRS] [KEYS...]
#
# Prints Markdown. File to file: KEYS (default 1M 16M 128M) uniform keys in DIR (default
# build/bench), with the input in the page cache and a new output file each time. One round runs cp,
# gsort and numpy (if python3 has it) one after the other, so that all meet the same conditions;
# PAIRS rounds (default 5) follow one warm-up round. A time is that of the whole process, median of
# the rounds; a ratio is the median of the rounds' ratios, and below 1 is faster than cp. Every
# output of gsort is compared with that of build/reference, outside the timed part. Nothing is
# synced to the disk, as cp does not do that either.
# In memory: tests/bench/bench_memory.c says what it measures; ONLY=names picks distributions,
# MEMORY_LOG2='20 24 26' the sizes.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: overview.sh GSORT BENCH_MEMORY KEYGEN [-d DIR] [-p PAIRS] [KEYS...]"
gsort=$(realpath "${1:?$usage}")
bench_memory=$(realpath "${2:?$usage}")
keygen=$(realpath "${3:?$usage}")
reference=$(dirname "$keygen")/reference
shift 3
read_options "$usage" d:p: "$@"
shift $((OPTIND - 1))
dir=${option[d]-build/bench}
pairs=${option[p]-5}
[ "$#" -gt 0 ] || set -- 1M 16M 128M

mkdir -p "$dir"
dir=$(mktemp -d "$dir/gsort-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT

numpy_sort='
import sys, numpy
keys = numpy.fromfile(sys.argv[1], dtype="<u4")
keys.sort()
keys.tofile(sys.argv[2])'
numpy=
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
    numpy=1
fi

new_output()
{
    rm -f "$dir/out"
}

check_output()
{
    cmp "$dir/out" "$dir/sorted" || {
        echo "overview: gsort's output is wrong" >&2
        exit 1
    }
}

# measure_files KEYS: print one row, the medians of PAIRS rounds with one input.
measure_files()
{
    local keys=$1 round cp_us gsort_us numpy_us
    "$keygen" uniform "$keys" >"$dir/in"
    "$reference" "$dir/in" >"$dir/sorted"
    local n=$(($(stat -c %s "$dir/in") / 4))
    for ((round = 0; round <= pairs; round++)); do
        new_output
        cp_us=$(microseconds cp "$dir/in" "$dir/out")
        new_output
        gsort_us=$(microseconds "$gsort" "$dir/in" -o "$dir/out")
        check_output
        numpy_us=
        if [ -n "$numpy" ]; then
            new_output
            numpy_us=$(microseconds python3 -c "$numpy_sort" "$dir/in" "$dir/out")
        fi
        [ "$round" -gt 0 ] || continue
        echo "$cp_us" >>"$dir/cp"
        echo "$gsort_us" >>"$dir/gsort"
        [ -z "$numpy_us" ] || echo "$numpy_us" >>"$dir/numpy"
        awk "BEGIN { print $gsort_us / $cp_us }" >>"$dir/ratio"
    done
    local numpy_s=-
    [ -z "$numpy" ] || numpy_s=$(as_seconds "$(median <"$dir/numpy")")
    awk -v n="$n" -v cp="$(median <"$dir/cp")" -v sort="$(median <"$dir/gsort")" \
        -v ratio="$(median <"$dir/ratio")" -v numpy="$numpy_s" 'BEGIN {
            printf "| %d | %.0f | %.3f | %.3f | %.2f | %.0f | %s |\n", n, n * 4 / 1048576, cp / 1e6,
                   sort / 1e6, ratio, n / sort, numpy }'
    rm -f "$dir"/*
}

model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
echo "$("$gsort" --version | head -n 1) on $(nproc) cores of: ${model:-$(uname -m)}"
"$gsort" --version | sed -n '2,3p'
echo
file_system=$(df --output=fstype "$dir" | tail -n 1)
echo "File to file, uniform keys, $file_system, medians of $pairs rounds:"
echo
echo '| n | MiB | cp s | gsort s | gsort / cp | gsort Mkeys/s | numpy s |'
echo '|---|---|---|---|---|---|---|'
for keys; do
    measure_files "$keys"
done
echo
echo "In memory, $(nproc) threads:"
echo
read -r -a sizes <<<"${MEMORY_LOG2:-10 16 20 24 26}"
ONLY=${ONLY-uniform zipf nearly-sorted sorted reversed equal few} \
    "$bench_memory" "$(nproc)" "${sizes[@]}"
