# The rows of a two-dimensional .npy array are records, and its columns keys.
# SPDX-License-Identifier: MIT

load ../npy

setup()
{
    without_gpu "records with other bytes than their keys"
    enter_directory
}

# rows DESCR SHAPE: the array of the records on standard input.
rows()
{
    local text
    printf -v text '%-117s\n' "$(dictionary "$1" "$2")"
    npy_text 1 "$text"
}

@test "every way in and out, by columns that are named, and by all" {
    keygen uniform 90000 >raw
    rows "'<i4'" '(30000, 3)' <raw >in.npy
    while read -r keys order; do
        # shellcheck disable=SC2086  # words are meant
        reference -R 12 $order raw | rows "'<i4'" '(30000, 3)' >expected
        # shellcheck disable=SC2086
        set -- ${keys/all/}
        gsort "$@" in.npy -o out && cmp expected out
        gsort "$@" <in.npy | cmp expected
        # shellcheck disable=SC2002  # a pipe is meant
        cat in.npy | gsort "$@" -S 1M -T . --verify | cmp expected
        gsort "$@" -S 1M in.npy -o out && cmp expected out
        cp in.npy out && gsort "$@" out -o out && cmp expected out
        gsort "$@" -c out
        gsort "$@" -m out out -o twice
        gsort "$@" -u twice -o out && cmp expected out
    done <<'END'
-k2:r,0 -k 8:i32r -k 0:i32
all -k 0:i32 -k 4:i32 -k 8:i32
END
}

@test "the header has the number of rows that there are" {
    { keys 2 7 1 1 2 7 1 0; } >raw
    rows "'<u4'" '(4, 2)' <raw >in.npy
    gsort -u in.npy -o out
    { keys 1 0 1 1 2 7; } | rows "'<u4'" '(3, 2)' | cmp - out
    gsort -k 1 --head=2 in.npy -o out
    { keys 1 0 1 1; } | rows "'<u4'" '(2, 2)' | cmp - out
    gsort in.npy in.npy -o out
    head -c 100 out | grep -q "'shape': (8, 2)"
    gsort -u --count=u8 in.npy -o out
    head -c 120 out | grep -qF "'descr': [('key', '<u4', (2,)), ('count', '|u1')], "
    head -c 120 out | grep -qF "'shape': (3,)"
    gsort --print out | sed 1d >shown
    printf '1\t0\t1\n1\t1\t1\n2\t7\t2\n' | diff - shown
    gsort --print in.npy | head -2 >shown
    printf '#0\t1\n2\t7\n' | diff - shown
}

@test "positions, parts, sets, offsets and a random order of rows" {
    { keys 2 7 1 1 2 7 1 0; } >raw
    rows "'<u4'" '(4, 2)' <raw >in.npy
    gsort --argsort=u32 -k 1 in.npy -o places.npy
    keys 3 1 0 2 | cmp - <(tail -c 16 places.npy)
    gsort --split=2 in.npy -o part-%d.npy
    keys 1 0 1 1 | rows "'<u4'" '(2, 2)' | cmp - part-0.npy
    keys 2 7 2 7 | rows "'<u4'" '(2, 2)' | cmp - part-1.npy
    gsort --tail=1 in.npy -o out
    keys 2 7 | rows "'<u4'" '(1, 2)' | cmp - out
    gsort --single in.npy -o out && cmp part-0.npy out
    gsort --minus=part-1.npy in.npy -o out && cmp part-0.npy out
    gsort --common=part-1.npy in.npy -o out && cmp part-1.npy out
    gsort --repeated in.npy -o out
    keys 2 7 | rows "'<u4'" '(1, 2)' | cmp - out
    gsort --offsets=offsets -k 0 in.npy -o out
    keys 0 0 0 0 2 0 4 0 | cmp - offsets
    gsort in.npy -o ordered
    gsort --shuffle=1 in.npy -o mixed && gsort mixed -o out && cmp ordered out
}

@test "rows of bytes are one key, however many there are" {
    keygen uniform 32000 >raw
    rows "'|u1'" '(1000, 128)' <raw >in.npy
    reference -R 128 raw | rows "'|u1'" '(1000, 128)' >expected
    gsort in.npy -o out && cmp expected out
}

@test "what is no array of rows is refused in one line" {
    while IFS='|' read -r keys shape text; do
        rows "'<u4'" "$shape" </dev/null >in.npy
        # shellcheck disable=SC2086  # words are meant
        run -2 --separate-stderr gsort $keys in.npy -o out
        assert_trouble "$text"
    done <<'END'
|(0, 2, 2)|it has more than two dimensions; numpy's x.reshape(len(x), -1) has rows
|(5, 0)|its rows have no columns
|(0, 16385)|its rows are larger than 65536 bytes
|(0, 65)|more than 64 fields: say which by -k FIELD
-k 2|(0, 2)|there is no column '2': they are 0 to 1
-k x|(0, 2)|there is no column 'x': they are 0 to 1
-k zorder(0)|(0, 2)|zorder() takes two to four numbers
END
    sed "s/False/True /; s/'shape': .*/'shape': (2, 3), }/" <<<"$(dictionary "'<u4'" '(2, 3)')" |
        { read -r text && npy_text 1 "$text" </dev/null; } >in.npy
    run -2 --separate-stderr gsort in.npy -o out
    assert_trouble "it is in Fortran order; numpy's ascontiguousarray(x) has rows"
    keys 1 2 3 4 | rows "'<u4'" '(2, 2)' >a.npy
    keys 1 2 3 4 | rows "'<u4'" '(4, 1)' >b.npy
    run -2 --separate-stderr gsort a.npy b.npy -o out
    assert_trouble "b.npy: its records are not those of a.npy"
}

@test "rows and dates are what numpy makes of them, in random arrays" {
    need_numpy
    python3 "$ROOT/tests/cli/npy_rows.py" "$GSORT" 60 1
}
