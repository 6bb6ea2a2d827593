# A limit on address space, or on data: what is mapped leaves room for -S and the stacks.
# SPDX-License-Identifier: MIT

load helper

# within MIB COMMAND...: with so much address space, and besides what the program's file takes, in
# which a build with CUDA has its kernels.
within()
{
    local limit=$(($1 * 1024 + $(stat -c %s "$GSORT") / 1024))
    (
        ulimit -v "$limit"
        "${@:2}"
    )
}

setup()
{
    enter_directory
    require_plain_build
    keygen uniform 16M >in # 64 MiB
    "$GSORT" in -o wanted
}

@test "more address space is not less, with any number of threads" {
    for ((mib = 64; mib <= 160; mib += 12)); do
        for options in "--parallel=2 -S 16M" "--parallel=16 -S 16M" "--parallel=100"; do
            # shellcheck disable=SC2086  # several options
            within "$mib" "$GSORT" --device=cpu $options -T . in -o got
            assert_same wanted got
        done
    done
}

@test "standard input is a file, read from where it stands" {
    keys 1 2 >file
    cat in >>file
    for mib in 72 80 88 96 104 200; do
        {
            head -c 8 >/dev/null
            within "$mib" "$GSORT" --device=cpu --parallel=2 -S 16M -T . >got
        } <file
        assert_same wanted got
    done
}

@test "a check" {
    for ((mib = 64; mib <= 124; mib += 12)); do
        within "$mib" "$GSORT" -c --parallel=4 wanted
        run -1 within "$mib" "$GSORT" -C --parallel=4 in
    done
}

@test "a merge onto its own input, of which there is no room for a copy" {
    cp wanted both
    for mib in 88 100 112 124; do
        run -2 --separate-stderr within "$mib" bash -c '"$1" -m -S 1G both 1<>both' _ "$GSORT"
        assert_trouble "reading it into memory"
        cmp wanted both
    done
}

@test "stacks as large as the limit are for one thread" {
    ulimit -S -s 65536 || skip "no such stacks here"
    within 128 "$GSORT" --device=cpu --parallel=8 -S 16M -T . in -o got
    assert_same wanted got
}

@test "a limit on data, in which buffers and stacks count and files do not" {
    local mib options
    for mib in 32 64 128; do
        for options in "--parallel=2" "--parallel=16 -S 8M" "--parallel=100"; do
            # shellcheck disable=SC2086  # several options
            (ulimit -d $((mib * 1024)) && "$GSORT" --device=cpu $options -T . in -o got)
            assert_same wanted got
            # shellcheck disable=SC2002,SC2086  # a pipe is what is tested
            cat in | (ulimit -d $((mib * 1024)) && "$GSORT" --device=cpu $options -T . >got)
            assert_same wanted got
        done
        (ulimit -d $((mib * 1024)) && "$GSORT" -c --parallel=16 wanted)
    done
}

@test "more address space is not less, for two files" {
    keygen uniform 16M >big
    reference big big >wanted
    local kib
    for kib in 130000 140000 150000 158000 166000; do
        (ulimit -v "$kib" && "$GSORT" --device=cpu big big -o out)
        assert_same wanted out
        rm out
    done
}
