/* openmp_environment.c -- set the environment variables that the OpenMP runtime reads.
 * SPDX-License-Identifier: MIT
 *
 * How to wait: by default, GCC's runtime lets waiting threads spin for some milliseconds, longer
 * than a small sort takes: with two cores, one of them used by another program, 2^18 keys took
 * 41 ms, and now take 6 ms. (In a pipeline, no program is alone.) Waking a thread takes 50 us, so a
 * thread spins for about as long before it sleeps.
 *
 * Where to run: a runtime that binds its threads binds the first one before main() begins. All
 * other threads, those that make pages or wait for a GPU, inherit its affinity and would share its
 * one processor, and the default number of threads would be 1, too. Users who want to choose
 * processors have taskset(1), which is honoured. And a stack size set there may be too small.
 *
 * A runtime in a shared library reads its environment before any code of the program runs: so the
 * Makefile links GCC's statically, if it finds that.
 */
#include <stddef.h>
#include <stdlib.h>

#define SPINS "2000" /* 40 to 100 us, depending on the processor */

__attribute__((constructor(101))) static void set_environment(void)
{
    static const char *const without[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND",     "OMP_PLACES",
                                          "OMP_STACKSIZE",   "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                          "GOMP_STACKSIZE",  "KMP_STACKSIZE"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        unsetenv(without[i]);
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1); /* other runtimes know only this one */
    setenv("GOMP_SPINCOUNT", SPINS, 1);
}
