# Headers of .npy files: those that numpy loads are taken, in any notation, and no others.
# SPDX-License-Identifier: MIT

load ../npy

@test "thousands of fields, in a header of more than 64 KiB" {
    export GSORT_DEVICE= # a GPU does not sort these
    fields=$(seq -f "('field%05.0f', '<u2')," 0 4999)
    text=$(dictionary "[${fields//$'\n'/ }]" '(4,)')
    [ "${#text}" -gt 100000 ]
    keygen uniform 10000 >in
    npy_text 2 "$text" <in >in.npy
    reference -R 10000 -k 9000:u16r in | npy_text 2 "$text" >expected
    gsort -k field04500:r in.npy -o out
    cmp expected out
    gsort -k field04500:r <(cat in.npy) | cmp expected -
    run -2 --separate-stderr gsort in.npy -o out
    assert_trouble "more than 64 fields: say which by -k FIELD"
    run -2 --separate-stderr gsort in.npy -k field -o out
    assert_trouble "there is no field 'field'; its fields are: field00000 "
}

@test "names: of Latin-1 and UTF-8, and with escapes" {
    keygen uniform 3000 >in
    reference -R 12 -k 8:u32 -k 4:u32r in >expected
    LATIN=$'[(\'a\', \'<u4\'), (\'\xe9t\xe9\', \'<u4\'), (\'\\x41\\u00e9\\101\', \'<u4\')]'
    UTF8=$'[(\'a\', \'<u4\'), (\'\xc3\xa9t\xc3\xa9\', \'<u4\'), (\'\\x41\\u00e9\' r"A", \'<u4\')]'
    npy_text 1 "$(dictionary "$LATIN" '(1000,)')" <in >1.npy
    npy_text 2 "$(dictionary "$LATIN" '(1000,)')" <in >2.npy
    npy_text 3 "$(dictionary "$UTF8" '(1000,)')" <in >3.npy
    for version in 1 2 3; do
        gsort -k AéA -k été:r "$version.npy" -o out
        tail -c 12000 out | cmp expected -
    done
    gsort -k AéA -k été:r 1.npy 2.npy 3.npy -o out # names are the same
    tail -c 36000 out | cmp <(reference -R 12 -k 8:u32 -k 4:u32r in in in) -
}

@test "in any notation of Python's" {
    keygen uniform 16 >in
    reference in >expected
    while IFS= read -r text; do
        printf -v text '%b' "$text"
        for version in 1 3; do
            [[ $version = 1 || $text != *16L* ]] || continue
            npy_text "$version" "$text" <in >in.npy
            echo "$text"
            gsort in.npy -o out
            tail -c 64 out | cmp expected -
        done
    done <<'END'
{'descr': '<u4', 'fortran_order': False, 'shape': (16,), }
{'descr': '<u4', 'fortran_order': False, 'shape': (16,), }\r\n
{'descr': '<u4', 'fortran_order': False, 'shape': (16,), }\t \n
{'descr': '<u4', 'fortran_order': False, 'shape': (16,), }\n\n  \n
{'descr':\t'<u4',\n 'fortran_order':\r\n False, 'shape': ( 16 , ) }
{'descr': u'<u4', u'fortran_order': False, 'shape': (16L,), }\n
{"shape": (0x10,), "descr": "<u4", "fortran_order": True}
{'descr': '<' 'u4', 'fortran_order': False, 'shape': (1_6,)} # hello
 ({'descr': ('''<u4'''), '\\x66ortran_order': False, 'shape': ((16),)})
{'descr': '<i4', 'descr': '=u4', 'fortran_order': False, 'shape': (+16,)}
END
}

@test "what numpy refuses is refused, in one line" {
    keygen uniform 16 >in
    refuses()
    {
        npy_text "$1" "$2"$'\n' <in >in.npy
        run -2 --separate-stderr gsort in.npy -o out
        assert_trouble "in.npy: "
        run -2 --separate-stderr bash -c 'cat in.npy | gsort -o out'
        assert_trouble "-: "
        [ ! -e out ]
    }
    for shape in '(016,)' '(16.,)' '(True,)' '(16)' '16' '[16]' '(16l,)' '(1__6,)' '(,)' '(16,,)' \
        '(-16,)' '(18446744073709551632,)' '(99999999999999999999999,)' "('16',)" '(1 6,)' \
        '(None,)'; do
        refuses 1 "$(dictionary "'<u4'" "$shape")"
    done
    refuses 3 "$(dictionary "'<u4'" '(16L,)')"
    for type in "'b4'" "'?4'" "'u3'" "'M4'" "'<i16'" "'<f4 '" "'!u4'" "b'<u4'" "'<u4" "''" "None" \
        "{}" "4" "[('a', '<u4'), ('a', '<u0')]" "[('a', '<u2'), ('a', '<u2')]" "[('a',)]" \
        "[('a', '<u4', (-1,))]" "[(('a', 'a'), '<u4')]" "[('a', '<u4', (1,), 1)]" "'<u4' 'x'" \
        "'<u4' 4"; do
        refuses 1 "$(dictionary "$type" '(16,)')"
    done
    refuses 1 "$(dictionary "'<u4'" '(16,)')x"
    refuses 1 $'\n'" $(dictionary "'<u4'" '(16,)')"
    refuses 1 "{'descr': '<u4', 'shape': (16,)}"
    refuses 1 "{'descr': '<u4', 'fortran_order': 0, 'shape': (16,)}"
    refuses 1 "{'descr': '<u4', 'fortran_order': False, 'shape': (16,), 'x': 1}"
    refuses 1 ''
    refuses 1 "$(printf '[%.0s' {1..30000})"
}

@test "a count whose bytes exceed 64 bits is no count" {
    keygen uniform 6 >in
    for count in 2305843009213693952 2305843009213693955 1152921504606846976; do
        npy_text 1 "$(dictionary "'<u8'" "($count,)")" <in >in.npy
        for command in 'gsort in.npy -o out' 'cat in.npy | gsort -o out' 'gsort -c <in.npy' \
            'cat in.npy | gsort -m -o out'; do
            run -2 --separate-stderr bash -c "$command"
            assert_trouble "no file has as many records as its .npy header says"
        done
    done
    # Each of them may be, but not both.
    npy_text 1 "$(dictionary "'<u8'" "(1152921504606846000,)")" </dev/null >in.npy
    # shellcheck disable=SC2016  # bash -c expands
    run -2 --separate-stderr bash -c \
        'gsort <(cat in.npy) <(cat in.npy) | cat; exit ${PIPESTATUS[0]}'
    assert_trouble "its header says"
    [ ! -e out ]
}

@test "a header that lies about its length takes no memory" {
    require_plain_build # address space is limited
    { printf '\x93NUMPY\x02\x00\x00\x00\x3f\x00' && keygen uniform 100; } >in.npy
    run -2 --separate-stderr bash -c '(ulimit -v 300000; cat in.npy | gsort -o out)'
    assert_trouble "ends within its .npy header"
    printf '\x93NUMPY\x02\x00\xff\xff\xff\xff' >in.npy
    run -2 --separate-stderr gsort in.npy -o out
    assert_trouble "4294967307 bytes: not 12 to 4194304"
}

@test "headers at random: what numpy loads, and no other" {
    need_numpy
    headers=400
    is_expensive && headers=20000
    python3 "$ROOT/tests/cli/npy_differ.py" "$GSORT" "$headers" 1
}
