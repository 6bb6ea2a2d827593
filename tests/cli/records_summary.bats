# --verify --stats tells what parts of a sorted set of wide records are checked by.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of any size"
    enter_directory
    require python3
    keygen --record=40 --type=u16be narrow 200000 >in
}

# summary OPTION...: sort ./in, and print its summary.
summary()
{
    gsort -R 40 -k 0:u16be --verify --stats=json "$@" 2>&1 >out | python3 -c '
import json, sys
s = json.load(sys.stdin)["summary"]
print(s and " ".join(str(s[name]) for name in
      ("count", "duplicates", "first_key", "last_key", "fingerprint")))'
}

@test "the same from file, pipe, temporary files and parts that are merged" {
    local wanted distinct first last
    od -An -v -tu2 -w40 --endian=big in | awk '{ print $1 }' | sort -nu >keys
    distinct=$(wc -l <keys)
    first=$(head -n 1 keys) last=$(tail -n 1 keys)
    wanted=$(summary in)
    [[ $wanted =~ ^"200000 $((200000 - distinct)) $first $last 0x"[0-9a-f]{16}$ ]]
    [ "$(summary in -o sorted)" = "$wanted" ]
    [ "$(summary -S 1M in)" = "$wanted" ]
    [ "$(summary -S 1M in -o sorted)" = "$wanted" ]
    [ "$(summary -S 1M <(cat in) --parallel=1)" = "$wanted" ]
    [ "$(summary -m sorted)" = "$wanted" ]
    head -c 2000000 sorted >part1
    tail -c +2000001 sorted >part2
    [ "$(summary -m part1 part2 -o sorted2)" = "$wanted" ]
    [[ $(summary -u in) = "$distinct 0 $first $last 0x"* ]]
}

@test "fingerprints of parts add up to that of the whole" {
    head -c 2000000 in >part1
    tail -c +2000001 in >part2
    python3 -c '
import sys
whole, one, two = (int(x, 16) for x in sys.argv[1:])
assert one != two and (one + two) % 2**64 == whole' \
        "$(summary in | cut -d' ' -f5)" "$(summary part1 | cut -d' ' -f5)" \
        "$(summary part2 | cut -d' ' -f5)"
}

@test "nothing without records or --verify; of no records" {
    gsort -R 40 -k 0:u16be --stats=json in -o out 2>stats
    grep -q '"summary": null' stats
    keygen uniform 100 >keys
    gsort --verify --stats=json keys -o out 2>stats
    grep -q '"summary": null' stats
    : >in
    [ "$(summary in)" = "0 0 None None 0x0000000000000000" ]
    gsort -R 40 --verify --stats in -o out 2>stats
    grep -q '^duplicates  *0, first key -, last -$' stats
}
