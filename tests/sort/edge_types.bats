# The edge-case files in data/edge/types/ are sorted, in both byte orders alike.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
}

# numbers FILE BYTES ORDER: the numbers in a file of this byte order, in hexadecimal, one a line.
numbers()
{
    od -An -v -tx1 -w"$2" "$1" | awk -v little="$3" '{
        line = ""
        for (i = 1; i <= NF; i++)
            line = little ? $i line : line $i
        print line }'
}

@test "every file, with -r and -u, as a file and as a pipe" {
    local file type options count=0
    for file in "$ROOT"/data/edge/types/*.bin; do
        type=$(basename "$file" .bin)
        for options in "" -r -u "-r -u"; do
            # shellcheck disable=SC2086  # words
            reference -t "$type" $options "$file" >expected
            # shellcheck disable=SC2086  # words
            gsort -t "$type" $options --verify "$file" -o out
            cmp expected out
            # shellcheck disable=SC2086  # words
            gsort -t "$type" $options < <(cat "$file") | cmp expected -
        done
        count=$((count + 1))
    done
    [ "$count" -eq 26 ]
}

@test "big-endian files are the others with the bytes of each number reversed, sorted too" {
    local file type bytes
    for file in "$ROOT"/data/edge/types/*be.bin; do
        type=$(basename "$file" be.bin)
        bytes=$((${type//[a-z]/} / 8))
        cmp <(numbers "$file" "$bytes" 0) <(numbers "${file/be.bin/.bin}" "$bytes" 1)
        gsort -t "${type}be" "$file" -o big
        gsort -t "$type" "${file/be.bin/.bin}" -o little
        cmp <(numbers big "$bytes" 0) <(numbers little "$bytes" 1)
    done
}

@test "the order of f16: -inf, numbers, -0 before +0, +inf, NaNs, those with a sign last" {
    gsort -u -t f16 "$ROOT/data/edge/types/f16.bin" -o out
    [ "$(numbers out 2 1 | xargs)" = "fc00 fbff bc01 bc00 bbff 8400 83ff 8001 8000 0000 0001 03ff \
0400 3bff 3c00 3c01 7bff 7c00 7c01 7dff 7e00 7e01 7fff ffff fe01 fe00 fdff fc01" ]
}

@test "the order of i16" {
    gsort -u -t i16 "$ROOT/data/edge/types/i16.bin" -o out
    [ "$(od -An -v -td2 out | xargs)" = "-32768 -32767 -2 -1 0 1 2 127 128 255 256 258 32767" ]
}
