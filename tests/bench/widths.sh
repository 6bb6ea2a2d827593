#!/bin/bash
# widths.sh -- the same bytes from file to file as keys and records of several widths, beside cp
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/widths.sh GSORT KEYGEN [-p ROUNDS] [-P ROUNDS] [-d DIR] [-a "OPTION..."]
#                              [-n NAME]... [MIB...]
#
# Prints Markdown: a row for each of MIB (default 1024) and each width, with the median time of the
# whole process in seconds, and the medians of the rounds' ratios to cp and to u32, with minimum and
# maximum. One round runs, one after the other, cp and gsort with each width; every other round has
# the reverse order. The input, random bytes, is in the page cache, and every output is a new file.
# Each width's output is checked once. -a: more options for gsort. In the first rounds, as many as
# -P says (default none), numpy sorts u64, and records of 100 bytes by argsort and take. -n:
# besides cp and u32 only these, i32, f32, u32be and f64.npy, the same with a header, among them.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: widths.sh GSORT KEYGEN [-p ROUNDS] [-P ROUNDS] [-d DIR] [-a OPTIONS]"
usage+=" [-n NAME]... [MIB...]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" a:d:n:P:p: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 1024
rounds=${option[p]-5}
read -ra more <<<"${option[a]-}"
work=$(mktemp -d "${option[d]-/dev/shm}/widths.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

declare -A options=([u32]="-t u32" [i32]="-t i32" [f32]="-t f32" [u32be]="-t u32be"
    [u64]="-t u64" [u128]="-t u128" [f64]="-t f64" [f64.npy]=""
    [16:u64]="-R 16 -k 8:u64" [32:b10]="-R 32 -k 0:b10" [64:b10]="-R 64 -k 0:b10"
    [100:b10]="-R 100 -k 0:b10" [100:b10:s]="-R 100 -k 0:b10 -s")
names=(cp u32 u64 u128 f64 16:u64 32:b10 64:b10 100:b10 100:b10:s)
if [ -n "${option[n]-}" ]; then
    mapfile -t names <<<$'cp\nu32\n'"${option[n]}"
fi

peer()
{
    "${PYTHON:-python3}" -c '
import numpy, sys
if sys.argv[1] == "u64":
    keys = numpy.fromfile("in", dtype="<u8")
    keys.sort()
    keys.tofile("out")
else:
    records = numpy.fromfile("in", dtype=[("key", "S10"), ("rest", "V90")])
    records.take(numpy.argsort(records["key"])).tofile("out")' "$1"
}

# header COUNT: print that of a .npy file with as many doubles.
header()
{
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
        "{'descr': '<f8', 'fortran_order': False, 'shape': ($1,), }"
}

run_one()
{
    local format source=in
    [[ $1 != *.npy ]] || source=in.npy
    rm -f out
    if [ "$1" = cp ]; then
        cp in out
    elif [[ $1 = numpy:* ]]; then
        peer "${1#numpy:}"
    else
        read -ra format <<<"${options[$1]}"
        "$gsort" "${format[@]}" "${more[@]}" "${@:2}" "$source" -o out
    fi
}

echo "| MiB | width | s | to cp | to u32 |"
echo "| ---: | --- | ---: | --- | --- |"
for mib in "$@"; do
    count=$((mib * 262144 / 400 * 400)) # of u32: all widths divide that
    "$keygen" uniform "$count" >in
    [[ ${names[*]} != *.npy* ]] || { header $((count / 2)) && cat in; } >in.npy
    for name in "${names[@]:1}"; do
        read -ra format <<<"${options[$name]}"
        run_one "$name"
        "$gsort" -c "${format[@]}" out
    done
    for ((round = 0; round < rounds; round++)); do
        order=("${names[@]}")
        if ((round < ${option[P]-0})); then
            order+=(numpy:u64 numpy:100:b10)
        fi
        if ((round % 2)); then
            mapfile -t order < <(printf '%s\n' "${order[@]}" | tac)
        fi
        for name in "${order[@]}"; do
            microseconds run_one "$name" >>"time.$name"
        done
    done
    for name in "${names[@]}" numpy:u64 numpy:100:b10; do
        [ -e "time.$name" ] || continue
        printf '| %s | %s | %s | %s | %s |\n' "$mib" "$name" \
            "$(as_seconds "$(median <"time.$name")")" \
            "$(paste "time.$name" time.cp | awk 'NF == 2 { print $1 / $2 }' | spread)" \
            "$(paste "time.$name" time.u32 | awk 'NF == 2 { print $1 / $2 }' | spread)"
    done
    rm -f time.*
done
