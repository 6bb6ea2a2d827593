# --stats=json is one valid, versioned JSON object on standard error.
# SPDX-License-Identifier: MIT

load ../helper

# field FILE KEY...: print the value at this path of keys in a JSON file.
field()
{
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[key]
print(value)' "$@"
}

setup()
{
    enter_directory
    require python3
    keygen narrow 1000003 >in
}

@test "the JSON is valid for every kind of run" {
    : >empty
    for command in "in" "-r in" "-u in" "--verify in" "empty" "--engine=samplesort in" \
        "--engine=samplesort --bins=64 --samples=1000 --parallel=3 in" "in in"; do
        # shellcheck disable=SC2086  # the command is words
        gsort --stats=json $command -o out 2>stats
        python3 -m json.tool stats >/dev/null || {
            cat stats >&2
            return 1
        }
        [[ $(field stats version) =~ ^[0-9]+$ ]]
    done
}

@test "the counts of keys are right" {
    gsort --stats=json -u in -o out 2>stats
    grep -q 1000003 stats
    grep -qw 1000 stats
    gsort --stats=json --verify in -o out 2>stats
    grep -q 1000003 stats
}

@test "the fingerprint depends on the keys, not on their order" {
    gsort --stats=json --verify in -o out 2>first
    gsort --stats=json --verify -r out -o out 2>second
    gsort --stats=json --verify -u in -o out 2>third
    [[ $(field first fingerprint) =~ ^0x[0-9a-f]{16}$ ]]
    [ "$(field first fingerprint)" = "$(field second fingerprint)" ]
    [ "$(field first fingerprint)" != "$(field third fingerprint)" ]
    gsort --stats=json in -o out 2>fourth
    [ "$(field fourth fingerprint)" = None ]
}

@test "names with quotes, backslashes and control characters give valid JSON" {
    for name in 'a"b' 'a\b' $'a\tb' $'a\x01b'; do
        cp in "$name"
        gsort --stats=json "$name" -o "out$name" 2>stats
        python3 -m json.tool stats >/dev/null || {
            cat stats >&2
            return 1
        }
    done
}

@test "no time or rate is NaN or infinite, even for 0 keys" {
    for n in 0 1 100000; do
        keygen sorted "$n" >in2
        gsort --stats=json in2 -o out 2>stats
        python3 -c '
import json, sys
def refuse(name):
    sys.exit("not JSON: " + name)
json.load(open("stats"), parse_constant=refuse)'
    done
}

@test "a locale with a decimal comma changes nothing" {
    local comma
    comma=$(locale -a 2>/dev/null | grep -E '^(de|fr|nl|it)_' | head -n 1) || true
    [ -n "$comma" ] || skip "no locale with a decimal comma is installed"
    LC_ALL=$comma gsort --stats=json in -o out 2>stats
    python3 -m json.tool stats >/dev/null
}

@test "stages begin and end within the run, in a possible order" {
    gsort --stats=json --engine=samplesort --verify in -o out 2>stats
    python3 -c '
import json
stats = json.load(open("stats"))
assert stats["version"] == 2, stats["version"]
rows = {row["name"]: row for row in stats["stages"] if row["device"]}
for row in stats["stages"]:
    if not row["device"]:
        assert row["begin_ms"] is None and row["end_ms"] is None and row["share"] is None, row
for row in rows.values():
    assert 0 <= row["begin_ms"] <= row["end_ms"] <= stats["total_ms"] + 1e-3, row
    assert row["end_ms"] - row["begin_ms"] >= 0.9 * row["ms"] - 1, row
    assert row["share"] is None or 0 <= row["share"], row
assert rows["select samples"]["begin_ms"] <= rows["count bins"]["begin_ms"]
assert rows["count bins"]["begin_ms"] <= rows["sort bins"]["begin_ms"]
assert rows["sort bins"]["begin_ms"] <= rows["write"]["end_ms"]
assert rows["write"]["begin_ms"] <= rows["verify"]["begin_ms"]
'
}

@test "values that are only counted: sort bins writes them and reads nothing" {
    without_gpu "values that the CPU counts"
    gsort --stats=json in >out 2>stats
    python3 -c '
import json
rows = {row["name"]: row for row in json.load(open("stats"))["stages"]}
assert rows["count bins"]["keys"] == 1000003, rows
assert rows["sort bins"]["keys"] == 1000003, rows
assert rows["sort bins"]["bytes"] == 4000012, rows
assert rows["count bins"]["end_ms"] <= rows["sort bins"]["begin_ms"], rows
assert rows["sort bins"]["begin_ms"] <= rows["write"]["begin_ms"], rows'
}

@test "the overlap of one thread's stages is at most their sum" {
    without_gpu "one thread of the CPU"
    gsort --stats=json --parallel=1 in -o out 2>stats
    python3 -c '
import json
stats = json.load(open("stats"))
assert 0 <= stats["overlap_ms"] <= stats["stages_ms"], stats'
}

