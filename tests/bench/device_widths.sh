#!/bin/bash
# device_widths.sh -- the same bytes from file to file as keys of several widths, GPU beside CPU
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/device_widths.sh GSORT KEYGEN [-p ROUNDS] [-d DIR] [-c CORES]... [-n NAME]...
#                                     [-a "OPTION..."] [MIB...]
#
# Prints Markdown: a row for each of MIB (default 1024), each number of cores that taskset allows
# (default 2, 4, 8, 16) and each width: median seconds of the whole process on the GPU and on the
# CPU, the GPU's ratio to its time for u32, what auto takes, and that device's ratio to the faster
# one. One round runs each width on both devices; every other round has the reverse order. The
# input, random bytes, is in the page cache, and every output is a new file; each is checked once.
# -n: only these widths. -a: more options for gsort, as --device-memory=1G.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: device_widths.sh GSORT KEYGEN [-p ROUNDS] [-d DIR] [-c CORES]... [-n NAME]..."
usage+=" [-a OPTIONS] [MIB...]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" a:c:d:n:p: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 1024
rounds=${option[p]-3}
read -ra more <<<"${option[a]-}"
work=$(mktemp -d "${option[d]-/dev/shm}/device_widths.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

declare -A options=([u32]="-t u32" [i32]="-t i32" [f32]="-t f32" [u64]="-t u64" [i64]="-t i64"
    [f64]="-t f64" [u64be]="-t u64be" [u32+u32]="-R 8 -k 0:u32 -k 4:u32" [u128]="-t u128"
    [u64+u64]="-R 16 -k 0:u64 -k 8:u64" [12:u64]="-R 12 -k 0:u64")
names=(u32 f32 u64 i64 f64 u32+u32 u128 u64+u64)
[ -z "${option[n]-}" ] || mapfile -t names <<<"${option[n]}"
mapfile -t cores <<<"${option[c]-$'2\n4\n8\n16'}"

# run_one CORES NAME DEVICE [OPTION...]
run_one()
{
    local format
    read -ra format <<<"${options[$2]}"
    rm -f out
    taskset -c "0-$(($1 - 1))" "$gsort" "${format[@]}" "${more[@]}" --device="$3" "${@:4}" in -o out
}

# choice CORES NAME: the device that auto takes
choice()
{
    run_one "$1" "$2" auto --stats=json 2>&1 | sed -n 's/^  "device": "\(.*\)",/\1/p'
}

time_of()
{
    as_seconds "$(median <"time.$1")"
}

echo "| MiB | cores | width | GPU s | to u32 | CPU s | auto | to the faster |"
echo "| ---: | ---: | --- | ---: | ---: | ---: | --- | ---: |"
for mib in "$@"; do
    "$keygen" uniform $((mib * 262144 / 12 * 12)) >in # all widths divide that
    for name in "${names[@]}"; do
        read -ra format <<<"${options[$name]}"
        run_one 16 "$name" gpu
        "$gsort" -c "${format[@]}" out
    done
    for count in "${cores[@]}"; do
        for ((round = 0; round < rounds; round++)); do
            order=("${names[@]}")
            ((round % 2 == 0)) || mapfile -t order < <(printf '%s\n' "${names[@]}" | tac)
            for name in "${order[@]}"; do
                for device in gpu cpu; do
                    microseconds run_one "$count" "$name" "$device" >>"time.$name.$device"
                done
            done
        done
        for name in "${names[@]}"; do
            gpu=$(time_of "$name.gpu")
            cpu=$(time_of "$name.cpu")
            auto=$(choice "$count" "$name")
            awk -v row="| $mib | $count | $name" -v gpu="$gpu" -v cpu="$cpu" -v auto="$auto" \
                -v u32="$([ ! -e time.u32.gpu ] || time_of u32.gpu)" 'BEGIN {
                    least = gpu < cpu ? gpu : cpu
                    printf "%s | %s | %.2f | %s | %s | %.2f |\n", row, gpu,
                           (u32 > 0 ? gpu / u32 : 0), cpu, auto,
                           (auto == "gpu" ? gpu : cpu) / least
                }'
        done
        rm -f time.*
    done
done
