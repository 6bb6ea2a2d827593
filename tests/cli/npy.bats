# A .npy file is sorted as what its header says, and the output is one, too.
# SPDX-License-Identifier: MIT

load ../npy

@test "plain types, in every way in and out" {
    without_gpu "types of all sizes"
    while read -r descr type; do
        keygen --type="$type" --specials uniform 80000 >in
        npy "$descr" 80000 <in >in.npy
        reference -t "$type" in | npy "$descr" 80000 >expected
        gsort in.npy -o out && cmp expected out
        gsort --verify <in.npy >out && cmp expected out
        gsort in.npy | cmp expected -
        gsort -S 1M -T . --verify in.npy -o out && cmp expected out
        cp in.npy out && gsort out -o out && cmp expected out
        gsort -c expected
        reference -t "$type" -u in >unique
        npy "$descr" "$(($(wc -c <unique) * 80000 / $(wc -c <in)))" <unique >expected
        gsort -u in.npy -o out && cmp expected out
    done <<END
'<u4' u32
'>f8' f64be
'<i2' i16
'|u1' u8
'<f4' f32
END
}

@test "several files become one, by -m as well" {
    keygen uniform 3000 | npy "'<u4'" 3000 >a.npy
    keygen --seed=2 uniform 5000 | npy "'<u4'" 5000 >b.npy
    tail -qc +129 a.npy b.npy | reference | npy "'<u4'" 8000 >expected
    gsort a.npy b.npy -o out
    cmp expected out
    gsort a.npy -o a.npy
    gsort b.npy -o b.npy
    gsort -m a.npy b.npy | cmp expected -
}

@test "structures of more than 16 bytes" {
    without_gpu "records of 44 bytes"
    descr="[('name', 'S20'), ('x', '<f8'), ('rest', '<u2', (8,))]"
    keygen --record=44 --type=b20 --specials few 20000 >in
    npy "$descr" 20000 <in >in.npy
    reference -R 44 -k 20:f64r -k 0:b20 in | npy "$descr" 20000 >expected
    gsort -k x:r -k name in.npy -o out
    cmp expected out
    gsort -k x:r -k name <in.npy | cmp expected -
    gsort -k x:r -k name -c expected
    gsort -k x:r -k name -m --verify out /dev/null 2>err && false
    gsort -k x:r -k name -m --verify out -o out2
    cmp expected out2
    reference -s -R 44 -k 0:b20 in | npy "$descr" 20000 >expected
    gsort -s -k name --verify in.npy -o out
    cmp expected out
}

@test "fields are keys by their names" {
    without_gpu "records of 12 bytes"
    descr="[('id', '<u4'), ('x', '<f8')]"
    keygen uniform 30000 >in
    npy "$descr" 10000 <in >in.npy
    reference -R 12 -k 4:f64r -k 0:u32 in | npy "$descr" 10000 >expected
    gsort -k x:r -k id in.npy -o out
    cmp expected out
    reference -R 12 -k 0:u32 -k 4:f64 in | npy "$descr" 10000 >expected
    gsort in.npy -o out
    cmp expected out
    run -2 --separate-stderr gsort -k y in.npy
    assert_trouble "there is no field 'y'; its fields are: id x"
}

@test "what does not fit together is refused, in one line" {
    keygen uniform 100 >raw
    npy "'<u4'" 100 <raw >a.npy
    npy "'<i4'" 100 <raw >b.npy
    npy "'<u4'" 99 <raw >short.npy
    npy "'|O'" 50 <raw >objects.npy
    for command in "a.npy b.npy" "a.npy raw" "raw a.npy" "-t f32 a.npy" short.npy objects.npy; do
        # shellcheck disable=SC2086  # words
        run -2 --separate-stderr gsort $command -o out
        assert_trouble ""
        [ ! -e out ]
    done
    run -2 --separate-stderr bash -c 'set -o pipefail; gsort -u a.npy | cat'
    assert_trouble "use -o FILE"
}

@test "numpy reads the result as its own sort's" {
    without_gpu "types of all sizes"
    need_numpy
    python3 - <<'END'
import numpy
random = numpy.random.default_rng(1)
for code in "u1 i1 u2 i2 u4 i4 u8 i8 >u4 >i8 f2 f4 f8 >f8".split():
    keys = numpy.frombuffer(random.bytes(40000), code)
    numpy.save(f"{code}.npy", keys)
    numpy.save(f"{code}.sorted.npy", numpy.sort(keys))
END
    for file in *.sorted.npy; do
        gsort "${file/.sorted/}" -o out.npy
        gsort < <(cat "${file/.sorted/}") | cmp out.npy -
        python3 - "$file" <<'END'
import numpy, sys
expected = numpy.load(sys.argv[1])
assert numpy.array_equal(numpy.load("out.npy"), expected, equal_nan="f" in sys.argv[1])
END
    done
}
