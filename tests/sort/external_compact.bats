# -u, --count and the like: what goes to temporary files is combined there while these grow.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
}

# keys COUNT VALUES: print keys of 4 bytes.
keys()
{
    keygen uniform "$1" | python3 -c '
import array, sys
values = int(sys.argv[1])
found = array.array("I", sys.stdin.buffer.read())
sys.stdout.buffer.write(array.array("I", [key % values * 10007 for key in found]).tobytes())' "$2"
}

# records COUNT VALUES: print records of 12 bytes: a u64 and an i32.
records()
{
    keygen uniform "$1" | python3 -c '
import array, struct, sys
values = int(sys.argv[1])
found = array.array("I", sys.stdin.buffer.read())
sys.stdout.buffer.write(b"".join(struct.pack("<Qi", key % values * 7919 << 20, (key >> 20) - 2000)
                                 for key in found))' "$2"
}

# folded KEY FOLD: of records on standard input with keys of KEY bytes, little-endian: one of each.
# FOLD: least, greatest (of all bytes, in that order), first, sum, min, max (of the i32), count
# (with the least record), repeated, single.
folded()
{
    python3 -c '
import struct, sys
key, fold = int(sys.argv[1]), sys.argv[2]
data, size = sys.stdin.buffer.read(), 12 if key == 8 else 4
groups = {}
for at in range(0, len(data), size):
    groups.setdefault(data[at:at + key], []).append(data[at:at + size])
out = []
for group in sorted(groups, key=lambda one: one[::-1], reverse=fold == "greatest"):
    found = groups[group]
    if fold in ("sum", "min", "max"):
        make = {"sum": sum, "min": min, "max": max}[fold]
        numbers = [struct.unpack("<i", record[8:])[0] for record in found]
        out.append(group + struct.pack("<i", make(numbers)))
    elif fold == "count":
        out.append(min(found) + struct.pack("<I", len(found)))
    elif not (fold == "repeated" and len(found) == 1 or fold == "single" and len(found) > 1):
        choose = {"first": lambda all: all[0], "greatest": max}.get(fold, min)
        out.append(choose(found))
sys.stdout.buffer.write(b"".join(out))' "$@"
}

# took_at_most BYTES: of temporary files, which were written, but never all of them were there.
took_at_most()
{
    python3 -c '
import json, sys
stats = json.load(open("stats"))
most = stats["temporary_most_bytes"]
assert 0 < most <= int(sys.argv[1]) and most < stats["temporary_bytes"] / 2, most' "$1"
}

@test "-u of keys: two times what differs, and a chunk; from files, pipes, past the page cache" {
    local option
    keys 1500000 100000 >in
    folded 4 least <in >wanted
    for option in --parallel=1 "--parallel=3 --verify" --direct; do
        # shellcheck disable=SC2086  # options are words
        gsort -u -S 2M -T . $option --stats=json in -o out 2>stats
        assert_same wanted out
        took_at_most 3000000
    done
    # shellcheck disable=SC2002  # a pipe
    cat in | gsort -u -S 2M -T . --stats=json -o out 2>stats
    assert_same wanted out
    took_at_most 3000000
    folded 4 greatest <in >wanted
    gsort -u -r -S 2M -T . --stats=json in -o out 2>stats
    assert_same wanted out
    took_at_most 3000000
    assert_only in out stats wanted
}

@test "records, in any way that they are combined" {
    without_gpu "-s needs the CPU"
    local fold options
    records 700000 130000 >in
    while read -r fold options; do
        folded 8 "$fold" <in >wanted
        # shellcheck disable=SC2086
        gsort -R 12 -k 0:u64 $options -S 6M -T . --stats=json in -o out 2>stats
        assert_same wanted out
        took_at_most 7200000
        # shellcheck disable=SC2002,SC2086
        cat in | gsort -R 12 -k 0:u64 $options -S 6M -T . --stats=json -o out 2>stats
        assert_same wanted out
        took_at_most 7200000
    done <<'END'
least -u
greatest -u -r
first -u -s --parallel=3
sum --sum=8:i32 --verify
min --min=8:i32 --parallel=1
max --max=8:i32 --direct
count --count=u32 --verify
repeated --repeated
single --single
END
}

@test "more goes through a small file system than it has room for" {
    keys 1500000 100000 >in
    folded 4 least <in >wanted
    mount_memory small 3M
    gsort -u -S 2M -T small in -o out
    assert_same wanted out
    # shellcheck disable=SC2002
    cat in | gsort -u -S 2M -T small -o out
    assert_same wanted out
}

@test "where all keys differ, they are looked at only; --resume combines none" {
    keygen uniform 1500000 >in
    gsort -u in -o wanted
    gsort -u -S 2M -T . --stats=json in -o out 2>stats
    assert_same wanted out
    grep -q '"temporary_most_bytes": 6000000,' stats
    keys 1500000 100000 >in
    gsort -u in -o wanted
    mkdir kept
    gsort -u -S 2M --resume -T kept --stats=json in -o out 2>stats
    assert_same wanted out
    grep -q '"temporary_most_bytes": 6000000,' stats
}

@test "a disk that is full while keys are combined: one line, and the old output stays" {
    keys 1500000 400000 >in
    mount_memory small 2M
    echo old >out
    # shellcheck disable=SC2002
    run -2 --separate-stderr bash -c 'cat in | "$GSORT" -u -S 2M -T small -o out'
    [[ $stderr == "gsort: small: "* ]]
    [ "$(cat out)" = old ]
    [ -z "$(ls -A small)" ]
}
