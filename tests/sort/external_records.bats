# Records larger than memory of which many are alike are sorted by what comes next, as they came.
# SPDX-License-Identifier: MIT

load ../helper

export GSORT_DEVICE= # records for the CPU

setup()
{
    enter_directory
    mkdir tmp
}

# spilled OPTION...: records of ./in through temporary files, or, under -u, by chunks that are
# combined, from a file and from a pipe, are those of the reference.
spilled()
{
    reference "$@" in >wanted
    gsort "$@" -S 2M -T tmp --stats in -o out 2>stats
    grep -Eq 'through temporary files|combined first' stats
    assert_same wanted out
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort "$@" -S 2M -T tmp --verify >out
    assert_same wanted out
    [ -z "$(ls -A tmp)" ]
}

@test "records that are alike but for a column or two" {
    local options seed
    take_turns "-R 48 -k 0:b48" "-R 48 -k 0:b20 -r" "-R 48 -k 0:b31 -s" "-R 48 -k 16:b32 -u" \
        "-R 48 -k 3:b20 -s -u" "-R 48 -k 0:b8 -k 30:u16r"
    for options in "${TURNS[@]}"; do
        for seed in 1 2 3; do
            keygen alike 130000 --record=48 --seed="$seed" >in
            # shellcheck disable=SC2086  # options are words
            spilled $options
        done
    done
}

@test "one key of more records than memory has room for, between others" {
    local options
    keygen uniform 400000 >some
    { cat some && head -c 4800000 /dev/zero && cat some; } >in # 8,000,000 bytes
    take_turns "-R 16 -k 0:u32 -s" "-R 16 -k 0:u64" "-R 20 -k 4:u64r -u" "-R 32 -k 0:u64 -s -r" \
        "-R 100 -k 0:b10" "-R 8 -k 0:u16 -s -u"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        spilled $options
    done
}

@test "equal keys in input order, across chunks, in bins that are split again, too" {
    local options
    { keygen uniform 700000 && keygen narrow 700000 && keygen uniform 700000; } >in
    take_turns "-R 8 -k 0:u8 -s" "-R 8 -k 3:u8 -s -r" "-R 8 -k 3:u8 -s -u" "-R 12 -k 2:u16 -s -u -r"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        spilled $options
    done
    for options in "" -r "-r -u"; do
        # shellcheck disable=SC2086  # options are words
        {
            gsort -R 8 -k 3:u8 $options --argsort=u32 in -o wanted
            gsort -R 8 -k 3:u8 $options --argsort=u32 -S 2M -T tmp in -o out
        }
        assert_same wanted out
    done
}
