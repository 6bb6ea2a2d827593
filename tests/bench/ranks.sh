#!/bin/bash
# ranks.sh -- several ranks of one host beside one process with the same cores, and beside cp
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/ranks.sh GSORT-MPI GSORT KEYGEN [-a OPTIONS] [-d DIR] [-p ROUNDS] [-m MPIRUN]
#        [-r RANKS]... [MIB...]
#
# Prints Markdown: for each of MIB (default 2048) of uniform keys in DIR (default /dev/shm) a row
# for cp, for one process, and for RANKS ranks (default 4; repeat -r for several rows), which share
# the cores. Times are medians of ROUNDS (default 5), of the whole process, mpirun included, in
# seconds; one round runs all, one after the other, every other round in the reverse order, and
# ratios are of times in one round. -a: options for all of them, "--device=gpu" say: rank i takes
# card i. Each output is compared with one process's in the first round.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: ranks.sh GSORT-MPI GSORT KEYGEN [-a OPTIONS] [-d DIR] [-p ROUNDS] [-m MPIRUN]"
usage+=" [-r RANKS]... [MIB...]"
gsort_mpi=$(realpath "${1:?$usage}")
gsort=$(realpath "${2:?$usage}")
keygen=$(realpath "${3:?$usage}")
shift 3
read_options "$usage" a:d:m:p:r: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 2048
rounds=${option[p]-5}
cores=$(nproc)
read -ra more <<<"${option[a]-}"
read -ra mpirun <<<"${option[m]-mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none}"
mapfile -t names <<<$'cp\n1\n'"${option[r]-4}"
dir=$(mktemp -d "${option[d]-/dev/shm}/gsort-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# run_one cp|RANKS
run_one()
{
    case $1 in
    cp) cp in out ;;
    1) "$gsort" "${more[@]}" -T . in -o out ;;
    *)
        "${mpirun[@]}" -n "$1" "$gsort_mpi" "${more[@]}" --parallel=$(((cores + $1 - 1) / $1)) \
            -T . in -o out
        ;;
    esac
}

for mib in "$@"; do
    "$keygen" uniform $((mib * 262144)) >in
    "$gsort" in -o wanted
    for ((round = 0; round < rounds; round++)); do
        order=("${names[@]}")
        ((round % 2 == 0)) || mapfile -t order < <(printf '%s\n' "${names[@]}" | tac)
        for name in "${order[@]}"; do
            rm -f out
            microseconds run_one "$name" >"now $name"
            [ "$round" -gt 0 ] || [ "$name" = cp ] || cmp out wanted
            as_seconds "$(<"now $name")" >>"times $mib $name"
            echo >>"times $mib $name"
        done
        for name in "${names[@]}"; do
            awk "BEGIN { print $(<"now $name") / $(<"now 1") }" >>"ratios $mib $name"
        done
    done
    echo "| $mib MiB | s | of one process |"
    echo "|---|---|---|"
    for name in "${names[@]}"; do
        what="$name ranks"
        [ "$name" != 1 ] || what="one process"
        [ "$name" != cp ] || what="cp"
        echo "| $what | $(median <"times $mib $name") | $(spread <"ratios $mib $name") |"
    done
done
