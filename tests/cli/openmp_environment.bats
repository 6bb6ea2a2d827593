# OpenMP variables in the environment for places and stacks have no effect on gsort.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    ! ldd "$GSORT" | grep 'libomp' >/dev/null || skip "clang's OpenMP runtime reads its environment"
    keygen uniform 4M >in
}

# threads [NAME=VALUE...]: print how many threads a sort has with these variables.
threads()
{
    env "$@" "$GSORT" --device=cpu --stats in -o out 2>&1 | awk '/^threads/ { print $2 }'
}

@test "places do not change the number of threads" {
    local all
    all=$(threads)
    [ "$(threads OMP_PROC_BIND=true)" -eq "$all" ]
    [ "$(threads OMP_PLACES=cores)" -eq "$all" ]
    [ "$(threads GOMP_CPU_AFFINITY=0)" -eq "$all" ]
}

@test "an invalid OMP_NUM_THREADS is no error" {
    run -0 --separate-stderr env OMP_NUM_THREADS=many "$GSORT" in -o out
    [ "$stderr" = "" ]
}

@test "a stack size too small for the threads does no harm" {
    reference in >wanted
    OMP_STACKSIZE=16k gsort --parallel=4 in -o out
    assert_same wanted out
    GOMP_STACKSIZE=16 gsort --parallel=4 in -o out
    assert_same wanted out
}
