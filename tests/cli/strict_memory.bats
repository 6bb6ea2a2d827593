# Where the system accounts strictly for memory, a sort or merge takes less of it, and succeeds.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    without_gpu "it is the CPU's buffers that are refused"
    require_plain_build
    keygen uniform 12M >in # 48 MiB
    reference in >wanted
    mkdir tmp
}

# strictly KIB COMMAND...: run it where no more than KIB can be committed, if gsort believes /proc.
strictly()
{
    sed -e "s/^CommitLimit:.*/CommitLimit: $(($1 + 100000)) kB/" \
        -e 's/^Committed_AS:.*/Committed_AS: 100000 kB/' /proc/meminfo >meminfo
    echo 2 >accounting
    unshare -m bash -c 'mount --bind meminfo /proc/meminfo &&
        mount --bind accounting /proc/sys/vm/overcommit_memory && exec "$@"' bash "${@:2}"
}

@test "the default of -S keeps to what may be committed" {
    require unshare
    strictly 1000000 true 2>/dev/null || skip "mounting is not permitted here"
    gsort --plan in | grep 'sort in memory'
    strictly 200000 "$GSORT" --plan in >plan
    grep 'external sort' plan
    [ "$(awk '$1 == "memory" { print int($2 / 1000) }' plan)" -le 150000 ]
    strictly 200000 "$GSORT" -T tmp in -o out
    assert_same wanted out
    strictly 100000 "$GSORT" --parallel=100 -T tmp <in | cmp - wanted
    strictly 100000 "$GSORT" -m -T tmp - -o out < <(cat wanted)
    assert_same wanted out
    strictly 2000000 "$GSORT" --plan in | grep 'sort in memory'
}

# refusing MIB ARG...: run gsort where larger pieces of memory than that are refused.
refusing()
{
    env LD_PRELOAD="$FAULTS" GSORT_FAULT_LARGE=$(($1 << 20)) "$GSORT" --device=cpu -T tmp "${@:2}"
}

@test "a buffer that is refused all the same is done without" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    head -c 16M in >some
    mv some in
    reference in >wanted
    reference -u in >wanted-u
    local mib options
    for mib in 10 15; do
        take_turns --parallel=1 --parallel=4 "-S 1G"
        for options in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # several options
            refusing "$mib" $options in -o out
            assert_same wanted out
            # shellcheck disable=SC2002,SC2086  # a pipe is what is tested
            cat in | refusing "$mib" $options -u >got
            assert_same wanted-u got
            # shellcheck disable=SC2086
            refusing "$mib" $options --verify >got <in
            assert_same wanted got
            # shellcheck disable=SC2086
            refusing "$mib" $options -m - wanted -o out < <(cat wanted)
            cmp -n 8 out <(head -c 4 wanted && head -c 4 wanted)
            [ "$(stat -c %s out)" = "$(($(stat -c %s wanted) * 2))" ]
            gsort -C out
        done
    done
    [ -z "$(ls -A tmp)" ]
}

@test "a writer that is refused a large block writes in smaller ones" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    head -c 1600000 in >some
    mv some in
    local options
    for options in "-R 100 -k 0:b10" "-R 8 -k 0:u32 -s" --argsort=u32; do
        # shellcheck disable=SC2086  # several options
        gsort $options in -o wanted
        # shellcheck disable=SC2086
        env LD_PRELOAD="$FAULTS" GSORT_FAULT_BLOCK=150000 "$GSORT" --device=cpu -T tmp -S 1M \
            $options in -o out
        assert_same wanted out
    done
}

@test "a buffer that is refused before equal keys are combined in tables is a smaller one" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    keygen few 8M >in
    reference -u in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | refusing 8 -u >got
    assert_same wanted got
}
