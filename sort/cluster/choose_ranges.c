/* choose_ranges.c -- ranges by which all ranks get equal shares, from samples.
 * SPDX-License-Identifier: MIT
 *
 * With SAMPLES for each rank, a share is off by sqrt(2 / SAMPLES) = 0.2 % in the mean; 1 % is five
 * times that. Records, which take longer to compare, get half as many.
 */
#include "sort/cluster/ranges.h"

#include "sort/api/record_sample.h"
#include "sort/cluster/choose.h"
#include "sort/cluster/wire.h"
#include "sort/sort.h"

#include "common/memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES        ((uint64_t)1 << 19)
#define RECORD_SAMPLES (SAMPLES / 2)

/* Elements, sorted. */
struct elements {
    struct gs_chooser chooser; /* the first member, */
    struct gs_ranges *ranges;  /* which it fills in */
    char *sample;
};

static gs_u128 read_element(const struct elements *elements, const char *from)
{
    gs_u128 element = 0;
    memcpy(&element, from, elements->ranges->element_bytes);
    return element;
}

static void draw_element(void *context, uint64_t i, const char *record, uint64_t position)
{
    const struct elements *elements = context;
    const size_t bytes = elements->ranges->element_bytes;
    const struct gs_codec *codec = elements->ranges->options->codec;
    (void)position;
    if (codec != NULL)
        gs_codec_load(codec, record, elements->sample + i * bytes, 1);
    else
        memcpy(elements->sample + i * bytes, record, bytes);
}

static void copy_element(const struct gs_chooser *chooser, uint64_t i, char *candidate)
{
    const struct elements *elements = (const struct elements *)chooser;
    memcpy(candidate, elements->sample + i * chooser->candidate_bytes, chooser->candidate_bytes);
}

static int compare_element(const struct gs_chooser *chooser, uint64_t i, const char *candidate,
                           int owner)
{
    const struct elements *elements = (const struct elements *)chooser;
    const gs_u128 a = read_element(elements, elements->sample + i * chooser->candidate_bytes);
    const gs_u128 b = read_element(elements, candidate);
    (void)owner;
    return (a > b) - (a < b);
}

static void take_element(const struct gs_chooser *chooser, unsigned i, const char *candidate,
                         int owner, uint64_t below, uint64_t equal)
{
    const struct elements *elements = (const struct elements *)chooser;
    struct gs_ranges *ranges = elements->ranges;
    const gs_u128 value = read_element(elements, candidate) & gs_ranges_mask(ranges->options);
    (void)owner;
    memcpy((char *)ranges->splitters + (size_t)i * ranges->element_bytes, &value,
           ranges->element_bytes);
    ranges->shares[i] = (uint64_t)(((gs_u128)below << 32) / equal);
}

/* Draw a sample of this rank's records, and sort it. */
static enum gs_status sample_elements(struct elements *elements, const struct gs_span *spans,
                                      uint64_t keys, struct gs_error *err)
{
    enum gs_status st;
    const struct gs_options *options = elements->ranges->options;
    const uint64_t count = elements->chooser.samples;
    const size_t bytes = (size_t)count * options->key_bytes;
    struct gs_options plain = {
        .key_bytes = options->key_bytes, .device = GS_DEVICE_CPU, .threads = options->threads};
    struct gs_sink sink = {.memory = gs_pages_alloc(bytes)};
    elements->sample = gs_pages_alloc(bytes);
    if (elements->sample == NULL || sink.memory == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "sample");
        goto cleanup;
    }
    gs_sample_draw(spans, gs_record_bytes(options), keys, count, draw_element, elements);
    struct gs_span span = {.keys = elements->sample, .count = count, .name = "sample"};
    GS_TRY(gs_width(&plain)->sort(&plain, &span, 1, &sink, NULL, NULL, err));
    void *drawn = elements->sample;
    elements->sample = sink.memory;
    sink.memory = drawn;
cleanup:
    gs_pages_free(sink.memory, bytes);
    return st;
}

