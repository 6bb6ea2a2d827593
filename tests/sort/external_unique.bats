# -u, --count and the like of inputs larger than memory with few keys: combined in tables first.
# SPDX-License-Identifier: MIT

load ../npy

setup()
{
    enter_directory
}

# records COUNT: print records of 16 bytes: a key of 2 bytes, an i32 and other bytes. Some keys come
# once.
records()
{
    python3 - "$@" <<'END'
import random, struct, sys
random.seed(1)
keys = [random.randrange(2000) for _ in range(int(sys.argv[1]))] + list(range(3000, 3100))
random.shuffle(keys)
sys.stdout.buffer.write(b"".join(
    struct.pack("<Hi", key, random.randrange(-999, 999)) + random.randbytes(10) for key in keys))
END
}

# folded all|repeated|single [stable]: of records on standard input: the first one of each key, with
# the sum of the i32, the greatest of the 3 bytes and the least of the 2 behind it, and the count.
folded()
{
    python3 -c '
import itertools, struct, sys
data = sys.stdin.buffer.read()
found = [data[i:i + 16] for i in range(0, len(data), 16)]
found.sort(key=(lambda record: record[:2]) if "stable" in sys.argv else None)
for key, group in itertools.groupby(found, lambda record: record[:2]):
    group = list(group)
    if len(group) == 1 if sys.argv[1] == "repeated" else len(group) > 1 and sys.argv[1] == "single":
        continue
    total = sum(struct.unpack("<i", record[2:6])[0] for record in group)
    sys.stdout.buffer.write(key + struct.pack("<i", total) + max(r[6:9] for r in group) +
                            min(r[9:11] for r in group) + group[0][11:] +
                            struct.pack("<I", len(group)))' "$@"
}

# temporary_bytes STATS: print how much was written to temporary files.
temporary_bytes()
{
    sed -n 's/.*"temporary_bytes": \([0-9]*\).*/\1/p' "$1"
}

# none_written STATS: what is combined had room in memory; the largest bin is not below the mean.
none_written()
{
    [ "$(temporary_bytes "$1")" -eq 0 ]
    grep -q 'equal keys are combined first' "$1"
    python3 -c '
import json, sys
bins = json.load(open(sys.argv[1]))["bins"]
assert bins["largest"] >= bins["mean"], bins' "$1"
}

@test "-u: of few values, nothing is written to temporary files, of any width, or from pipes" {
    local bytes
    for bytes in 4 8 16; do
        keygen "--type=u$((8 * bytes))" narrow $((12000000 / bytes)) >in
        reference -t u$((8 * bytes)) -u in >wanted
        gsort -t u$((8 * bytes)) -u --verify -S 6M --stats=json in -o out 2>stats
        assert_same wanted out
        none_written stats
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort -t u$((8 * bytes)) -u --verify -S 6M --stats=json -o out 2>stats
        assert_same wanted out
        none_written stats
    done
}

@test "the same bytes with --resume and one thread, and of keys that are rarely equal" {
    keygen narrow 3M >in
    reference -u in >wanted
    gsort -u -S 3M --resume --verify in -o out
    assert_same wanted out
    gsort -u -S 3M --parallel=1 --verify in -o out
    assert_same wanted out
    keygen uniform 3M >in
    reference -u in >wanted
    gsort -u -S 3M --verify in -o out
    assert_same wanted out
}

@test "without -u all stay, and --argsort -u finds the first" {
    without_gpu "--argsort needs the CPU"
    keygen narrow 3M >in
    reference <in >wanted
    gsort -S 3M --verify --stats=json in -o out 2>stats
    assert_same wanted out
    [ "$(temporary_bytes stats)" -gt 3000000 ]
    gsort --argsort=u32 -u in -o wanted
    gsort --argsort=u32 -u -S 3M in -o out
    assert_same wanted out
}

