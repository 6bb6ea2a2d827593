/* dealing.c -- deal records, or their positions, to bins; let those of a bin change places.
 * SPDX-License-Identifier: MIT
 */
#include "sort/shuffle/dealing.h"
#include "sort/types/starts.h"

#include "common/formats/record_copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD        16                  /* records: where they go is being fetched for writing */
#define SUMMED_BYTES ((uint64_t)1 << 20) /* by a thread at once, about */

enum gs_status gs_shuffle_input_open(struct gs_shuffle_input *input,
                                     const struct gs_options *options, const struct gs_span *spans,
                                     size_t span_count, struct gs_error *err)
{
    *input = (struct gs_shuffle_input){.spans = spans,
                                       .span_count = span_count,
                                       .firsts = calloc(span_count + 1, sizeof *input->firsts),
                                       .record_bytes = gs_record_bytes(options)};
    if (input->firsts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs", span_count);
    for (size_t i = 0; i < span_count; i++)
        input->firsts[i + 1] = input->firsts[i] + spans[i].count;
    return GS_OK;
}

void gs_shuffle_input_close(struct gs_shuffle_input *input)
{
    free(input->firsts);
    input->firsts = NULL;
}

const char *gs_shuffle_record(const struct gs_shuffle_input *input, uint64_t position,
                              uint64_t *count)
{
    const size_t span = gs_starts_find(input->firsts, input->span_count, position);
    *count = input->firsts[span + 1] - position;
    return (const char *)input->spans[span].keys +
           (position - input->firsts[span]) * input->record_bytes;
}

uint64_t gs_shuffle_sum(const struct gs_shuffle_input *input, uint64_t count, unsigned threads)
{
    uint64_t sum = 0;
    const uint64_t step = SUMMED_BYTES / input->record_bytes + 1;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(dynamic)
    for (uint64_t first = 0; first < count; first += step) {
        const uint64_t end = count - first < step ? count : first + step;
        for (uint64_t at = first, here; at < end; at += here) {
            const char *records = gs_shuffle_record(input, input->from + at, &here);
            here = here < end - at ? here : end - at;
            sum += gs_records_fingerprint(records, input->record_bytes, here);
        }
    }
    return sum;
}

struct gs_dealing *gs_dealing_new(unsigned threads)
{
    struct gs_dealing *deal = malloc(gs_dealing_bytes(threads));
    if (deal == NULL)
        return NULL;
    deal->threads = threads;
    deal->next = (uint64_t *)(deal + 1);
    return deal;
}

struct gs_dealing **gs_dealings_new(unsigned threads, uint64_t most)
{
    struct gs_dealing **deals = calloc(threads, sizeof *deals);
    bool whole = deals != NULL;
    for (unsigned i = 0; whole && i < threads && most > GS_SHUFFLE_MIXED; i++)
        whole = (deals[i] = gs_dealing_new(1)) != NULL;
    if (whole)
        return deals;
    gs_dealings_free(deals, threads);
    return NULL;
}

void gs_dealings_free(struct gs_dealing **deals, unsigned threads)
{
    for (unsigned i = 0; deals != NULL && i < threads; i++)
        free(deals[i]);
    free(deals);
}

uint64_t gs_shuffle_most(uint64_t count)
{
    const double mean = (double)count / GS_SHUFFLE_BINS;
    const uint64_t most = (uint64_t)(mean + 6 * sqrt(mean)) + 12;
    return most < count ? most : count;
}

/* Where thread i begins. */
static uint64_t share_start(const struct gs_dealing *deal, unsigned i)
{
    return deal->count / deal->threads * i + deal->count % deal->threads * i / deal->threads;
}

static void count_share(const struct gs_dealing *deal, unsigned thread)
{
    uint16_t room[GS_SHUFFLE_ROOM] = {0};
    uint64_t *counts = deal->next + (size_t)thread * GS_SHUFFLE_BINS;
    const uint64_t end = share_start(deal, thread + 1);
    memset(counts, 0, GS_SHUFFLE_BINS * sizeof *counts);
    for (uint64_t at = share_start(deal, thread); at < end; at += GS_SHUFFLE_DRAWN) {
        const uint32_t here = end - at < GS_SHUFFLE_DRAWN ? (uint32_t)(end - at) : GS_SHUFFLE_DRAWN;
        const uint16_t *bins = gs_shuffle_draw(deal->node, deal->first + at, here, room);
        for (uint32_t i = 0; i < here; i++)
            counts[bins[i]]++;
    }
}

void gs_dealing_count(struct gs_dealing *deal, uint64_t node, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;
    deal->node = node;
    deal->first = first;
    deal->count = count;
#pragma omp parallel for num_threads(deal->threads) schedule(static, 1) if (deal->threads > 1)
    for (unsigned thread = 0; thread < deal->threads; thread++)
        count_share(deal, thread);
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++) {
        deal->starts[bin] = sum;
        for (unsigned thread = 0; thread < deal->threads; thread++) {
            uint64_t *next = &deal->next[(size_t)thread * GS_SHUFFLE_BINS + bin];
            const uint64_t here = *next;
            *next = sum;
            sum += here;
        }
    }
    deal->starts[GS_SHUFFLE_BINS] = sum;
}

