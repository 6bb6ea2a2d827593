# --direct writes the same bytes, bypassing the page cache where the file system can do that.
# SPDX-License-Identifier: MIT

load ../helper

@test "--direct outputs of any length, by -o and by redirection" {
    for n in 0 1 1025 16385 300007 3000001; do
        keygen uniform "$n" >in
        reference in >wanted
        gsort --direct in -o got
        assert_same wanted got
        gsort --direct in >got
        assert_same wanted got
    done
}

@test "--direct behind an odd number of bytes, and appended" {
    keygen uniform 500009 >in
    { printf before && reference in; } >wanted
    { printf before && gsort --direct in; } >got
    assert_same wanted got
    printf before >got
    gsort --direct in >>got
    assert_same wanted got
}

@test "--direct with -r, -u and --verify" {
    keygen zipf 2000003 >in
    assert_sorts -r +--direct in
    assert_sorts -u +--direct in
    reference in >wanted
    gsort --direct --verify in -o got
    assert_same wanted got
}

@test "a short direct write is continued" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    keygen uniform 500009 >in
    reference in >wanted
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="pwrite short+ 1" GSORT_FAULT_MARK=mark "$GSORT" \
        --device=cpu --direct --bins=2 in -o got
    [ -e mark ]
    assert_same wanted got
}

@test "--direct in an external sort and a merge" {
    keygen uniform 3000001 >in
    reference in >wanted
    gsort --direct -S 8M in -o got
    assert_same wanted got
    reference in >a
    gsort --direct -m a -o got
    assert_same wanted got
}

@test "--direct in place and into a pipe" {
    keygen uniform 1000003 >in
    reference in >wanted
    gsort --direct in | cmp - wanted
    gsort --direct in -o in
    assert_same wanted in
}

@test "most of the output is written directly" {
    require_strace
    keygen uniform 3000001 >in
    strace -f -o trace -e trace=openat,pwrite64 \
        "$GSORT" --device=cpu --parallel=1 --direct in -o got
    fd=$(sed -n 's/.*|O_DIRECT|.* = \([0-9][0-9]*\)$/\1/p' trace)
    [ -n "$fd" ] || skip "this file system has no direct writes"
    direct=$(grep "pwrite64($fd, " trace | sed 's/.* = //' | awk '{ n += $1 } END { print n }')
    [ "$direct" -gt 10000000 ]
    reference in >wanted
    assert_same wanted got
}

@test "most of a redirected output is written directly, even from an odd offset" {
    require_strace
    keygen uniform 3000001 >in
    for before in "" before; do
        {
            printf %s "$before"
            strace -f -o trace -e trace=openat,pwrite64 \
                "$GSORT" --device=cpu --parallel=1 --direct in
        } >got
        fd=$(sed -n 's/.*|O_DIRECT|.* = \([0-9][0-9]*\)$/\1/p' trace)
        if [ -z "$fd" ]; then # does the file system support direct writes?
            strace -f -o trace -e trace=openat "$GSORT" --device=cpu --direct in -o other
            grep -q '|O_DIRECT|.* = [0-9]' trace || skip "this file system has no direct writes"
            false
        fi
        direct=$(grep "pwrite64($fd, " trace | sed 's/.* = //' | awk '{ n += $1 } END { print n }')
        [ "$direct" -gt 10000000 ]
        { printf %s "$before" && reference in; } | cmp - got
    done
}

# Files on tmpfs are in the page cache in any case, and storing into their pages is faster.
@test "on tmpfs, nothing is written directly" {
    require_strace
    keygen uniform 3000001 >in
    reference in >wanted
    mount_memory small 64m
    for threads in 1 4; do
        strace -f -o trace -e trace=openat,pwrite64 \
            "$GSORT" --device=cpu --parallel="$threads" --direct in -o small/got
        assert_same wanted small/got
        grep -q 'openat(.*O_TMPFILE' trace
        run ! grep '|O_DIRECT|' trace
        "$GSORT" --direct in >small/got
        assert_same wanted small/got
        gsort -m --direct wanted -o small/got
        assert_same wanted small/got
    done
}
