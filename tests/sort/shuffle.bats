# --shuffle: the order that the manual page defines, which a reference in Python finds, too.
# SPDX-License-Identifier: MIT

load ../npy

setup()
{
    without_gpu "shuffles run on the CPU, and --device=gpu is refused"
    enter_directory
    need_numpy
}

# wanted SEED BYTES [SKIP]: the order of standard input.
wanted()
{
    /usr/bin/env python3 "$ROOT/tests/sort/shuffle_reference.py" "$@"
}

@test "the seed and the number of records tell the order: any size of them, threads, file or pipe" {
    take_each 3 1 3 2 8 4 16 12 64 63 5000 100
    for size in "${TURNS[@]}"; do
        keygen uniform 70000 | head -c $((size * (280000 / size))) >in
        wanted 7 "$size" <in >expected
        gsort --format=raw -R "$size" --shuffle=7 in -o out && cmp out expected
        gsort --format=raw -R "$size" --shuffle=7 -j 1 <in | cmp expected -
        gsort --format=raw -R "$size" --shuffle=7 -j 3 --verify < <(cat in) | cmp expected -
    done
    for count in 0 1 2 5; do
        keygen uniform "$count" >in
        wanted 18446744073709551615 4 <in >expected
        gsort --shuffle=18446744073709551615 in -o in && cmp in expected
    done
}

@test "the bytes never change: they are those of the first version that shuffled" {
    keygen uniform 100000 --seed=1 >in
    [ "$(gsort --shuffle=0 in | sha256sum | cut -c 1-16)" = 81a4a1957973a4fb ]
    [ "$(gsort --shuffle=1 in | sha256sum | cut -c 1-16)" = f9232c777053fb60 ]
}

@test "what is larger than memory has the same order: mapped, pipes, several files, long records" {
    for size in 4 12 20000; do
        keygen uniform 1000000 | head -c $((size * (4000000 / size))) >in
        wanted 3 "$size" <in >expected
        gsort --format=raw -R "$size" --shuffle=3 in -o out && cmp out expected # (of many blocks)
        local options=(--format=raw -R "$size" --shuffle=3 -S 1M -T .)
        gsort "${options[@]}" --verify in -o out && cmp out expected
        gsort "${options[@]}" --stats < <(cat in) 2>report | cmp expected -
        grep -q '^temporary *[1-9]' report
        head -c $((size * 70)) in >first
        tail -c +$((size * 70 + 1)) in >second
        gsort "${options[@]}" first <(cat second) -o out && cmp out expected
        gsort "${options[@]}" <(cat first) second | cmp expected -
        gsort "${options[@]}" -j 3 --direct first - -o out <second && cmp out expected
    done
    assert_only in expected out report first second
}

@test "a header stays in front, of a .npy file, too; --head is a random sample" {
    keygen uniform 5000 >in
    { printf 12345 && cat in; } >headed
    wanted 5 4 5 <headed >expected
    gsort --skip=5 --shuffle=5 headed -o out && cmp out expected
    gsort --skip=5 --shuffle=5 < <(cat headed) | cmp expected -
    gsort --shuffle=5 --head=100 in | cmp - <(tail -c +6 expected | head -c 400)
    gsort --shuffle=5 --tail=100 --verify in | cmp - <(tail -c 400 expected)
    keygen uniform 3000 | npy "'<f4'" 3000 >a.npy
    keygen uniform 3000 | head -c 6000 | npy "'<u2'" 3000 >b.npy
    { head -c 128 a.npy && tail -c +129 a.npy | wanted 9 4; } >a.expected
    { head -c 128 b.npy && tail -c +129 b.npy | wanted 9 2; } >b.expected
    gsort --shuffle=9 --verify b.npy | cmp b.expected -
    gsort --shuffle=9 a.npy -o a.npy && cmp a.npy a.expected
}

@test "each order comes about as often" {
    printf abc >in
    for seed in {1..120}; do gsort --format=raw -t u8 --shuffle="$seed" in; echo; done >orders
    [ "$(sort -u orders | wc -l)" -eq 6 ]
    sort orders | uniq -c | awk '$1 < 8 || $1 > 34 { exit 1 }'
}

@test "what knows keys is refused" {
    keygen uniform 10 >in
    for option in -r -u -s -m -c -C --print '-R4 -k0:u4' --count=u32 --minus=in --argsort=u32; do
        # shellcheck disable=SC2086
        run --separate-stderr gsort --shuffle=1 $option in
        assert_trouble '--shuffle'
        [[ $stderr == *incompatible* ]]
    done
    for seed in '' -1 0x1 1.5 18446744073709551616 abc; do
        run --separate-stderr gsort --shuffle="$seed" in
        assert_trouble '--shuffle'
    done
    run --separate-stderr gsort --shuffle=1 --engine=hybrid in
    assert_trouble '--engine=hybrid'
    run --separate-stderr gsort --shuffle=1 --device=gpu in
    assert_trouble 'needs the CPU'
}

@test "--plan says what it takes; too little memory is refused in one line" {
    keygen uniform 1000000 >in
    gsort --shuffle=1 --plan in | grep -q '^engine *shuffle'
    gsort --shuffle=1 --plan -S 1M in | grep -q '^temporary *4000000 bytes'
    truncate -s 6300000000 sparse
    run --separate-stderr timeout 5 "$GSORT" --format=raw -R 63 --shuffle=1 -S 1M sparse -o out
    assert_trouble 'MiB of memory to shuffle'
}
