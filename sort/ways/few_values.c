/* few_values.c -- find the few values of the keys, and count them.
 * SPDX-License-Identifier: MIT
 *
 * Each key is counted once or put aside once, whatever somebody writes to the input meanwhile. If
 * there is one value, memory is filled with it on the way: one pass, not two.
 */
#include "sort/ways/few_values.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/key_loops.h"
#include "sort/keys/params.h"
#include "sort/keys/vectors.h"
#include "sort/ways/copies.h"
#include "sort/split/sort_samples.h"

#include "common/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_KEYS = 2048,
    CLAIM_KEYS_MIN = GS_TILE_KEYS / 4, /* keys counted at once */
    NEAR = 128,      /* values on either side of a sampled one that may occur, too */
    VALUES_MIN = 16, /* a range of fewer is not worth a table */
    VALUES_MAX = 65536 + 4 * NEAR,
    KEYS_PER_VALUE = 64, /* with fewer, counting is not worth it */
    TABLES = 4,          /* tables of counters, so that equal keys in a row do not wait for each */
    TABLES_VALUES = 4096 /* other, used up to this many values, where that is likely */
};

static void add_range(struct gs_few_values *few, gs_key low, gs_key high)
{
    few->low[few->ranges] = low;
    few->width[few->ranges] = high - low;
    few->first[few->ranges++] = few->values;
    few->values += (uint32_t)(high - low) + 1;
}

void gs_few_values_one(struct gs_few_values *few, gs_key value)
{
    *few = (struct gs_few_values){0};
    add_range(few, value, value);
}

/* Is each key compared with each value? */
static bool compares(const struct gs_few_values *few)
{
    return few->values == few->ranges;
}

/* Note each value of the sample; false if there are many, or one that was found only once: then the
 * input probably has more which the sample missed. */
static bool find_values(struct gs_few_values *few, const gs_key *sample, uint32_t samples,
                        uint32_t most)
{
    for (uint32_t i = 0, end; i < samples; i = end) {
        for (end = i + 1; end < samples && sample[end] == sample[i]; end++)
            continue;
        if (end - i == 1 || few->ranges == most)
            return false;
        add_range(few, sample[i], sample[i]);
    }
    return true;
}

/* Note ranges with all values of the sample; false if they are too many, or have too many values or
 * too few. */
static bool find_ranges(struct gs_few_values *few, const gs_key *sample, uint32_t samples,
                        uint64_t keys)
{
    const uint64_t most = keys / KEYS_PER_VALUE < VALUES_MAX ? keys / KEYS_PER_VALUE : VALUES_MAX;
    for (uint32_t i = 0; i < samples;) {
        const gs_key low = sample[i] > NEAR ? sample[i] - NEAR : 0;
        for (i++; i < samples && sample[i] - sample[i - 1] <= 2 * NEAR; i++)
            continue;
        const gs_key last = sample[i - 1];
        const gs_key high = last < GS_KEY_MAX - NEAR ? last + NEAR : GS_KEY_MAX;
        if (few->ranges == GS_VALUE_RANGES || high - low >= most - few->values)
            return false;
        add_range(few, low, high);
    }
    return sample[samples - 1] - sample[0] >= VALUES_MIN;
}

void gs_few_values_find(struct gs_few_values *few, const gs_key *sample, uint32_t samples,
                        uint64_t keys)
{
    const uint32_t most = keys > GS_SHARES_KEYS ? GS_VALUES_COMPARED_MOST : GS_VALUES_COMPARED;
    *few = (struct gs_few_values){0};
    if (find_values(few, sample, samples, most))
        return;
    *few = (struct gs_few_values){0};
    if (!find_ranges(few, sample, samples, keys))
        few->values = 0;
}

/* Keys of other values. */
struct others {
    atomic_uint count; /* including those beyond GS_OTHERS_MAX, which are not kept */
    gs_key keys[GS_OTHERS_MAX];
};

static void keep_other(struct others *others, gs_key key)
{
    unsigned place = atomic_fetch_add(&others->count, 1);
    if (place < GS_OTHERS_MAX)
        others->keys[place] = key;
}

static bool too_many(struct others *others)
{
    return atomic_load_explicit(&others->count, memory_order_relaxed) > GS_OTHERS_MAX;
}

/* One thread's counters, [tables][stride], the last of a table for other values. */
struct tally {
    const struct gs_few_values *few;
    uint32_t *counts;
    uint32_t tables;
    uint32_t stride;
    uint64_t fingerprint; /* of what it read, if options->verify */
    gs_key *fill;         /* the output, to be filled with the only value; NULL: later */
    gs_key keys[BLOCK_KEYS];
    uint32_t numbers[BLOCK_KEYS];
};

/* Count the keys of a block by comparing them with each value; false if any has another value:
 * then nothing is counted. */
