# Under a limit on address space or data, mapped inputs leave room for -S and the stacks.
# SPDX-License-Identifier: MIT

load ../helper

# within MIB COMMAND...: run it with MIB of address space plus the size of the program file, which
# contains the kernels in a build with CUDA.
within()
{
    local limit=$(($1 * 1024 + $(stat -c %s "$GSORT") / 1024))
    (
        ulimit -v "$limit"
        "${@:2}"
    )
}

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    keygen uniform 16M >in # 64 MiB
    reference in >wanted
}

setup()
{
    enter_directory
    require_plain_build
    ln -s "$BATS_FILE_TMPDIR"/* .
}

@test "a sort succeeds with any limit from 64 MiB on and any number of threads" {
    take_few 64 76 88 100 112 124 136 148 160
    for mib in "${TURNS[@]}"; do
        take_few "--parallel=2 -S 16M" "--parallel=16 -S 16M" --parallel=100
        for options in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # several options
            within "$mib" "$GSORT" --device=cpu $options -T . in -o got
            assert_same wanted got
        done
    done
}

@test "a file on standard input, read from its offset" {
    keys 1 2 >file
    cat in >>file
    take_few 72 80 88 96 104 200
    for mib in "${TURNS[@]}"; do
        {
            head -c 8 >/dev/null
            within "$mib" "$GSORT" --device=cpu --parallel=2 -S 16M -T . >got
        } <file
        assert_same wanted got
    done
}

@test "a check succeeds under a limit on address space" {
    for mib in 64 88 124; do
        within "$mib" "$GSORT" -c --parallel=4 wanted
        run -1 within "$mib" "$GSORT" -C --parallel=4 in
    done
}

@test "a merge onto its own input is refused if there is no room for a copy" {
    cp wanted both
    for mib in 88 100 112 124; do
        run -2 --separate-stderr within "$mib" bash -c '"$1" -m -S 1G both 1<>both' _ "$GSORT"
        assert_trouble "reading it into memory"
        cmp wanted both
    done
}

@test "with stacks that fill the limit, one thread sorts" {
    ulimit -S -s 65536 || skip "no such stacks here"
    within 128 "$GSORT" --device=cpu --parallel=8 -S 16M -T . in -o got
    assert_same wanted got
}

@test "a limit on data, which counts buffers and stacks, but not files" {
    local mib options
    for mib in 32 64 128; do
        take_few --parallel=2 "--parallel=16 -S 8M" --parallel=100
        for options in "${TURNS[@]}"; do
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

@test "a sort of two files succeeds with any limit from 130,000 KiB on" {
    reference in in >twice
    local kib
    take_few 130000 140000 150000 166000
    for kib in "${TURNS[@]}"; do
        (ulimit -v "$kib" && "$GSORT" --device=cpu in in -o out)
        assert_same twice out
        rm out
    done
}

@test "a file that is read, and shrinks before its turn, is refused" {
    cp --remove-destination wanted in
    mkfifo fifo
    within 64 "$GSORT" --device=cpu --parallel=2 -S 16M -T . fifo in -o got 2>err &
    exec 7>fifo
    truncate -s 4096 in
    exec 7>&-
    local status=0
    wait $! || status=$?
    [ "$status" -eq 2 ]
    [ "$(cat err)" = "gsort: in: file shrank before it was read" ]
    [ ! -e got ]
}
