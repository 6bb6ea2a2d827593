# -s leaves records of equal keys in the order of the input, whatever way they come in and go out.
# SPDX-License-Identifier: MIT

load ../helper
load types

setup()
{
    without_gpu "records with other bytes than their keys"
    enter_directory
}

# sort_stably WAY...: records of 256 keys, each with its position behind, of several sizes:
# in the order of their bytes they would lie otherwise, since its low byte comes first.
# shellcheck disable=SC2034  # sort_one_way uses them
sort_stably()
{
    local file=in bytes number way order orders=("" -r -u "-r -u")
    take_turns 3 4 5 7 8 9 12 13 16
    for bytes in "${TURNS[@]}"; do
        keygen --type=u8 --record="$bytes" uniform 70000 >in
        rm -f reference?
        for way; do
            number=$(((ORDER++) % 4))
            sort_one_way "$way" -s -R "$bytes" -k 0:u8
        done
    done
}

@test "files, and files into themselves" {
    sort_stably file one_thread in_place
}

@test "pipes" {
    sort_stably pipe
}

@test "temporary files" {
    sort_stably external external_pipe
}

@test "merging: equal keys of an earlier file come first" {
    sort_stably merge
}

@test "what is in order already, and its check" {
    sort_stably ordered check
}

@test "-c minds the keys only, and with -u that none comes twice" {
    printf '\1b\1a\2c' >in
    gsort -s -R 2 -k 0:u8 -c in
    run -1 --separate-stderr gsort -R 2 -k 0:u8 -c in
    [[ $stderr == "gsort: in:1: disorder: 1 after "* ]]
    run -1 --separate-stderr gsort -s -R 2 -k 0:u8 -cu in
    [[ $stderr == "gsort: in:1: disorder: 1 after "* ]]
}

@test "several files: equal keys in the order in which the files are named" {
    keygen --type=u8 --record=8 uniform 30000 >a
    keygen --type=u8 --record=8 --seed=2 uniform 20000 >b
    reference -s -R 8 -k 0:u8 b a >expected
    gsort -s -R 8 -k 0:u8 b a | cmp expected -
}

@test "files and pipes in any order, through temporary files" {
    keygen --type=u8 --record=8 uniform 300000 >a
    keygen --type=u8 --record=8 --seed=2 uniform 50000 >b
    reference -s -R 8 -k 0:u8 a b a b b >expected
    gsort -s -R 8 -k 0:u8 -S 2M -T . --verify <(cat a) b a <(cat b) b -o out
    cmp expected out
    gsort -s -R 8 -k 0:u8 -S 2M -T . a b <(cat a) b b >out
    cmp expected out
}

@test "keys of every type, in either direction, in records that their tags hold and in others" {
    local orders=("" -r -u "-r -u") number=0 bytes type
    keygen uniform 60000 | tr '\000-\377' '[\001*64][\177*64][\300*64][\377*64]' >in
    for bytes in 4 8 12 16; do
        take_turns u8 i8 u16 i16be f16 f16be bf16 u32be i32 f32 f32be u64 i64be f64 f64be b3
        for type in "${TURNS[@]}"; do
            [ "${type//[^0-9]/}" -le $((8 * (bytes - 1))) ] || continue
            for keys in "-k 1:$type" "-k 0:$type"r; do
                order=${orders[number++ % 4]}
                # shellcheck disable=SC2086  # words
                reference -s $order -R "$bytes" $keys in >expected
                # shellcheck disable=SC2086  # words
                gsort -s $order -R "$bytes" $keys --verify in -o out
                cmp expected out
            done
        done
    done
}

@test "few values, in every record and between keys of several types" {
    keygen uniform 160000 | tr '\000-\377' '[\001*128][\374*128]' >in
    for keys in "-k 1:u8" "-k 4:f32r" "-k 2:u16be -k 7:i8"; do
        # shellcheck disable=SC2086  # words
        reference -s -R 8 $keys in >expected
        # shellcheck disable=SC2086  # words
        gsort -s -R 8 $keys --verify in -o out
        cmp expected out
    done
}

@test "one key, of any type, in more records than memory holds" {
    local type
    # The bytes in front of the key differ.
    LC_ALL=C awk 'BEGIN {
        for (i = 0; i < 600000; i++) printf "%c%c\262\031", i % 127 + 1, i % 113 + 1
    }' >in
    for type in f16 bf16 u16be i16; do
        # A bin that is split for ever would fill the disk.
        (ulimit -f 100000 && timeout 20 "$GSORT" -s -R 4 -k "2:$type" -S 1M -T . in -o out)
        cmp in out
    done
}
