# -t TYPE,TYPE names all fields of a record: each is a key, in their order.
# SPDX-License-Identifier: MIT

load ../npy

# agrees FIELDS RECORD-OPTION...: -t FIELDS sorts ./in as the reference does by these options,
# checks it so, and shows it as gsort does by these.
agrees()
{
    local fields=$1
    shift
    echo "$fields"
    head -c $(($2 * 500)) in >records
    reference "$@" records >expected
    gsort -t "$fields" records | cmp expected
    gsort -t "$fields" <(cat records) | cmp expected
    run -0 gsort -c -t "$fields" expected
    gsort -t "$fields" --print records >shown
    gsort "$@" --print records | cmp shown
}

@test "every type as the first field and the second, in both orders of bytes, descending" {
    without_gpu "records of all sizes"
    keygen uniform 16000 >in
    while read -r type bytes; do
        agrees "$type,u16" -R $((bytes + 2)) -k "0:$type" -k "$bytes:u16"
        agrees "u8r,${type}r" -R $((bytes + 1)) -k 0:u8r -k "1:${type}r"
        [[ $bytes -gt 1 && $type != b* ]] || continue
        agrees "b1,${type}ber,i8" -R $((bytes + 2)) -k 0:b1 -k "1:${type}ber" -k "$((bytes + 1)):i8"
    done <<'END'
u8 1
u16 2
u32 4
u64 8
u128 16
i8 1
i16 2
i32 4
i64 8
i128 16
f16 2
bf16 2
f32 4
f64 8
b3 3
b40 40
END
}

@test "other spellings, as many fields as there may be, and -R that agrees" {
    without_gpu "records of all sizes"
    keygen uniform 16000 >in
    agrees 'uint64_t,<f4,BE32R,DOUBLE' -R 24 -k 0:u64 -k 8:f32 -k 12:u32ber -k 16:f64
    gsort -R 24 -t u64,f32,u32ber,f64 records | cmp expected
    fields=$(printf 'u8,%.0s' {1..63})u8
    head -c 64000 in >records
    gsort -t "$fields" records | cmp - <(gsort -R 64 records)
    run -2 --separate-stderr gsort -t "$fields,u8" records
    assert_trouble "more than 64 fields"
}

@test "what is no list of types is refused, with the right ones" {
    keys 1 2 3 >in
    for fields in 'u64,' ',u32' u64,,u32 'u64, u32' u64:u32 u64,u33 u64,u32rr u64/u32; do
        run -2 --separate-stderr gsort -t "$fields" in -o out
        assert_trouble "invalid type in -t argument '$fields'" "f16 bf16 f32 f64" "-t u64,u32r"
    done
    run -2 --separate-stderr gsort -t u64,u64 in -o out
    assert_trouble "in: size 12 is not a multiple of 16"
    [ ! -e out ]
}

@test "a .npy file whose header says the same" {
    without_gpu "records of all sizes"
    keygen uniform 3000 | npy "[('a', '<u8'), ('b', '>f4')]" 1000 >in.npy
    gsort in.npy -o expected.npy
    gsort -t u64,f32be in.npy | cmp expected.npy
    run -2 --separate-stderr gsort -t u64,f32 in.npy
    assert_trouble "in.npy: drop -t u64,f32: its header says 12 bytes by 0:u64 8:f32be"
}
