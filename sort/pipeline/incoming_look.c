/* incoming_look.c -- judge keys of a pipe by samples: of the first ones, and of all.
 * SPDX-License-Identifier: MIT
 */
#include "sort/pipeline/incoming_look.h"
#include "sort/keys/order.h"
#include "sort/run/plan.h"
#include "sort/split/select_samples.h"
#include "sort/split/sort_samples.h"
#include "sort/ways/few_values.h"

#include "common/clock.h"

#include <stdlib.h>

/* Places, and consecutive keys at each, that are checked for order. */
#define LOOK_PLACES 64
#define LOOK_KEYS   16

/* By the sample of all keys, a bin with more than UNEVEN_TIMES its share is not even; at most one
 * in UNEVEN_PART keys may be beyond that. */
#define UNEVEN_TIMES 8
#define UNEVEN_PART  16

/* The size of the sample of all keys. */
#define PROOF_SAMPLES 16384

/* Are the keys in order at more than half of the places? */
static bool look_ordered(const struct gs_tiles *tiles)
{
    const uint64_t step = (gs_tiles_keys(tiles) - LOOK_KEYS) / (LOOK_PLACES - 1);
    unsigned ordered = 0;
    for (uint64_t i = 0; i < LOOK_PLACES; i++) {
        gs_key keys[LOOK_KEYS];
        gs_tiles_copy(tiles, i * step, LOOK_KEYS, keys);
        ordered += gs_order_ascending(keys, LOOK_KEYS) || gs_order_descending(keys, LOOK_KEYS);
    }
    return ordered > LOOK_PLACES / 2;
}

/* A sorted sample of the tiles' keys, for the caller to free; NULL: no memory. */
static gs_key *draw_sample(const struct gs_tiles *tiles, uint32_t samples, unsigned threads,
                           struct gs_stage_stats *select)
{
    uint64_t start = gs_now_ns();
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        return NULL;
    gs_select_samples_cpu(tiles, samples, GS_SAMPLE_SEED, threads, sample);
    *select = gs_stage_since(start, samples, (uint64_t)samples * GS_KEY_BYTES);
    gs_sort_samples(sample, samples);
    return sample;
}

bool gs_incoming_look(struct gs_incoming_bins *bins, const struct gs_options *options,
                      const void *records, uint64_t count)
{
    struct gs_plan plan;
    struct gs_tiles tiles;
    struct gs_few_values few;
    const struct gs_span span = {.keys = records, .count = count, .name = ""};
    if (gs_tiles_decode(&tiles, options->codec, &span, 1, NULL) != GS_OK)
        return false;
    gs_plan_make(&plan, options, count);
    gs_plan_in_place(&plan, options);
    gs_key *sample =
        look_ordered(&tiles) ? NULL : draw_sample(&tiles, plan.samples, 1, &bins->select);
    gs_tiles_free(&tiles);
    if (sample == NULL)
        return false;
    gs_splitters_choose(&bins->splitters, sample, plan.samples, plan.bins, 0);
    gs_splitters_snap(&bins->splitters, sample, plan.samples, plan.bins, 0);
    gs_few_values_find(&few, sample, plan.samples, count);
    free(sample);
    bins->sort = gs_stage_since(bins->select.end_ns, plan.samples,
                                (uint64_t)plan.samples * 2 * GS_KEY_BYTES);
    bins->samples = plan.samples;
    bins->count = bins->splitters.count + 1;
    return few.values == 0 && bins->count >= plan.bins / 2;
}

/* Does a sorted sample of all keys fall evenly into the bins, without being of few values? */
static bool is_even(const struct gs_incoming_bins *bins, const gs_key *sample, uint32_t samples,
                    uint64_t count)
{
    const struct gs_splitters *splitters = &bins->splitters;
    const uint32_t most = UNEVEN_TIMES * (samples / bins->count + 1);
    struct gs_few_values few;
    uint32_t beyond = 0;
    uint32_t i = 0;
    for (uint32_t bin = 0; bin < bins->count; bin++) {
        uint32_t first = i;
        while (i < samples && sample[i] <= gs_splitters_high(splitters, bin))
            i++;
        if (i - first > most && !gs_splitters_equal(splitters, bin))
            beyond += i - first - most;
    }
    gs_few_values_find(&few, sample, samples, count);
    return beyond <= samples / UNEVEN_PART && few.values == 0;
}

bool gs_incoming_even(const struct gs_incoming_bins *bins, const struct gs_tiles *tiles,
                      unsigned threads, struct gs_stage_stats *select)
{
    gs_key *sample = draw_sample(tiles, PROOF_SAMPLES, threads, select);
    bool even = sample != NULL && is_even(bins, sample, PROOF_SAMPLES, gs_tiles_keys(tiles));
    free(sample);
    return even;
}
