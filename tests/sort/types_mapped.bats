# Keys sorted within the output's own memory become records there.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "only the CPU sorts within the output's memory"
    enter_directory
}

# sort_mapped BINS TYPE BYTES: an output of 40 MiB is mapped; the same through write(2) is not.
sort_mapped()
{
    keygen --type="$2" --specials uniform $(((40 << 20) / $3)) >in
    for order in "" -u; do
        # shellcheck disable=SC2086  # or none
        gsort -t "$2" $order --bins="$1" <in | cat >expected
        # shellcheck disable=SC2086
        gsort -t "$2" $order --bins="$1" --verify in -o out
        cmp expected out
    done
}

@test "in many bins, and in few" {
    sort_mapped 2048 f32 4
    sort_mapped 16 i64be 8
}

@test "in bins that vectors sort to records" {
    for type in i32 u32be f32; do
        keygen --type="$type" --specials uniform 9M >in
        gsort -t "$type" --bins=64 in | cat >expected # not mapped
        gsort -t "$type" --bins=64 in -o out
        cmp expected out
    done
}

@test "of few values, and almost all of one value" {
    keygen --type=i32 equal 10M >in
    gsort -t i32 in -o out
    cmp in out
    { head -c $((39 << 20)) in && keygen --type=i32 uniform 100; } >most
    gsort -t i32 <most | cat >expected
    gsort -t i32 most -o out
    cmp expected out
}

@test "in order already, in either direction" {
    keygen --type=f32 uniform 10M | gsort -t f32 >in
    for order in "" -r; do
        # shellcheck disable=SC2086  # or none
        gsort -t f32 $order <in | cat >expected
        # shellcheck disable=SC2086
        gsort -t f32 $order in -o out
        cmp expected out
    done
    cmp <(gsort -t f32 in) in
}

@test "in the memory whose pages a pipe is given" {
    for type in i32 u64be; do
        keygen --type="$type" --specials uniform 3M >in
        for order in "" -r; do
            # shellcheck disable=SC2086  # or none
            gsort -t "$type" $order in -o expected
            # shellcheck disable=SC2086
            gsort -t "$type" $order in | cmp expected -
            # shellcheck disable=SC2086
            gsort -t "$type" $order --verify in | cmp expected -
        done
        gsort -t "$type" -r expected | cmp expected -
        gsort -t "$type" in -o out
        gsort -t "$type" -m out out | gsort -t "$type" -c
        gsort -t "$type" <(cat in) in | gsort -t "$type" -u | cmp <(gsort -t "$type" -u out) -
    done
}