static enum gs_status choose_elements(struct gs_ranges *ranges, const struct gs_cluster *cluster,
                                      const struct gs_span *spans, uint64_t keys, uint64_t samples,
                                      struct gs_error *err)
{
    struct elements elements = {.chooser = {.ranges = ranges->count,
                                            .rank = cluster->rank,
                                            .samples = samples,
                                            .candidate_bytes = ranges->element_bytes,
                                            .copy = copy_element,
                                            .compare = compare_element,
                                            .take = take_element},
                                .ranges = ranges};
    enum gs_status st = sample_elements(&elements, spans, keys, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = gs_choose(&elements.chooser, cluster, err);
cleanup:
    gs_pages_free(elements.sample, (size_t)samples * ranges->element_bytes);
    return st;
}

/* Records, sorted, in the input. */
struct records {
    struct gs_chooser chooser;
    struct gs_record_ranges *ranges;
    struct gs_placed_record *sample;
};

static void draw_record(void *context, uint64_t i, const char *record, uint64_t position)
{
    const struct records *records = context;
    records->sample[i] = gs_record_ranges_place(records->ranges, record, position);
}

static int compare_placed(const void *a, const void *b, void *ranges)
{
    return gs_record_ranges_before(ranges, b, a) - gs_record_ranges_before(ranges, a, b);
}

/* With its position behind it. */
static void copy_record(const struct gs_chooser *chooser, uint64_t i, char *candidate)
{
    const struct records *records = (const struct records *)chooser;
    const size_t bytes = records->ranges->order.format.record_bytes;
    memcpy(candidate, records->sample[i].record, bytes);
    memcpy(candidate + bytes, &records->sample[i].position, sizeof(uint64_t));
}

static struct gs_placed_record read_candidate(const struct gs_record_ranges *ranges,
                                              const char *candidate, int owner)
{
    struct gs_placed_record placed = gs_record_ranges_place(ranges, candidate, 0);
    placed.rank = (uint64_t)owner;
    memcpy(&placed.position, candidate + ranges->order.format.record_bytes, sizeof(uint64_t));
    return placed;
}

/* No two are equal: only the candidate itself is. */
static int compare_record(const struct gs_chooser *chooser, uint64_t i, const char *candidate,
                          int owner)
{
    const struct records *records = (const struct records *)chooser;
    const struct gs_placed_record placed = read_candidate(records->ranges, candidate, owner);
    return compare_placed(&records->sample[i], &placed, records->ranges);
}

static void take_record(const struct gs_chooser *chooser, unsigned i, const char *candidate,
                        int owner, uint64_t below, uint64_t equal)
{
    const struct gs_record_ranges *ranges = ((const struct records *)chooser)->ranges;
    const size_t bytes = ranges->order.format.record_bytes;
    (void)below, (void)equal;
    ranges->splitters[i] = read_candidate(ranges, candidate, owner);
    ranges->splitters[i].record = memcpy(ranges->bytes + i * bytes, candidate, bytes);
}

static enum gs_status choose_records(struct gs_record_ranges *ranges,
                                     const struct gs_cluster *cluster, const struct gs_span *spans,
                                     uint64_t keys, uint64_t samples, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t bytes = ranges->order.format.record_bytes;
    struct records records = {.chooser = {.ranges = ranges->count,
                                          .rank = cluster->rank,
                                          .samples = samples,
                                          .candidate_bytes = bytes + sizeof(uint64_t),
                                          .copy = copy_record,
                                          .compare = compare_record,
                                          .take = take_record},
                              .ranges = ranges,
                              .sample = malloc((samples + 1) * sizeof *records.sample)};
    ranges->rank = (uint64_t)cluster->rank;
    if (records.sample == NULL)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "sample");
    GS_TRY(gs_cluster_agree(cluster, st, err));
    gs_sample_draw(spans, bytes, keys, samples, draw_record, &records);
    qsort_r(records.sample, samples, sizeof *records.sample, compare_placed, ranges);
    st = gs_choose(&records.chooser, cluster, err);
cleanup:
    free(records.sample);
    return st;
}

/* How many records a rank draws of the `keys` that it brings, in proportion to its share of the
 * total: `each` for each of so many ranks, or all if those are enough. */
static uint64_t sample_size(uint64_t keys, uint64_t total, uint64_t each, unsigned ranks)
{
    const uint64_t wanted = each * ranks;
    return total <= wanted ? keys : (uint64_t)((gs_u128)wanted * keys / total);
}

enum gs_status gs_ranges_choose(struct gs_ranges *ranges, const struct gs_cluster *cluster,
                                const struct gs_span *spans, uint64_t count, uint64_t total,
                                struct gs_error *err)
{
    const uint64_t each = ranges->records != NULL ? RECORD_SAMPLES : SAMPLES;
    const uint64_t samples = sample_size(count, total, each, ranges->count);
    return ranges->records != NULL
               ? choose_records(ranges->records, cluster, spans, count, samples, err)
               : choose_elements(ranges, cluster, spans, count, samples, err);
}
