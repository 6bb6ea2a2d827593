/* external.c -- sort more keys than memory may hold: plan, entry and shared helpers.
 * SPDX-License-Identifier: MIT
 *
 *   input --> sample --> splitters
 *     |                      |
 *     +--> chunk by chunk: split by bin in memory --> temporary files
 *                                                        |
 *            output <-- sort in memory <-- load <-- bins in order, several small ones together,
 *                                                   one that is too large is an input again
 *
 * At first half of the memory holds the chunk that is read, and half the chunk sorted by bin; later
 * half holds the loaded bins, and half is what gs_sort takes to sort them. The page cache overlaps
 * disk I/O with the sort's work: it writes behind, and is told what will be read next.
 *
 * Bins are planned four times smaller than what fits into memory, and loaded in groups that fit: a
 * sample that errs by a factor of four still costs nothing. Input of unknown length gets a fixed
 * number of bins, and half of its splitters come from its first part, half are evenly spaced, since
 * later keys may be unlike the first ones.
 */
#include "sort/external/external_sorter.h"
#include "sort/keys/params.h"
#include "sort/run/plan.h"
#include "sort/sorter/sorter.h"

#include "common/memory.h"

/* Larger chunks do not make I/O any faster; positions in a chunk are 32 bits wide. */
#define CHUNK_KEYS_MAX ((uint64_t)1 << 30)

/* The least keys of a bin in one chunk, on average. */
#define PIECE_KEYS_MIN 2048

/* Bins that fit into memory together, to be loaded as one group. */
#define BINS_PER_LOAD 4

/* Rate of splitting, writing and reading back: 1 GiB takes 0.66 s longer with -S 64M than in
 * memory, 0.56 s with -S 512M (medians of 7 rounds in turn, two cores of a Xeon, ext4). */
#define SPILL_BYTES_PER_SECOND 1.6e9

/* The most keys of a bin, as long as there may be more bins: it is then sorted in cache. */
#define BIN_KEYS ((uint64_t)1 << 17)

/* Bins for input of unknown length: enough for 64 times the memory. */
#define BINS_UNKNOWN 256

/* Keys of a chunk that fits into `bytes` twice: as read, and sorted by bin. */
static uint64_t chunk_keys_for(uint64_t bytes)
{
    uint64_t keys = bytes / GS_KEY_BYTES / 2;
    keys = keys < CHUNK_KEYS_MAX ? keys : CHUNK_KEYS_MAX;
    return keys > PIECE_KEYS_MIN ? keys : PIECE_KEYS_MIN;
}

struct gs_external_plan gs_external_plan(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count)
{
    struct gs_external_plan plan;
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
    plan.chunk_keys = chunk_keys_for(memory_bytes);
    uint64_t bins = count > 0 ? count / (fits / BINS_PER_LOAD + 1) + 1 : BINS_UNKNOWN;
    if (bins < count / BIN_KEYS)
        bins = count / BIN_KEYS;
    uint64_t most = plan.chunk_keys / PIECE_KEYS_MIN;
    most = most < 16 ? 16 : most > GS_BINS_MAX ? GS_BINS_MAX : most;
    plan.bins = (uint32_t)(bins < 8 ? 8 : bins > most ? most : bins);
    /* The starts of each bin in each chunk: for an input of 1000 times the memory, they take half
     * of the memory. */
    uint64_t table = (count / plan.chunk_keys + 1) * (plan.bins + 1) * sizeof(uint32_t);
    plan.chunk_keys =
        chunk_keys_for(memory_bytes - (table < memory_bytes / 2 ? table : memory_bytes / 2));
    return plan;
}

double gs_external_seconds(uint64_t count)
{
    return (double)count * GS_KEY_BYTES / SPILL_BYTES_PER_SECOND;
}

bool gs_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                        uint64_t held_bytes, uint64_t count)
{
    uint64_t sum;
    return memory_bytes > 0 &&
           (__builtin_add_overflow(gs_sort_memory(options, count), held_bytes, &sum) ||
            sum > memory_bytes);
}

void gs_external_account(struct gs_sorter *sorter, enum gs_stage stage, uint64_t start,
                         uint64_t keys, uint64_t bytes_per_key)
{
    const struct gs_stage_stats row = gs_stage_since(start, keys, keys * bytes_per_key);
    gs_stage_add(&sorter->stats->stages[stage], &row);
}

enum gs_status gs_external_need(gs_key **pages, uint64_t keys, struct gs_error *err)
{
    if (*pages == NULL)
        *pages = gs_pages_alloc(keys * GS_KEY_BYTES);
    if (*pages == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %.1f MB of keys",
                       (double)keys * GS_KEY_BYTES / 1e6);
    return GS_OK;
}

void gs_external_drop(gs_key **pages, uint64_t keys)
{
    gs_pages_free(*pages, keys * GS_KEY_BYTES);
    *pages = NULL;
}

void gs_external_phase(struct gs_sorter *sorter, enum gs_stage stage, uint64_t total)
{
    gs_progress_enter(sorter->progress, gs_stage_name(stage), total);
}

enum gs_status gs_sort_external(const struct gs_options *options, const struct gs_external *source,
                                struct gs_sink *sink, struct gs_progress *progress,
                                struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_level *level = NULL;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_sorter sorter = {.options = options,
                               .source = source,
                               .progress = progress != NULL ? progress : &own_progress,
                               .stats = stats,
                               .threads = gs_threads(options),
                               .sink = {.write = gs_external_write, .stream = sink->stream},
                               .target = sink};
    uint64_t count = 0;
    for (size_t i = 0; i < source->span_count; i++)
        count += source->spans[i].count;
    sorter.plan = gs_external_plan(options, source->memory_bytes, source->read == NULL ? count : 0);
    *stats = (struct gs_stats){.order = "none",
                               .engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
                               .device = gs_device_name(GS_DEVICE_CPU),
                               .reason = "nothing but frequent keys; through temporary files",
                               .threads = sorter.threads};
    GS_TRY(gs_options_check(options, err));
    GS_TRY(gs_spill_open(&sorter.spill, source->directories, source->directory_count, err));
    GS_TRY(gs_external_split_input(&sorter, &level, err));
    stats->keys_in = atomic_load(&sorter.progress->done);
    gs_external_phase(&sorter, GS_STAGE_SORT_BINS, stats->keys_in);
    GS_TRY(gs_external_emit(&sorter, level, err));
    if (options->verify && sink->stream)
        GS_TRY(gs_trail_prove(&sorter.trail, sorter.expected, err));
cleanup:
    gs_external_drop(&sorter.load, sorter.plan.bin_keys);
    gs_level_free(level);
    stats->temporary_bytes = sorter.spill.used;
    stats->keys_out = sorter.position;
    stats->fingerprint = sorter.expected;
    stats->memory_bytes = source->memory_bytes;
    gs_spill_close(&sorter.spill);
    return st;
}
