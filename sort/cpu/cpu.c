/* cpu.c -- the scratch memory of the CPU's threads.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/cpu.h"
#include "sort/run/thread_work.h"

#include "common/memory.h"

#include <inttypes.h>

enum gs_status gs_cpu_fail_memory(const struct gs_run *run, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort %" PRIu64 " keys",
                   run->plan.count);
}

gs_key *gs_cpu_scratch(const struct gs_run *run)
{
    const struct gs_cpu *cpu = run->device;
    const uint64_t first = gs_cpu_thread() * run->plan.scratch_keys;
    return cpu->scratch == NULL ? NULL : cpu->scratch + first;
}

enum gs_status gs_map_scratch_cpu(struct gs_run *run, struct gs_error *err)
{
    struct gs_cpu *cpu = run->device;
    const struct gs_plan *plan = &run->plan;
    gs_key *scratch;
#pragma omp critical(gs_scratch)
    {
        if (cpu->scratch == NULL) {
            cpu->scratch = gs_pages_alloc_touched(cpu->scratch_bytes,
                                                  plan->count * sizeof(gs_key) / plan->threads);
            if (cpu->scratch != NULL && plan->direct)
                cpu->bins = (uint16_t *)(void *)(cpu->scratch + plan->threads * plan->scratch_keys);
        }
        scratch = cpu->scratch;
    }
    return scratch != NULL ? GS_OK : gs_cpu_fail_memory(run, err);
}
