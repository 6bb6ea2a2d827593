# Records of up to 16 bytes are sorted by their keys, and then by their other bytes.
# SPDX-License-Identifier: MIT

load ../helper
load types

# records SIZE: records of few different bytes, so that many keys are equal.
records()
{
    keygen uniform $((110000 * $1 / 4)) | tr '\000-\377' '[\001*64][\002*64][\374*64][\377*64]' >in
}

@test "records of every size, with one key" {
    for bytes in {1..16}; do
        # Those between are sorted as their neighbours are.
        case $bytes in 5 | 6 | 10 | 14 | 15) [ -n "${GSORT_EXPENSIVE:-}" ] || continue ;; esac
        records "$bytes"
        sort_every_way in "$bytes" -R "$bytes" -k "$((bytes / 2)):i8"
    done
}

@test "records of few values, counted, with few keys" {
    for bytes in 3 4; do # 8 values and 16
        keygen uniform $((110000 * bytes / 4)) | tr '\000-\377' '[\001*128][\374*128]' >in
        sort_every_way in "$bytes" -R "$bytes" -k 1:u8
        sort_every_way in "$bytes" -R "$bytes" -k 0:i8r -k 2:u8
    done
}

@test "records with several keys of several types, in either direction" {
    records 4
    sort_every_way in 4 -R 4 -k 2:u16be -k 0:i8r
    records 8
    sort_every_way in 8 -R 8 -k 1:f32r -k 7:u8
    records 12
    sort_every_way in 12 -R 12 -k 8:f32 -k 0:u16 -k 5:i8r
    records 16
    sort_every_way in 16 -R 16 -k 8:f64r -k 0:u64
}

@test "records without a key are compared as bytes" {
    records 6
    sort_every_way in 6 -R 6
}

@test "equal keys: the records differ in their position only, and -u keeps the first" {
    for record in 8 12 16; do
        keygen --type=u8 --record="$record" uniform 110000 >in
        sort_every_way in "$record" -R "$record" -k 0:u8
    done
}
