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

# written_by TRACE FD: how many bytes pwrite64 has written to a descriptor; calls of several threads
# may be in the trace in two parts.
written_by()
{
    awk -v call="pwrite64($2," '
        index($0, call) && /unfinished/ { waits[$1] = 1; next }
        index($0, call) { sum += $NF }
        /<\.\.\. pwrite64 resumed>/ && waits[$1] { sum += $NF; waits[$1] = 0 }
        END { print sum + 0 }' "$1"
}

@test "most of the output is written directly" {
    require_strace
    keygen uniform 3000001 >in
    strace -f -o trace -e trace=openat,pwrite64 \
        "$GSORT" --device=cpu --parallel=1 --direct in -o got
    fd=$(sed -n 's/.*|O_DIRECT|.* = \([0-9][0-9]*\)$/\1/p' trace)
    [ -n "$fd" ] || skip "this file system has no direct writes"
    [ "$(written_by trace "$fd")" -gt 10000000 ]
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
        [ "$(written_by trace "$fd")" -gt 10000000 ]
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

# direct_written: print how many bytes went through O_DIRECT descriptors, by the file `trace`.
direct_written()
{
    awk '/[|]O_DIRECT[|].* = [0-9]/ { sub(/.* = /, ""); direct[$1] = 1 }
        match($0, /pwrite64\([0-9]+/) && / = [0-9]/ {
            fd = substr($0, RSTART + 9, RLENGTH - 9)
            sub(/.* = /, "")
            sum += fd in direct ? $1 : 0
        }
        END { print sum + 0 }' trace
}

@test "temporary files: all directly, none, or as soon as the page cache is slow" {
    require_strace
    keygen uniform 3000001 >in
    reference in >wanted
    for option in --direct --no-direct --verify; do
        strace -f -o trace -e trace=openat,pwrite64 -e inject=pwrite64:delay_exit=20ms \
            "$GSORT" --device=cpu -S 4M -T . "$option" in | cmp - wanted
        echo "$option: $(direct_written)" >>sums
        [ "$option" != --direct ] || grep -q '|O_DIRECT|.* = [0-9]' trace ||
            skip "this file system has no direct writes"
    done
    cat sums
    awk '{ n[$1] = $2 } END {
        exit !(n["--direct:"] > 11000000 && n["--no-direct:"] == 0 && n["--verify:"] > 0)
    }' sums
}

@test "temporary files where direct writes are refused, or fall short" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    keygen uniform 500009 >in
    reference in >wanted
    for fault in "pwrite 22 1" "pwrite short 1" "pwrite short+ 1"; do # 22: EINVAL
        rm -f mark
        env LD_PRELOAD="$FAULTS" GSORT_FAULT="$fault" GSORT_FAULT_MARK=mark "$GSORT" \
            --device=cpu --direct -S 1M -T . in | cmp - wanted
        [ -e mark ]
    done
}

@test "temporary files written directly to a full disk" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    keygen uniform 500009 >in
    run -2 --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT="pwrite 28 1" "$GSORT" \
        --device=cpu --direct -S 1M -T . in -o out
    [[ $stderr == *"No space left on device"* ]]
    assert_only in
}
