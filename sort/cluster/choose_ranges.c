/* choose_ranges.c -- splitters by which all ranks get equal shares, found by histogram rounds.
 * SPDX-License-Identifier: MIT
 *
 * Each rank draws a sample in proportion to what it brings and sorts it. No rank ever sees another
 * one's sample: each round settles one byte of every splitter, the highest first, from the sum of
 * all ranks' histograms of that byte among samples that agree with the splitter so far [after
 * Harsh, Kale, Solomonik: Histogram sort with sampling, 2019]. So the splitters are exact quantiles
 * of the sample. With SAMPLES for each rank, a share is off by sqrt(2 / SAMPLES) = 0.2 % in the
 * mean; 1 % is five times that.
 */
#include "sort/cluster/ranges.h"

#include "sort/cluster/choose_records.h"
#include "sort/cluster/sample.h"
#include "sort/cluster/wire.h"
#include "sort/gsort.h"

#include "common/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES     ((uint64_t)1 << 19)
#define BYTE_VALUES 256

__extension__ typedef unsigned __int128 wide;

/* This rank's sample: elements, sorted. */
struct sample {
    char *elements;
    uint64_t count;
    unsigned element_bytes;
};

static wide element_at(const struct sample *sample, uint64_t i)
{
    wide element = 0;
    memcpy(&element, sample->elements + i * sample->element_bytes, sample->element_bytes);
    return element;
}

/* How many elements of the sample are at most `value`. */
static uint64_t count_up_to(const struct sample *sample, wide value)
{
    uint64_t low = 0;
    uint64_t high = sample->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (element_at(sample, middle) <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A sample being drawn. */
struct drawing {
    const struct sample *sample;
    const struct gs_codec *codec;
};

static void take(void *context, uint64_t i, const char *record, uint64_t position)
{
    const struct drawing *drawing = context;
    const struct sample *sample = drawing->sample;
    char *to = sample->elements + i * sample->element_bytes;
    (void)position;
    if (drawing->codec != NULL)
        gs_codec_load(drawing->codec, record, to, 1);
    else
        memcpy(to, record, sample->element_bytes);
}

/* Draw `count` of this rank's records and sort them. */
static enum gs_status take_sample(struct sample *sample, const struct gs_options *options,
                                  const struct gs_span *spans, uint64_t keys, uint64_t count,
                                  struct gs_error *err)
{
    enum gs_status st;
    struct gs_options plain = {
        .key_bytes = options->key_bytes, .device = GS_DEVICE_CPU, .threads = options->threads};
    struct gs_stats stats;
    size_t bytes = (size_t)count * options->key_bytes;
    struct sample drawn = {gs_pages_alloc(bytes), count, options->key_bytes};
    *sample = (struct sample){gs_pages_alloc(bytes), count, options->key_bytes};
    struct gs_span span = {.keys = drawn.elements, .count = count, .name = "sample"};
    struct gs_sink sink = {.memory = sample->elements};
    struct drawing drawing = {&drawn, options->codec};
    if (drawn.elements == NULL || sample->elements == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "sample");
        goto cleanup;
    }
    gs_sample_draw(spans, gs_record_bytes(options), keys, count, take, &drawing);
    GS_TRY(gs_width(&plain)->sort(&plain, &span, 1, &sink, NULL, &stats, err));
cleanup:
    gs_pages_free(drawn.elements, bytes);
    return st;
}

/* A splitter that is being found. */
struct search {
    wide value;      /* so far; the bytes to come are 0 */
    uint64_t target; /* samples of all ranks that are to be below it */
    uint64_t below;  /* those that are below value, */
    uint64_t own;    /* and those of this rank */
    uint64_t equal;  /* that agree with value as far as it goes */
};

/* Settle one more byte of each splitter, at `shift`. counts: BYTE_VALUES for each. */
static enum gs_status settle_byte(const struct sample *sample, struct search *searches,
                                  unsigned count, unsigned shift, uint64_t *counts,
                                  struct gs_error *err)
{
    enum gs_status st;
    const wide rest = ((wide)1 << shift) - 1;
    for (unsigned j = 0; j < count; j++) {
        uint64_t before = searches[j].own;
        for (unsigned b = 0; b < BYTE_VALUES; b++) {
            uint64_t up_to = count_up_to(sample, searches[j].value | (wide)b << shift | rest);
            counts[j * BYTE_VALUES + b] = up_to - before;
            before = up_to;
        }
    }
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, counts, (int)(count * BYTE_VALUES), MPI_UINT64_T, MPI_SUM,
                         MPI_COMM_WORLD));
    for (unsigned j = 0; j < count; j++) {
        struct search *search = &searches[j];
        const uint64_t *histogram = counts + j * BYTE_VALUES;
        unsigned b = 0;
        for (; b + 1 < BYTE_VALUES && search->below + histogram[b] <= search->target; b++)
            search->below += histogram[b];
        if (b > 0)
            search->own = count_up_to(sample, search->value | (wide)(b - 1) << shift | rest);
        search->value |= (wide)b << shift;
        search->equal = histogram[b];
    }
