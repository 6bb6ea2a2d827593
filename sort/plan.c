/* plan.c -- from n, options and machine to the sizes of one sort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/plan.h"
#include "sort/cache_sort.h"
#include "sort/params.h"

#include <assert.h>
#include <omp.h>

static_assert(GS_ONE_BIN_KEYS <= GS_CACHE_SORT_CAPACITY, "one bin is sorted in one go");
static_assert(2 * GS_BIN_KEYS <= GS_CACHE_SORT_CAPACITY, "so is a bin of twice its share");
static_assert(GS_SAMPLES_MAX <= UINT32_MAX, "sample counts are 32 bits wide");

/* Bytes per bin and thread of the scatter's buffers, and per bin and part of its places, rounded
 * up. */
#define BIN_BYTES_PER_THREAD 128

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

unsigned gs_plan_processors(void)
{
    return (unsigned)omp_get_num_procs();
}

void gs_plan_make(struct gs_plan *plan, const struct gs_options *options, uint64_t count,
                  unsigned processors)
{
    *plan = (struct gs_plan){.count = count};
    unsigned threads = options->threads > 0 ? options->threads : processors;
    /* A thread that gets less than a bin's worth of keys costs more than it brings. */
    plan->threads = (unsigned)clamp(threads, 1, count / GS_BIN_KEYS + 1);
    plan->one_bin = options->bins > 0 ? options->bins == 1 || count < 2 : count <= GS_ONE_BIN_KEYS;
    if (plan->one_bin) {
        plan->threads = 1;
        plan->bins = 1;
    } else {
        uint64_t bins = options->bins > 0 ? options->bins : (count + GS_BIN_KEYS - 1) / GS_BIN_KEYS;
        plan->bins = (uint32_t)clamp(bins, 2, GS_BINS_MAX);
        uint64_t samples =
            options->samples > 0 ? options->samples : (uint64_t)plan->bins * GS_OVERSAMPLING;
        plan->samples =
            (uint32_t)clamp(samples, 1, count < GS_SAMPLES_MAX ? count : GS_SAMPLES_MAX);
    }
    plan->memory_bytes = count * sizeof(gs_key) +
                         plan->threads * GS_CACHE_SORT_SCRATCH * sizeof(gs_key) +
                         (uint64_t)plan->threads * 2 * plan->bins * BIN_BYTES_PER_THREAD;
}

void gs_plan_force_bins(struct gs_plan *plan)
{
    if (!plan->one_bin || plan->count == 0)
        return;
    plan->one_bin = false;
    plan->bins = 2;
    plan->samples = plan->count < GS_OVERSAMPLING ? (uint32_t)plan->count : GS_OVERSAMPLING;
}

uint64_t gs_sort_memory(const struct gs_options *options, uint64_t count)
{
    struct gs_plan plan;
    gs_plan_make(&plan, options, count, gs_plan_processors());
    return plan.memory_bytes;
}