uint64_t gs_dealing_largest(const struct gs_dealing *deal)
{
    uint64_t most = 0;
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++)
        if (deal->starts[bin + 1] - deal->starts[bin] > most)
            most = deal->starts[bin + 1] - deal->starts[bin];
    return most;
}

/* Copy records to their bins. `bytes` is a constant at most calls. Where records go is fetched for
 * writing ahead of them: else each would wait for that. */
static inline __attribute__((always_inline)) void place(uint64_t *next, const uint16_t *bins,
                                                        const char *from, uint32_t count,
                                                        size_t bytes, char *to, bool ahead)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ahead && i + AHEAD < count)
            __builtin_prefetch(to + next[bins[i + AHEAD]] * bytes, 1);
        gs_record_copy(to + next[bins[i]]++ * bytes, from + i * bytes, bytes);
    }
}

static void place_any(uint64_t *next, const uint16_t *bins, const char *from, uint32_t count,
                      size_t bytes, char *to, bool ahead)
{
    switch (bytes) {
    case 1:
        place(next, bins, from, count, 1, to, ahead);
        break;
    case 2:
        place(next, bins, from, count, 2, to, ahead);
        break;
    case 4:
        place(next, bins, from, count, 4, to, ahead);
        break;
    case 8:
        place(next, bins, from, count, 8, to, ahead);
        break;
    default:
        place(next, bins, from, count, bytes, to, ahead);
    }
}

/* Draw the bins of the next records of a share that ends at `end`: *count of them, at *from. */
static const uint16_t *draw_next(const struct gs_dealing *deal,
                                 const struct gs_shuffle_input *input, uint64_t at, uint64_t end,
                                 uint16_t *room, const char **from, uint64_t *count)
{
    *from = gs_shuffle_record(input, input->from + at, count);
    *count = *count < end - at ? *count : end - at;
    *count = *count < GS_SHUFFLE_DRAWN ? *count : GS_SHUFFLE_DRAWN;
    return gs_shuffle_draw(deal->node, deal->first + at, (uint32_t)*count, room);
}

static void deal_share(const struct gs_dealing *deal, unsigned thread,
                       const struct gs_shuffle_input *input, char *to)
{
    uint16_t room[GS_SHUFFLE_ROOM];
    uint64_t *next = deal->next + (size_t)thread * GS_SHUFFLE_BINS;
    const uint64_t end = share_start(deal, thread + 1);
    uint64_t here;
    for (uint64_t at = share_start(deal, thread); at < end; at += here) {
        const char *from;
        const uint16_t *bins = draw_next(deal, input, at, end, room, &from, &here);
        place_any(next, bins, from, (uint32_t)here, input->record_bytes, to, false);
    }
}

void gs_dealing_records(struct gs_dealing *deal, const struct gs_shuffle_input *input, char *to)
{
#pragma omp parallel for num_threads(deal->threads) schedule(static, 1) if (deal->threads > 1)
    for (unsigned thread = 0; thread < deal->threads; thread++)
        deal_share(deal, thread, input, to);
}

/* As deal_share, but nothing is copied. */
static uint64_t sum_share(const struct gs_dealing *deal, unsigned thread,
                          const struct gs_shuffle_input *input)
{
    uint16_t room[GS_SHUFFLE_ROOM];
    uint64_t *next = deal->next + (size_t)thread * GS_SHUFFLE_BINS;
    const uint64_t end = share_start(deal, thread + 1);
    uint64_t sum = 0;
    uint64_t here;
    for (uint64_t at = share_start(deal, thread); at < end; at += here) {
        const char *from;
        const uint16_t *bins = draw_next(deal, input, at, end, room, &from, &here);
        for (uint64_t i = 0; i < here; i++)
            sum += gs_dealing_checksum(from + i * input->record_bytes, input->record_bytes,
                                       next[bins[i]]++);
    }
    return sum;
}