@test "what a merge reads from a pipe counts in the read row and as memory" {
    gsort in -o sorted
    gsort -m --stats=json - -o out 2>stats < <(cat sorted)
    python3 -c '
import json
stats = json.load(open("stats"))
read = [stage for stage in stats["stages"] if stage["name"] == "read"][0]
assert read["bytes"] == 4000012 and read["keys"] == 1000003, read
assert stats["memory_bytes"] >= 4000012, stats["memory_bytes"]'
}

@test "every figure has the value that its name says" {
    without_gpu "bins and temporary files of the CPU"
    keygen zipf 1000003 >frequent
    reference -u frequent >distinct
    gsort --stats=json -u --engine=samplesort --samples=2048 frequent -o out 2>unique
    gsort --stats=json --engine=samplesort frequent -o out 2>bins
    gsort --stats=json -S 1M -T . frequent -o out 2>spilled
    gsort --stats=json -e hybrid --lists=16 - -o out 2>lists < <(head -c 4000 frequent)
    gsort out >a
    gsort -m --stats=json a - -o out 2>merged < <(cat a)
    # Reading overlaps counting, so that the sum of the stages is more than the total.
    for _ in {1..10}; do
        { keygen uniform 9M && sleep 0.1; } | gsort --parallel=2 --stats=json -o out 2>pipe
        [ "$(field pipe overlap_ms)" = 0.0 ] || break
    done
    distinct=$(($(wc -c <distinct) / 4)) python3 -c '
import json, os
def near(a, b):
    return abs(a - b) <= 1e-3 * abs(b) + 2e-5
runs = {name: json.load(open(name)) for name in "unique bins spilled lists merged pipe".split()}
for name, run in runs.items():
    total, stages = run["total_ms"], run["stages_ms"]
    assert near(stages, sum(row["ms"] for row in run["stages"])), (name, run)
    assert near(run["overlap_ms"], max(0, stages - total)), (name, run)
    assert near(run["gb_per_s"], 4 * run["keys_in"] / total / 1e6), (name, run)
    assert near(run["mkeys_per_s"], run["keys_in"] / total / 1e3), (name, run)
    for row in run["stages"]:
        if row["ms"] > 0.01:
            assert near(row["gb_per_s"], row["bytes"] / row["ms"] / 1e6), (name, row)
            assert near(row["mkeys_per_s"], row["keys"] / row["ms"] / 1e3), (name, row)
    bins = run["bins"]
    assert near(bins["mean"] * bins["count"], run["keys_in"] if bins["count"] else 0), (name, run)
    assert run["memory_bytes"] > 0 and run["threads"] >= 1, (name, run)
for name, run in runs.items():
    if name not in ("spilled", "merged"):
        assert run["temporary_bytes"] == 0, (name, run)
assert runs["pipe"]["overlap_ms"] > 0, runs["pipe"]
run = runs["unique"]
assert run["keys_in"] == 1000003 and run["keys_out"] == int(os.environ["distinct"]), run
assert run["samples"] == 2048, run
for name in "bins", "spilled": # of its bins some have one value, and the rest has the other keys
    bins = runs[name]["bins"]
    assert 0 < bins["equality"] < bins["count"], bins
    others = runs[name]["keys_in"] - bins["equality_keys"]
    assert others / (bins["count"] - bins["equality"]) <= bins["largest"] <= others, bins
run = runs["spilled"]
assert 4 * others <= run["temporary_bytes"] <= 8 * run["keys_in"], run
run = runs["lists"]
assert run["engine"] == "hybrid" and run["lists"]["count"] == 16, run
assert 0 < run["lists"]["varying_bits"] <= 32, run
run = runs["merged"]
assert run["engine"] == "merge" and run["device"] == "cpu", run
'
}

@test "the order field says whether the input was sorted, reversed or neither" {
    keygen sorted 100003 >ascending
    keygen reversed 100003 >descending
    for input in ascending:sorted descending:reversed in:none; do
        gsort --stats=json "${input%:*}" -o out 2>stats
        [ "$(field stats order)" = "${input#*:}" ]
    done
}

@test "the copy of an input that is overwritten counts as memory" {
    gsort in -o sorted
    cp sorted both
    gsort -m --stats=json both 1<>both 2>stats
    assert_same sorted both
    gsort -m --stats=json sorted -o out 2>plain
    [ "$(field stats memory_bytes)" -ge $(($(field plain memory_bytes) + 4000012)) ]
}

@test "keys read from a pipe count as memory" {
    without_gpu "memory of the CPU"
    head -c 4000 in >few
    gsort --stats=json in -o out 2>file
    gsort --stats=json -o out 2>pipe < <(cat in)
    [ "$(field pipe memory_bytes)" -ge $(($(field file memory_bytes) + 4000012)) ]
    gsort --stats=json -e hybrid few -o out 2>file
    gsort --stats=json -e hybrid -o out 2>pipe < <(cat few)
    [ "$(field pipe memory_bytes)" -ge $(($(field file memory_bytes) + 4000)) ]
}
