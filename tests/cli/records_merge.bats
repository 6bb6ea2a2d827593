# -m merges inputs of wide records that are in order, and names the one that is not.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of any size"
    enter_directory
}

# parts COUNT N DISTRIBUTION OPTION...: N records of 40 bytes, by their first 4 unless options say
# otherwise, cut into COUNT files, part1 and so on, each sorted.
parts()
{
    local count=$1 n=$2 distribution=$3 i
    shift 3
    rm -f part*
    for ((i = 1; i <= count; i++)); do
        keygen --record=40 --type=u32 "$distribution" "$n" --from=$(((i - 1) * n / count)) \
            --to=$((i * n / count)) | reference -R 40 "$@" >"part$i"
    done
}

# merges OPTION...: the parts become what the reference makes of them, and back again in one piece.
merges()
{
    local files=(part*)
    reference -R 40 "$@" "${files[@]}" >wanted || return
    gsort -R 40 "$@" -m --verify "${files[@]}" -o got && assert_same wanted got || return
    gsort -R 40 "$@" -m --parallel=3 "${files[@]}" >got && assert_same wanted got || return
    gsort -R 40 "$@" -m --verify --parallel=1 - "${files[@]:1}" <"${files[0]}" | cmp wanted -
}

@test "few and many inputs, whose ranges overlap or follow one another" {
    local distribution
    for distribution in uniform sorted few equal organ-pipe; do
        parts 2 60000 $distribution -k 0:u32
        merges -k 0:u32
        merges -k 0:u32 -u
        parts 40 60000 $distribution -k 0:u32
        merges -k 0:u32
        merges -k 0:u32 -u
    done
}

@test "one input, and inputs of no, one and two records" {
    parts 1 50000 narrow -k 0:u32
    merges -k 0:u32
    merges -k 0:u32 -u
    parts 5 3 uniform -k 0:u32
    merges -k 0:u32
    parts 3 0 uniform -k 0:u32
    merges -k 0:u32
}

@test "in reverse; -s takes equal keys from the first input, and in its order" {
    local options
    for options in -r -s "-r -s"; do
        # shellcheck disable=SC2086  # options are words
        parts 5 60000 narrow -k 0:u32 $options
        # shellcheck disable=SC2086  # options are words
        merges -k 0:u32 $options
        # shellcheck disable=SC2086  # options are words
        merges -k 0:u32 $options -u
    done
}

@test "several keys, a whole record, and keys longer than what is compared first" {
    parts 7 50000 narrow -k 0:u8r -k 1:u16 -k 4:u64be
    merges -k 0:u8r -k 1:u16 -k 4:u64be
    parts 7 50000 few
    merges
    parts 7 50000 narrow -k 8:b30 -k 0:u32
    merges -k 8:b30 -k 0:u32
}

@test "records of 17 and of 65536 bytes" {
    local bytes n
    for bytes in 17 65536; do
        n=$((6000000 / bytes))
        keygen --record=$bytes --type=b10 narrow $n --to=$((n / 3)) | reference -R $bytes >a
        keygen --record=$bytes --type=b10 narrow $n --from=$((n / 3)) | reference -R $bytes >b
        reference -R $bytes a b >wanted
        gsort -R $bytes -m a b --verify -o got
        assert_same wanted got
        gsort -R $bytes -m -S 1M a <(cat b) /dev/null | cmp wanted -
    done
}

@test "an input out of order is named, with the record's index and key, and nothing is written" {
    local at
    parts 3 30000 sorted -k 0:u32
    for at in 1 5000 9999; do
        cp part2 bad
        printf '\1\0\0\0' | dd of=bad bs=40 seek=$at conv=notrunc status=none
        run -2 --separate-stderr gsort -R 40 -k 0:u32 -m part1 bad part3 -o out
        assert_trouble "bad:$at: disorder: 1"
        run -2 --separate-stderr bash -c 'cat bad | gsort -R 40 -k 0:u32 -m part1 - -o out'
        assert_trouble "-:$at: disorder: 1"
        [ ! -e out ]
    done
    run -2 --separate-stderr gsort -R 40 -k 0:u32 -m -r part1 part3 -o out
    assert_trouble "part1:1: disorder: "
}

@test "equal keys whose other bytes are out of order are a disorder, but not with -s" {
    printf 'ay..................ax..................' >in
    run -2 --separate-stderr gsort -R 20 -k 0:b1 -m in in -o out
    assert_trouble "in:1: disorder: 0x61"
    gsort -R 20 -k 0:b1 -m -s in in -o out
    cat in in | cmp - out
}
