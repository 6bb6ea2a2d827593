# -t, -R and -k: what cannot be meant is refused in one line that says what is right.
# SPDX-License-Identifier: MIT

load ../helper

# refused TEXT ARG...: gsort refuses these arguments, and says so.
refused()
{
    run -2 --separate-stderr gsort "${@:2}" -o out
    assert_trouble "$1"
    [ ! -e out ]
}

@test "types, records and keys that do not go together" {
    without_gpu "records of all sizes"
    head -c 160 /dev/zero >in
    refused "invalid type in -t argument 'u33'" -t u33 in
    refused "'r' belongs to a key" -t f64r in
    refused "-k needs -R SIZE" -k 0:u8 in
    refused "-t u8 has 1 bytes, but -R 8: name all fields" -t u8 -R 8 in
    refused "-t u64,u32 has 12 bytes, but -R 16" -R 16 -t u64,u32 in
    refused "-t names all fields of a record" -t u64,u32 -k 0:u64 in
    refused "in: size 160 is not a multiple of 12" -t u64,u32 in
    refused "invalid -R argument '0'" -R 0 in
    refused "invalid -k argument 'x'" -R 8 -k x in
    refused "key 6:u32 ends at byte 10, but a record has 8 bytes" -R 8 -k 6:u32 in
    refused "keys 0:u32 and 2:u32 overlap" -R 8 -k 0:u32 -k 2:u32 in
    refused "invalid -R argument '65537'" -R 65537 in
    refused "in: size 160 is not a multiple of 100 (remainder 60)" -R 100 -k 0:b10 in
    refused "in: size 160 is not a multiple of 12 (remainder 4)" -R 12 in
    refused "in: size 157, behind the 3 bytes to skip, is not a multiple of 4" --skip=3 in
    refused "multiple types specified: 'u8' and 'i8'" -t u8 -t i8 in
    refused "multiple record sizes specified: '8' and '16'" -R 8 -R 16 in
    run -2 --separate-stderr "$GSORT" -s -R 8 -k 0:u32 --device=gpu in -o out
    assert_trouble "--device=gpu: -s needs the CPU"
    gsort -t u8 -t u8 in | cmp in -
}

@test "-s changes nothing where records have no other bytes" {
    keygen uniform 1000 >in
    gsort -s in -o out
    gsort in | cmp out -
    gsort -s -R 4 -k 2:u16 -k 0:u16 in | cmp out -
}

@test "-c says the record's index and its key as the type is written" {
    without_gpu "types of every size, which -c checks on the CPU"
    for type in i32 u32be f64; do
        keygen --type=$type --specials uniform 1000 | gsort -t $type >in
        run -0 gsort -t $type -c in
    done
    printf '\1\0\0\0\xff\xff\xff\xff' >in
    run -1 --separate-stderr gsort -t i32 -c in
    [[ $stderr == "gsort: in:1: disorder: -1 after "* ]]
    run -1 --separate-stderr bash -c 'gsort -t i32 -c < <(cat in)'
    [[ $stderr == "gsort: -:1: disorder: -1 after "* ]]
    run -1 --separate-stderr gsort -R 4 -k 2:u16be -c -r in
    [[ $stderr == "gsort: in:1: disorder: 65535 after "* ]]
    printf '\1a\1b\2c' >in
    gsort -R 2 -k 0:u8 -c in
    run -1 --separate-stderr gsort -R 2 -k 0:u8 -cu in
    [[ $stderr == "gsort: in:1: disorder: 1 after "* ]]
    run -2 --separate-stderr gsort -R 2 -k 0:u8 -m -r in in -o out
    [[ $stderr == "gsort: in:1: disorder: 1 after "* ]]
}

@test "a GPU sorts records of up to 16 bytes: it is said" {
    run -2 --separate-stderr "$GSORT" -R 17 --device=gpu /dev/null
    assert_trouble "--device=gpu: a GPU sorts records of up to 16 bytes, not of 17"
}