static bool compare_block(struct tally *tally, const gs_key *keys, uint64_t count)
{
    const struct gs_few_values *few = tally->few;
    uint32_t equal[GS_VALUES_COMPARED_MOST];
    uint64_t known = 0;
    for (uint32_t i = 0; i < few->values; i++) {
        /* The next block is called ahead; for one value, the processor does. */
        for (uint64_t k = count * i / few->values;
             few->values > 1 && k < count * (i + 1) / few->values; k += GS_LINE_KEYS)
            __builtin_prefetch(keys + count + k);
        equal[i] = gs_count_equal(keys, count, few->low[i]);
        known += equal[i];
    }
    for (uint32_t i = 0; known == count && i < few->values; i++)
        tally->counts[i] += equal[i];
    return known == count;
}

/* Find the number of each key's value; few->values if it is another one. */
GS_CLONES static void find_numbers(const struct gs_few_values *few, const gs_key *keys,
                                   uint32_t *numbers)
{
    for (uint32_t i = 0; i < BLOCK_KEYS; i++)
        numbers[i] = few->values;
    for (uint32_t r = 0; r < few->ranges; r++) {
        const gs_key low = few->low[r];
        const gs_key width = few->width[r];
        const uint32_t first = few->first[r];
        for (uint32_t i = 0; i < BLOCK_KEYS; i++) {
            gs_key above = keys[i] - low; /* wraps around below low */
            numbers[i] = above <= width ? first + (uint32_t)above : numbers[i];
        }
    }
}

static uint32_t count_others(const struct tally *tally)
{
    uint32_t sum = 0;
    for (uint32_t t = 0; t < tally->tables; t++)
        sum += tally->counts[t * tally->stride + tally->few->values];
    return sum;
}

/* Count tally->keys by the numbers of their values, and put others aside. */
static void look_up_block(struct tally *tally, uint64_t count, struct others *others)
{
    const uint32_t *numbers = tally->numbers;
    const uint32_t before = count_others(tally);
    uint64_t i = 0;
    find_numbers(tally->few, tally->keys, tally->numbers);
    if (tally->tables == TABLES)
        for (; i + TABLES <= count; i += TABLES)
            for (uint32_t t = 0; t < TABLES; t++)
                tally->counts[t * tally->stride + numbers[i + t]]++;
    for (; i < count; i++)
        tally->counts[numbers[i]]++;
    if (count_others(tally) != before)
        for (i = 0; i < count; i++)
            if (numbers[i] == tally->few->values)
                keep_other(others, tally->keys[i]);
}

/* Count keys of the input. Those that are compared may be read more than once where they lie; if
 * then a block has other values, it is counted once more, in a copy that stays the same. */
static void count_keys(const struct gs_run *run, uint64_t first, uint64_t count,
                       struct tally *tally, struct others *others)
{
    const bool verify = run->options->verify;
    const bool once = verify || !compares(tally->few);
    for (uint64_t done = 0; done < count && !too_many(others);) {
        uint64_t here = count - done < BLOCK_KEYS ? count - done : BLOCK_KEYS;
        struct gs_tile part = gs_tiles_part(&run->tiles, first + done, here);
        const gs_key *keys = gs_tile_keys(&run->tiles, &part, 0, part.count, tally->keys);
        keys = gs_keys_held(keys, part.count, once, tally->keys);
        if (!compares(tally->few) || !compare_block(tally, keys, part.count)) {
            gs_keys_held(keys, part.count, true, tally->keys);
            look_up_block(tally, part.count, others);
        }
        if (verify)
            tally->fingerprint += gs_fingerprint(keys, part.count);
        if (tally->fill != NULL)
            gs_fill(tally->fill + first + done, tally->few->low[0], part.count,
                    run->emitter.past_cache);
        done += part.count;
    }
}

/* Move a thread's counters to those of all. */
static void add_tally(struct tally *tally, uint64_t *counts)
{
#pragma omp critical(gs_account)
    for (uint32_t t = 0; t < tally->tables; t++)
        for (uint32_t value = 0; value < tally->few->values; value++)
            counts[value] += tally->counts[t * tally->stride + value];
    memset(tally->counts, 0, (size_t)tally->tables * tally->stride * sizeof *tally->counts);
}

/* Is the output filled with the only value while that is counted? */
static bool fills_early(const struct gs_run *run, const struct gs_few_values *few)
{
    return few->values == 1 && gs_emit_in_place(&run->emitter) && run->options->codec == NULL &&
           !run->emitter.sink->over_input;
}

