# Every type is sorted in its order, whatever way its keys come in and go out.
# SPDX-License-Identifier: MIT

load ../helper
load types

# sort_types TYPE...: random keys of each, one in eight of them special, and so many that 1 MiB is
# not enough memory for them.
sort_types()
{
    local type bytes
    for type; do
        bytes=$(keygen --type="$type" uniform 1 | wc -c)
        keygen --type="$type" --specials uniform $((bytes > 4 ? 140000 : 80000)) >in
        sort_every_way in "$bytes" -t "$type"
    done
}

@test "unsigned integers" {
    sort_types u8 u16 u32 u64 u128
}

@test "unsigned integers, big-endian" {
    sort_types u16be u32be u64be u128be
}

@test "signed integers" {
    sort_types i8 i16 i32 i64 i128
}

@test "signed integers, big-endian" {
    sort_types i16be i32be i64be i128be
}

@test "floats, with NaNs, infinities and zeros of both signs" {
    sort_types f16 bf16 f32 f64
}

@test "floats, big-endian" {
    sort_types f16be bf16be f32be f64be
}

@test "bytes" {
    sort_types b1 b3 b4 b7 b12 b16
}
