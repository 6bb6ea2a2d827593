# In an external sort, a chunk is written to temporary files while the next one is read and split.
# SPDX-License-Identifier: MIT

load ../helper

# With -S 7M, these 12 MB come in chunks of 2.3 MB.
KEYS=3000017

setup()
{
    enter_directory
    mkdir tmp
}

@test "a pipe is read while a chunk is being written" {
    require_strace
    keygen uniform "$KEYS" >in
    reference in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | strace -f -qq -o trace -e trace=read,pwrite64 \
        -e inject=pwrite64:delay_enter=300000:when=1 "$GSORT" --device=cpu -S 7M -T tmp -o out
    assert_same wanted out
    awk '/pwrite64\(.*<unfinished/ { writing++ } /pwrite64 resumed/ { writing-- }
        /read(\(0,| resumed)/ && writing > 0 { found = 1 } END { exit !found }' trace
}

@test "distributions and options, from files and pipes" { # on no GPU: keys are of many sizes
    local name options
    for name in zipf all-but-one sorted; do
        keygen "$name" "$KEYS" >in
        take_turns "" "-r -u" "-t f64 -r" "-R 12 -k 4:u32 -u" "-t u128"
        for options in "${TURNS[@]}"; do
            head -c 12000000 in >even # whole records of all these
            # shellcheck disable=SC2002,SC2086  # a pipe is what is tested; options are words
            {
                reference $options even >wanted
                "$GSORT" -S 7M -T tmp --verify --stats $options even -o out 2>stats
                assert_same wanted out
                grep -Eq 'through temporary files|combined first' stats
                cat even | "$GSORT" -S 7M -T tmp --verify $options >out
            }
            assert_same wanted out
        done
    done
}

@test "a write that fails: one line, the old output stays, and nothing is left" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    local errnum at
    keygen uniform "$KEYS" >in
    for errnum in 5 28; do
        for at in 1 2 5 10; do
            echo old >out
            run -2 --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT="pwrite $errnum+ $at" \
                "$GSORT" --device=cpu --parallel=4 -S 7M -T tmp in -o out
            assert_trouble "gsort: tmp: write failed"
            [ "$(cat out)" = old ]
            [ -z "$(ls -A tmp)" ]
        done
    done
}

# Print a chunk and a half, then one key after the other, until nobody reads them.
trickle()
{
    head -c 3600000 in
    while printf 'key.'; do
        sleep 0.02
    done 2>/dev/null
}

@test "a pipe that stays open does not keep a failed write from being told" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    keygen uniform "$KEYS" >in
    export -f trickle
    # shellcheck disable=SC2016  # for the inner shell
    run -2 --separate-stderr bash -c 'trickle | timeout 30 env LD_PRELOAD="$FAULTS" \
        GSORT_FAULT="pwrite 5+ 2" "$GSORT" --device=cpu -S 7M -T tmp -o out'
    assert_trouble "gsort: tmp: write failed"
    [ -z "$(ls -A tmp)" ]
}

@test "where no thread can be started, the caller writes" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    keygen uniform "$KEYS" >in
    reference in >wanted
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="thread 11+ 1" GSORT_FAULT_MARK=mark \
        "$GSORT" --device=cpu --parallel=1 -S 7M -T tmp in -o out
    assert_same wanted out
    [ -e mark ]
}
