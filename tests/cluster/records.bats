# Records of any size, stable or not, and their positions: the same bytes as from one process.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
}

# same N INPUT ARG...: N ranks write what one process does.
same()
{
    local count=$1 input=$2
    shift 2
    "$GSORT" "$@" "$input" -o wanted
    ranks "$count" "$@" "$input" -o out
    cmp wanted out || {
        echo "not the same: $count ranks, $input $*" >&2
        return 1
    }
    rm out
}

@test "one to eight ranks, and an independent program" {
    keygen gray 20000 >in
    reference -R 100 -k 0:b10 in >wanted
    for count in 1 2 3 4 5 6 7 8; do
        ranks "$count" -R 100 -k 0:b10 --verify in -o out
        assert_same wanted out
        rm out
    done
}

@test "few records, or none" {
    for records in 0 1 2 3 100; do
        keygen gray "$records" >in
        same 4 in --verify -R 100 -k 0:b10
        same 3 in --verify -R 100 -k 0:u8 -s
    done
}

@test "any distribution, either way and without duplicates" {
    for distribution in sorted reversed equal few zero-one zipf; do
        keygen --record=24 "$distribution" 30000 >in
        same 4 in --verify -R 24 -k 0:u32
        same 3 in --verify -R 24 -k 0:u32 -r
        same 4 in --verify -R 24 -k 0:u32 -u
        same 3 in --verify -R 24 -k 0:u32 -u -r
    done
    keygen equal 400000 >in
    same 4 in --verify -R 100
    keygen paths 20000 >in
    same 4 in --verify -R 96 -k 0:b88
}

@test "-s: equal keys stay in the order of the input, whatever rank brings them" {
    for distribution in sorted equal zero-one zipf uniform; do
        keygen "$distribution" 100000 >in
        same 4 in --verify -s -R 20 -k 3:u8
        same 3 in --verify -s -R 20 -k 2:u16r -r
        same 4 in --verify -s -R 8 -k 3:u8
        same 3 in --verify -s -u -R 4 -k 1:u8 -r
    done
    reference -s -R 20 -k 3:u8 in >wanted
    ranks 3 -s -R 20 -k 3:u8 in -o out
    assert_same wanted out
}

@test "--argsort: positions in the input of all ranks" {
    keygen zipf 100000 >in
    same 4 in --argsort=u32
    same 3 in --argsort=u64 -r
    same 4 in --argsort=u32 -u
    same 3 in --argsort=u64 -R 20 -k 0:u8
    head -c 120000 in >part-0.bin
    : >part-1.bin
    tail -c +120001 in >part-2.bin
    "$GSORT" --argsort=u32 in -o wanted
    ranks 3 --argsort=u32 --local 'part-%r.bin' -o 'sorted-%r.bin'
    cat sorted-?.bin | cmp - wanted
}

@test "the largest records" {
    keygen --record=65536 few 100 >in
    same 3 in --verify -R 65536 -k 0:u32
    same 4 in --verify -R 65536 -k 0:u8 -s
}

@test "through temporary files, and more records than samples" {
    keygen --record=20 zipf 1200000 >in
    mkdir temporary
    same 4 in --verify -R 20 -k 0:u32
    same 3 in --verify -R 20 -k 0:u8 -s -S 4M -T temporary
    same 4 in --verify -R 20 -k 0:u32 -r -S 4M -T temporary
    same 3 in --verify -R 20 -k 0:u8 -s -u -S 4M -T temporary
    same 3 in --argsort=u32 -R 20 -k 0:u8 -S 4M -T temporary
    [ -z "$(ls -A temporary)" ]
}

@test "bytes in front, and fields of a NumPy array" {
    require python3
    keygen --record=20 few 10000 >records
    { head -c 52 records && cat records; } >in
    same 3 in --verify --skip=52 -R 20 -k 4:u16 -s
    python3 -c '
head = "{%r: [(%r, %r), (%r, %r)], %r: False, %r: (10000,), }" % (
    "descr", "key", "<u4", "rest", "|S16", "fortran_order", "shape")
head += " " * (63 - (10 + len(head)) % 64) + "\n"
with open("in.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
    file.write(open("records", "rb").read())
'
    same 4 in.npy --verify -k key
    same 3 in.npy --verify -k key -s -u -r
    same 3 in.npy --argsort=u64 -k rest
}

@test "pipes, several files, own files of each rank" {
    keygen gray 3000 >in
    keygen gray --seed=2 500 >other
    "$GSORT" -s -R 100 -k 0:u8 in other in -o wanted
    ranks 3 -s -R 100 -k 0:u8 in other in -o out
    assert_same wanted out
    mkfifo pipe
    cat other >pipe &
    ranks 4 -s -R 100 -k 0:u8 in pipe in -o out
    assert_same wanted out
    cp in part-0.bin
    cp other part-1.bin
    cp in part-2.bin
    ranks 3 -s -R 100 -k 0:u8 --local 'part-%r.bin' -o 'sorted-%r.bin'
    cat sorted-?.bin | cmp - wanted
    gsort -c -s -R 100 -k 0:u8 sorted-?.bin
}
