# --shuffle by ranks that sort apart: the order is that of one process, whoever brings the records.
# SPDX-License-Identifier: MIT

load ../npy
load ranks

setup()
{
    enter_ranks
    need_numpy
}

# wanted SEED BYTES: the order of standard input.
wanted()
{
    /usr/bin/env python3 "$ROOT/tests/sort/shuffle_reference.py" "$@"
}

@test "any size of records, any number of ranks, files and pipes" {
    for size in 3 4 16 100; do
        keygen uniform 100000 | head -c $((size * (400000 / size))) >in
        wanted 7 "$size" <in >expected
        ranks 2 --format=raw -R "$size" --shuffle=7 --verify in -o out
        cmp expected out
        ranks 3 --format=raw -R "$size" --shuffle=7 in -o in
        cmp expected in
    done
    for count in 0 1 2; do
        keygen uniform "$count" >in
        wanted 8 4 <in >expected
        ranks 3 --shuffle=8 --verify -o out < <(cat in)
        cmp expected out
    done
    assert_only expected in out
}

@test "more than memory: through temporary files; less than 8 bytes a record: one line" {
    keygen uniform 6M >in
    wanted 3 32 <in >expected
    ranks 2 --format=raw -R 32 --shuffle=3 -S 10M -T . --verify in -o out
    cmp expected out
    run --separate-stderr ranks 2 --shuffle=3 -S 12M in -o refused
    assert_one_line '8 bytes for each record'
    assert_only expected in out
}

@test "files of each rank's own: the outputs, one after the other, are the order" {
    keygen uniform 30000 >in-0
    keygen uniform 5000 --seed=2 >in-1
    cat in-0 in-1 | wanted 5 4 >expected
    ranks_of_host 2 --local --shuffle=5 in-%r -o out-%r
    cat out-0 out-1 | cmp expected -
    [ "$(stat -c %s out-0)" -eq 70000 ]
}
