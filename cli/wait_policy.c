/* wait_policy.c -- threads that wait for others sleep soon, and leave the processor to the rest.
 * SPDX-License-Identifier: MIT
 *
 * By default GCC's OpenMP runtime lets them spin for some milliseconds, longer than a small sort
 * takes: with two cores, one of which another program used, 2^18 keys took 41 ms, and now take 6.
 * And in a pipeline no program is alone. To wake one takes 50 us, so it spins for about as long.
 *
 * A runtime that is a shared library has read its environment before any code of the program: the
 * Makefile links GCC's statically, where it finds that.
 */
#include <stdlib.h>

#define SPINS "2000" /* 40 to 100 us, by the processor */

__attribute__((constructor(101))) static void set_wait_policy(void)
{
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1); /* other runtimes know that one only */
    setenv("GOMP_SPINCOUNT", SPINS, 1);
}
