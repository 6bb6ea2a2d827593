# --head=N and --tail=N: the first and the last N records of the output.
# SPDX-License-Identifier: MIT

load ../helper

# assert_cuts BYTES FILE... -- ARG...: for some N, --head=N and --tail=N of gsort ARG... FILE... are
# the cuts of `full`, which has records of BYTES bytes.
assert_cuts()
{
    local bytes=$1 keys n
    local -a files=()
    for ((shift_by = 2; shift_by <= $#; shift_by++)); do
        [ "${!shift_by}" != -- ] || break
        files+=("${!shift_by}")
    done
    shift "$shift_by"
    keys=$(($(wc -c <full) / bytes))
    take_few 0 1 $((keys / 100)) $((keys / 4)) $((keys / 4 + 1)) $((keys - 1)) "$keys" $((keys + 1))
    for n in "${TURNS[@]}"; do
        gsort "$@" --head="$n" "${files[@]}" -o got
        head -c $((n * bytes)) full | assert_same - got
        gsort "$@" --tail="$n" "${files[@]}" -o got
        tail -c $((n * bytes)) full | assert_same - got
    done
}

@test "of every distribution, larger than what is kept" {
    local name
    mapfile -t names < <("$KEYGEN" --list | awk '{ print $1 }')
    [ "${#names[@]}" -ge 20 ]
    take_each 8 "${names[@]}"
    for name in "${TURNS[@]}"; do
        echo "$name" >&2
        keygen "$name" 4400000 >in
        reference in >full
        gsort --head=30000 in -o got
        head -c 120000 full | assert_same - got
        gsort --tail=30000 <(cat in) -o got
        tail -c 120000 full | assert_same - got
        gsort -r in -o full
        gsort -r --tail=10 in -o got
        tail -c 40 full | assert_same - got
        gsort -r --head=10 <(cat in) -o got
        head -c 40 full | assert_same - got
    done
}

@test "all equal, and few values: the guess at a bound is wrong" {
    local name
    for name in equal few all-but-one; do
        keygen "$name" 4400000 >in
        reference in >full
        gsort --head=1000 in -o got
        head -c 4000 full | assert_same - got
        gsort --tail=1000 in | cmp - <(tail -c 4000 full)
    done
}

@test "around borders of groups, pieces and bins" {
    local n
    for n in 1 15 16 17 1023 1024 1025 4095 4096 4097 65535 65536 65537; do
        keygen uniform "$n" --seed="$n" >in
        reference in >full
        gsort --head=16 in | cmp - <(head -c 64 full)
        gsort --tail=17 in | cmp - <(tail -c 68 full)
        gsort --head=$((n / 5)) in | cmp - <(head -c $((n / 5 << 2)) full)
    done
}

@test "-u counts different keys, of the last ones, too" {
    local options
    keygen narrow 3000000 >in
    for options in -u -ur; do
        gsort $options in -o full
        [ "$(wc -c <full)" -eq 4000 ]
        gsort $options --head=10 in -o got
        head -c 40 full | assert_same - got
        gsort $options --tail=10 in -o got
        tail -c 40 full | assert_same - got
        gsort $options --head=2000 in | cmp full -
        gsort $options --tail=2000 in | cmp full -
    done
    keygen uniform 3000000 >in
    gsort -u in -o full
    gsort -u --tail=100000 in | cmp - <(tail -c 400000 full)
}

@test "types, and records that are elements" {
    without_gpu "records of all sizes"
    local type bytes
    while read -r type bytes; do
        keygen --type="$type" --specials zipf 250000 >in
        reference -t "$type" in >full
        assert_cuts "$bytes" in -- -t "$type"
        reference -r -t "$type" in >full
        assert_cuts "$bytes" in -- -t "$type" -r
    done <<END
u8 1
i16be 2
f32 4
f64be 8
u128 16
b3 3
END
    keygen --record=12 --type=u32 few 300000 >in
    gsort -R 12 -k 0:u32r in -o full
    assert_cuts 12 in -- -R 12 -k 0:u32r
    gsort -R 12 -k 0:u32 -u in -o full
    assert_cuts 12 in -- -R 12 -k 0:u32 -u
    gsort -R 12 -k 0:u32 -ur in -o full
    assert_cuts 12 in -- -R 12 -k 0:u32 -ur
}

@test "wide records, and -s: the first of equal keys stay first" {
    without_gpu "wide records, and -s"
    local options
    keygen --record=40 --type=u32 few 300000 >in
    take_turns '' -r -s '-s -r' -u '-s -u' '-u -r'
    local some=("${TURNS[@]}") # assert_cuts takes turns, too
    for options in "${some[@]}"; do
        # shellcheck disable=SC2086
        gsort -R 40 -k 0:u32 $options in -o full
        # shellcheck disable=SC2086
        assert_cuts 40 in -- -R 40 -k 0:u32 $options
    done
}

@test "--argsort has the positions in all of the input" {
    without_gpu "--argsort"
    local type bytes
    keygen few 1500000 >a
    keygen uniform 1500000 >b
    for type in u32 u64; do
        bytes=$((${type#u} / 8))
        gsort --argsort="$type" a b -o full
        assert_cuts "$bytes" a b -- --argsort="$type"
    done
    gsort -ru --argsort=u32 a b -o full
    assert_cuts 4 a b -- -ru --argsort=u32
}

@test "suffixes of N" {
    keygen uniform 300000 >in
    reference in >full
    gsort --head=1k in | cmp - <(head -c 4096 full)
    gsort --tail=2kB in | cmp - <(tail -c 8000 full)
    gsort --head=5 --head=7 in | cmp - <(head -c 28 full)
    gsort --head=7E in | cmp full -
}
