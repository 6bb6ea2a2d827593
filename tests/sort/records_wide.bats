# Records wider than 16 bytes are sorted by their keys, and then by all bytes; with -s they stay.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of any size"
    enter_directory
}

# sorts SIZE COUNT OPTION...: the first COUNT records of ./all, in every direction, or in two.
sorts()
{
    local bytes=$1 count=$2 direction
    shift 2
    head -c $((bytes * count)) all >in
    take_few "" -r -u "-r -u" -s "-u -s" "-r -s" "-r -u -s"
    for direction in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        reference -R "$bytes" "$@" $direction in >wanted || return
        # shellcheck disable=SC2086  # options are words
        gsort -R "$bytes" "$@" $direction --verify in -o got || return
        assert_same wanted got || {
            echo "by: -R $bytes $* $direction, $count records" >&2
            return 1
        }
    done
}

@test "records of every size, few and many" {
    local bytes count
    for bytes in 17 18 20 24 31 32 33 48 64 100 127 1000 4096 65535 65536; do
        keygen --record="$bytes" --type=b10 narrow $((3000000 / bytes)) >all
        take_few 0 1 2 3 40
        for count in "${TURNS[@]}" $((3000000 / bytes)); do
            [ "$count" -le 40 ] || [ "$bytes" -lt 65 ] || [ "$bytes" -eq 100 ] ||
                [ -n "${GSORT_EXPENSIVE:-}" ] || continue
            sorts "$bytes" "$count" -k 0:b10
        done
    done
}

@test "records of the sort benchmark's kind, by one, two and all threads" {
    local threads
    keygen gray 100000 >in
    reference -R 100 -k 0:b10 in >wanted
    for threads in 1 2 3 8; do
        gsort -R 100 -k 0:b10 --parallel=$threads in -o got
        assert_same wanted got
        gsort -R 100 -k 0:b10 --parallel=$threads --bins=100 --verify in >got
        assert_same wanted got
    done
}

@test "in order, in reverse, of one key, of few, of sixteen" {
    local distribution
    for distribution in sorted reversed equal zero-one few all-but-one organ-pipe; do
        keygen --record=40 --type=u64be $distribution 50000 >all
        sorts 40 50000 -k 0:u64be
    done
}

@test "keys that begin alike, and are longer than what a tag holds" {
    keygen paths 30000 >all
    sorts 96 30000 -k 0:b88
    sorts 96 30000 -k 20:b60 -k 90:u16
    sorts 96 30000
    head -c 2880000 /dev/zero >all
    sorts 96 30000 -k 0:b88
    printf 'x%.0s' {1..20} | dd of=all bs=1 seek=$((96 * 20000 + 70)) conv=notrunc status=none
    sorts 96 30000 -k 0:b88
}

@test "among keys that differ soon, some hundred that do not" {
    keygen --record=24 --type=b10 uniform 200000 >all
    keygen --record=20 --type=b10 narrow 300 >rest
    for _ in {1..300}; do
        printf '%s' abcd # all that a tag of 8 bytes holds
        head -c 20
    done <rest | dd of=all bs=24 seek=1000 conv=notrunc status=none
    sorts 24 200000 -k 0:b10
    sorts 24 200000 -k 0:b24
    sorts 24 200000 -k 3:b1 -k 0:u16
}

@test "several keys of several types, at odd places" {
    keygen --record=48 --type=f64 --specials uniform 40000 >all
    sorts 48 40000 -k 0:f64
    sorts 48 40000 -k 0:f64r -k 40:u64
    sorts 48 40000 -k 1:f32be -k 5:i8r -k 6:u16
    sorts 48 40000 -k 7:b1 -k 2:i32r
    keygen --record=33 --type=b20 few 40000 >all
    sorts 33 40000 -k 1:b19r -k 0:u8
    sorts 33 40000 -k 19:b1 -k 20:u64r
}

@test "-s keeps small records of equal keys in order, too" {
    local bytes
    for bytes in 2 4 8 12 16; do
        keygen --record="$bytes" --type=u8 uniform 60000 >all
        sorts "$bytes" 60000 -k 0:u8
        sorts "$bytes" 60000 -k 0:i8r
    done
}

@test "from a file, a pipe, several files; to a file, a pipe, in place" {
    local first last
    keygen gray 30000 >in
    reference -R 100 -k 0:b10r in >wanted
    gsort -R 100 -k 0:b10r <in | cmp wanted -
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -R 100 -k 0:b10r --verify | cmp wanted -
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -R 100 -k 0:b10r -o got
    assert_same wanted got
    for first in 0 1 9999 30000; do
        head -c $((100 * first)) in >first
        last=$((30000 - first))
        tail -c $((100 * last)) in >last
        gsort -R 100 -k 0:b10r first last -o got
        assert_same wanted got
        gsort -R 100 -k 0:b10r first - /dev/null --verify <last >got
        assert_same wanted got
        gsort -R 100 -k 0:b10r --verify first <(cat last) -o got
        assert_same wanted got
    done
    (printf 'head7.7' && cat in) >with_head
    (printf 'head7.7' && cat wanted) | cmp - <(gsort -R 100 -k 0:b10r --skip=7 with_head)
    (printf 'old' && cat wanted) >wanted2
    printf 'old' >got
    gsort -R 100 -k 0:b10r in >>got
    assert_same wanted2 got
    cp in there
    gsort -R 100 -k 0:b10r there 1<>there
    assert_same wanted there
    gsort -R 100 -k 0:b10r --verify in -o in
    assert_same wanted in
}

@test "a size that is no multiple, and a pipe that ends within a record" {
    keygen gray 100 >in
    printf 'x' >>in
    run -2 --separate-stderr gsort -R 100 -k 0:b10 in -o got
    assert_trouble "in: size 10001 is not a multiple of 100 (remainder 1)"
    # shellcheck disable=SC2002  # a pipe is what is tested
    run -2 --separate-stderr bash -c 'cat in | gsort -R 100 -k 0:b10 -o got'
    assert_trouble "not a multiple of 100"
    [ ! -e got ]
}
