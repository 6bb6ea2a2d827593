# Threads that wait for others soon sleep, unless the environment says otherwise.
# SPDX-License-Identifier: MIT

load ../helper

# spins [NAME=VALUE...]: print the spin count of waiting threads, as the OpenMP runtime displays it.
spins()
{
    env OMP_DISPLAY_ENV=verbose "$@" "$GSORT" --version 2>&1 >version |
        sed -n "s/.*GOMP_SPINCOUNT = '\(.*\)'.*/\1/p"
}

@test "waiting threads spin for about a tenth of a millisecond" {
    ! ldd "$GSORT" | grep 'lib[a-z]*omp\.so' >/dev/null ||
        skip "the OpenMP runtime is a shared library, which reads its environment first"
    [ "$(spins)" = 2000 ]
    [ "$(spins GOMP_SPINCOUNT=77)" = 77 ]
    [ "$(spins OMP_WAIT_POLICY=active)" -gt 2000 ]
}
