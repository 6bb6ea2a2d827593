/* external_plan.c -- the sizes of an external sort, and when it is needed.
 * SPDX-License-Identifier: MIT
 *
 * Bins are planned four times smaller than what fits into memory, and loaded in groups that fit: a
 * sample that errs by a factor of four still costs nothing. Input of unknown length gets a fixed
 * number of bins, and half of its splitters come from its first part, half are evenly spaced, since
 * later keys may be unlike the first ones.
 *
 * With a second buffer a chunk is written while the next one is split, but chunks are smaller, and
 * so fewer bins get enough keys of each: it is done without where they would be too few.
 */
#include "sort/external/external_plan.h"
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

/* The most keys of a bin, as long as there may be more bins: it is then sorted in cache. */
#define BIN_KEYS GS_KEYS_IN((uint64_t)512)

/* Bins for input of unknown length: enough for 64 times the memory. */
#define BINS_UNKNOWN 256

/* Where chunks are kept in memory, at least 1 / WORK_SHARE of it, and as many bytes, are for the
 * work: more would make nothing faster. To keep less than 1 / KEPT_SHARE of the input is not worth
 * the smaller chunks. */
#define WORK_SHARE     8
#define WORK_BYTES_MIN ((uint64_t)16 << 20)
#define KEPT_SHARE     8

/* Keys of a chunk that fits into `bytes` as read and, `buffers` times, sorted by bin. */
static uint64_t chunk_keys_for(uint64_t bytes, unsigned buffers)
{
    uint64_t keys = bytes / GS_KEY_BYTES / (1 + buffers);
    keys = keys < CHUNK_KEYS_MAX ? keys : CHUNK_KEYS_MAX;
    return keys > PIECE_KEYS_MIN ? keys : PIECE_KEYS_MIN;
}

/* The most bins that such chunks can be split into. */
static uint64_t most_bins(uint64_t bytes, unsigned buffers)
{
    uint64_t most = chunk_keys_for(bytes, buffers) / PIECE_KEYS_MIN;
    return most < 16 ? 16 : most > GS_BINS_MAX ? GS_BINS_MAX : most;
}

struct gs_external_plan gs_external_plan(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count)
{
    struct gs_external_plan plan = {.memory_bytes = memory_bytes};
    uint64_t fits = 1; /* by bisection: most keys that fit together with what gs_sort takes */
    uint64_t too_many = memory_bytes / GS_KEY_BYTES / 2 + 2;
    while (too_many - fits > 1) {
        uint64_t middle = fits + (too_many - fits) / 2;
        if (gs_external_needed(options, memory_bytes, middle * GS_KEY_BYTES, middle))
            too_many = middle;
        else
            fits = middle;
    }
    plan.bin_keys = fits;
    uint64_t bins = count > 0 ? count / (fits / BINS_PER_LOAD + 1) + 1 : BINS_UNKNOWN;
    bins = bins < GS_BINS_MAX ? bins : GS_BINS_MAX;
    plan.buffers = bins > most_bins(memory_bytes, 2) ? 1 : 2;
    uint64_t most = most_bins(memory_bytes, plan.buffers);
    if (bins < count / BIN_KEYS)
        bins = count / BIN_KEYS;
    plan.bins = (uint32_t)(bins < 8 ? 8 : bins > most ? most : bins);
    plan.chunk_keys = chunk_keys_for(memory_bytes, plan.buffers);
    /* The starts of each bin in each chunk: for an input of 1000 times the memory, they take half
     * of the memory. */
    uint64_t table = (count / plan.chunk_keys + 1) * (plan.bins + 1) * sizeof(uint32_t);
    table = table < memory_bytes / 2 ? table : memory_bytes / 2;
    plan.chunk_keys = chunk_keys_for(memory_bytes - table, plan.buffers);
    return plan;
}

struct gs_external_plan gs_external_plan_keeping(const struct gs_options *options,
                                                 uint64_t memory_bytes, uint64_t count)
{
    const uint64_t least = memory_bytes / WORK_SHARE;
    const uint64_t work = least > WORK_BYTES_MIN ? least : WORK_BYTES_MIN;
    const uint64_t kept = memory_bytes > work ? (memory_bytes - work) / GS_KEY_BYTES : 0;
    const bool keeps = kept > 0 && kept >= count / KEPT_SHARE;
    struct gs_external_plan plan = gs_external_plan(options, keeps ? work : memory_bytes, count);
    plan.kept_keys = keeps ? kept : 0;
    return plan;
}

double gs_external_seconds(uint64_t count)
{
    return (double)count * GS_KEY_BYTES / SPILL_BYTES_PER_SECOND;
}

bool gs_external_counts(const struct gs_options *options, uint64_t count)
{
    struct gs_plan plan;
    gs_plan_make(&plan, options, count);
    return plan.counted;
}

/* Records that are counted need not be held: a pipe's are counted as they come. */
bool gs_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                        uint64_t held_bytes, uint64_t count)
{
    uint64_t sum;
    if (held_bytes > 0 && gs_external_counts(options, count))
        return true;
    return memory_bytes > 0 &&
           (__builtin_add_overflow(gs_sort_memory(options, count), held_bytes, &sum) ||
            sum > memory_bytes);
}
