# kill -9 at 100 random moments: the output is always the old file or the complete new one.
# SPDX-License-Identifier: MIT

load helper

@test "100 kills of a run onto an existing file" {
    keygen uniform 2000000 >in
    reference in >wanted
    keygen uniform 50000 --seed=7 >old
    local took old=0 new=0
    mkdir dir
    took=$(time_best in -o dir/out)
    RANDOM=42
    for ((i = 0; i < 100; i++)); do
        cp old dir/out
        start in -o dir/out
        # From the start to somewhat past the end of a run.
        sleep "$(printf '0.%06d' $((took * (RANDOM % 1200) / 1000)))"
        kill -KILL "$GSORT_PID" 2>/dev/null || true
        { wait "$GSORT_PID" || true; } 2>/dev/null
        GSORT_PID=
        if cmp -s old dir/out; then
            old=$((old + 1))
        else
            assert_same wanted dir/out
            new=$((new + 1))
        fi
        rm -rf dir
        mkdir dir
    done
    echo "old: $old, new: $new"
    [ "$old" -ge 10 ]
}
