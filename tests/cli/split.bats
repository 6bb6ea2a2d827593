# --split=N: the output in N files of nearly the same length.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
}

@test "files in order, whose lengths differ by one record at most" {
    local n shortest longest
    for n in 1 2 7 10 64; do
        rm -f part-*
        gsort --split="$n" in -o part-%03d.bin
        [ "$(find . -name 'part-*' | wc -l)" -eq "$n" ]
        cat part-*.bin | assert_same wanted -
        shortest=$(stat -c %s part-* | sort -n | head -n 1)
        longest=$(stat -c %s part-* | sort -n | tail -n 1)
        [ $((longest - shortest)) -le 4 ]
    done
    gsort --split=12 in -o p%d
    [ -e p0 ] && [ -e p11 ] && [ ! -e p12 ]
    head -c 12 wanted >three
    gsort --split=5 three -o q%d # some are empty
    cat q0 q1 q2 q3 q4 | assert_same three -
}

@test "with -u, -m, --head, -S, --verify and pipes" {
    cat in in >twice
    gsort -u --verify --split=3 twice -o part-%d
    reference -u twice >unique
    cat part-0 part-1 part-2 | assert_same unique -
    gsort -m --split=3 wanted wanted -o part-%d
    cat part-0 part-1 part-2 | assert_same <(reference twice) -
    gsort --split=2 --head=1001 -o part-%d < <(cat in)
    [ "$(wc -c <part-0)" -eq 2000 ]
    cat part-0 part-1 | cmp - <(head -c 4004 wanted)
    keygen uniform 1000000 >large
    gsort -S 1M -T . --split=3 large -o part-%d
    reference large >wanted
    cat part-0 part-1 part-2 | assert_same wanted -
}

@test "each .npy file has its header, and --skip's bytes are in front of each" {
    load ../npy
    npy "'<u4'" 100003 <in >in.npy
    gsort --split=2 in.npy -o part-%d.npy
    head -c 200004 wanted | npy "'<u4'" 50001 | cmp part-0.npy -
    tail -c +200005 wanted | npy "'<u4'" 50002 | cmp part-1.npy -
    gsort --device=cpu --split=2 --argsort=u32 in.npy -o i-%d.npy
    gsort --device=cpu --argsort=u32 in.npy -o indices
    head -c 200004 indices | npy "'<u4'" 50001 | cmp i-0.npy -
    { printf 'abcd' && cat in; } >skipped
    gsort --skip=4 --split=2 skipped -o s-%d
    { printf 'abcd' && head -c 200004 wanted; } | cmp s-0 -
    { printf 'abcd' && tail -c +200005 wanted; } | cmp s-1 -
}

@test "files there are replaced when all is complete, an input as well; else they stay" {
    cp in part-1
    echo old >part-0
    gsort --split=2 part-1 -o part-%d
    cat part-0 part-1 | assert_same wanted -
    echo old >part-0
    rm part-1
    mkdir part-1
    run -2 --separate-stderr gsort --split=2 in -o part-%d
    assert_trouble "part-1" "directory"
    [ "$(cat part-0)" = old ]
    assert_only in wanted part-0 part-1
}

@test "what cannot be meant is refused" {
    run -2 --separate-stderr gsort --split=2 in
    assert_trouble "--split: standard output is one file"
    for name in part 'part-%s' 'part-%d-%d' '%3d'; do
        run -2 --separate-stderr gsort --split=2 in -o "$name"
        assert_trouble "one %d or %03d"
    done
    run -2 --separate-stderr gsort --split=0 in -o p%d
    assert_trouble "--split argument '0' is not from 1 to 512"
    run -2 --separate-stderr gsort --split=2 --resume in -o p%d
    assert_trouble "'--split' and '--resume' are incompatible"
    run -2 --separate-stderr gsort -c --split=2 in
    assert_trouble "'-c' and '--split' are incompatible"
    mkfifo f0
    run -2 --separate-stderr timeout 10 "$GSORT" --split=2 in -o f%d 0<>f0
    assert_trouble "f0: --split writes regular files"
    assert_only in wanted f0
}
