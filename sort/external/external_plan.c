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
#include "sort/external/external_writer.h"
#include "sort/keys/params.h"
#include "sort/run/plan.h"

/* Larger chunks do not make I/O any faster; positions in a chunk are 32 bits wide. */
#define CHUNK_KEYS_MAX ((uint64_t)1 << 30)

/* The least bytes of a bin in one chunk, on average, and the least entries of a chunk. */
#define PIECE_BYTES_MIN ((uint64_t)8 << 10)
#define CHUNK_KEYS_MIN  64

/* Bins that fit into memory together, to be loaded as one group. */
#define BINS_PER_LOAD 4

/* Rate of splitting, writing and reading back: 1 GiB takes 0.66 s longer with -S 64M than in
 * memory, 0.56 s with -S 512M (medians of 7 rounds in turn, two cores of a Xeon, ext4). */
#define SPILL_BYTES_PER_SECOND 1.6e9

/* Bins of records are sorted one by one, in cache, and read by groups: they may be so many times
 * smaller in a chunk, as long as their table takes at most so much of the memory. */
#define FINE_BINS   4
#define TABLE_SHARE 16

/* So many where it is not known how many records will come, which may be 100 times the memory. */
#define FINE_BINS_UNKNOWN 2048
#define LONGEST_UNKNOWN   100

/* Bins for input of unknown length: enough for 64 times the memory. */
#define BINS_UNKNOWN 256

/* Where chunks are kept in memory, at least 1 / WORK_SHARE of it, and as many bytes, are for the
 * work: more would make nothing faster. To keep less than 1 / KEPT_SHARE of the input is not worth
 * the smaller chunks. */
#define WORK_SHARE     8
#define WORK_BYTES_MIN ((uint64_t)16 << 20)
#define KEPT_SHARE     8

/* The most of the memory that the threads' scratch memory takes, as long as there are several: more
 * where records are fetched, too. */
#define SCRATCH_SHARE        8
#define SCRATCH_SHARE_TAGGED 4

/* The most of it that is in the hands of writers, which the plan does not count: many processors
 * would else take several times what they may. */
#define WRITERS_SHARE 4

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The least entries of a bin in one chunk. */
static uint64_t piece_keys_min(const struct gs_entries *entries)
{
    return (PIECE_BYTES_MIN + entries->bytes - 1) / entries->bytes;
}

/* Keys of a chunk of which two fit into `bytes`: one that is split, and one that is written. */
static uint64_t chunk_keys_for(const struct gs_entries *entries, uint64_t bytes)
{
    return clamp(bytes / gs_entry_room(entries) / 2,
                 clamp(piece_keys_min(entries), CHUNK_KEYS_MIN, UINT64_MAX), CHUNK_KEYS_MAX);
}

/* Bytes that a table with an entry for each bin in each row takes, for so many keys. */
static uint64_t table_bytes(const struct gs_external_plan *plan, uint64_t keys, uint64_t row_keys)
{
    return (keys / row_keys + 1) * (plan->bins + 1) * sizeof(uint32_t);
}

/* Size the chunks, and what it takes to split them: tables and scratch memory. For an input of 1000
 * times the memory, tables take half of it. */
static void size_chunks(struct gs_external_plan *plan, const struct gs_entries *entries,
                        unsigned threads, uint64_t count)
{
    const uint64_t scratch = GS_CACHE_SORT_SCRATCH * GS_KEY_BYTES;
    const uint64_t share = entries->tagged ? SCRATCH_SHARE_TAGGED : SCRATCH_SHARE;
    const uint64_t most = plan->memory_bytes / share / scratch;
    const uint64_t chunk = chunk_keys_for(entries, plan->memory_bytes);
    const uint64_t piece = gs_piece_entries(entries) * gs_entry_room(entries);
    plan->threads = (unsigned)clamp(most, 1, threads > 0 ? threads : 1);
    plan->writers = (unsigned)clamp(plan->memory_bytes / WRITERS_SHARE / piece, 1, threads);
    plan->row_keys = clamp(chunk / ((uint64_t)plan->threads * GS_CHUNKS_PER_THREAD),
                           GS_CHUNK_KEYS_MIN, GS_CHUNK_KEYS_MAX) /
                     GS_CHUNK_KEYS_MIN * GS_CHUNK_KEYS_MIN;
    const uint64_t other = plan->threads * scratch + table_bytes(plan, count, chunk) +
                           table_bytes(plan, 2 * chunk, plan->row_keys);
    plan->chunk_keys =
        chunk_keys_for(entries, plan->memory_bytes - clamp(other, 0, plan->memory_bytes / 2));
}

