# What the environment says to OpenMP's programs about places and stacks does not bind gsort.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    enter_directory
    ! ldd "$GSORT" | grep 'lib[a-z]*omp\.so' >/dev/null ||
        skip "the OpenMP runtime is a shared library, which reads its environment first"
    keygen uniform 4M >in
}

# threads [NAME=VALUE...]: how many a sort has.
threads()
{
    env "$@" "$GSORT" --device=cpu --stats in -o out 2>&1 | awk '/^threads/ { print $2 }'
}

@test "there are as many threads as without places" {
    local all
    all=$(threads)
    [ "$(threads OMP_PROC_BIND=true)" -eq "$all" ]
    [ "$(threads OMP_PLACES=cores)" -eq "$all" ]
    [ "$(threads GOMP_CPU_AFFINITY=0)" -eq "$all" ]
}

@test "a number of threads that is none is nobody's trouble" {
    run -0 --separate-stderr env OMP_NUM_THREADS=many "$GSORT" in -o out
    [ "$stderr" = "" ]
}

@test "a small stack for its threads is no fault" {
    reference in >wanted
    OMP_STACKSIZE=16k gsort --parallel=4 in -o out
    assert_same wanted out
    GOMP_STACKSIZE=16 gsort --parallel=4 in -o out
    assert_same wanted out
}
