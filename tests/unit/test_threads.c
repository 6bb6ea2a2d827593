/* test_threads.c -- by default one thread for each processor, up to GS_THREADS_DEFAULT.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/processors.h"
#include "sort/types/types.h"
#include "sort/keys/params.h"
#include "tests/unit/check.h"

#include <sched.h>

/* Replaces the C library's function, to simulate a machine of 200 processors. */
int on_large_machine(pid_t process, size_t bytes, cpu_set_t *set) __asm__("sched_getaffinity");
int on_large_machine(pid_t process, size_t bytes, cpu_set_t *set)
{
    (void)process;
    CPU_ZERO_S(bytes, set);
    for (size_t processor = 0; processor < 200; processor++)
        CPU_SET_S(processor, bytes, set);
    return 0;
}

int main(void)
{
    const unsigned processors = gs_processors(); /* a control group may leave fewer */
    CHECK(processors > 0 && processors <= 200);
    CHECK_EQUAL(gs_threads(&(struct gs_options){0}),
                processors < GS_THREADS_DEFAULT ? processors : GS_THREADS_DEFAULT);
    CHECK_EQUAL(gs_threads(&(struct gs_options){.threads = 1}), 1);
    CHECK_EQUAL(gs_threads(&(struct gs_options){.threads = 100}), 100);
    return check_failures();
}
