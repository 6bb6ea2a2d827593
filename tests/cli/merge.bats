# -m merges any number of sorted inputs, in either direction, from files and pipes.
# SPDX-License-Identifier: MIT

load ../helper

# make_parts COUNT DISTRIBUTION: make files of uneven sizes, some empty: raw0, raw1, ..., the same
# ascending, up0, up1, ..., and descending, down0, ...
make_parts()
{
    local i
    for ((i = 0; i < $1; i++)); do
        keygen "$2" $((i % 5 == 3 ? 0 : i * 7919 % 50000)) >"raw$i"
        reference "raw$i" >"up$i"
        reference -r "raw$i" >"down$i"
    done
}

@test "merges of various distributions and numbers of inputs, in every direction" {
    take_few uniform few zipf equal max-keys sorted
    for name in "${TURNS[@]}"; do
        make_parts 40 "$name"
        take_turns 1 2 7 40
        for count in "${TURNS[@]}"; do
            raw=(raw{0..39})
            take_turns "" -r -u -ru
            for options in "${TURNS[@]}"; do
                [[ $options == *r* ]] && parts=(down{0..39}) || parts=(up{0..39})
                reference ${options:+"$options"} "${raw[@]:0:count}" >wanted
                gsort -m --verify ${options:+"$options"} "${parts[@]:0:count}" -o got
                assert_same wanted got
            done
            gsort -m --verify ${options:+"$options"} "${parts[@]:0:count}" >got
            assert_same wanted got
        done
    done
}

@test "many keys, for many segments and long runs of equal keys" {
    for name in uniform zipf few two-clusters; do
        keygen "$name" 1000003 >all
        split -n 5 all part.
        for part in part.*; do
            truncate -s $(($(stat -c %s "$part") / 4 * 4)) "$part"
            reference "$part" >"s$part"
        done
        reference spart.* >wanted
        for threads in 1 3; do
            gsort -m --parallel="$threads" spart.* -o got
            assert_same wanted got
        done
        reference -u spart.* >wanted
        gsort -mu spart.* -o got
        assert_same wanted got
    done
}

@test "inputs whose key ranges follow each other, and many small inputs with a large one" {
    keygen uniform 300000 | "$GSORT" >all # many sorts, which are not under test
    split -n 60 all next.
    keygen zipf 30000 >few
    split -n 60 few small.
    for part in small.*; do
        "$GSORT" "$part" -o "$part"
    done
    for order in "" -r; do
        reference ${order:+"$order"} all >wanted
        for part in next.* small.* all; do
            "$GSORT" ${order:+"$order"} "$part" -o "$part"
        done
        gsort -m ${order:+"$order"} next.* -o got
        assert_same wanted got
        reference ${order:+"$order"} all small.* >wanted
        gsort -m ${order:+"$order"} all small.* -o got
        assert_same wanted got
    done
}

@test "a merge of pipes, in memory and beyond it" {
    make_parts 6 uniform
    keygen uniform 1500000 | gsort >large
    reference up* large >wanted
    gsort -m up0 <(cat up1) - up3 <(cat up4) up5 <(cat large) <up2 -o got
    assert_same wanted got
    gsort -m -S 1M -T . up0 <(cat up1) - up3 <(cat up4) up5 <(cat large) <up2 --stats -o got 2>stats
    assert_same wanted got
    [ "$(awk '$1 == "temporary" { print $2 }' stats)" -ge 6000000 ]
    # One temporary file holds two of the pipes, but not the inputs between them.
    reference up4 up5 large large >wanted
    gsort -m -S 1M -T . <(cat large) up5 <(cat up4) <(cat large) -o got
    assert_same wanted got
    # At most half of -S is for pipes in memory.
    gsort -m -S 10M -T . - <large --stats -o got 2>stats
    grep -q '^temporary *0 bytes' stats
    gsort -m -S 10M -T . <(cat large) --stats -o got 2>stats
    assert_same large got
    grep -q '^temporary *6000000 bytes' stats
    gsort -m - </dev/null -o got
    [ ! -s got ]
}

