#!/bin/bash
# fuzz.sh -- run the libFuzzer targets for some minutes each, from the corpus in the tree
# SPDX-License-Identifier: MIT
#
# usage: tests/fuzz/fuzz.sh MINUTES DIR [NAME]...     DIR/fuzz_NAME are the targets
#        tests/fuzz/fuzz.sh --keep DIR                take the minimised corpora into the tree
#
# A corpus is a text, tests/fuzz/NAME.corpus: an input a line, with \xHH for what is no letter,
# digit or plain punctuation. The targets run in slices of a minute, under FUZZ_WRAP if that is set.
# A crash leaves its input in DIR. Exit status: 0 no crash, 1 a crash.
set -u
cd "$(dirname "$0")/../.." || exit 2
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0 # --help does not come back to free what it has
keep=0
if [ "${1:-}" = --keep ]; then
    keep=1
    shift
    set -- 0 "$@"
fi
minutes=${1:?usage: fuzz.sh MINUTES DIR [NAME]...}
dir=${2:?usage: fuzz.sh MINUTES DIR [NAME]...}
shift 2
[ "$#" -gt 0 ] || set -- command size format npy

unpack()
{
    local line i=0
    mkdir -p "$dir/corpus/$1" || return
    while IFS= read -r line; do
        printf '%b' "$line" >"$dir/corpus/$1/tree-$i"
        i=$((i + 1))
    done <"tests/fuzz/$1.corpus"
}

# The inputs that reach something of their own, fewest first, as text.
pack()
{
    local file
    rm -rf "$dir/small"
    mkdir "$dir/small" || return
    "$dir/fuzz_$1" -merge=1 -close_fd_mask=3 -max_len=256 "$dir/small" \
        "$dir/corpus/$1" 2>"$dir/$1.merge" || return
    for file in "$dir/small"/*; do
        od -An -v -tx1 "$file" | tr -d '\n' | awk '{
            text = ""
            for (i = 1; i <= NF; i++) {
                value = index("0123456789abcdef", substr($i, 1, 1)) * 16 - 16
                value += index("0123456789abcdef", substr($i, 2, 1)) - 1
                letter = sprintf("%c", value)
                text = text (letter ~ /^[A-Za-z0-9%=,.:_-]$/ && value < 128 ? letter : "\\x" $i)
            }
            print text }'
    done | sort -u >"tests/fuzz/$1.corpus"
    echo "$1: $(wc -l <"tests/fuzz/$1.corpus") inputs"
}

failed=0
for name; do
    unpack "$name" || exit 2
    if [ "$keep" = 1 ]; then
        pack "$name" || exit 2
        continue
    fi
    dict=()
    if [ -e "tests/fuzz/$name.dict" ]; then
        dict=("-dict=tests/fuzz/$name.dict")
    fi
    runs=0
    for ((minute = 0; minute < minutes; minute++)); do
        # shellcheck disable=SC2086  # FUZZ_WRAP is a command and its arguments
        ${FUZZ_WRAP:-} nice -n 19 "$dir/fuzz_$name" -max_total_time=60 -timeout=120 -max_len=256 \
            -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$dir/crash-" \
            "${dict[@]}" "$dir/corpus/$name" 2>"$dir/$name.log" || {
            echo "fuzz: $name: see $dir/$name.log and $dir/crash-*" >&2
            failed=1
            break
        }
        runs=$((runs + $(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$name.log")))
    done
    echo "$name: $minute minutes, $runs inputs, $(find "$dir/corpus/$name" | wc -l) in the corpus"
done
[ "$failed" -eq 0 ]