uint64_t gs_dealing_sum(struct gs_dealing *deal, const struct gs_shuffle_input *input)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(deal->threads) schedule(static, 1) reduction(+ : sum)
    for (unsigned thread = 0; thread < deal->threads; thread++)
        sum += sum_share(deal, thread, input);
    return sum;
}

static void position_share(const struct gs_dealing *deal, unsigned thread, uint32_t first_bin,
                           uint32_t bin_count, unsigned bytes, char *to)
{
    const uint64_t before = deal->starts[first_bin];
    uint16_t room[GS_SHUFFLE_ROOM];
    uint64_t *next = deal->next + (size_t)thread * GS_SHUFFLE_BINS;
    const uint64_t end = share_start(deal, thread + 1);
    for (uint64_t at = share_start(deal, thread); at < end; at += GS_SHUFFLE_DRAWN) {
        const uint32_t here = end - at < GS_SHUFFLE_DRAWN ? (uint32_t)(end - at) : GS_SHUFFLE_DRAWN;
        const uint16_t *bins = gs_shuffle_draw(deal->node, deal->first + at, here, room);
        for (uint32_t i = 0; i < here; i++) {
            const uint64_t position = deal->first + at + i;
            if (bins[i] - first_bin < bin_count)
                memcpy(to + (next[bins[i]]++ - before) * bytes, &position, bytes);
        }
    }
}

void gs_dealing_positions(struct gs_dealing *deal, uint32_t bin, uint32_t end, unsigned bytes,
                          char *to)
{
#pragma omp parallel for num_threads(deal->threads) schedule(static, 1) if (deal->threads > 1)
    for (unsigned thread = 0; thread < deal->threads; thread++)
        position_share(deal, thread, bin, end - bin, bytes, to);
}

/* Let records change places, from the last one on: each is as likely at each place. */
static inline __attribute__((always_inline)) void swap_all(uint64_t node, char *records,
                                                           uint64_t count, size_t bytes)
{
    struct gs_shuffle_numbers numbers = {.node = node};
    uint32_t places[GS_SHUFFLE_PLACES];
    char one[16], other[16];
    for (uint64_t left = count; left > 1;) {
        const uint32_t here = left - 1 < GS_SHUFFLE_PLACES ? (uint32_t)left - 1 : GS_SHUFFLE_PLACES;
        gs_shuffle_places(&numbers, (uint32_t)left, here, places);
        for (uint32_t i = 0; i < here; i++, left--) {
            char *a = records + (left - 1) * bytes;
            char *b = records + places[i] * bytes;
            memcpy(one, a, bytes);
            memcpy(other, b, bytes);
            memcpy(a, other, bytes);
            memcpy(b, one, bytes);
        }
    }
}

static void swap_any(uint64_t node, char *records, uint64_t count, size_t bytes)
{
    switch (bytes) {
    case 1:
        swap_all(node, records, count, 1);
        break;
    case 2:
        swap_all(node, records, count, 2);
        break;
    case 4:
        swap_all(node, records, count, 4);
        break;
    case 8:
        swap_all(node, records, count, 8);
        break;
    default:
        swap_all(node, records, count, 16);
    }
}

char *gs_shuffle_mix(uint64_t node, char *records, uint64_t count, unsigned bytes, char *other,
                     struct gs_dealing *deal)
{
    const struct gs_span span = {.keys = records, .count = count};
    uint64_t firsts[2] = {0, count};
    const struct gs_shuffle_input input = {
        .spans = &span, .span_count = 1, .firsts = firsts, .record_bytes = bytes};
    if (count <= GS_SHUFFLE_MIXED) {
        swap_any(node, records, count, bytes);
        return records;
    }
    gs_dealing_count(deal, node, 0, count);
    gs_dealing_records(deal, &input, other);
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++)
        swap_any(gs_shuffle_node(node, bin), other + deal->starts[bin] * bytes,
                 deal->starts[bin + 1] - deal->starts[bin], bytes);
    return other;
}
