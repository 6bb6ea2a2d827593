# --offsets: where each value of the first key begins, as numpy.searchsorted finds it.
# SPDX-License-Identifier: MIT

load ../npy

# An edge list of 3000 pairs from 100 nodes, of which 0, 50 and 99 have no edge.
setup()
{
    enter_directory
    need_numpy
    python3 - <<'END'
import numpy as np
r = np.random.default_rng(1)
a = r.integers(1, 99, 3000)
a[a == 50] = 51
e = np.stack([a, r.integers(0, 1000, 3000)], 1).astype("<u4")
e.tofile("in")
o = np.searchsorted(np.sort(e[:, 0]), np.arange(a.max() + 2))
o.astype("<u8").tofile("wanted")
np.searchsorted(np.sort(e[:, 0]), np.arange(101)).astype("<u8").tofile("wanted-99")
u = np.unique(e[:, 0])
np.searchsorted(u, np.arange(a.max() + 2)).astype("<u8").tofile("wanted-u")
big = r.zipf(1.3, 300000)
big = big[big < 100000].astype(">u8")
big.tofile("large")
np.searchsorted(np.sort(big), np.arange(big.max() + 2)).astype("<u8").tofile("wanted-large")
END
}

@test "in memory, pipes, merging, a file into itself, threads, positions of what is written" {
    local options=(-t "u32,u32" --offsets=offsets)
    gsort -t u32,u32 in -o sorted
    gsort "${options[@]}" in -o out && cmp offsets wanted && cmp out sorted
    gsort "${options[@]}" --verify -j 1 in -o out && cmp offsets wanted
    gsort "${options[@]}" --direct in -o out && cmp offsets wanted
    rm offsets
    gsort "${options[@]}" < <(cat in) | cmp sorted - && cmp offsets wanted
    gsort -R 8 -k 0:u32 -s --offsets=offsets in -o out && cmp offsets wanted
    gsort -m "${options[@]}" <(gsort -t u32,u32 in) - -o out </dev/null && cmp offsets wanted
    cp in own && gsort "${options[@]}" own -o own && cmp offsets wanted && cmp own sorted
    gsort -R 8 -k 0:u32 -u --offsets=offsets in -o out && cmp offsets wanted-u
    gsort -R 8 -k 0:u32 --count=u64 --offsets=offsets in -o out && cmp offsets wanted-u
    gsort "${options[@]}" --split=3 in -o part-%d && cmp offsets wanted
    gsort "${options[@]}" --head=1 in -o out
    [ "$(od -An -tu8 offsets | tr -s ' \n' ' ')" = ' 0 0 1 ' ]
    gsort "${options[@]}" in -o out --offsets=offsets | cat
    gsort -t u32,u32 --offsets=/dev/stdout in -o out | cmp wanted -
}

@test "what is larger than memory, of big-endian numbers, and --resume" {
    gsort -t u64be -S 1M -T . --stats --offsets=offsets large -o out 2>report
    grep -q '^temporary *[1-9]' report
    cmp offsets wanted-large
    gsort -t u64be -S 1M -T . --resume --offsets=offsets large -o out
    cmp offsets wanted-large
}

@test "--offsets-max has all values, and is a bound" {
    gsort -t u32,u32 --offsets=offsets --offsets-max=99 in -o out && cmp offsets wanted-99
    rm offsets out
    run --separate-stderr gsort -t u32,u32 --offsets=offsets --offsets-max=97 in -o out
    assert_trouble 'is 98' '--offsets-max=97'
    [ ! -e out ] && [ ! -e offsets ]
    printf '\xff\xff\xff\x7f\x01\x00\x00\x00' >few
    run --separate-stderr gsort --offsets=offsets few -o out
    assert_trouble '2147483647' '--offsets-max=2147483647 insists'
    [ ! -e out ] && [ ! -e offsets ]
    gsort --offsets=offsets - </dev/null -o out
    [ "$(od -An -tu8 offsets | tr -d ' ')" = 0 ]
    gsort --offsets=offsets --offsets-max=1 - </dev/null -o out
    [ "$(od -An -tu8 offsets | tr -d ' \n')" = 000 ]
}

@test "a .npy file's field; a file of offsets whose name says .npy has a header" {
    python3 -c 'import numpy as np
np.save("in.npy", np.array([(2.5, 3), (1.5, 1), (0.5, 3)], dtype=[("w", "<f8"), ("node", "<u2")]))'
    gsort -k node --offsets=o.npy in.npy -o out.npy
    gsort -k node --offsets=p.npy - -o out.npy < <(cat in.npy)
    cmp o.npy p.npy
    python3 -c 'import numpy as np
assert np.load("o.npy").tolist() == [0, 0, 1, 1, 3] and np.load("o.npy").dtype == "<u8"
assert np.load("out.npy")["node"].tolist() == [1, 3, 3]'
    run --separate-stderr gsort -k w --offsets=q.npy in.npy -o r.npy
    assert_trouble 'the first key is f64'
    [ ! -e q.npy ] && [ ! -e r.npy ]
}

@test "what has no such offsets is refused before anything is done" {
    for options in \
        '-t i32' '-t f32' '-t b4' '-t M8' '-R4 -k zorder(0:u16,2:u16)' '-r' '-t u32r' \
        --argsort=u32 --shuffle=1 -c --print; do
        # shellcheck disable=SC2086
        run --separate-stderr gsort $options --offsets=offsets in
        assert_trouble
        [ ! -e offsets ]
    done
    run --separate-stderr gsort --offsets-max=5 in
    assert_trouble '--offsets=FILE'
    run --separate-stderr gsort --offsets=out in -o ./out
    assert_trouble 'are one file'
    ln -s . here
    run --separate-stderr gsort --offsets=here/out in -o out
    assert_trouble 'are one file'
    cp in out
    run --separate-stderr gsort --offsets=out in -o ./out
    assert_trouble 'are one file'
    run --separate-stderr gsort --offsets=none/offsets in -o other
    assert_trouble 'none/offsets'
    [ ! -e other ] && cmp in out
}

@test "a failure leaves neither file" {
    [ -e /dev/full ] || skip "no /dev/full"
    run --separate-stderr gsort -t u32,u32 --offsets=/dev/full in -o out
    assert_trouble /dev/full
    [ ! -e out ]
    run --separate-stderr gsort -t u32,u32 --offsets=offsets in -o /dev/full
    assert_trouble /dev/full
    [ ! -e offsets ]
}
