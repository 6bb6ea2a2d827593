# Every call of the library fails as a whole where the system refuses memory or a thread.
# SPDX-License-Identifier: MIT

load ../helper

setup_file()
{
    [ "$GSORT_DEVICE" != gpu ] || return 0 # setup skips all
    cd "$BATS_FILE_TMPDIR" || return
    "${CC:-cc}" -O1 -Wall -Wextra -Werror "$ROOT/tests/library/every_call.c" -I "$LIBRARY/include" \
        -L "$LIBRARY/lib" -lgsort -pthread -o every_call
}

setup()
{
    without_gpu "the library sorts on the CPU"
    enter_directory
    export LD_LIBRARY_PATH=$LIBRARY/lib
    ln -s "$BATS_FILE_TMPDIR/every_call" .
    mkdir empty
}

# fail_each KIND: run all calls again and again, each time with another call of the kind refused.
# With GSORT_EXPENSIVE, each of them, else the first ones and some more.
fail_each()
{
    local k=1 step=1
    while :; do
        rm -f mark
        (cd empty && GSORT_FAULT="$1 12 $k" GSORT_FAULT_MARK=../mark LD_PRELOAD=$FAULTS \
            timeout 60 ../every_call >../said 2>&1) || {
            echo "$1 $k: status $?: $(cat said)"
            return 1
        }
        [ ! -s said ]
        [ -z "$(ls -A empty)" ]
        [ -e mark ] || break
        [ -n "${GSORT_EXPENSIVE:-}" ] || step=$((1 + k / 2))
        k=$((k + step))
    done
    echo "$1: $k"
    [ "$k" -gt 2 ]
}

@test "malloc" {
    fail_each malloc
}

@test "mmap" {
    fail_each mmap
}

@test "threads" {
    fail_each thread
}

@test "madvise" {
    fail_each madvise
}

@test "no memory from some call on" {
    local k
    for k in 1 9 40 90 200; do
        (cd empty && GSORT_FAULT="malloc 12+ $k" LD_PRELOAD=$FAULTS timeout 60 ../every_call) \
            >said 2>&1
        [ ! -s said ]
    done
}
