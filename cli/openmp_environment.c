/* openmp_environment.c -- what the OpenMP runtime finds in the environment.
 * SPDX-License-Identifier: MIT
 *
 * How to wait: by default GCC's lets threads that wait for others spin for some milliseconds,
 * longer than a small sort takes: with two cores, one of which another program used, 2^18 keys took
 * 41 ms, and now take 6. And in a pipeline no program is alone. To wake one takes 50 us, so it
 * spins for about as long.
 *
 * Where to run: a runtime that binds its threads binds the first one before main() begins. All
 * others, those that make pages or wait for a GPU, are its children and would share its one
 * processor, which is also all that the number of threads would be taken from. Who wants to choose
 * processors has taskset(1), which is honoured. And stacks may be smaller than ours are deep.
 *
 * A runtime that is a shared library has read its environment before any code of the program: the
 * Makefile links GCC's statically, where it finds that.
 */
#include <stddef.h>
#include <stdlib.h>

#define SPINS "2000" /* 40 to 100 us, by the processor */

__attribute__((constructor(101))) static void set_environment(void)
{
    static const char *const without[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND",     "OMP_PLACES",
                                          "OMP_STACKSIZE",   "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                          "GOMP_STACKSIZE",  "KMP_STACKSIZE"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        unsetenv(without[i]);
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1); /* other runtimes know that one only */
    setenv("GOMP_SPINCOUNT", SPINS, 1);
}
