# --head and --tail with all ways in and out: pipes, several files, in place, -S, -m, --verify.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 2100000 >a
    keygen zipf 700001 >b
    reference a b >full
    head -c 80000 full >first
    tail -c 80000 full >last
}

@test "pipes and files, in and out" {
    gsort --head=20000 a b | cmp first -
    gsort --tail=20000 a b >got
    assert_same last got
    cat a b | gsort --head=20000 -o got
    assert_same first got
    gsort --tail=20000 a - < <(cat b) | cmp last -
    gsort --head=20000 - a <b | cmp first -
    mkfifo p
    cat a >p &
    gsort --tail=20000 p b | cmp last -
}

@test "a file into itself" {
    cp a in
    gsort --head=20000 in b -o in
    assert_same first in
    cp a in
    reference a | tail -c 800 >wanted
    gsort --tail=200 in 1<>in
    head -c 800 in | assert_same wanted -
}

@test "more than -S has room for, from files and pipes: all is sorted, and the rest left out" {
    local n
    mkdir tmp
    for n in 20000 800000 2800000; do
        gsort -S 2M -T tmp --head="$n" a b -o got
        head -c $((4 * n)) full | assert_same - got
        cat a b | gsort -S 2M -T tmp --tail="$n" -o got
        tail -c $((4 * n)) full | assert_same - got
        gsort -S 2M -T tmp -r --tail="$n" --verify a b -o got
        reference -r a b | tail -c $((4 * n)) | assert_same - got
    done
    run -2 --separate-stderr gsort -S 2M -T tmp -u --tail=800000 a b -o got2
    assert_trouble "--tail=800000: with -u, memory for three times as many" "(-S)"
    [ ! -e got2 ]
}

@test "--verify, on files and pipes" {
    without_gpu "wide records"
    gsort --verify --head=20000 a b -o got
    assert_same first got
    gsort --verify --tail=20000 a b | cmp last -
    gsort --verify --head=2000000 a b | cmp - <(head -c 8000000 full)
    keygen --record=20 --type=u32 few 600000 >in
    gsort -R 20 -k 0:u32 -u in -o full
    gsort -R 20 -k 0:u32 -u --verify --tail=5 in -o got
    tail -c 100 full | assert_same - got
}

@test "-m stops reading each file after N records" {
    reference a >s
    reference b >t
    gsort -m --head=20000 s t | cmp first -
    gsort -m --tail=20000 s t | cmp last -
    gsort -m --tail=20000 s - < <(cat t) | cmp last -
    gsort -mu --head=20000 s t | cmp - <(gsort -u --head=20000 a b)
    printf '\0\0\0\0' >>s
    gsort -m --head=20000 s t | cmp first -
    run -2 --separate-stderr gsort -m --tail=20000 s t -o got2
    assert_trouble "s:2100000: disorder"
}

@test "a .npy file, from and to files and pipes, has a header that says so" {
    load ../npy
    npy "'<u4'" 2100000 <a >a.npy
    npy "'<u4'" 700001 <b >b.npy
    npy "'<u4'" 20000 <first >first.npy
    npy "'<u4'" 20000 <last >last.npy
    gsort --head=20000 a.npy b.npy -o got.npy
    assert_same first.npy got.npy
    gsort --tail=20000 a.npy <(cat b.npy) | cmp last.npy -
    gsort --head=20000 - b.npy < <(cat a.npy) | cmp first.npy -
    gsort --head=0 a.npy | cmp - <(npy "'<u4'" 0 </dev/null)
    reference -u a b >unique
    head -c 80000 unique | npy "'<u4'" 20000 >wanted
    gsort -u --head=20000 a.npy b.npy -o got.npy
    assert_same wanted got.npy
    reference a | npy "'<u4'" 2100000 >wanted
    gsort --head=3000000 a.npy -o got.npy
    assert_same wanted got.npy
}

@test "--skip keeps what is in front" {
    { echo 12345678901; cat a; } >in
    gsort --skip=12 --head=3 in -o got
    reference a >full
    { echo 12345678901 && head -c 12 full; } | assert_same - got
}

@test "--stats and --plan say how many come in and go out" {
    gsort --head=20000 --stats=json a b -o got 2>stats
    grep -q '"keys_in": 2800001' stats
    grep -q '"keys_out": 20000' stats
    gsort --plan --head=20000 a b >plan
    grep -q '^method .*partial sort' plan
    grep -q '^output .* 80000 bytes' plan
    gsort --plan --head=2000000 a b >plan
    grep -q '^method .*sort in memory' plan
    grep -q '^output .* 8000000 bytes' plan
}
