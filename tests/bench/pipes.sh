#!/bin/bash
# pipes.sh -- time of producer | gsort >out, in all and after the end of the input
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/pipes.sh GSORT KEYGEN [-b OTHER] [-p ROUNDS] [-r MB] [-d DIR]... [-j THREADS]
#                             [KEYS...]
#
# Prints Markdown, a table for each DIR (default build/bench; /dev/shm is a tmpfs). For each of KEYS
# (default 256M: 1 GiB), uniform keys, and for each producer, it gives medians of ROUNDS (default
# 5), with minimum and maximum, in seconds: of `producer | gsort --device=cpu >out` as a whole, and
# of the part after the end of reading, by --stats. Producers are cat, which is as fast as a pipe;
# keygen, which makes keys at about 1.5 GB/s; and one that writes MB (default 500) million bytes per
# second, in pieces of 16 MiB. OTHER is another gsort to compare with, run in turn; `cat in >out` is
# measured as well. THREADS is gsort's --parallel. Nothing is synced to a disk.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: pipes.sh GSORT KEYGEN [-b OTHER] [-p ROUNDS] [-r MB] [-d DIR]... [-j THREADS]"
usage+=' [KEYS...]'
gsorts=("$(realpath "${1:?$usage}")")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" b:p:r:d:j: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 256M
[ -z "${option[b]-}" ] || gsorts+=("$(realpath "${option[b]}")")
rounds=${option[p]-5}
rate=${option[r]-500}
threads=${option[j]:+--parallel=${option[j]}}
mapfile -t dirs <<<"${option[d]-build/bench}"
work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

# paced FILE: write it to standard output at $rate MB/s at most.
paced()
{
    local bytes at piece=$((16 << 20)) start=${EPOCHREALTIME/./} now due
    bytes=$(stat -c %s "$1")
    for ((at = 0; at < bytes; at += piece)); do
        dd if="$1" bs="$piece" skip=$((at / piece)) count=1 status=none
        now=${EPOCHREALTIME/./}
        due=$((start + (at + piece) / rate))
        [ "$now" -ge "$due" ] || sleep "$(as_seconds $((due - now)))"
    done
}

produce()
{
    case $1 in
    cat) cat in ;;
    keygen) "$keygen" uniform "$keys" ;;
    paced) paced in ;;
    esac
}

# sort_from PRODUCER N: sort the producer's output with gsort number N.
sort_from()
{
    produce "$1" | "${gsorts[$2]}" --device=cpu ${threads:+"$threads"} --stats >out 2>stats
}

# run PRODUCER N: append the times of one run to the files PRODUCER.N and PRODUCER.N.rest.
run()
{
    rm -f out
    microseconds sort_from "$1" "$2" >>"$1.$2"
    awk '/^total /{ total = $2 } /^read /{ print (total - $NF) * 1000 }' stats >>"$1.$2.rest"
}

copy_it()
{
    cat in >out
}

seconds()
{
    awk '{ printf "%.6f\n", $1 / 1e6 }' "$1" | spread
}

for dir in "${dirs[@]}"; do
    mkdir -p "$dir"
    work=$(mktemp -d "$dir/gsort-bench.XXXXXX")
    (
        cd "$work"
        other=("" "")
        [ "${#gsorts[@]}" -eq 1 ] || other=(' other | its rest |' '---|---|')
        printf '\n%s\n\n| keys | cat in >out | producer | gsort | the rest |%s\n' \
            "$(stat -fc %T .)" "${other[0]}"
        printf '|---|---|---|---|---|%s\n' "${other[1]}"
        for keys in "$@"; do
            "$keygen" uniform "$keys" >in
            rm -f copy ./*.[01] ./*.rest
            for ((round = 0; round < rounds; round++)); do
                rm -f out
                microseconds copy_it >>copy
                for producer in cat keygen paced; do
                    for ((i = 0; i < ${#gsorts[@]}; i++)); do
                        run "$producer" $(((i + round) % ${#gsorts[@]}))
                    done
                done
            done
            "${gsorts[0]}" -c out
            for producer in cat keygen paced; do
                printf '| %s | %s | %s |' "$keys" "$(seconds copy)" "$producer"
                for ((i = 0; i < ${#gsorts[@]}; i++)); do
                    printf ' %s | %s |' "$(seconds "$producer.$i")" "$(seconds "$producer.$i.rest")"
                done
                printf '\n'
            done
        done
    )
    rm -rf "$work"
    work=
done
