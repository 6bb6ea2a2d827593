#!/bin/bash
# busy.sh -- small sorts beside another busy program: waiting threads that sleep or spin
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/busy.sh GSORT KEYGEN [-p ROUNDS] [-d DIR] [KEYS...]
#
# Prints Markdown. For each of KEYS (default 256K 1M 4M 16M), uniform keys in DIR (default
# /dev/shm), it gives the time of the whole process in milliseconds, median and fastest of the
# slowest tenth of ROUNDS (default 60) runs of `gsort in -o out`. Runs of gsort as it is alternate
# with runs that spin as long as the OpenMP runtime does by default (GOMP_SPINCOUNT=300000, see
# cli/openmp_environment.c); first on an idle machine, then while a shell loop keeps one processor
# busy.
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

# Of times in microseconds on standard input, print the median and the fastest of the slowest tenth.
describe()
{
    sort -g | awk '{ a[NR] = $1 / 1e3 }
        END { printf " %.1f | %.1f |", a[int((NR + 1) / 2)], a[NR - int(NR / 10)] }'
}

# Measure both ways in turn; times go to the files asleep and spinning.
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
