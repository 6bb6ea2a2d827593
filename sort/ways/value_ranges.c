/* value_ranges.c -- sort keys of few values: count each value, and write that many copies.
 * SPDX-License-Identifier: MIT
 *
 * Each key is read once, so what somebody writes to the input meanwhile is either counted or not.
 */
#include "sort/keys/vectors.h"
#include "sort/ways/value_ranges.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_KEYS = 2048,
    PIECE_KEYS = 16384, /* keys written at once */
    NEAR = 128,         /* values on either side of a sampled one that may occur, too */
    VALUES_MIN = 16,    /* fewer are sorted faster as equality bins */
    VALUES_MAX = 65536 + 4 * NEAR,
    KEYS_PER_VALUE = 64, /* with fewer, counting is not worth it */
    TABLES = 4 /* tables of counters, so that equal keys in a row do not wait for each other, ... */
};
#define FEW_VALUES 4096 /* ... used up to this many values, where that is likely */

void gs_value_ranges_find(struct gs_value_ranges *ranges, const gs_key *sample, uint32_t samples,
                          uint64_t keys)
{
    uint64_t most = keys / KEYS_PER_VALUE < VALUES_MAX ? keys / KEYS_PER_VALUE : VALUES_MAX;
    uint64_t values = 0;
    uint32_t count = 0;
    ranges->count = 0;
    for (uint32_t i = 0; i < samples;) {
        if (count == GS_VALUE_RANGES_MAX)
            return;
        gs_key low = sample[i] > NEAR ? sample[i] - NEAR : 0;
        for (i++; i < samples && sample[i] - sample[i - 1] <= 2 * NEAR; i++)
            continue;
        gs_key last = sample[i - 1];
        gs_key high = last < GS_KEY_MAX - NEAR ? last + NEAR : GS_KEY_MAX;
        ranges->low[count] = low;
        ranges->width[count] = high - low;
        ranges->first[count++] = (uint32_t)values;
        values += (uint64_t)(high - low) + 1;
        if (values > most)
            return;
    }
    if (sample[samples - 1] - sample[0] < VALUES_MIN)
        return;
    ranges->values = (uint32_t)values;
    ranges->count = count;
}

/* Find the number of each key's value; ranges->values if it is in no range. */
GS_CLONES static void find_values(const struct gs_value_ranges *ranges, const gs_key *keys,
                                  uint32_t *values)
{
    for (uint32_t i = 0; i < BLOCK_KEYS; i++)
        values[i] = ranges->values;
    for (uint32_t r = 0; r < ranges->count; r++) {
        const gs_key low = ranges->low[r];
        const gs_key width = ranges->width[r];
        const uint32_t first = ranges->first[r];
        for (uint32_t i = 0; i < BLOCK_KEYS; i++) {
            gs_key above = keys[i] - low; /* wraps around below low */
            values[i] = above <= width ? first + (uint32_t)above : values[i];
        }
    }
}

/* One thread's counters, [tables][stride], and the fingerprint of what it read. */
struct tally {
    uint32_t *counts;
    uint32_t tables;
    uint32_t stride;
    uint64_t fingerprint;
};

/* Count the keys of a block. */
static void count_block(struct tally *tally, const uint32_t *values, uint64_t count)
{
    uint64_t i = 0;
    if (tally->tables == TABLES)
        for (; i + TABLES <= count; i += TABLES)
            for (uint32_t t = 0; t < TABLES; t++)
                tally->counts[t * tally->stride + values[i + t]]++;
    for (; i < count; i++)
        tally->counts[values[i]]++;
}

/* Count keys of the input, at most 2^32 - 1 at a time; false if any is in no range. */
static bool count_keys(const struct gs_run *run, const struct gs_value_ranges *ranges,
                       uint64_t first, uint64_t count, struct tally *tally)
{
    gs_key keys[BLOCK_KEYS];
    uint32_t values[BLOCK_KEYS];
    memset(keys, 0, sizeof keys);
    for (uint64_t done = 0; done < count; done += BLOCK_KEYS) {
        uint64_t here = count - done < BLOCK_KEYS ? count - done : BLOCK_KEYS;
        gs_tiles_copy(&run->tiles, first + done, here, keys);
        if (run->options->verify)
            tally->fingerprint += gs_fingerprint(keys, here);
        find_values(ranges, keys, values);
        count_block(tally, values, here);
    }
    uint32_t others = 0;
    for (uint32_t t = 0; t < tally->tables; t++)
        others += tally->counts[t * tally->stride + ranges->values];
    return others == 0;
}

/* Add a thread's counters to those of all. */
static void add_tally(const struct tally *tally, uint32_t values, uint64_t *counts)
{
    for (uint32_t t = 0; t < tally->tables; t++)
        for (uint32_t value = 0; value < values; value++)
            counts[value] += tally->counts[t * tally->stride + value];
}

