# -c says which record is out of order, by its index, its key and that before, as text of its type.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "types of every size, which -c checks on the CPU"
    enter_directory
}

# Each type: a greater number and a smaller one in hexadecimal, the first digit counting most, and
# how the smaller one is written.
numbers()
{
    local ones=ffffffffffffffff zeros=0000000000000000
    cat <<END
u8 ff 80 128
u16 ffff 8000 32768
u32 ffffffff 80000000 2147483648
u64 ffffffffffffffff 8000000000000001 9223372036854775809
u128 $ones$ones $ones${ones%f}e 340282366920938463463374607431768211454
i8 7f 80 -128
i16 0000 ffff -1
i32 7fffffff 80000000 -2147483648
i64 0000000000000000 8000000000000000 -9223372036854775808
i128 $zeros$zeros 8${zeros#0}$zeros -170141183460469231731687303715884105728
f16 7e00 2e66 0.1
f16 0000 8000 -0
f16 7e01 7c00 inf
bf16 3f81 3f80 1
bf16 7fc0 ff80 -inf
f32 7f800000 3dcccccd 0.1
f32 ffc00000 7fc00001 nan(0x400001)
f32 ff800001 ffc00001 -nan(0x400001)
f64 3ff0000000000000 3fb999999999999a 0.1
f64 3ff0000000000000 8000000000000001 -5e-324
f64 fff8000000000000 7ff0000000000001 nan(0x1)
END
}

# bytes HEX: as they are in a file.
bytes()
{
    # shellcheck disable=SC2001  # \x before each two digits
    printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"
}

turned()
{
    fold -w 2 <<<"$1" | tac | tr -d '\n'
}

@test "numbers of every type, in both byte orders, of a file and of a pipe" {
    while read -r type high low text; do
        for order in "" be; do
            if [ -n "$order" ] && [ "$type" != "${type%8}" ]; then continue; fi
            for number in "$low" "$high" "$low"; do
                [ -n "$order" ] || number=$(turned "$number")
                bytes "$number"
            done >in
            run -1 --separate-stderr gsort -t "$type$order" -c in
            [[ $stderr == "gsort: in:2: disorder: $text after "* ]]
            run -1 --separate-stderr bash -c "gsort -t $type$order -c < <(cat in)"
            [[ $stderr == "gsort: -:2: disorder: $text after "* ]]
            run -1 --separate-stderr gsort -t "$type$order" -r -c in
            [[ $stderr == "gsort: in:1: disorder: "* ]]
            run -2 --separate-stderr gsort -t "$type$order" -m in -o out
            [[ $stderr == "gsort: in:2: disorder: $text after "* ]]
        done
    done < <(numbers)
}

@test "bytes are written in hexadecimal, records by their first key" {
    printf 'abcd\1\2\3\4abcc' >in
    run -1 --separate-stderr gsort -t b4 -c in
    [[ $stderr == "gsort: in:1: disorder: 0x01020304 after "* ]]
    run -1 --separate-stderr gsort -R 4 -k 3:u8r -k 0:i16be -c in
    [[ $stderr == "gsort: in:2: disorder: 99 after "* ]]
}

@test "a .npy file's field" {
    {
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
            "{'descr': [('a', '<u2'), ('b', '<i2')], 'fortran_order': False, 'shape': (2,), }"
        printf '\0\0\1\0\0\0\376\377'
    } >in.npy
    run -1 --separate-stderr gsort -k b -c in.npy
    [[ $stderr == "gsort: in.npy:1: disorder: -2 after "* ]]
    run -1 --separate-stderr bash -c 'gsort -k b -c < <(cat in.npy)'
    [[ $stderr == "gsort: -:1: disorder: -2 after "* ]]
    run -0 gsort -k b:r -c in.npy
}

@test "the key before, of the first key that differs; where none does, that is said" {
    said()
    {
        run -1 --separate-stderr gsort -c "$@"
        [ "$stderr" = "gsort: in:1: disorder: $text" ]
        [ "$1" != -u ] || return 0 # no disorder for -m
        run -2 --separate-stderr gsort -m "$@" -o out
        [ "$stderr" = "gsort: in:1: disorder: $text" ]
    }
    printf 'abcdabca' >in
    text="97 after 100" said -R 4 -k 3:u8 in
    text="97 after 100 in key 2" said -R 4 -k 0:u8 -k 3:u8 -k 1:u8 in
    text="0x61626361 after 0x61626364" said -R 4 in
    text="97 after 97: equal keys, but other bytes are out of order; -s leaves them" \
        said -R 4 -k 0:u8 in
    run -0 gsort -c -s -R 4 -k 0:u8 in
    text="97 after 97: equal keys" said -u -s -R 4 -k 0:u8 -k 1:u8 in
    keys 7 7 >in
    text="7 after 7: equal keys" said -u in
    keys 7 8 >in
    text="8 after 7" said -r in
}
