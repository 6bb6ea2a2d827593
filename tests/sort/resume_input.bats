# What --resume has kept counts only as far as the input still holds it, by its content.
# SPDX-License-Identifier: MIT

load ../helper
load resume

export GSORT_DEVICE=

setup()
{
    enter_directory
    mkdir tmp
    keygen uniform 3000000 >in
}

# rewrite BYTE: change in there, in place, with its times as before.
rewrite()
{
    touch -r in times
    printf '\x01\x80' | dd of=in bs=1 seek="$1" conv=notrunc status=none
    touch -r times in
}

# swap A B: exchange the records of 12 bytes there.
swap()
{
    dd if=in of=one bs=12 skip="$1" count=1 status=none
    dd if=in of=other bs=12 skip="$2" count=1 status=none
    touch -r in times
    dd if=one of=in bs=12 seek="$2" conv=notrunc status=none
    dd if=other of=in bs=12 seek="$1" conv=notrunc status=none
    touch -r times in
}

# Elements lose their first chunks at 1100 KiB, wide records, whose chunks are larger, at 2500.
kib()
{
    case $1 in
    *-k*) echo 2500 ;;
    *) echo 1100 ;;
    esac
}

@test "rewritten with its times restored: at the front, in the middle, behind what was kept" {
    local options byte all
    take_turns "" "-t f64 -u" "-t i32be" "-R 24 -k 0:u32" "-R 24 -k 0:u32 -u" "-t u128" \
        "-R 12 -k 0:u16 -s -r" "-R 32 -k 2:u16 -s"
    all=("${TURNS[@]}")
    for options in "${all[@]}"; do
        take_few 0 4200001 11900000
        for byte in "${TURNS[@]}"; do
            keygen uniform 3000000 >in
            # shellcheck disable=SC2086  # options are words
            {
                end_at "$(kib "$options")" -S 2M $options
                rewrite "$byte"
                reference $options in >wanted
                go_on -S 2M --verify $options
            }
            [ "$byte" -gt 0 ] || [ -z "$(resumed stats)" ]
            [ "$byte" -gt 0 ] || grep -q "^gsort: warning: tmp/.*input that has changed" stats
            [ "$byte" -eq 0 ] || [ "$(resumed stats)" -ge 1 ]
        done
    done
}

@test "positions count: equal keys that have changed places, under -s and --argsort" {
    local options
    keygen equal 1000000 --record=12 >in
    for options in -s --argsort=u32; do
        # shellcheck disable=SC2086  # options are words
        {
            end_at 1100 -S 2M -R 12 -k 0:u16 $options
            swap 3 4
            gsort -R 12 -k 0:u16 $options in >wanted
            go_on -S 2M -R 12 -k 0:u16 $options
        }
        [ -z "$(resumed stats)" ]
    done
}

@test "a file of the same content is the same input: touched, or copied to another inode" {
    local options
    for options in "" "-R 24 -k 0:u32"; do
        # shellcheck disable=SC2086  # options are words
        {
            reference $options in >wanted
            end_at "$(kib "$options")" -S 2M $options
            touch in
            cp in copy
            mv copy in
            go_on -S 2M $options
        }
        [ "$(resumed stats)" -ge 2 ]
        run ! grep warning stats
    done
}

@test "longer or shorter: what is unchanged in front is kept" {
    local options
    for options in "" "-R 24 -k 0:u32"; do
        keygen uniform 3000000 >in
        # shellcheck disable=SC2086  # options are words
        {
            end_at "$(kib "$options")" -S 2M $options
            keygen narrow 6000 >>in
            reference $options in >wanted
            go_on -S 2M $options
            [ "$(resumed stats)" -ge 2 ]
            end_at "$(kib "$options")" -S 2M $options
            truncate -s 7200000 in
            reference $options in >wanted
            go_on -S 2M $options
        }
        [ "$(resumed stats)" -ge 1 ]
    done
}

@test "bytes that move from one input to the next: by their place in all of them" {
    local options
    for options in "" "-R 12 -k 0:u16 -s"; do
        head -c 1200000 in >a
        tail -c +1200001 in >b
        # shellcheck disable=SC2086  # options are words
        {
            reference $options in >wanted
            (ulimit -f "$(kib "$options")" &&
                gsort --resume -T tmp -S 2M $options a b | cat >/dev/null) && return 1
            head -c 2400000 in >a
            tail -c +2400001 in >b
            gsort --resume -T tmp -S 2M $options --stats a b 2>stats | cat >out
        }
        assert_same wanted out
        [ "$(resumed stats)" -ge 2 ]
    done
}

@test "a .npy file whose header says another type of the same bytes" {
    local type
    # npy TYPE: in, with a header.
    npy()
    {
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
            "{'descr': '$1', 'fortran_order': False, 'shape': (3000000,), }"
        cat in
    }
    npy '<u4' >in.npy
    (ulimit -f 1100 && gsort --resume -T tmp -S 2M in.npy | cat >/dev/null) && return 1
    for type in '<i4' '<f4' '>u4'; do
        npy "$type" >in.npy
        gsort in.npy >wanted
        gsort --resume -T tmp -S 2M in.npy | cat >out
        assert_same wanted out
    done
}

@test "the output on an input, which a kill would leave half overwritten, is refused" {
    local shape
    cp in before
    # shellcheck disable=SC2094  # in place is what is tested
    for shape in 'in 1<>in' '<in 1<>in' '- 1<>in <in' 'other in 1<>in' \
        'in -o /dev/stdout 1<>in' '-R 24 in 1<>in' '-S 1G in 1<>in'; do
        : >other
        run -2 --separate-stderr bash -c "gsort --resume -S 2M -T tmp $shape"
        assert_trouble "is the output, too" "use -o FILE"
        assert_same before in
        [ -z "$(ls -A tmp)" ]
    done
    run -2 --separate-stderr bash -c 'gsort --resume -S 2M -T tmp in >>in' # as without it
    assert_trouble "is input and standard output" "sorts a file into itself"
    assert_same before in
    reference in >wanted
    gsort --resume -S 2M -T tmp in -o in
    assert_same wanted in
}

@test "where nothing can be kept, it says so, and sorts" {
    local many
    gsort --skip=2 -R 4 <(head -c 2 in; cat in) -o wanted
    { head -c 2 in; cat in; } >odd
    gsort --resume -S 2M -T tmp --skip=2 -R 4 odd -o out 2>said
    assert_same wanted out
    [ "$(cat said)" = "gsort: warning: --resume: odd cannot be mapped: nothing is kept" ]
    head -c 400 in >little
    mapfile -t many < <(yes little | head -n 16400)
    [ "${#many[@]}" -eq 16400 ]
    gsort "${many[@]}" -o wanted
    gsort --resume -S 2M -T tmp "${many[@]}" -o out 2>said
    assert_same wanted out
    [ "$(cat said)" = "gsort: warning: --resume: little cannot be mapped: nothing is kept" ]
    reference in >wanted
    gsort --resume -S 2M -T tmp in -o out 2>said
    [ ! -s said ]
}

@test "an empty input among others keeps nobody from being resumed" {
    : >empty
    reference in >wanted
    (ulimit -f 1100 && gsort --resume -T tmp -S 2M in empty | cat >/dev/null) && return 1
    gsort --resume -T tmp -S 2M --stats in empty 2>stats | cat >out
    assert_same wanted out
    [ "$(resumed stats)" -ge 2 ]
    run ! grep warning stats
}
