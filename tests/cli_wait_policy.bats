# Threads that wait for others sleep, unless the environment says otherwise.
# SPDX-License-Identifier: MIT

load helper

# spins [NAME=VALUE...]: how often a thread that waits looks again, as the OpenMP runtime says.
spins()
{
    env OMP_DISPLAY_ENV=verbose "$@" "$GSORT" --version 2>&1 >version |
        sed -n "s/.*GOMP_SPINCOUNT = '\(.*\)'.*/\1/p"
}

@test "they spin for a tenth of a millisecond" {
    ! ldd "$GSORT" | grep 'lib[a-z]*omp\.so' >/dev/null ||
        skip "the OpenMP runtime is a shared library, which reads its environment first"
    [ "$(spins)" = 2000 ]
    [ "$(spins GOMP_SPINCOUNT=77)" = 77 ]
    [ "$(spins OMP_WAIT_POLICY=active)" -gt 2000 ]
}
