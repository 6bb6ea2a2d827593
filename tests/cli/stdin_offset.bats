# A regular file on standard input is sorted from its offset on, and its offset is then at the end.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
}

@test "an offset that is a multiple of 4, within a page and beyond" {
    for skip in 4 8 400 4096 4100 200000; do
        tail -c +$((skip + 1)) in >rest
        reference rest >wanted
        {
            dd bs="$skip" count=1 of=/dev/null status=none
            gsort
        } <in >got
        assert_same wanted got
    done
}

@test "an offset that is not a multiple of 4, with whole keys left" {
    head -c 400002 in >in2
    tail -c +3 in2 >rest
    reference rest >wanted
    {
        dd bs=2 count=1 of=/dev/null status=none
        gsort
    } <in2 >got
    assert_same wanted got
}

@test "an offset that leaves an incomplete key is refused with size and remainder" {
    run -2 --separate-stderr bash -c \
        '{ dd bs=3 count=1 of=/dev/null status=none; gsort -o out; } <in'
    assert_trouble 400009 1
    [ ! -e out ]
}

@test "an offset at the end, and beyond it, is an empty input" {
    {
        cat >/dev/null
        gsort
    } <in >got
    [ ! -s got ]
    {
        dd bs=500000 count=0 skip=1 status=none 2>/dev/null || true
        gsort
    } <in >got
    [ ! -s got ]
}

@test "an offset anywhere beyond the end is an empty input" {
    require python3
    for beyond in 0 1 2 3 4 5000; do
        python3 -c '
import os, subprocess, sys
os.lseek(0, os.fstat(0).st_size + int(sys.argv[2]), 0)
subprocess.check_call([sys.argv[1]])' "$GSORT" "$beyond" <in >got
        [ ! -s got ]
    done
}

@test "the next reader finds the file at its end" {
    {
        gsort >got
        cat >left
    } <in
    [ ! -s left ]
    reference in >wanted
    assert_same wanted got
}

@test "input and output share one position, and the input is read, not mapped" {
    keygen uniform 1000 >keys
    { printf x && cat keys; } >shared
    reference keys >wanted
    exec 7<>shared
    dd bs=1 count=1 of=/dev/null status=none <&7
    gsort <&7 >&7
    exec 7>&-
    tail -c +4002 shared | cmp - wanted
    head -c 4001 shared | tail -c +2 | cmp - keys
}
