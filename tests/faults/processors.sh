#!/bin/bash
# processors.sh -- run gsort on processors that lack one feature after another
# SPDX-License-Identifier: MIT
#
# usage: tests/faults/processors.sh GSORT KEYGEN REFERENCE [CPU...]       from make check-faults
#
# Runs a few sorts, merges and checks under qemu-x86_64 -cpu CPU and compares the output; no run may
# end by SIGILL. By default, masks in turn each feature that gsort, Highway or the C library have
# code for, as a hypervisor does; a feature that others build on goes with them. qemu knows no
# AVX-512. Where ls fails, too, the C library does. Prints the number of runs. Exit status: 0 if all
# went well, 77 without qemu-x86_64.
set -u -o pipefail
export LC_ALL=C

[ "$#" -ge 3 ] || {
    sed -n '/^# usage/s/^# //p' "$0" >&2
    exit 2
}
command -v qemu-x86_64 >/dev/null || exit 77
GSORT=$(realpath "$1") KEYGEN=$(realpath "$2") REFERENCE=$(realpath "$3")
shift 3
MASKED="avx2 avx,-avx2 bmi1 bmi2 bmi1,-bmi2 abm fma f16c movbe popcnt aes pclmulqdq adx xsave erms
    sse4.2,-avx,-avx2 sse4.1,-sse4.2,-avx,-avx2 ssse3,-sse4.1,-sse4.2,-avx,-avx2
    sse3,-ssse3,-sse4.1,-sse4.2,-avx,-avx2 cx16 rdtscp fsgsbase"
# shellcheck disable=SC2046,SC2086  # words
[ "$#" -gt 0 ] || set -- qemu64 Nehalem max $(printf 'max,-%s ' $MASKED)

DIR=$(mktemp -d) && cd "$DIR" || exit 2
trap 'rm -rf "$DIR"' EXIT
"$KEYGEN" uniform 100003 >in
"$KEYGEN" zipf 100003 >few
"$KEYGEN" sorted 50021 >ordered
"$REFERENCE" few >sorted
"$KEYGEN" gaussian 1003 >small
runs=0 bad=0 skipped=0

# judge OPTIONS FILES ARG...: what gsort ARG... writes is what the reference makes of the files.
judge()
{
    local status=0
    # shellcheck disable=SC2086  # several options and files
    "$REFERENCE" $1 $2 >wanted
    timeout 120 qemu-x86_64 -cpu "$cpu" "$GSORT" --device=cpu "${@:3}" >got 2>err || status=$?
    runs=$((runs + 1))
    if [ "$status" -ne 0 ] || ! cmp -s got wanted; then
        echo "$cpu: gsort ${*:3}: status $status, or wrong output: $(tail -n 1 err)"
        bad=$((bad + 1))
    fi
}

for cpu in "$@"; do
    qemu-x86_64 -cpu "$cpu" /bin/ls >/dev/null 2>&1 || {
        skipped=$((skipped + 1))
        continue
    }
    judge "" in --parallel=2 in
    judge "" few --parallel=2 few
    judge "-u -r" "in few" -u -r --parallel=1 in few
    judge "" "few ordered" -m --parallel=2 sorted ordered
    judge -r in -r -S 256K -T . in
    judge "" small --verify small
    judge "" ordered ordered
    judge "" small -e hybrid small
    qemu-x86_64 -cpu "$cpu" "$GSORT" -C ordered || bad=$((bad + 1))
done
echo "$runs runs on $(($# - skipped)) processors, $bad went wrong; $skipped left out"
[ "$bad" -eq 0 ] && [ "$runs" -gt 0 ]