@test "a merge of more inputs than descriptors" {
    keygen uniform 20000 >all
    split -n 200 -a 3 all part.
    for part in part.*; do
        echo "$part"
    done >names
    [ "$(wc -l <names)" -eq 200 ]
    gsort all -o wanted
    mkdir sorted
    # 400 bytes each, which are whole keys.
    while read -r name; do
        reference "$name" >"sorted/$name"
    done <names
    (
        ulimit -n 32
        "$GSORT" -m sorted/* -o got
    )
    assert_same wanted got
}

@test "a disorder in an input is an error that names file, index and key" {
    keygen sorted 300000 | gsort >good
    printf '\1' | dd of=good conv=notrunc status=none # 1, so that 0 is out of order anywhere
    for at in 1 70000 299999; do
        cp good bad
        printf '\0\0\0\0' | dd of=bad bs=4 seek="$at" conv=notrunc status=none
        run -2 --separate-stderr gsort -m good bad good -o out
        [[ $stderr == "gsort: bad:$at: disorder: 0 after "* ]]
        [ -z "$output" ]
        [ ! -e out ]
        run -2 --separate-stderr bash -c 'cat bad | gsort -m good - >got'
        [[ $stderr == "gsort: -:$at: disorder: 0 after "* ]]
    done
    run -2 --separate-stderr gsort -m -r good -o out
    assert_trouble good:1: disorder
    [ ! -e out ]
    # In an unsorted input, a disorder is found too, and gsort never hangs.
    keygen uniform 500000 >wild
    run -2 --separate-stderr timeout 60 "$GSORT" -m good wild good -o out
    assert_trouble wild: disorder
}

@test "a merge in place, and over a file on standard output" {
    keygen uniform 100000 | gsort >a
    keygen zipf 100000 | gsort >b
    reference a b >wanted
    cp a data
    gsort -m data b -o data
    assert_same wanted data
    # The output overtakes the reading of b, the input that it overwrites.
    keygen sorted 300000 >a
    keygen uniform 300000 | gsort >b
    reference a b >wanted
    gsort -m --parallel=1 b a 1<>b
    assert_same wanted b
}

@test "an input that would be overwritten and does not fit in memory is refused" {
    keygen uniform 4M | reference >wanted
    cp wanted data
    run -2 --separate-stderr bash -c 'gsort -m -S 5M data 1<>data'
    assert_trouble "written over"
    assert_same wanted data
    gsort -m -S 40M data 1<>data
    assert_same wanted data
    # Output behind the end of the file overwrites nothing.
    reference data data >twice
    cat twice >>wanted
    cp data one
    require python3
    python3 -c '
import os, subprocess, sys
os.lseek(1, 0, 2)
subprocess.check_call([sys.argv[1], "-m", "-S", "5M", "data", "one"])' "$GSORT" 1<>data
    assert_same wanted data
}

@test "a merge ignores options of engine and device" {
    make_parts 3 uniform
    reference raw* >wanted
    gsort -m --engine=hybrid --samples=3 --bins=7 --lists=8 --device=cpu --device-memory=1M \
        up* -o got
    assert_same wanted got
    "$GSORT" -m --device=gpu up* -o got # also in a build without CUDA
    assert_same wanted got
    "$GSORT" -c --device=gpu wanted
    gsort -m --plan --engine=atomicmin --bins=7 up* >plan
    grep -q "^engine  *merge$" plan
    gsort -c --engine=hybrid --bins=7 --lists=8 --device=cpu got
}

@test "a merge refuses -c, missing inputs and odd sizes" {
    run -2 --separate-stderr gsort -m -c
    assert_trouble "'-m' and '-c' are incompatible"
    run -2 --separate-stderr gsort -C -m
    assert_trouble "'-C' and '-m' are incompatible"
    run -2 --separate-stderr gsort -m missing
    assert_trouble missing
    printf abcde >odd
    run -2 --separate-stderr gsort -m odd -o out
    assert_trouble odd 5
    run -2 --separate-stderr bash -c 'cat odd | gsort -m -o out'
    assert_trouble "-: size 5"
    assert_only odd
}

@test "pipes that do not fit in one temporary directory go to several" {
    keygen sorted 17M >in
    mount_memory t1 72m
    mount_memory t2 72m
    gsort -m -S 1M -T t1 -T t2 <(cat in) <(cat in) | cmp - <(gsort -m in in)
    run -2 --separate-stderr gsort -m -S 1M -T t1 <(cat in) <(cat in) -o out
    assert_trouble t1 "No space left"
    [ ! -e out ]
}

@test "all pipes together get half of -S" {
    keygen sorted 700000 >in
    gsort -m -S 10M -T . <(cat in) <(cat in) <(cat in) <(cat in) --stats -o got 2>stats
    reference in in in in | cmp - got
    # Only one of the pipes has room there.
    [ "$(awk '$1 == "temporary" { print $2 }' stats)" -ge 8400000 ]
}

@test "a pipe with an incomplete last key is refused, beyond memory, too" {
    keygen sorted 700001 >in
    for rest in x xy xyz; do
        run -2 --separate-stderr gsort -m -S 1M -T . in <(cat in && printf %s "$rest") in -o out
        assert_trouble "size $((2800004 + ${#rest})) is not a multiple of 4 (remainder ${#rest})"
        [ ! -e out ]
    done
}

@test "merges of keys of 8 and 16 bytes; a disorder names the whole key" {
    for type in u64 u128; do
        take_turns uniform few max-keys
        for name in "${TURNS[@]}"; do
            for i in 0 1 2 3 4; do
                keygen --type="$type" --seed="$i" "$name" $((i * 20000 + 1)) >"raw$i"
                reference -t "$type" "raw$i" >"up$i"
                reference -t "$type" -r "raw$i" >"down$i"
            done
            take_turns "" -r -u -ru
            for options in "${TURNS[@]}"; do
                [[ $options == *r* ]] && parts=(down*) || parts=(up*)
                reference -t "$type" ${options:+"$options"} raw* >wanted
                "$GSORT" -m -t "$type" --verify ${options:+"$options"} "${parts[@]}" -o got
                assert_same wanted got
            done
        done
    done
    head -c 16 /dev/zero >in
    printf '%016d' 0 | tr 0 '\377' >>in
    run ! --separate-stderr "$GSORT" -m -r -t u128 in -o got
    # shellcheck disable=SC2154  # set by run
    [[ $stderr == "gsort: in:1: disorder: 340282366920938463463374607431768211455 after "* ]]
}
