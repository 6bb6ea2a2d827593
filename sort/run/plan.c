/* plan.c -- compute the sizes of one sort from n, options and machine.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/plan.h"
#include "sort/bin/cache_sort.h"
#include "sort/keys/params.h"

#include "sort/types/values.h"

#include <assert.h>

static_assert(GS_ONE_BIN_KEYS <= GS_CACHE_SORT_CAPACITY, "one bin is sorted in one go");
static_assert(2 * GS_BIN_KEYS_LARGE <= GS_CACHE_SORT_CAPACITY, "so is a bin of twice its share");
static_assert(2 * GS_BIN_KEYS_HUGE <= GS_CACHE_SORT_LARGE, "wherever bins are larger, too");
static_assert(GS_SAMPLES_MAX <= UINT32_MAX, "sample counts are 32 bits wide");

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The least number of bins with which a bin of up to twice the mean is sorted in one go. Where the
 * processor sorts large bins fast, these may be larger as long as each thread gets enough bins. */
static uint64_t fewest_bins(uint64_t count, unsigned threads)
{
    uint64_t fewest = (count + GS_BIN_KEYS_LARGE - 1) / GS_BIN_KEYS_LARGE;
    uint64_t huge = (count + GS_BIN_KEYS_HUGE - 1) / GS_BIN_KEYS_HUGE;
    return gs_cache_sort_takes_large() ? clamp(2U * GS_BINS_PER_THREAD * threads, huge, fewest)
                                       : fewest;
}

/* Bins for count keys: so many that each fits the cache, but no more than the scatter is fast with.
 * If bins would then be too large, or too few for the threads, more (fewest_bins). */
static uint64_t bins_for(uint64_t count, unsigned threads)
{
    if (count <= GS_FEW_KEYS)
        return (count + GS_FEW_BIN_KEYS - 1) / GS_FEW_BIN_KEYS;
    uint64_t bins = (count + GS_BIN_KEYS - 1) / GS_BIN_KEYS;
    uint64_t fewest = fewest_bins(count, threads);
    bool few = 2U * GS_BINS_PER_THREAD * threads <= GS_BINS_WANTED_FEW &&
               count <= (uint64_t)GS_BINS_WANTED_FEW * GS_BIN_KEYS_LARGE;
    uint64_t most = few ? GS_BINS_WANTED_FEW : GS_BINS_WANTED;
    uint64_t wanted = bins < most ? bins : most;
    return wanted > fewest ? wanted : fewest;
}

/* Set the sizes for sorting bins. Where bins may be large, a thread's scratch memory is enough for
 * a bin of twice the mean, plus a sixteenth. */
static void size_bins(struct gs_plan *plan)
{
    uint64_t share = plan->count / plan->threads / GS_BINS_PER_THREAD;
    uint64_t twice = 2 * plan->count / plan->bins;
    twice += twice / 16;
    plan->bin_keys_max = clamp(share, GS_CACHE_SORT_CAPACITY, GS_CACHE_SORT_LARGE);
    plan->scratch_keys = GS_CACHE_SORT_SCRATCH;
    if (!plan->one_bin && gs_cache_sort_takes_large())
        plan->scratch_keys =
            gs_cache_sort_runs_scratch(twice < plan->bin_keys_max ? twice : plan->bin_keys_max);
}

/* Bytes of a plan's buffers: the sample, and scratch memory to sort it; the scattered copy, or the
 * one bin; a table with an entry for each bin, and each equality bin, in each chunk; and for each
 * thread, scratch memory and room to gather the largest bin that is not split in its runs. */
static uint64_t memory_for(const struct gs_plan *plan)
{
    uint64_t chunks = plan->count / plan->chunk_keys + 1;
    uint64_t table = plan->one_bin ? 0 : chunks * (2 * plan->bins + 1) * sizeof(uint32_t);
    uint64_t gathered = clamp(chunks * GS_RUN_KEYS_MIN * 2, plan->bin_keys_max, UINT64_MAX);
    gathered = plan->one_bin ? 0 : clamp(gathered, 0, plan->count);
    uint64_t sample = plan->samples + gs_cache_sort_scratch(plan->samples);
    return (sample + plan->count) * sizeof(gs_key) + table +
           plan->threads * (plan->scratch_keys + gathered) * sizeof(gs_key);
}