cleanup:
    return st;
}

/* Settle all splitters; `samples` of all ranks. */
static enum gs_status settle(struct gs_ranges *ranges, const struct sample *sample,
                             struct search *searches, uint64_t samples, uint64_t *counts,
                             struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_options *options = ranges->options;
    const unsigned splitters = ranges->count - 1;
    const wide mask = options->unique ? ~(wide)0 << gs_payload_bits(options) : ~(wide)0;
    for (unsigned j = 0; j < splitters; j++)
        searches[j] =
            (struct search){.target = (uint64_t)((wide)samples * (j + 1) / ranges->count)};
    for (unsigned shift = 8 * ranges->element_bytes; shift > 0; shift -= 8)
        GS_TRY(settle_byte(sample, searches, splitters, shift - 8, counts, err));
    for (unsigned j = 0; j < splitters; j++) {
        const struct search *search = &searches[j];
        const wide value = search->value & mask;
        memcpy((char *)ranges->splitters + (size_t)j * ranges->element_bytes, &value,
               ranges->element_bytes);
        if (search->equal > 0)
            ranges->shares[j] =
                (uint64_t)(((wide)(search->target - search->below) << 32) / search->equal);
    }
cleanup:
    return st;
}

enum gs_status gs_ranges_choose(struct gs_ranges *ranges, const struct gs_cluster *cluster,
                                const struct gs_span *spans, size_t span_count, uint64_t *total,
                                struct gs_error *err)
{
    enum gs_status st;
    struct sample sample = {.elements = NULL};
    struct search *searches = calloc(ranges->count, sizeof *searches);
    uint64_t *counts = calloc((size_t)ranges->count * BYTE_VALUES, sizeof *counts);
    uint64_t keys = 0;
    for (size_t i = 0; i < span_count; i++)
        keys += spans[i].count;
    *total = keys;
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    if (ranges->records != NULL) {
        st = gs_record_ranges_choose(ranges->records, cluster, spans, keys, *total, err);
        goto cleanup;
    }
    uint64_t samples = gs_sample_size(keys, *total, SAMPLES, ranges->count);
    st = take_sample(&sample, ranges->options, spans, keys, samples, err);
    if (st == GS_OK && (searches == NULL || counts == NULL))
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "splitters");
    st = gs_cluster_agree(cluster, st, err);
    if (st != GS_OK || searches == NULL || counts == NULL)
        goto cleanup;
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, &samples, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    GS_TRY(settle(ranges, &sample, searches, samples, counts, err));
cleanup:
    gs_pages_free(sample.elements, (size_t)sample.count * sample.element_bytes);
    free(searches);
    free(counts);
    return st;
}
