# The reference sorts records of every kind as described, on examples worked out by hand.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    enter_directory
}

# sorts BYTES WIDTH WANTED OPTION...: the bytes, in hexadecimal, come out as wanted.
sorts()
{
    local bytes=$1 width=$2 wanted=$3 got
    shift 3
    printf '%b' "$(tr -d ' \n' <<<"$bytes" | sed 's/../\\x&/g')" >in
    got=$(reference "$@" in | od -An -v -tx1 "-w$width" | tr -d ' ' | paste -sd ' ')
    [ "$got" = "$wanted" ] || {
        echo "reference $*: $got, wanted $wanted" >&2
        return 1
    }
}

@test "numbers of each kind and byte order" {
    sorts 'ff 00 80 7f' 1 '00 7f 80 ff' -t u8
    sorts 'ff 00 80 7f' 1 '80 ff 00 7f' -t i8
    sorts '0001 ff00 0100' 2 '0100 ff00 0001' -t u16
    sorts '0001 ff00 0100' 2 '0001 0100 ff00' -t u16be
    sorts '0001 ff00 0100' 2 'ff00 0001 0100' -t i16be
    sorts '00000000000000000000000000000080 01000000000000000000000000000000' 16 \
        '00000000000000000000000000000080 01000000000000000000000000000000' -t i128
    sorts '020001 010002' 3 '010002 020001' -t b3
}

@test "floats: -inf, numbers, -0 before +0, +inf, NaNs by their bits" {
    local nans='7f800001 7fc00000 ffffffff ffc00000 ff800001'
    sorts '7fc00000 ffc00000 ff800001 7f800001 ffffffff 7f800000 ff800000 80000000 00000000
        00000001 80000001 bf800000 3f800000' 4 \
        "ff800000 bf800000 80000001 80000000 00000000 00000001 3f800000 7f800000 $nans" \
        -t f32be
    sorts '007e 00fe 0080 0000 00fc 007c 003c 00bc 01fc 0100' 2 \
        '00fc 00bc 0080 0000 0100 003c 007c 007e 00fe 01fc' -t f16
    sorts '7fc0 0000 8000 3f80 bf80 ff80 7f80' 2 'ff80 bf80 8000 0000 3f80 7f80 7fc0' -t bf16be
}

@test "several keys, descending ones, and ties by all bytes" {
    sorts '0102ff 010100 000005 000003' 3 '000003 000005 0102ff 010100' -R 3 -k 0:u8 -k 1:u8r
    sorts '05aa 03aa 04ab' 2 '03aa 05aa 04ab' -R 2 -k 1:u8
    sorts '05aa 03aa 04ab' 2 '04ab 05aa 03aa' -r -R 2 -k 1:u8
    sorts '03 01 02' 1 '01 02 03' -R 1
}

@test "--argsort: where the records were, equal keys in input order" {
    sorts '05aa 03aa 04ab 02ab' 4 '00000000 01000000 02000000 03000000' --argsort=u32 -R 2 -k 1:u8
    sorts '05aa 03aa 04ab 02ab' 8 '0200000000000000 0000000000000000' \
        --argsort=u64 -ur -R 2 -k 1:u8
}

@test "-s keeps equal keys in input order, also in reverse; -u takes the first" {
    sorts '05aa 03aa 04ab 02ab' 2 '05aa 03aa 04ab 02ab' -s -R 2 -k 1:u8
    sorts '05aa 03aa 04ab 02ab' 2 '04ab 02ab 05aa 03aa' -sr -R 2 -k 1:u8
    sorts '05aa 03aa 04ab 02ab' 2 '03aa 02ab' -u -R 2 -k 1:u8
    sorts '05aa 03aa 04ab 02ab' 2 '04ab 05aa' -ur -R 2 -k 1:u8
    sorts '05aa 03aa 04ab 02ab' 2 '05aa 04ab' -us -R 2 -k 1:u8
    sorts '05aa 03aa 04ab 02ab' 2 '04ab 05aa' -usr -R 2 -k 1:u8
}
