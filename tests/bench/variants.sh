#!/bin/bash
# variants.sh -- build, check and time variants of the device sort, and compare them in a table
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/variants.sh build [NAME...]     where nvcc is, at the top of the tree
#        tests/bench/variants.sh run   [NAME...]     where the GPU is; needs no compiler
#
# A variant is a line of tests/bench/variants.txt: NAME REVISION [FILE SED]..., separated by tabs.
# `build` takes the committed files of the revision, edits each FILE with its SED script (an edit
# that changes nothing is an error), and writes build/variants/NAME. `run` times each variant, all
# outputs compared: SIZES (log2 of keys, default 12,16,20,22,24,26,28) of DISTRIBUTIONS (default
# uniform,zipf,log-uniform,two-clusters,clusters), REPETITIONS (7). The table has milliseconds, the
# ratio to CUB in the same run and, in brackets, the speed relative to the first variant.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
list=tests/bench/variants.txt
out=$PWD/build/variants
mode=${1:?usage: variants.sh build|run [NAME...]}
shift

# names [NAME...]: print the names given, or else all in the list.
names()
{
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
    else
        grep -v '^#' "$list" | cut -f 1
    fi
}

build_variant()
{
    local name=$1 line revision tree=$out/tree-$1 i
    local -a field
    line=$(grep -P "^$name\t" "$list") || { echo "variants.sh: no variant $name" >&2; exit 2; }
    IFS=$'\t' read -ra field <<<"$line"
    revision=${field[1]}
    rm -rf "$tree"
    mkdir -p "$tree"
    git archive "$revision" | tar -x -C "$tree"
    for ((i = 2; i + 1 < ${#field[@]}; i += 2)); do
        cp "$tree/${field[i]}" "$tree/before"
        sed -i -E "${field[i + 1]}" "$tree/${field[i]}"
        ! cmp -s "$tree/before" "$tree/${field[i]}" ||
            { echo "variants.sh: $name: no change of ${field[i]}" >&2; exit 2; }
    done
    make -s -C "$tree" CUDA=1 HIGHWAY=0 GPU_ARCHS=sm_90 build/cuda1-highway0/bench-gpu
    strip -o "$out/$name" "$tree/build/cuda1-highway0/bench-gpu"
    rm -rf "$tree"
}

run_variant()
{
    local name=$1
    "$out/$name" --sizes="${SIZES:-12,16,20,22,24,26,28}" \
        --distributions="${DISTRIBUTIONS:-uniform,zipf,log-uniform,two-clusters,clusters}" \
        --repetitions="${REPETITIONS:-7}" --csv="$out/$name.csv" >"$out/$name.log"
}

mkdir -p "$out"
mapfile -t chosen < <(names "$@")
for name in "${chosen[@]}"; do
    case $mode in
    build) build_variant "$name" ;;
    run) run_variant "$name" || echo "variants.sh: $name failed" >&2 ;;
    *) echo "variants.sh: build or run, not $mode" >&2; exit 2 ;;
    esac
done
[ "$mode" = run ] || exit 0
tables=()
for name in "${chosen[@]}"; do
    [ ! -s "$out/$name.csv" ] || tables+=("$out/$name.csv")
done
awk -F, '
    FNR == 1 {
        variant[++variants] = FILENAME
        gsub(/.*\/|\.csv$/, "", variant[variants])
        next
    }
    {
        row = $1 " " $2
        if (!(row in seen)) { seen[row] = 1; rows[++count] = row }
        ms[row, variants] = $3; ratio[row, variants] = $5; checked[row, variants] = $6
    }
    END {
        printf "%-24s", "keys distribution"
        for (v = 1; v <= variants; v++) printf " | %-26s", variant[v]
        printf "\n"
        for (r = 1; r <= count; r++) {
            printf "%-24s", rows[r]
            for (v = 1; v <= variants; v++) {
                m = ms[rows[r], v]
                speed = m == 0 ? 0 : ms[rows[r], 1] / m
                mark = checked[rows[r], v] == "ok" ? "  " : "NO"
                printf " | %9.4f %5.2fx (%4.2f) %s", m, ratio[rows[r], v], speed, mark
            }
            printf "\n"
        }
    }' "${tables[@]}"