/* Count all values; false if a key is in no range, or there is no memory. */
static bool count_values(struct gs_run *run, const struct gs_value_ranges *ranges, uint64_t *counts)
{
    const uint64_t tile_keys = GS_TILE_KEYS / 2;
    uint64_t n = run->plan.count;
    uint64_t fingerprint = 0;
    atomic_bool failed = false;
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint)
    {
        struct tally tally = {.tables = ranges->values <= FEW_VALUES ? TABLES : 1,
                              .stride = ranges->values + 1};
        tally.counts = calloc((size_t)tally.tables * tally.stride, sizeof *tally.counts);
        uint64_t counted = 0;
        if (tally.counts == NULL)
            atomic_store(&failed, true);
        while (tally.counts != NULL && !atomic_load_explicit(&failed, memory_order_relaxed)) {
            uint64_t first = atomic_fetch_add(&next, tile_keys);
            if (first >= n)
                break;
            uint64_t count = n - first < tile_keys ? n - first : tile_keys;
            if (!count_keys(run, ranges, first, count, &tally))
                atomic_store(&failed, true);
            counted += count;
            if (counted > UINT32_MAX / 2) { /* before a counter overflows */
#pragma omp critical(gs_account)
                add_tally(&tally, ranges->values, counts);
                memset(tally.counts, 0, (size_t)tally.tables * tally.stride * sizeof *tally.counts);
                counted = 0;
            }
            atomic_fetch_add_explicit(&run->progress->done, count, memory_order_relaxed);
        }
        if (tally.counts != NULL) {
#pragma omp critical(gs_account)
            add_tally(&tally, ranges->values, counts);
        }
        free(tally.counts);
        fingerprint += tally.fingerprint;
    }
    if (!failed)
        run->fingerprint += fingerprint;
    return !failed;
}

/* The key that is value number `value`. */
static gs_key key_of(const struct gs_value_ranges *ranges, uint32_t value)
{
    uint32_t r = ranges->count - 1;
    while (ranges->first[r] > value)
        r--;
    return ranges->low[r] + (value - ranges->first[r]);
}

/* The last value whose first key has at most this position in the sorted output. */
static uint32_t value_at(const uint64_t *starts, uint32_t values, uint64_t position)
{
    uint32_t low = 0;
    uint32_t high = values - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (starts[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Write the sorted keys first .. first + count - 1, ascending, to `to`. */
static void write_values(const struct gs_value_ranges *ranges, const uint64_t *starts,
                         uint64_t first, uint64_t count, gs_key *to)
{
    uint32_t value = value_at(starts, ranges->values, first);
    for (uint64_t i = first; i < first + count; value++) {
        gs_key key = key_of(ranges, value);
        uint64_t end = starts[value + 1] < first + count ? starts[value + 1] : first + count;
        for (; i < end; i++)
            *to++ = key;
    }
}

/* Turn counts into places, one key per value if options->unique; returns the number of keys. */
static uint64_t place_values(struct gs_run *run, const struct gs_value_ranges *ranges,
                             uint64_t *counts)
{
    uint64_t sum = 0;
    for (uint32_t value = 0; value <= ranges->values; value++) {
        uint64_t count = counts[value];
        counts[value] = sum;
        run->stats->bins += count > 0;
        if (run->options->unique && count > 1) {
            gs_key key = key_of(ranges, value);
            if (run->options->verify)
                gs_emit_drop(&run->emitter, gs_fingerprint(&key, 1) * (count - 1));
            count = 1;
        }
        sum += count;
    }
    run->stats->equality_bins = run->stats->bins;
    run->stats->equality_keys = run->plan.count;
    return sum;
}

/* Hand out all keys, piece by piece; buffers holds one piece for each thread. */
static void emit_values(struct gs_run *run, const struct gs_value_ranges *ranges,
                        const uint64_t *starts, uint64_t count, gs_key *buffers)
{
    uint64_t pieces = (count + PIECE_KEYS - 1) / PIECE_KEYS;
    atomic_uint_fast64_t next = 0;
    gs_run_phase(run, GS_STAGE_SORT_BINS, count);
#pragma omp parallel num_threads(run->plan.threads)
    {
        struct gs_thread_work work = {0};
        uint64_t written = 0;
        gs_key *keys = buffers + (size_t)gs_cpu_thread() * PIECE_KEYS;
        for (uint64_t number; (number = atomic_fetch_add(&next, 1)) < pieces;) {
            uint64_t piece = run->options->reverse ? pieces - 1 - number : number;
            uint64_t first = piece * PIECE_KEYS;
            uint64_t here = count - first < PIECE_KEYS ? count - first : PIECE_KEYS;
            uint64_t start = gs_now_ns();
            write_values(ranges, starts, first, here, keys);
            uint64_t kept = gs_emit_shape(&run->emitter, keys, here);
            work.sort_ns += gs_now_ns() - start;
            written += here;
            uint64_t planned = run->options->reverse ? count - first - here : first;
            if (gs_work_emit(run, number, keys, kept, planned, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, here, memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
#pragma omp critical(gs_account) /* not by gs_work_account: no key was read */
        gs_run_account(run, GS_STAGE_SORT_BINS, "cpu", work.sort_ns / run->plan.threads, written,
                       written * GS_KEY_BYTES);
    }
}

enum gs_status gs_sort_values_cpu(struct gs_run *run, const struct gs_value_ranges *ranges,
                                  bool *sorted, struct gs_error *err)
{
    uint64_t start = gs_now_ns();
    *sorted = false;
    if (ranges->count == 0)
        return GS_OK;
    uint64_t *counts = calloc((size_t)ranges->values + 1, sizeof *counts);
    gs_key *buffers = malloc(run->plan.threads * (size_t)PIECE_KEYS * sizeof *buffers);
    if (counts == NULL || buffers == NULL)
        goto cleanup; /* the caller falls back to another method */
    gs_run_phase(run, GS_STAGE_COUNT_BINS, run->plan.count);
    *sorted = count_values(run, ranges, counts);
    uint64_t counted = *sorted ? run->plan.count : 0;
    gs_run_account(run, GS_STAGE_COUNT_BINS, "cpu", gs_now_ns() - start, counted,
                   counted * GS_KEY_BYTES);
    if (*sorted)
        emit_values(run, ranges, counts, place_values(run, ranges, counts), buffers);
cleanup:
    free(buffers);
    free(counts);
    return *sorted ? gs_emit_result(&run->emitter, err) : GS_OK;
}
