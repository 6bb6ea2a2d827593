# keygen writes keys of any type, in records, of any part of a file, always the same.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    enter_directory
}

@test "keys of every type have the order of the distribution's keys" {
    local type
    for type in u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64 b1 b3 b10 b40 \
        u16be u32be u64be u128be i16be i32be i64be i128be f16be bf16be f32be f64be; do
        keygen sorted 5000 "--type=$type" >keys
        reference -t "$type" keys | cmp - keys
        keygen reversed 5000 "--type=$type" >keys
        reference -r -t "$type" keys | cmp - keys
    done
}

@test "big-endian keys are the others with their bytes reversed" {
    keygen uniform 100 --type=f64 --specials >little
    keygen uniform 100 --type=f64be --specials >big
    od -An -v -tx8 -w8 --endian=little little >little.txt
    od -An -v -tx8 -w8 --endian=big big | cmp - little.txt
    keygen uniform 100 | cmp - <(keygen uniform 100 --type=u32)
}

@test "a record is a key and its position" {
    keygen uniform 1000 --type=i16 >keys
    keygen uniform 1000 --type=i16 --record=13 >records
    [ "$(wc -c <records)" -eq 13000 ]
    od -An -v -tx1 -w13 records | cut -c 1-6 | cmp - <(od -An -v -tx1 -w2 keys)
    local position=" e7 03 00 00 00 00 00 00 00 00 00"
    [ "$(od -An -v -tx1 -w13 records | tail -n 1 | cut -c 7-)" = "$position" ]
}

@test "special values are there, and the other keys stay" {
    keygen uniform 2000 --type=f32 | od -An -v -tx4 -w4 >plain
    keygen uniform 2000 --type=f32 --specials | od -An -v -tx4 -w4 >special
    for bits in 00000000 80000000 7f800000 ff800000 7fc00000 ffc00000 7f800001 ff800001 7fffffff \
        ffffffff 00000001 807fffff 00800000 7f7fffff; do
        grep -q "$bits" special
    done
    [ "$(paste plain special | awk '$1 == $2 { n++ } END { print (n > 1650 && n < 1850) }')" = 1 ]
}

@test "a part of a file has the same bytes as in the whole" {
    keygen organ-pipe 100k --type=u64 --record=12 >whole
    keygen organ-pipe 100k --type=u64 --record=12 --to=33333 >parts
    keygen organ-pipe 100k --type=u64 --record=12 --from=33333 --to=33334 >>parts
    keygen organ-pipe 100k --type=u64 --record=12 --from=33334 >>parts
    cmp whole parts
    [ "$(keygen equal 10 --from=10 | wc -c)" -eq 0 ]
    [ "$(keygen equal 10 --from=8 --to=99 | wc -c)" -eq 8 ]
}

@test "records of the sort benchmark's kind have a key, a number and no other pattern" {
    keygen gray 1000 >records
    [ "$(wc -c <records)" -eq 100000 ]
    keygen gray 1000 --from=700 --to=900 | cmp - <(tail -c +70001 records | head -c 20000)
    [ "$(tail -c 88 records | head -c 32)" = 000000000000000000000000000003E7 ]
    [ "$(od -An -v -tx1 -w100 records | cut -c 1-30 | sort -u | wc -l)" -eq 1000 ]
    [ "$(cksum <records)" = "3460192015 100000" ]
}

@test "records of paths begin alike, many are equal, and all are numbered" {
    keygen paths 3000 >records
    [ "$(wc -c <records)" -eq 288000 ]
    keygen paths 3000 --from=700 --to=900 | cmp - <(tail -c +67201 records | head -c 19200)
    [ "$(grep -aFo 'https://archive.example.com/data/' records | wc -l)" -gt 2700 ]
    [ "$(grep -aEo 'part-.{18}rec' records | sort -u | wc -l)" -lt 2200 ]
    [ "$(od -An -v -tu8 -j88 -w96 records | awk '{ print $1 }' | sort -nu | wc -l)" -eq 3000 ]
    [ "$(cksum <records)" = "3847401450 288000" ]
}

@test "the bytes of each type do not change" {
    while read -r type sum; do
        [ "$(keygen uniform 10001 --seed=7 "--type=$type" --specials | cksum)" = "$sum" ] || {
            echo "$type: $(keygen uniform 10001 --seed=7 "--type=$type" --specials | cksum)" >&2
            return 1
        }
    done <<'END'
u8 2656062576 10001
i16be 2241708700 20002
u64 3760834728 80008
i128 3822672296 160016
f16 3306588207 20002
bf16be 773318905 20002
f32 857276989 40004
f64be 2817917955 80008
b10 3491330048 100010
b100 3331231273 1000100
END
}

@test "an error in the options for types is status 2 and one line" {
    while read -r -a arguments; do
        run -2 --separate-stderr keygen "${arguments[@]}"
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == *keygen:\ * ]]
    done <<'END'
uniform 3 --type=u7
uniform 3 --type=f64r
uniform 3 --record=0
uniform 3 --record=3
uniform 3 --record=65537
uniform 3 --type=u64 --record=7
uniform 3 --from=x
uniform 3 --to=2000G
gray 3 --type=u8
gray 3 --record=100
gray 3 --specials
paths 3 --record=96
END
}