/* The most entries that fit together with what sorting them takes. One more takes about a key in
 * buffers, so a guess is mended by what it errs; if that leads astray, by bisection. */
static uint64_t most_keys(const struct gs_entries *entries, uint64_t memory_bytes)
{
    const uint64_t each = entries->bytes + GS_KEY_BYTES;
    uint64_t fits = 1;
    uint64_t too_many = memory_bytes / each + 2;
    uint64_t guess = too_many - 1;
    while (too_many - fits > 1) {
        struct gs_plan plan;
        if (guess <= fits || guess >= too_many)
            guess = fits + (too_many - fits) / 2;
        entries->plan(entries, guess, &plan);
        const uint64_t bytes = plan.memory_bytes + guess * entries->bytes;
        if (bytes > memory_bytes) {
            too_many = guess;
            guess -= (bytes - memory_bytes) / each + 1;
        } else {
            fits = guess;
            guess += (memory_bytes - bytes) / each + 1;
        }
    }
    return fits;
}

bool gs_external_plan_fits(const struct gs_external_plan *plan, const struct gs_entries *entries,
                           uint64_t count)
{
    const uint64_t chunks = plan->chunk_keys * gs_entry_room(entries) * 2;
    return plan->bin_keys >= CHUNK_KEYS_MIN && chunks <= plan->memory_bytes &&
           table_bytes(plan, count, plan->chunk_keys) <= plan->memory_bytes / 2;
}

/* As many bins as are sorted fast, and as chunks are not too short for. */
static uint64_t fast_bins(const struct gs_external_plan *plan, const struct gs_entries *entries,
                          uint64_t count, uint64_t chunk)
{
    const uint64_t memory = plan->memory_bytes;
    const uint64_t large = gs_cache_sort_takes_large() ? GS_BIN_KEYS_HUGE / 2 : GS_BIN_KEYS_LARGE;
    if (!entries->tagged)
        return count / large;
    const uint64_t wanted = count > 0 ? count / (GS_BIN_KEYS_LARGE / 4) : FINE_BINS_UNKNOWN;
    const uint64_t fine = chunk * FINE_BINS / piece_keys_min(entries);
    const uint64_t longest = count > 0 ? count : LONGEST_UNKNOWN * memory / entries->bytes;
    const uint64_t table = memory / TABLE_SHARE / sizeof(uint32_t) / (longest / chunk + 1);
    return clamp(clamp(wanted, 0, fine), 0, table);
}

uint32_t gs_external_bins(const struct gs_external_plan *plan, const struct gs_entries *entries,
                          uint64_t count)
{
    const uint64_t bins =
        count > 0 ? count / (plan->bin_keys / BINS_PER_LOAD + 1) + 1 : BINS_UNKNOWN;
    const uint64_t chunk = chunk_keys_for(entries, plan->memory_bytes);
    const uint64_t fast = fast_bins(plan, entries, count, chunk);
    uint64_t most = clamp(chunk / piece_keys_min(entries), 16, GS_BINS_MAX);
    if (entries->tagged)
        most = clamp(fast, most, GS_BINS_MAX);
    return (uint32_t)clamp(bins > fast ? bins : fast, 8, most);
}

struct gs_external_plan gs_external_plan(const struct gs_entries *entries, unsigned threads,
                                         uint64_t memory_bytes, uint64_t count)
{
    struct gs_external_plan plan = {.memory_bytes = memory_bytes,
                                    .bin_keys = most_keys(entries, memory_bytes)};
    plan.bins = gs_external_bins(&plan, entries, count);
    size_chunks(&plan, entries, threads, count);
    return plan;
}

struct gs_external_plan gs_external_plan_keeping(const struct gs_entries *entries, unsigned threads,
                                                 uint64_t memory_bytes, uint64_t count)
{
    const uint64_t least = memory_bytes / WORK_SHARE;
    const uint64_t work = least > WORK_BYTES_MIN ? least : WORK_BYTES_MIN;
    const uint64_t kept = memory_bytes > work ? memory_bytes - work : 0;
    if (entries->tagged || kept == 0 || kept / GS_KEY_BYTES < count / KEPT_SHARE)
        return gs_external_plan(entries, threads, memory_bytes, count);
    struct gs_external_plan plan = gs_external_plan(entries, threads, work, count);
    const uint64_t row_bytes = plan.row_keys * GS_KEY_BYTES + table_bytes(&plan, 0, 1);
    plan.kept_keys = kept / row_bytes * plan.row_keys;
    return plan;
}

double gs_external_seconds(uint64_t count)
{
    return (double)count * GS_KEY_BYTES / SPILL_BYTES_PER_SECOND;
}
