# Dates and durations of numpy are sorted as numbers, with NaT at the end.
# SPDX-License-Identifier: MIT

load ../helper
load types

setup()
{
    enter_directory
}

@test "alone, in both orders of bytes" {
    for type in 'M8[ns]' 'M8be' 'm8[25s]' 'm8[D]be'; do
        keygen --type="$type" --specials uniform 140000 >in
        sort_every_way in 8 -t "$type"
    done
}

@test "in records, as one key of several" {
    without_gpu "records with other bytes than their keys"
    for record in 12 16 40; do
        keygen --type='M8[s]' --specials --record="$record" uniform $((1400000 / record)) >in
        sort_every_way in "$record" -R "$record" -k '0:M8[s]r'
        sort_every_way in "$record" -R "$record" -k 11:u8 -k '0:m8[us]'
    done
}

@test "NaT is last, and first in reverse, as in the same order backwards" {
    # 1969-12-31T23:59:59, NaT, 1970-01-01, and the greatest
    printf '\377\377\377\377\377\377\377\377\0\0\0\0\0\0\0\200' >in
    printf '\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\177' >>in
    gsort -t 'M8[s]' in -o out
    [ "$(gsort -t 'M8[s]' --print out)" = "1969-12-31T23:59:59
1970-01-01T00:00:00
292277026596-12-04T15:30:07
NaT" ]
    gsort -r -t 'M8[s]' in | gsort -t 'm8[s]' --print >shown
    printf 'NaT\n9223372036854775807\n0\n-1\n' | diff - shown
    gsort -c -t 'M8[s]' out
    run -1 --separate-stderr gsort -c -t 'M8[s]' in
    [ "$stderr" = "gsort: in:2: disorder: 1970-01-01T00:00:00 after NaT" ]
}

@test "they have a least and a greatest, but no sum" {
    without_gpu "records with other bytes than their keys"
    printf 'aaaa\0\0\0\0\0\0\0\200aaaa\5\0\0\0\0\0\0\0aaaa\4\0\0\0\0\0\0\0' >in
    gsort -u -R 12 -k 0:u32 --min='4:M8[D]' in | tail -c 8 | gsort -t 'M8[D]' --print >shown
    gsort -u -R 12 -k 0:u32 --max='4:M8[D]' in | tail -c 8 | gsort -t 'M8[D]' --print >>shown
    printf '1970-01-05\nNaT\n' | diff - shown
    run -2 --separate-stderr gsort -R 12 -k 0:u32 --sum='4:m8[D]' in -o out
    assert_trouble "dates have no sum"
}
