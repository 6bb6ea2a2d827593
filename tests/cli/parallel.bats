# --parallel sets the number of CPU threads, and gsort sorts where it cannot have so many.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 500003 >in
    reference in >wanted
}

@test "--stats shows the number of threads" {
    run -0 --separate-stderr gsort --parallel=3 --stats=json in -o out
    [[ $stderr =~ \"threads\":\ *3[^0-9] ]]
}

@test "more threads than processors, more than keys" {
    gsort --parallel=64 in -o out
    assert_same wanted out
    keygen uniform 3 >small
    assert_sorts +--parallel=64 small
}

@test "OpenMP variables do not break --parallel" {
    OMP_NUM_THREADS=1 gsort in -o out
    assert_same wanted out
    OMP_NUM_THREADS=1 gsort --parallel=4 in -o out
    assert_same wanted out
    OMP_NUM_THREADS=5 OMP_DYNAMIC=true gsort in -o out
    assert_same wanted out
    OMP_THREAD_LIMIT=1 gsort --parallel=4 in -o out
    assert_same wanted out
}

@test "a limit on the user's threads: gsort still sorts, and leaves nothing" {
    require_nobody
    keygen uniform 500003 >in
    reference in >wanted
    chmod 777 .
    # A sanitizer needs a thread of its own to look for leaks.
    export ASAN_OPTIONS=detect_leaks=0
    for most in 1 2 3 5; do
        as_nobody bash -c 'ulimit -u "$2"; exec "$1" --parallel=8 in -o out' \
            bash "$GSORT" "$most"
        assert_same wanted out
        rm -f out
        assert_only in wanted
    done
}

@test "a control group's limit on threads: gsort still sorts, and leaves nothing" {
    require_control_group pids
    keygen uniform 500003 >in
    reference in >wanted
    export ASAN_OPTIONS=detect_leaks=0
    for most in 1 2 3 5; do
        echo "$most" >"$LIMIT"
        in_group "$GSORT" --parallel=8 in -o out
        assert_same wanted out
        rm -f out
        assert_only in wanted
    done
}
