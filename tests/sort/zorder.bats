# zorder() weaves numbers into one key, in every way that records come in and go out.
# SPDX-License-Identifier: MIT

load ../helper
load types

setup()
{
    without_gpu "records with other bytes than their keys"
    enter_directory
}

# sort_points BYTES KEY...: random records.
sort_points()
{
    local bytes=$1 keys=() key
    shift
    for key; do
        keys+=(-k "$key")
    done
    keygen --type=u64 --record="$bytes" uniform $((1400000 / bytes)) >in
    sort_every_way in "$bytes" -R "$bytes" "${keys[@]}"
}

@test "two to four numbers that fill a record of at most 16 bytes" {
    sort_points 8 'zorder(0:u32,4:u32)'
    sort_points 8 'zorder(6:u16,2:u16,4:u16,0:u16)'
    sort_points 12 'zorder(0:i32,4:i32,8:i32)'
    sort_points 16 'zorder(8:i64be,0:u64)r'
}

@test "with other keys and other bytes" {
    sort_points 13 8:i16 'zorder(0:i32,4:u32r)'
    sort_points 10 'zorder(0:u8,1:u8,2:i8)' 'zorder(4:f16,6:f16)r'
}

@test "of wider records, up to four numbers of 8 bytes" {
    sort_points 20 'zorder(0:f32,4:f32,8:f32)'
    sort_points 24 'zorder(0:f64,8:f64,16:f64)'
    sort_points 40 5:u8 'zorder(8:u64,16:i64be,24:u64r,32:f64)' 0:u16
}

@test "equal points stay in order with -s, and are counted" {
    keygen --type=u8 --record=12 uniform 70000 >in
    for order in "" -r; do
        # shellcheck disable=SC2086  # $order may be no word
        reference -s $order -R 12 -k 'zorder(0:u8,1:u8,2:u8)' in >expected
        gsort -s $order -R 12 -k 'zorder(0:u8,1:u8,2:u8)' in | cmp expected
        gsort -s $order -S 1M -R 12 -k 'zorder(0:u8,1:u8,2:u8)' in --verify -o out
        cmp expected out
    done
    reference -u --count=u32 -R 12 -k 'zorder(0:u8,1:u8)' in >expected
    gsort -u --count=u32 -R 12 -k 'zorder(0:u8,1:u8)' in | cmp expected
    reference --argsort=u64 -R 12 -k 'zorder(0:u8,8:u8)' in >expected
    gsort --argsort=u64 -R 12 -k 'zorder(0:u8,8:u8)' in | cmp expected
}

@test "a disorder names both points, and which key it is" {
    printf '\3\0\1\2\2\0' >in
    run -1 --separate-stderr gsort -c -R 2 -k 'zorder(0:u8,1:i8)' in
    [ "$stderr" = "gsort: in:1: disorder: (1,2) after (3,0) in key 1" ]
}

@test "what cannot be woven is refused in one line" {
    for keys in 'zorder(0:u32)' 'zorder(0:u32,4:u16)' 'zorder(0:u8,1:u8,2:u8,3:u8,4:u8)' \
        'zorder(0:u128,16:u128)' 'zorder(0:b4,4:b4)'; do
        run -2 --separate-stderr gsort -R 32 -k "$keys" in -o out
        assert_trouble "zorder() takes two to four numbers of the same size, at most 8 bytes"
    done
    run -2 --separate-stderr gsort -R 32 -k 'zorder(0:u32,2:u32)' in -o out
    assert_trouble "keys 0:u32 and 2:u32 overlap"
}
