# A .npy file that comes through a pipe is known by its first bytes, and one goes out.
# SPDX-License-Identifier: MIT

# shellcheck disable=SC2002  # pipes are meant
load ../npy

# drip FILE: like cat, but the first bytes come one by one.
drip()
{
    local i
    for i in {0..13}; do
        dd if="$1" bs=1 skip="$i" count=1 status=none
        sleep 0.01
    done
    tail -c +15 "$1"
}

@test "every way in and out" {
    without_gpu "types of all sizes"
    while read -r descr type; do
        keygen --type="$type" --specials uniform 90000 >in
        npy "$descr" 90000 <in >in.npy
        reference -t "$type" in | npy "$descr" 90000 >expected
        drip in.npy | gsort -o out && cmp expected out
        cat in.npy | gsort --verify | cmp expected -
        gsort <(cat in.npy) -o out --verify && cmp expected out
        cat in.npy | gsort -S 1M -T . --verify -o out && cmp expected out
        cat in.npy | gsort -S 1M -T . | cmp expected -
        cat in.npy | gsort --direct -o out && cmp expected out
        cat in.npy | gsort --parallel=1 | gsort -c
        reference -t "$type" -r in | npy "$descr" 90000 >expected
        cat in.npy | gsort -r | cmp expected -
        cat expected | gsort -rc
        cat expected | gsort -m -r - | cmp expected -
        reference -t "$type" -u in >unique
        npy "$descr" "$(($(wc -c <unique) * 90000 / $(wc -c <in)))" <unique >expected
        cat in.npy | gsort -u -o out && cmp expected out
    done <<END
'<u4' u32
'>f8' f64be
'<i2' i16
'|u1' u8
'<f4' f32
END
}

@test "keys that are no array are sorted as ever, however few come first" {
    for keys in 0 1 2 3 1000 300000; do
        keygen uniform "$keys" >in
        reference in >expected
        drip in | gsort | cmp expected -
        drip in | gsort -S 1M -T . | cmp expected -
        drip expected | gsort -c
    done
    keygen uniform 1 | head -c 3 >short
    run -2 --separate-stderr bash -c 'cat short | gsort -o out'
    assert_trouble "-: size 3 is not a multiple of 4"
    keygen uniform 10 | head -c 39 >odd
    run -2 --separate-stderr bash -c 'cat odd | gsort -o out'
    assert_trouble "-: size 39 is not a multiple of 4"
    seq 1000 >text
    run -2 --separate-stderr bash -c 'cat text | gsort -o out'
    assert_trouble "looks like text"
    run -2 --separate-stderr bash -c 'gzip -c text | gsort -o out'
    assert_trouble "looks like gzip"
    [ ! -e out ]
}

@test "the end of a terminal is read once" {
    { sleep 1 && printf 'abc\n' && sleep 1 && printf '\4'; } |
        timeout 20 script -q -e -c '"$GSORT" - -o out' typed >/dev/null
    [ "$(cat out)" = abc ]
}

@test "fields are keys by their names" {
    without_gpu "records of 12 bytes"
    descr="[('id', '<u4'), ('x', '<f8')]"
    keygen uniform 30000 >in
    npy "$descr" 10000 <in >in.npy
    reference -R 12 -k 4:f64r -k 0:u32 in | npy "$descr" 10000 >expected
    cat in.npy | gsort -k x:r -k id | cmp expected -
    cat expected | gsort -k x:r -k id -c
    reference -s -R 12 -k 0:u32 in | npy "$descr" 10000 >expected
    cat in.npy | gsort -s -k id | cmp expected -
    run -2 --separate-stderr bash -c 'cat in.npy | gsort -k y'
    assert_trouble "-: there is no field 'y'; its fields are: id x"
    run -2 --separate-stderr bash -c 'cat in | gsort -k id'
    assert_trouble "-k needs -R SIZE"
    run -1 --separate-stderr bash -c 'cat in.npy | gsort -k id -c'
    [[ $stderr == "gsort: -:"*": disorder: "* ]]
}

@test "several, from pipes and files, as one and merged" {
    keygen uniform 3000 | npy "'<u4'" 3000 >a.npy
    keygen --seed=2 uniform 50000 | npy "'<u4'" 50000 >b.npy
    tail -qc +129 a.npy b.npy | reference | npy "'<u4'" 53000 >expected
    gsort <(cat a.npy) <(cat b.npy) | cmp expected -
    gsort a.npy <(cat b.npy) -o out && cmp expected out
    gsort <(cat a.npy) b.npy | cmp expected -
    cat b.npy | gsort a.npy - | cmp expected -
    gsort a.npy -o a.npy
    gsort b.npy -o b.npy
    gsort -m <(cat a.npy) <(cat b.npy) | cmp expected -
    gsort -m -S 1M -T . <(cat a.npy) b.npy -o out && cmp expected out
    keygen uniform 3000 >raw
    gsort raw <(cat raw) | cmp <(cat raw raw | reference) -
    gsort <(cat raw) raw | cmp <(cat raw raw | reference) -
}

# shellcheck disable=SC2016  # bash -c expands
@test "what does not fit together is refused, in one line" {
    keygen uniform 100 >raw
    npy "'<u4'" 100 <raw >a.npy
    npy "'<i4'" 100 <raw >b.npy
    head -c 500 a.npy >short.npy
    head -c 60 a.npy >cut.npy
    npy "'|O'" 50 <raw >objects.npy
    while read -r text command; do
        echo "$command"
        run -2 --separate-stderr bash -c "$command" </dev/null
        assert_trouble "${text//_/ }"
        [ ! -e out ]
    done <<'END'
-:_372_bytes_of_records_came,_but_its_header_says_400 cat short.npy | gsort -o out
372_bytes_of_records_came,_but cat short.npy | gsort | cat; exit ${PIPESTATUS[1]}
372_bytes_of_records_came,_but gsort raw -o s; cat <(head -c 128 a.npy) s | head -c 500 | gsort -c
-:_ends_within_its_.npy_header cat cut.npy | gsort -o out
it_holds_Python_objects cat objects.npy | gsort -o out
its_records_are_not_those_of_a.npy gsort a.npy <(cat b.npy) -o out
its_records_are_not_those_of gsort <(cat a.npy) b.npy -o out
so_all_others_must_be_such_files,_too gsort <(cat a.npy) raw -o out
so_all_others_must_be_such_files,_too gsort a.npy <(cat raw) -o out
looks_like_a_NumPy_array gsort <(cat raw) a.npy -o out
looks_like_a_NumPy_array cat a.npy | gsort -t u32 -o out
which_-u_changes:_use_-o_FILE cat a.npy | gsort -u | cat; exit ${PIPESTATUS[1]}
missing:_cannot_read gsort a.npy missing -o out
END
    cat a.npy | gsort --format=raw >/dev/null
}

@test "an output that cannot be written is refused before the pipe brings anything" {
    mkfifo pipe
    exec 5<>pipe
    run -2 --separate-stderr timeout 10 "$GSORT" -o missing/out <pipe
    exec 5>&-
    assert_trouble "missing"
}
