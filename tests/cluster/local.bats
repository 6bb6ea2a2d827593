# --local: every rank has its own files, whose outputs in order of the ranks are sorted.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
    keygen uniform 120000 >part-0.bin
    : >part-1.bin
    keygen zipf 50001 >part-2.bin
    cat part-?.bin >in
}

@test "own files of different sizes" {
    reference in >wanted
    ranks 3 --local 'part-%r.bin' -o 'sorted-%r.bin' --verify
    cat sorted-?.bin | cmp - wanted
    gsort -c sorted-?.bin
    [ "$(compgen -G "sorted-*.bin" | wc -l)" -eq 3 ]
    gsort -u in -o wanted
    ranks 3 -u --local 'part-%r.bin' -o 'sorted-%r.bin' --verify
    cat sorted-?.bin | cmp - wanted
    gsort -cu sorted-?.bin
    gsort -r --skip=4 part-0.bin part-2.bin -o wanted
    printf 'head' >part-1.bin
    ranks 3 -r --skip=4 --local 'part-%r.bin' -o 'sorted-%r.bin'
    { head -c 4 part-0.bin && for i in 0 1 2; do tail -c +5 "sorted-$i.bin"; done; } | cmp - wanted
}

@test "a process alone is rank 0" {
    reference part-0.bin >wanted
    "$GSORT" --local 'part-%r.bin' -o '%r-of-%h'
    assert_same wanted "0-of-$(uname -n)"
}

@test "names that would be the same for all are refused" {
    run -2 --separate-stderr ranks 3 --local 'part-%r.bin' -o out
    [[ $stderr == *"out: with --local"* ]]
    run -2 --separate-stderr ranks 3 --local part-0.bin -o 'out-%r'
    [[ $stderr == *"part-0.bin: with --local"* ]]
    assert_only in part-0.bin part-1.bin part-2.bin
}

@test "a file that is missing on one rank is an error of all" {
    rm part-1.bin
    run --separate-stderr ranks 3 --local 'part-%r.bin' -o 'sorted-%r.bin'
    assert_one_line part-1.bin
    assert_only in part-0.bin part-2.bin
}
