#!/bin/bash
# busy.sh -- small sorts while another program works: threads that sleep beside threads that spin
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/busy.sh GSORT KEYGEN [-p ROUNDS] [-d DIR] [KEYS...]
#
# Prints Markdown: for each of KEYS (default 256K 1M 4M 16M), uniform keys in DIR (default
# /dev/shm), the median and the slowest tenth of ROUNDS (default 60) runs of `gsort in -o out`, in
# milliseconds, the whole process: as it is, and as the OpenMP runtime would have it by itself
# (GOMP_SPINCOUNT=300000, see cli/openmp_environment.c), in turn; on an idle machine, then while
# one loop in a shell keeps a processor busy.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: busy.sh GSORT KEYGEN [-p ROUNDS] [-d DIR] [KEYS...]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" p:d: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 256K 1M 4M 16M
rounds=${option[p]-60}
dir=$(mktemp -d "${option[d]-/dev/shm}/gsort-bench.XXXXXX")
busy=
trap '[ -z "$busy" ] || kill "$busy"; rm -rf "$dir"' EXIT
cd "$dir"

# Of the microseconds on standard input: the median and the least of the slowest tenth, in ms.
describe()
{
    sort -g | awk '{ a[NR] = $1 / 1e3 }
        END { printf " %.1f | %.1f |", a[int((NR + 1) / 2)], a[NR - int(NR / 10)] }'
}

# Both ways in turn, into the lists asleep and spinning.
measure()
{
    local round
    : >asleep
    : >spinning
    for ((round = 0; round < rounds; round++)); do
        rm -f out
        microseconds "$gsort" in -o out >>asleep
        rm -f out
        microseconds env GOMP_SPINCOUNT=300000 "$gsort" in -o out >>spinning
    done
    "$gsort" -c out
    describe <asleep
    describe <spinning
}

printf '| keys | idle: median | slowest tenth | spinning: median | slowest tenth'
printf ' | busy: median | slowest tenth | spinning: median | slowest tenth |\n'
printf '|---|---|---|---|---|---|---|---|---|\n'
for keys in "$@"; do
    "$keygen" uniform "$keys" >in
    printf '| %s |' "$keys"
    measure
    while :; do :; done &
    busy=$!
    measure
    kill "$busy"
    wait "$busy" 2>/dev/null || true
    busy=
    printf '\n'
done