/* Count all keys; false if too many have other values, or there is no memory. */
static bool count_values(struct gs_run *run, const struct gs_few_values *few, uint64_t *counts,
                         struct others *others)
{
    const uint64_t n = run->plan.count;
    const uint64_t share = gs_plan_claim(&run->plan, n);
    const uint64_t claim = share > CLAIM_KEYS_MIN ? share : CLAIM_KEYS_MIN;
    uint64_t fingerprint = 0;
    atomic_bool failed = false;
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint)
    {
        struct tally tally = {.few = few,
                              .tables = few->values > TABLES_VALUES ? 1 : TABLES,
                              .stride = few->values + 1};
        if (fills_early(run, few))
            tally.fill = gs_sink_keys(run->emitter.sink);
        uint64_t counted = 0;
        tally.counts = calloc((size_t)tally.tables * tally.stride, sizeof *tally.counts);
        if (tally.counts == NULL)
            atomic_store(&failed, true);
        while (!atomic_load_explicit(&failed, memory_order_relaxed) && !too_many(others)) {
            uint64_t first = atomic_fetch_add(&next, claim);
            if (first >= n)
                break;
            uint64_t count = n - first < claim ? n - first : claim;
            count_keys(run, first, count, &tally, others);
            counted += count;
            if (counted > UINT32_MAX / 2) { /* before a counter overflows */
                add_tally(&tally, counts);
                counted = 0;
            }
            atomic_fetch_add_explicit(&run->progress->done, count, memory_order_relaxed);
        }
        if (tally.counts != NULL)
            add_tally(&tally, counts);
        free(tally.counts);
        fingerprint += tally.fingerprint;
    }
    if (failed || too_many(others))
        return false;
    run->fingerprint = fingerprint;
    return true;
}

/* List each value with its number of keys in `start`, ascending; returns how many there are. */
static uint64_t list_values(const struct gs_few_values *few, const uint64_t *counts,
                            struct others *others, struct gs_copies *list)
{
    const uint64_t aside = others->count;
    uint64_t listed = 0;
    uint64_t next = 0;
    gs_sort_samples(others->keys, aside);
    for (uint32_t r = 0; r <= few->ranges; r++) {
        for (; next < aside && (r == few->ranges || others->keys[next] < few->low[r]); next++) {
            if (next == 0 || others->keys[next] != others->keys[next - 1])
                list[listed++] = (struct gs_copies){.key = others->keys[next]};
            list[listed - 1].start++;
        }
        for (uint64_t i = 0; r < few->ranges && i <= few->width[r]; i++)
            if (counts[few->first[r] + i] > 0)
                list[listed++] =
                    (struct gs_copies){few->low[r] + (gs_key)i, counts[few->first[r] + i]};
    }
    return listed;
}

/* The output is filled with one value: put the others at its ends, and hand it out. */
static void emit_filled(struct gs_run *run, const struct gs_copies *list, uint64_t kept,
                        gs_key value)
{
    const uint64_t start = gs_now_ns();
    uint64_t count = list[kept].start;
    uint64_t position;
    for (uint64_t i = 0; i < kept; i++)
        if (list[i].key != value)
            gs_fill(gs_sink_keys(run->emitter.sink) + list[i].start, list[i].key,
                    list[i + 1].start - list[i].start, false);
    gs_emit_begin(&run->emitter, 0, NULL, &count, 0, &position);
    gs_emit_end(&run->emitter);
    gs_run_account(run, GS_STAGE_WRITE, GS_DEVICE_CPU, gs_now_ns() - start, count,
                   count * GS_KEY_BYTES);
}

enum gs_status gs_sort_few_values(struct gs_run *run, const struct gs_few_values *few,
                                  gs_map_output *map, bool *sorted, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t start = gs_now_ns();
    const uint64_t n = run->plan.count;
    const bool filled = fills_early(run, few);
    const size_t piece_bytes = filled ? 1 : gs_copies_bytes(run);
    struct others aside = {.count = 0};
    uint64_t *counts = calloc((size_t)few->values, sizeof *counts);
    struct gs_copies *list = malloc((few->values + GS_OTHERS_MAX + 1) * sizeof *list);
    char *buffers = malloc(run->plan.threads * piece_bytes);
    *sorted = false;
    if (counts == NULL || list == NULL || buffers == NULL)
        goto cleanup; /* the caller falls back to another way */
    gs_run_phase(run, GS_STAGE_COUNT_BINS, n);
    *sorted = count_values(run, few, counts, &aside);
    gs_run_account(run, GS_STAGE_COUNT_BINS, GS_DEVICE_CPU, gs_now_ns() - start, *sorted ? n : 0,
                   *sorted ? n * GS_KEY_BYTES : 0);
    if (!*sorted)
        goto cleanup;
    uint64_t listed = list_values(few, counts, &aside, list);
    uint64_t kept = gs_copies_place(run, list, listed);
    run->stats->bins = run->stats->equality_bins = listed;
    run->stats->equality_keys = n;
    if (map != NULL)
        GS_TRY(map(run, err));
    gs_run_phase(run, GS_STAGE_SORT_BINS, list[kept].start);
    if (filled)
        emit_filled(run, list, kept, few->low[0]);
    else
        gs_copies_emit(run, list, kept, buffers);
    st = gs_emit_result(&run->emitter, err);
cleanup:
    free(buffers);
    free(list);
    free(counts);
    return st;
}
