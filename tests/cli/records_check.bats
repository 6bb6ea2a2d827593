# -c of wide records reports the first that is out of order, by keys and then by bytes.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of any size"
    enter_directory
}

# disorder INDEX KEY OPTION...: ./in is out of order there, from a file and from a pipe.
disorder()
{
    local index=$1 key=$2
    shift 2
    run -1 --separate-stderr gsort -c "$@" in
    [[ $stderr == "gsort: in:$index: disorder: $key after "* ]]
    run -1 --separate-stderr bash -c 'cat in | gsort -c "$@"' bash "$@"
    [[ $stderr == "gsort: -:$index: disorder: $key after "* ]]
    run -1 gsort -C "$@" in
    [ -z "$output" ]
}

# ordered OPTION...: ./in is in order.
ordered()
{
    run -0 gsort -c "$@" in
    [ -z "$output" ]
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -c "$@"
}

# lines TEXT...: records of 20 bytes, padded with dots.
lines()
{
    printf '%s\n' "$@" | sed -e 's/$/..................../' -e 's/^\(.\{20\}\).*/\1/' |
        tr -d '\n' >in
}

@test "keys decide, then all bytes; with -s only keys" {
    lines a1x a1y a2x b1a
    ordered -R 20 -k 0:b2
    ordered -R 20
    disorder 1 0x6131 -R 20 -k 0:b2 -u
    disorder 1 0x6131 -R 20 -k 0:b2 -r
    lines a1y a1x a2x b1a
    disorder 1 0x6131 -R 20 -k 0:b2
    ordered -R 20 -k 0:b2 -s
    disorder 1 0x6131 -R 20 -k 0:b2 -su
    lines b1a a2x a1y a1x
    ordered -R 20 -k 0:b2 -r
    disorder 3 0x6131 -R 20 -k 0:b2 -ru
    disorder 1 0x6132 -R 20 -k 0:b2
    lines a1 a1 a1
    ordered -R 20 -k 0:b2
    ordered -R 20 -k 0:b2 -r
    disorder 1 0x6131 -R 20 -k 0:b2 -u
}

@test "the second key decides where the first is equal, in its own direction" {
    lines a2 a1 b2 b1
    ordered -R 20 -k 0:u8 -k 1:u8r
    disorder 1 49 -R 20 -k 0:u8 -k 1:u8
    disorder 2 98 -R 20 -k 0:u8r -k 1:u8r
}

@test "no records, one, and a pipe that ends within one" {
    : >in
    ordered -R 20
    lines a
    ordered -R 20 -u
    printf x >>in
    run -2 --separate-stderr gsort -c -R 20 in
    assert_trouble "in: size 21 is not a multiple of 20"
    run -2 --separate-stderr bash -c 'cat in | gsort -c -R 20'
    assert_trouble "not a multiple of 20"
}

@test "the first of several disorders is found anywhere, by any number of threads" {
    local at threads
    keygen --record=100 --type=u32 sorted 100000 >ascending
    printf '\1' | dd of=ascending conv=notrunc status=none # 1, so that 0 is out of order anywhere
    for at in 1 2 10484 10485 10486 50000 99999; do
        cp ascending in
        printf '\0\0\0\0' | dd of=in bs=100 seek="$at" conv=notrunc status=none
        printf '\0\0\0\0' | dd of=in bs=100 seek=99999 conv=notrunc status=none
        for threads in 1 2 5; do
            run -1 --separate-stderr gsort -R 100 -k 0:u32 -c --parallel="$threads" in
            [[ $stderr == "gsort: in:$at: disorder: 0 after "* ]]
        done
        disorder "$at" 0 -R 100 -k 0:u32
    done
}
