# -t that agrees with a .npy file is taken; another one is refused with the cure.
# SPDX-License-Identifier: MIT

load ../npy

@test "-t as in the header, and not" {
    keygen uniform 100 >raw
    while read -r descr bytes type other; do
        head -c $((bytes * 10)) raw | npy "$descr" 10 >in.npy
        gsort in.npy -o wanted
        gsort -t "$type" in.npy -o out
        cmp wanted out
        gsort -t "$type" -c out
        gsort -t "$type" -o out <in.npy
        cmp wanted out
        rm out
        run -2 --separate-stderr gsort -t "$other" in.npy -o out
        assert_trouble "in.npy: drop -t $other: its header says $type"
        [ ! -e out ]
    done <<'END'
'<f8' 8 f64 u64
'>u4' 4 u32be u32
'|S5' 5 b5 b4
'?' 1 u8 i8
[('x','<i2')] 2 i16 u16
END
}

@test "of fields, and of a plain file" {
    keygen uniform 30 | npy "[('id', '<u4'), ('x', '<f8')]" 10 >in.npy
    run -2 --separate-stderr gsort -t u32 in.npy -o out
    assert_trouble "in.npy: drop -t u32: its header says 12 bytes by 0:u32 4:f64"
    run -2 --separate-stderr gsort -t u33 in.npy -o out
    assert_trouble "invalid type in -t argument 'u33'"
    run -2 --separate-stderr gsort -R 12 -k 0:u32 in.npy -o out
    assert_trouble "in.npy: looks like a NumPy array"
    keygen uniform 30 >plain
    run -2 --separate-stderr gsort -t u32 plain in.npy -o out
    assert_trouble "in.npy: looks like a NumPy array"
}
