# Ranks that see other files under a name are refused before anything is sorted.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
    end_at_once
    mkdir rank-0 rank-1 rank-2
    each_in_its_place "$GSORT_MPI"
    GSORT_MPI=$PWD/each
    # All differ only behind what a look at the first bytes would see.
    keygen uniform 100000 >rank-0/in
    for rank in 1 2; do
        cp -p rank-0/in rank-$rank/in
    done
}

# make_stale N: let rank N have one byte less than the others have at the same place.
make_stale()
{
    printf '\x00\x01\x02\x03' | dd of="rank-$1/in" bs=1 seek="${2:-300000}" conv=notrunc status=none
    touch -r rank-0/in "rank-$1/in"
}

# refused HOW WORD...: by three ranks that work as HOW says, and nothing is left.
refused()
{
    run --separate-stderr "$1" 3 in -o "$PWD/out"
    assert_one_line in: "${@:2}"
    rm -f agent
    assert_only each rank-0 rank-0/in rank-1 rank-1/in rank-2 rank-2/in
}

@test "one host: another inode, a directory's link, another size" {
    refused ranks "rank 1 sees another file"
    ln -f rank-0/in rank-1/in
    refused ranks "rank 2 sees another file"
    ln -sf ../rank-0/in rank-2/in
    reference rank-0/in >wanted
    ranks 3 in -o "$PWD/out"
    assert_same wanted out
    rm wanted out rank-2/in
    mkfifo rank-2/in
    refused ranks "rank 2 sees another file"
    rm rank-2/in
    run --separate-stderr ranks 3 in -o "$PWD/out"
    assert_one_line "in: cannot read"
}

@test "several hosts: copies are as good as the same file, but not one with another byte" {
    reference rank-0/in >wanted
    hosts 3 in -o "$PWD/out"
    assert_same wanted out
    rm wanted out
    for rank in 0 1 2; do
        make_stale $rank
        [ $rank -eq 0 ] && refused hosts "rank 1 has other bytes" ||
            refused hosts "rank $rank has other bytes"
        cp -p rank-$(((rank + 1) % 3))/in rank-$rank/in
    done
    make_stale 1 $((399996 - rank))
    refused hosts "other bytes"
    truncate -s -4 rank-1/in
    refused hosts "rank 1 sees another file"
}

@test "several hosts: the second of several files, and bytes that have changed places" {
    for rank in 0 1 2; do
        keygen uniform --seed=2 5000 >rank-$rank/in2
    done
    { tail -c 8 rank-0/in2 && tail -c +9 rank-0/in2 | head -c -8 && head -c 8 rank-0/in2; } >new
    mv new rank-2/in2
    run --separate-stderr hosts 3 in in2 -o "$PWD/out"
    assert_one_line "rank 2 has other bytes"
    [ ! -e out ]
    cp rank-0/in2 rank-2/in2
    cat rank-0/in rank-0/in2 | reference >wanted
    hosts 3 in in2 -o "$PWD/out"
    assert_same wanted out
}

@test "several hosts that see one file" {
    ln -f rank-0/in rank-1/in
    ln -f rank-0/in rank-2/in
    reference rank-0/in >wanted
    hosts 3 --verify in -o "$PWD/out"
    assert_same wanted out
}

@test "several ranks on each of several hosts" {
    export RANKS_PER_HOST=2
    mkdir rank-3
    ln -f rank-0/in rank-1/in
    ln -f rank-2/in rank-3/in
    reference rank-0/in >wanted
    hosts 2 in -o "$PWD/out"
    assert_same wanted out
    make_stale 2
    run --separate-stderr hosts 2 in -o "$PWD/out"
    assert_one_line "rank 2 has other bytes"
    rm rank-3/in
    cp -p rank-2/in rank-3/in
    run --separate-stderr hosts 2 in -o "$PWD/out"
    assert_one_line "rank 3 sees other files than rank 2"
}

@test "an output whose directory is another one for each rank" {
    run --separate-stderr ranks 3 "$PWD/rank-0/in" -o out
    assert_one_line out: "another rank"
    assert_only each rank-0 rank-0/in rank-1 rank-1/in rank-2 rank-2/in
    [ "$(cat rank-?/out rank-?/.gsort* 2>/dev/null | wc -c)" -eq 0 ]
}

# npy DESCR BYTES: print a .npy file.
npy()
{
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%s' \
        "{'descr': $1, 'fortran_order': False, 'shape': (2,), }" "$2"
}

@test ".npy files with another field, and one that is none" {
    local fields="[('a', '<u4'), ('b', '|S4')]"
    npy "$fields" 1111555522226666 | tee in-0.npy in-1.npy >in-2.npy
    ranks 3 --local "$PWD/in-%r.npy" -k a -o "$PWD/out-%r.npy"
    [ "$(tail -qc +129 out-?.npy)" = 111155551111555511115555222266662222666622226666 ]
    rm out-?.npy
    npy "${fields/\'b\'/\'c\'}" 1111555522226666 >in-1.npy
    run --separate-stderr ranks 3 --local "$PWD/in-%r.npy" -k a -o "$PWD/out-%r.npy"
    assert_one_line in-1.npy
    npy "'<u4'" 11112222 | tee in-0.npy >in-1.npy
    printf '11112222' >in-2.npy
    run --separate-stderr ranks 3 --local "$PWD/in-%r.npy" -o "$PWD/out-%r.npy"
    assert_one_line in-2.npy ".npy"
    [ ! -e out-0.npy ]
}
