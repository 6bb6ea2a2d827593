/* cpu.c -- the scratch memory of the CPU's threads.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/cpu.h"
#include "sort/run/thread_work.h"

#include <inttypes.h>

enum gs_status gs_cpu_fail_memory(const struct gs_run *run, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort %" PRIu64 " keys",
                   run->plan.count);
}

gs_key *gs_cpu_scratch(const struct gs_run *run)
{
    return run->cpu->scratch + gs_cpu_thread() * run->plan.scratch_keys;
}
