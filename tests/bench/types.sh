#!/bin/bash
# types.sh -- keys of several types from file to file, beside numpy, polars, DuckDB and chdb
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/types.sh GSORT KEYGEN [-p ROUNDS] [-P ROUNDS] [-d DIR] [-t TYPE]... [MIB...]
#
# Prints Markdown: for each of MIB (default 1024) and each TYPE (default u32 u64 i64 f64 pairs gray:
# u64 and another one that moves with it, records of 100 bytes with a key of 10) a row with the
# medians of times in seconds, of processes: cp, gsort, and the peers, with their times' ratios to
# gsort's. One round runs all, one after
# the other, every other round in the reverse order; the peers are only in the first rounds, as many
# as -P says (default 2). The input is in the page cache, and every output is a new file. A peer
# that Python cannot import has a dash; PYTHON names another interpreter, of a virtual environment,
# say. Each output's length and order are checked once; of floats only the length, as the peers do
# not tell zeros and NaNs apart.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: types.sh GSORT KEYGEN [-p ROUNDS] [-P ROUNDS] [-d DIR] [-t TYPE]... [MIB...]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
script=$(realpath "$(dirname "$0")/peers.py")
shift 2
read_options "$usage" d:P:p:t: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 1024
rounds=${option[p]-5}
peer_rounds=${option[P]-2}
python=${PYTHON:-python3}
mapfile -t types < <(printf '%s\n' "${option[t]-$(printf '%s\n' u32 u64 i64 f64 pairs gray)}")
mkdir -p "${option[d]-build/bench}"
work=$(mktemp -d "${option[d]-build/bench}/types.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

peers=()
for peer in numpy polars duckdb chdb; do
    if "$python" "$script" "$peer" 2>/dev/null; then
        peers+=("$peer")
    else
        echo "$peer: $python cannot import it; $python -m pip install $peer"
    fi
done

# format TYPE: set FORMAT to gsort's options for it, and BYTES to the size of a record.
format()
{
    FORMAT=(-t "$1")
    case $1 in
    pairs) FORMAT=(-R 16 -k 0:u64) BYTES=16 ;;
    gray) FORMAT=(-R 100 -k 0:b10) BYTES=100 ;;
    *) BYTES=$((${1//[a-z]/} / 8)) ;;
    esac
}

# generate COUNT: print as many keys or records of the type.
generate()
{
    case $type in
    pairs) "$keygen" --type=u64 --record=16 uniform "$1" ;;
    gray) "$keygen" gray "$1" ;;
    *) "$keygen" "--type=$type" uniform "$1" ;;
    esac
}

# sorts PEER: does it sort the type?
sorts()
{
    [[ $type != gray || $1 == numpy || $1 == chdb ]]
}

run_one()
{
    rm -f out
    case $1 in
    cp) cp in out ;;
    gsort) "$gsort" "${FORMAT[@]}" in -o out ;;
    *) "$python" "$script" "$1" "$type" in out ;;
    esac
}

# check_output NAME: its output has all records, and their keys are in order.
check_output()
{
    [ "$(stat -c %s out)" -eq "$(stat -c %s in)" ] || return
    [[ $1 != gsort && $type == f* ]] || "$gsort" "${FORMAT[@]}" -s -c out
}

# times NAME: print its median time, and the median of the rounds' ratios to gsort's.
times()
{
    [ -e "time.$1" ] || {
        printf ' - |'
        return
    }
    printf ' %s' "$(as_seconds "$(median <"time.$1")")"
    [ "$1" = gsort ] || [ "$1" = cp ] ||
        printf ', %s' "$(paste "time.$1" time.gsort | awk 'NF == 2 { print $1 / $2 }' | spread)"
    printf ' |'
}

echo '| MiB | type | cp | gsort | numpy | polars | DuckDB | chdb |'
echo '|---|---|---|---|---|---|---|---|'
for mib; do
    for type in "${types[@]}"; do
        format "$type"
        generate $((mib * 1048576 / BYTES)) >in
        able=()
        for name in "${peers[@]}"; do
            ! sorts "$name" || able+=("$name")
        done
        for name in gsort "${able[@]}"; do
            run_one "$name"
            check_output "$name" || echo "$name: its output of $type is wrong"
        done
        for ((round = 0; round < rounds; round++)); do
            order=(cp gsort)
            if ((round < peer_rounds)); then
                order+=("${able[@]}")
            fi
            if ((round % 2)); then
                mapfile -t order < <(printf '%s\n' "${order[@]}" | tac)
            fi
            for name in "${order[@]}"; do
                microseconds run_one "$name" >>"time.$name"
            done
        done
        printf '| %s | %s |' "$mib" "$type"
        for name in cp gsort numpy polars duckdb chdb; do
            times "$name"
        done
        printf '\n'
        rm -f time.*
    done
done
