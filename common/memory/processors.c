/* processors.c -- how many processors this process may use.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/processors.h"

#include "common/memory/control_group.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* A quota is microseconds of processor time in each period, also in microseconds; -1 is none. */
static void visit_group(const char *directory, bool version2, void *context)
{
    unsigned *least = context;
    int64_t numbers[2]; /* quota, period */
    bool known = version2
                     ? gs_control_group_read(directory, "cpu.max", 2, numbers)
                     : gs_control_group_read(directory, "cpu.cfs_quota_us", 1, numbers) &&
                           gs_control_group_read(directory, "cpu.cfs_period_us", 1, numbers + 1);
    if (!known || numbers[0] <= 0 || numbers[1] <= 0)
        return;
    int64_t processors = (numbers[0] - 1) / numbers[1] + 1;
    if (processors < *least)
        *least = (unsigned)processors;
}

static unsigned find_processors(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned processors = online > 0 ? (unsigned)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) /* fails if there are more than a set holds */
        processors = (unsigned)CPU_COUNT(&set);
    gs_control_groups("cpu", visit_group, &processors);
    return processors;
}

static atomic_uint known; /* cached: finding out takes 0.1 ms */

void gs_processors_count(void)
{
    atomic_store(&known, find_processors());
}

unsigned gs_processors(void)
{
    if (atomic_load(&known) == 0)
        gs_processors_count();
    return atomic_load(&known);
}
