/* external_plan.c -- the sizes of an external sort.
 * SPDX-License-Identifier: MIT
 *
 * Bins are planned four times smaller than what fits into memory, and loaded in groups that fit: a
 * sample that errs by a factor of four still costs nothing. Input of unknown length gets a fixed
 * number of bins, and half of its splitters come from its first part, half are evenly spaced, since
 * later keys may be unlike the first ones.
 */
#include "sort/external/external_plan.h"
#include "sort/bin/cache_sort.h"
#include "sort/keys/params.h"
#include "sort/run/plan.h"

/* Larger chunks do not make I/O any faster; positions in a chunk are 32 bits wide. */
#define CHUNK_KEYS_MAX ((uint64_t)1 << 30)

/* The least keys of a bin in one chunk, on average. */
#define PIECE_KEYS_MIN GS_KEYS_IN(8)

/* Bins that fit into memory together, to be loaded as one group. */
#define BINS_PER_LOAD 4

/* Rate of splitting, writing and reading back: 1 GiB takes 0.66 s longer with -S 64M than in
 * memory, 0.56 s with -S 512M (medians of 7 rounds in turn, two cores of a Xeon, ext4). */
#define SPILL_BYTES_PER_SECOND 1.6e9

/* Bins for input of unknown length: enough for 64 times the memory. */
#define BINS_UNKNOWN 256

/* Where chunks are kept in memory, at least 1 / WORK_SHARE of it, and as many bytes, are for the
 * work: more would make nothing faster. To keep less than 1 / KEPT_SHARE of the input is not worth
 * the smaller chunks. */
#define WORK_SHARE     8
#define WORK_BYTES_MIN ((uint64_t)16 << 20)
#define KEPT_SHARE     8

/* The most of the memory that the threads' scratch memory takes, as long as there are several. */
#define SCRATCH_SHARE 8

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Keys of a chunk of which two fit into `bytes`: one that is split, and one that is written. */
static uint64_t chunk_keys_for(uint64_t bytes)
{
    return clamp(bytes / GS_KEY_BYTES / 2, PIECE_KEYS_MIN, CHUNK_KEYS_MAX);
}

/* Bytes that a table with an entry for each bin in each row takes, for so many keys. */
static uint64_t table_bytes(const struct gs_external_plan *plan, uint64_t keys, uint64_t row_keys)
{
    return (keys / row_keys + 1) * (plan->bins + 1) * sizeof(uint32_t);
}

/* Size the chunks, and what it takes to split them: tables and scratch memory. For an input of 1000
 * times the memory, tables take half of it. */
static void size_chunks(struct gs_external_plan *plan, const struct gs_options *options,
                        uint64_t count)
{
    const uint64_t scratch = GS_CACHE_SORT_SCRATCH * GS_KEY_BYTES;
    const uint64_t most = plan->memory_bytes / SCRATCH_SHARE / scratch;
    const uint64_t chunk = chunk_keys_for(plan->memory_bytes);
    plan->threads = (unsigned)clamp(most, 1, gs_threads(options));
    plan->row_keys = clamp(chunk / ((uint64_t)plan->threads * GS_CHUNKS_PER_THREAD),
                           GS_CHUNK_KEYS_MIN, GS_CHUNK_KEYS_MAX) /
                     GS_CHUNK_KEYS_MIN * GS_CHUNK_KEYS_MIN;
    const uint64_t other = plan->threads * scratch + table_bytes(plan, count, chunk) +
                           table_bytes(plan, 2 * chunk, plan->row_keys);
    plan->chunk_keys = chunk_keys_for(plan->memory_bytes - clamp(other, 0, plan->memory_bytes / 2));
}

/* The most keys that fit together with what gs_sort takes for them. A key more takes about as much
 * again in buffers, so a guess is mended by what it errs; if that leads astray, by bisection. */
static uint64_t most_keys(const struct gs_options *options, uint64_t memory_bytes)
{
    uint64_t fits = 1;
    uint64_t too_many = memory_bytes / GS_KEY_BYTES / 2 + 2;
    uint64_t guess = too_many - 1;
    while (too_many - fits > 1) {
        struct gs_plan plan;
        if (guess <= fits || guess >= too_many)
            guess = fits + (too_many - fits) / 2;
        gs_plan_make(&plan, options, guess);
        const uint64_t bytes = plan.memory_bytes + guess * GS_KEY_BYTES;
        if (bytes > memory_bytes) {
            too_many = guess;
            guess -= (bytes - memory_bytes) / GS_KEY_BYTES / 2 + 1;
        } else {
            fits = guess;
            guess += (memory_bytes - bytes) / GS_KEY_BYTES / 2 + 1;
        }
    }
    return fits;
}

uint32_t gs_external_bins(const struct gs_external_plan *plan, uint64_t count)
{
    uint64_t bins = count > 0 ? count / (plan->bin_keys / BINS_PER_LOAD + 1) + 1 : BINS_UNKNOWN;
    const uint64_t fast = gs_cache_sort_takes_large() ? GS_BIN_KEYS_HUGE / 2 : GS_BIN_KEYS_LARGE;
    if (bins < count / fast)
        bins = count / fast;
    uint64_t most = clamp(chunk_keys_for(plan->memory_bytes) / PIECE_KEYS_MIN, 16, GS_BINS_MAX);
    return (uint32_t)clamp(bins, 8, most);
}

struct gs_external_plan gs_external_plan(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count)
{
    struct gs_external_plan plan = {.memory_bytes = memory_bytes,
                                    .bin_keys = most_keys(options, memory_bytes)};
    plan.bins = gs_external_bins(&plan, count);
    size_chunks(&plan, options, count);
    return plan;
}

struct gs_external_plan gs_external_plan_keeping(const struct gs_options *options,
                                                 uint64_t memory_bytes, uint64_t count)
{
    const uint64_t least = memory_bytes / WORK_SHARE;
    const uint64_t work = least > WORK_BYTES_MIN ? least : WORK_BYTES_MIN;
    const uint64_t kept = memory_bytes > work ? memory_bytes - work : 0;
    if (kept == 0 || kept / GS_KEY_BYTES < count / KEPT_SHARE)
        return gs_external_plan(options, memory_bytes, count);
    struct gs_external_plan plan = gs_external_plan(options, work, count);
    const uint64_t row_bytes = plan.row_keys * GS_KEY_BYTES + table_bytes(&plan, 0, 1);
    plan.kept_keys = kept / row_bytes * plan.row_keys;
    return plan;
}

double gs_external_seconds(uint64_t count)
{
    return (double)count * GS_KEY_BYTES / SPILL_BYTES_PER_SECOND;
}