@test "counts, sums, the least and the greatest: from files and pipes, reversed and stable" {
    without_gpu "-s needs the CPU"
    local options=(-R 16 -k 0:b2 --sum=2:i32 --max=6:b3 --min=9:u16be -S 6M --stats=json)
    local which word
    records 500000 >in
    head -c 3200000 in >first && tail -c +3200001 in >second
    for which in all repeated single; do
        word=$([ "$which" = all ] && echo -u || echo "--$which")
        folded "$which" <in >wanted
        gsort "${options[@]}" --count=u32 "$word" --verify first second -o out 2>stats
        assert_same wanted out
        none_written stats
    done
    folded all stable <in >wanted
    gsort "${options[@]}" --count=u32 -s in -j 1 -o out 2>stats
    assert_same wanted out
    none_written stats
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort "${options[@]}" --count=u32 -s -o out 2>stats
    assert_same wanted out
    none_written stats
    gsort -r "${options[@]}" --count=u32 --minus=<(head -c 0 in) in -o out 2>stats
    gsort -r -R 16 -k 0:b2 --sum=2:i32 --max=6:b3 --min=9:u16be --count=u32 in -o wanted
    assert_same wanted out
    none_written stats
}

@test "where all bytes but keys are summed, tables have each record, 12 bytes and 8 for a sum" {
    local threads
    python3 - >in <<'END'
import random, struct, sys
random.seed(5)
sys.stdout.buffer.write(b"".join(
    random.randrange(45000).to_bytes(12, "little") + struct.pack(">h", random.randrange(-99, 99)) +
    struct.pack("<H", 1) for _ in range(500000)))
END
    python3 - <<'END'
import struct
data = open("in", "rb").read()
sums = {}
for at in range(0, len(data), 16):
    sum, times = sums.get(data[at:at + 12], (0, 0))
    sums[data[at:at + 12]] = (sum + struct.unpack(">h", data[at + 12:at + 14])[0], times + 1)
with open("wanted", "wb") as out:
    for key in sorted(sums):
        out.write(key + struct.pack(">h", sums[key][0]) + struct.pack("<H", sums[key][1]))
END
    for threads in 1 2; do
        gsort -R 16 -k 0:b12 --sum=12:i16be --sum=14:u16 -S 7M "--parallel=$threads" \
            --stats=json in -o out 2>stats
        assert_same wanted out
        none_written stats
    done
}

@test "-u of records keeps the first, and .npy has its shape" {
    without_gpu "-s needs the CPU"
    records 500000 >in
    gsort -R 16 -k 0:b2 -s -u in -o wanted
    gsort -R 16 -k 0:b2 -s -u -S 6M --stats=json in -o out 2>stats
    assert_same wanted out
    none_written stats
    keygen --type=u64 narrow 1000000 >keys
    npy "'<u8'" 1000000 <keys >in.npy
    gsort --count=u32 in.npy -o wanted.npy
    gsort --count=u32 -S 6M --stats=json in.npy -o out.npy 2>stats
    assert_same wanted.npy out.npy
    none_written stats
}

@test "where the sample errs, parts go to temporary files; sums of floats wait for all records" {
    local options=(-R 16 -k 0:u64 --sum=8:f64 --count=u32)
    python3 - >in <<'END'
import random, struct, sys
random.seed(3)
sys.stdout.buffer.write(b"".join(
    struct.pack("<Qd", random.randrange(500), random.random()) for _ in range(400000)))
END
    gsort "${options[@]}" in -o wanted
    gsort "${options[@]}" -S 4M --stats=json in -o out 2>stats
    assert_same wanted out
    [ "$(temporary_bytes stats)" -gt 1000000 ]
    gsort "${options[@]}" -S 4M --parallel=1 in -o out
    assert_same wanted out
    # A pipe begins with few values.
    keygen --type=u64 narrow 800000 >in && keygen --type=u64 uniform 800000 >>in
    gsort -t u64 --count=u64 in -o wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -t u64 --count=u64 -S 6M --verify --stats=json -o out 2>stats
    assert_same wanted out
    grep -q 'equal keys are combined first' stats
    [ "$(temporary_bytes stats)" -gt 1000000 ]
}

@test "a few frequent keys among many: less is written than without tables" {
    local threads
    keygen zipf 3M >in
    reference -u in >wanted
    gsort -u -S 6M --resume --stats=json in -o out 2>stats
    local before
    before=$(temporary_bytes stats)
    for threads in 1 2 5; do
        gsort -u -S 6M --parallel=$threads --verify --stats=json in -o out 2>stats
        assert_same wanted out
        [ "$(temporary_bytes stats)" -gt 0 ]
        [ "$(temporary_bytes stats)" -lt $((before * 3 / 4)) ]
    done
}
