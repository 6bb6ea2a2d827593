# --stats prints a row for each stage, then bins, engine, device and total, on standard error.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000003 >in
}

@test "every stage that ran has a row, with units" {
    run -0 --separate-stderr gsort --engine=samplesort --stats in -o out
    [ -z "$output" ]
    for row in "select samples" "sort samples" "count bins" "prefix sum" "scatter" "sort bins" \
        "write" "total"; do
        grep -Eiq "^ *$row\b.*[0-9]" <<<"$stderr" || {
            echo "no row: $row" >&2
            return 1
        }
    done
    for word in ms GB/s Mkeys/s begin end bins largest mean engine samplesort device \
        overlap; do
        [[ ${stderr,,} == *"${word,,}"* ]] || {
            echo "not there: $word" >&2
            return 1
        }
    done
}

@test "the total comes first, then only stages that ran" {
    : >empty
    for input in in empty; do
        gsort --device=cpu --stats "$input" -o out 2>stats
        [[ $(head -n 1 stats) =~ ^total\ +[0-9.]+\ ms,\ [0-9.]+\ GB/s,\ [0-9.]+\ Mkeys/s$ ]]
        [[ $(sed -n 2p stats) == "stage "*end ]]
        run ! grep -E '^(upload|download|sort lists|merge lists|verify) |[^-] +- ' stats
    done
    gsort --stats --verify in -o out 2>stats
    grep -q '^verify .*[0-9]' stats
}

@test "no line has more than 79 columns" {
    export GSORT_DEVICE= # a GPU does not sort these
    local -a keys=()
    for at in {0..60..4}; do
        keys+=(-k "$at:u32be")
    done
    gsort --stats --verify -R 64 "${keys[@]}" -S 1M -T . < <(head -c 3200000 in) >out 2>stats
    gsort --stats --verify in -o out 2>>stats
    grep -q '^type .*u32be' stats
    run ! grep -E '.{80}' stats
}

@test "--stats=text is --stats" {
    gsort --stats in -o out 2>first
    gsort --stats=text in -o out 2>second
    [ "$(tr -d '0-9. ' <first | head -n 3)" = "$(tr -d '0-9. ' <second | head -n 3)" ]
}

@test "--stats does not change the output" {
    reference in >wanted
    gsort --stats in >got 2>/dev/null
    assert_same wanted got
}

@test "without --stats nothing is printed" {
    run -0 --separate-stderr gsort in -o out
    [ -z "$output$stderr" ]
}

@test "--stats gives the reason for the choice of auto" {
    run -0 --separate-stderr gsort --stats in -o out
    [[ ${stderr,,} == *engine* && ${stderr,,} == *device* ]]
    run -0 --separate-stderr gsort --stats=json in -o out
    [[ $stderr == *'"reason"'* ]]
}

@test "--stats for no keys, few keys and sorted keys: no NaN or infinity" {
    for n in 0 1 2 100000; do
        keygen sorted "$n" >in2
        run -0 --separate-stderr gsort --stats in2 -o out
        [ -n "$stderr" ]
        [[ ${stderr,,} != *nan* && ${stderr,,} != *inf\ * ]]
    done
}

@test "a failed run with --stats still prints its error" {
    run -2 --separate-stderr gsort --stats no-such-file -o out
    [[ $stderr == *"gsort: no-such-file: "* ]]
}

@test "the largest bin of a merge is not known; with nothing but equal keys there is none" {
    gsort in -o sorted
    gsort --stats -m sorted sorted -o out 2>stats
    grep -q '^bins  *[0-9]*, largest -, mean [1-9]' stats
    gsort --stats-file=json -m sorted sorted -o out
    grep -q '"largest": 0,' json
    gsort --device=cpu --stats in -o out 2>stats
    grep -q '^bins  *[0-9]*, largest [1-9]' stats
    keygen equal 1000003 >in
    gsort --device=cpu --stats in -o out 2>stats
    grep -q '^bins  *1, largest 0, mean 1000003.0' stats
}