static bool is_one_bin(const struct gs_options *options, uint64_t count)
{
    return options->bins > 0 ? options->bins == 1 || count < 2 : count <= GS_ONE_BIN_KEYS;
}

/* A thread that gets less than a bin's worth of keys costs more than it brings. */
unsigned gs_plan_threads(const struct gs_options *options, uint64_t count)
{
    return is_one_bin(options, count)
               ? 1
               : (unsigned)clamp(gs_threads(options), 1, count / GS_BIN_KEYS + 1);
}

bool gs_plan_counts(const struct gs_options *options)
{
    return options->codec != NULL && options->codec->record_bytes <= 2 && options->format != NULL &&
           options->bins == 0 && options->samples == 0;
}

/* Keys in the sample: `each` per bin, or as many as the options ask for. */
static uint32_t samples_for(const struct gs_options *options, uint32_t bins, uint64_t each,
                            uint64_t count)
{
    uint64_t samples = options->samples > 0 ? options->samples : bins * each;
    return (uint32_t)clamp(samples, 1, count < GS_SAMPLES_MAX ? count : GS_SAMPLES_MAX);
}

void gs_plan_make(struct gs_plan *plan, const struct gs_options *options, uint64_t count)
{
    *plan = (struct gs_plan){.count = count,
                             .threads = gs_plan_threads(options, count),
                             .one_bin = is_one_bin(options, count),
                             .bins = 1};
    if (!plan->one_bin) {
        uint64_t bins = options->bins > 0 ? options->bins : bins_for(count, plan->threads);
        plan->bins = (uint32_t)clamp(bins, 2, GS_BINS_MAX);
        uint64_t each = count <= GS_FEW_KEYS ? GS_FEW_OVERSAMPLING : GS_OVERSAMPLING;
        plan->samples = samples_for(options, plan->bins, each, count);
    }
    plan->chunk_keys = clamp(count / ((uint64_t)plan->threads * GS_CHUNKS_PER_THREAD),
                             GS_CHUNK_KEYS_MIN, GS_CHUNK_KEYS_MAX) /
                       GS_CHUNK_KEYS_MIN * GS_CHUNK_KEYS_MIN;
    size_bins(plan);
    plan->counted = !plan->one_bin && gs_plan_counts(options);
    plan->memory_bytes = plan->counted ? gs_values_memory(plan->threads) : memory_for(plan);
}

uint64_t gs_plan_claim(const struct gs_plan *plan, uint64_t left)
{
    uint64_t share = left / ((uint64_t)plan->threads * GS_CHUNKS_PER_THREAD);
    return share < GS_CLAIM_KEYS_MAX ? share : GS_CLAIM_KEYS_MAX;
}

uint64_t gs_plan_held(const struct gs_plan *plan, uint64_t held_bytes)
{
    if (plan->one_bin || plan->counted || plan->count <= GS_SHARES_KEYS)
        return held_bytes; /* may be read more than once, so nothing is given back before the end */
    uint64_t claim = gs_plan_claim(plan, plan->count);
    uint64_t in_hand =
        plan->threads * (claim > GS_CLAIM_KEYS ? claim : GS_CLAIM_KEYS) * sizeof(gs_key);
    return held_bytes < in_hand ? held_bytes : in_hand;
}

void gs_plan_in_place(struct gs_plan *plan, const struct gs_options *options)
{
    uint64_t bins = options->bins > 0 ? options->bins : GS_INCOMING_BINS;
    plan->one_bin = false;
    plan->bins = (uint32_t)clamp(bins, 2, GS_BINS_MAX);
    plan->samples = samples_for(options, plan->bins, GS_INCOMING_OVERSAMPLING, plan->count);
    plan->chunk_keys = GS_CHUNK_KEYS_MAX;
    size_bins(plan);
    plan->memory_bytes = memory_for(plan) - plan->count * sizeof(gs_key);
}

void gs_plan_part(struct gs_plan *plan, const struct gs_options *options, uint64_t count)
{
    plan->count = count;
    plan->threads = gs_plan_threads(options, count);
    plan->one_bin = is_one_bin(options, count);
    if (plan->samples > count)
        plan->samples = (uint32_t)count;
}

void gs_plan_force_bins(struct gs_plan *plan)
{
    if (!plan->one_bin || plan->count == 0)
        return;
    plan->one_bin = false;
    plan->bins = 2;
    plan->samples = plan->count < GS_OVERSAMPLING ? (uint32_t)plan->count : GS_OVERSAMPLING;
}
