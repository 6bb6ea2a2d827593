# Under -u, equal keys of a chunk are dropped before it is written to temporary files.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
}

# few BYTES VALUES COUNT: print COUNT little-endian keys of so many bytes, of VALUES values.
few()
{
    python3 - "$@" <<'END'
import random, sys
size, values, count = map(int, sys.argv[1:])
random.seed(size)
values = [random.randbytes(size) for _ in range(values)]
sys.stdout.buffer.write(b"".join(random.choices(values, k=count)))
END
}

# unique BYTES: print each key of standard input once, in order.
unique()
{
    python3 -c '
import sys
size = int(sys.argv[1])
data = sys.stdin.buffer.read()
keys = {int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)}
sys.stdout.buffer.write(b"".join(key.to_bytes(size, "little") for key in sorted(keys)))' "$1"
}

# temporary_bytes STATS: print how much was written to temporary files.
temporary_bytes()
{
    sed -n 's/.*"temporary_bytes": \([0-9]*\).*/\1/p' "$1"
}

@test "of few values, little is written to temporary files, of any width, from files and pipes" {
    local bytes written
    for bytes in 4 8 16; do
        few "$bytes" 3000 $((12000000 / bytes)) >in
        unique "$bytes" <in >wanted
        gsort -t u$((8 * bytes)) -u --verify -S 3M --stats=json in -o out 2>stats
        assert_same wanted out
        written=$(temporary_bytes stats)
        [ "$written" -gt 0 ]
        [ "$written" -lt 2000000 ]
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort -t u$((8 * bytes)) -u --verify -S 3M --stats=json -o out 2>stats
        assert_same wanted out
        written=$(temporary_bytes stats)
        [ "$written" -lt 3000000 ]
    done
}

@test "the same bytes with --resume and one thread, and of keys that are rarely equal" {
    few 4 3000 3000000 >in
    unique 4 <in >wanted
    gsort -u -S 3M --resume --verify in -o out
    assert_same wanted out
    gsort -u -S 3M --parallel=1 --verify in -o out
    assert_same wanted out
    keygen uniform 3M >in
    unique 4 <in >wanted
    gsort -u -S 3M --verify in -o out
    assert_same wanted out
}

@test "without -u, and records that are more than their keys, stay" {
    few 4 3000 3000000 >in
    reference <in >wanted
    gsort -S 3M --verify --stats=json in -o out 2>stats
    assert_same wanted out
    [ "$(temporary_bytes stats)" -gt 3000000 ]
    few 16 2000 500000 >in
    gsort -R 16 -k 0:u8 -u in -o wanted
    gsort -R 16 -k 0:u8 -u -S 3M --verify in -o out
    assert_same wanted out
}
