/* deal.c -- put records in order of the rank that they go to.
 * SPDX-License-Identifier: MIT
 *
 * Each thread finds the ranks of its part and counts them; a prefix sum over ranks and threads says
 * where each thread's records of each rank go; then it copies them there.
 */
#include "sort/cluster/deal.h"

#include "sort/keys/vectors.h"
#include "sort/tags/number.h"
#include "sort/check/record_fingerprint.h"

#include "common/random.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* How often `meanwhile` is called: where ranks share processors, Open MPI yields at each call of it
 * that finds nothing. */
#define MEANWHILE_RECORDS ((uint64_t)8 * GS_RANGES_BLOCK)

/* The most ranks that are counted one after the other, by vectors: else a counter in memory waits
 * for its own last store, as every second or fourth record increments it. */
#define COUNTED_MOST 8

/* What threads count with lies in lines of their own, for they write to it with each record; two
 * lines, as processors fetch them in pairs. */
#define APART 128

enum gs_status gs_dealer_open(struct gs_dealer *dealer, struct gs_error *err)
{
    const size_t line = APART / sizeof *dealer->counts;
    dealer->stride = (dealer->ranges->count + line) / line * line;
    dealer->found = malloc(dealer->most * sizeof *dealer->found);
    dealer->counts =
        aligned_alloc(APART, dealer->threads * dealer->stride * sizeof *dealer->counts);
    dealer->places =
        aligned_alloc(APART, dealer->threads * dealer->stride * sizeof *dealer->places);
    if (dealer->found == NULL || dealer->counts == NULL || dealer->places == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "exchange");
    return GS_OK;
}

void gs_dealer_close(struct gs_dealer *dealer)
{
    free(dealer->found);
    free(dealer->counts);
    free(dealer->places);
    dealer->found = NULL;
    dealer->counts = NULL;
    dealer->places = NULL;
}

uint64_t gs_deal_fingerprint(const void *records, uint64_t count, unsigned record_bytes)
{
    uint64_t sum = 0;
    if (record_bytes > 16)
        return gs_records_fingerprint(records, record_bytes, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t halves[2] = {0, 0};
        memcpy(halves, (const char *)records + i * record_bytes, record_bytes);
        sum += gs_random(halves[0], halves[1]);
    }
    return sum;
}

/* Where each thread's records of each rank go. own: the place of this rank's, or NULL. */
static void add_up(struct gs_dealer *dealer, unsigned threads, char *to, uint64_t *starts,
                   char **own)
{
    const unsigned ranges = dealer->ranges->count;
    uint64_t next = 0;
    for (unsigned range = 0; range <= ranges; range++) {
        uint64_t before = next;
        starts[range] = next;
        for (unsigned thread = 0; thread < threads; thread++)
            next += dealer->counts[thread * dealer->stride + range];
        *own = range == dealer->own ? dealer->place_own(dealer->context, next - before) : *own;
        char *place =
            range == dealer->own && *own != NULL ? *own : to + before * dealer->wire_bytes;
        for (unsigned thread = 0; thread < threads; thread++) {
            const size_t i = thread * dealer->stride + range;
            dealer->places[i] = place;
            place += dealer->counts[i] * dealer->wire_bytes;
        }
    }
}

/* Count the records of each rank, and of none. */
GS_CLONES static void count_ranks(const uint16_t *found, size_t count, unsigned ranges,
                                  uint64_t *counts)
{
    if (ranges > COUNTED_MOST) {
        for (size_t i = 0; i < count; i++)
            counts[found[i]]++;
        return;
    }
    for (unsigned range = 0; range <= ranges; range++) {
        uint16_t sum = 0; /* a block has fewer */
        for (size_t i = 0; i < count; i++)
            sum = (uint16_t)(sum + (found[i] == range));
        counts[range] += sum;
    }
}

/* bytes is a constant wherever this is called: no call of memcpy is left. */
static inline __attribute__((always_inline)) void
copy_each(const char *records, size_t count, const uint16_t *found, char **places, size_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        char **place = &places[found[i]];
        memcpy(*place, records + i * bytes, bytes);
        *place += bytes;
    }
}

/* The same with numbers in front. */
static void copy_numbered(const struct gs_dealer *dealer, const char *records, size_t count,
                          uint64_t position, const uint16_t *found, char **places)
{
    const bool reverse = dealer->ranges->options->reverse;
    const uint64_t *numbers = dealer->ranges->places.list;
    for (size_t i = 0; i < count; i++) {
        char **place = &places[found[i]];
        const uint64_t number =
            numbers != NULL ? numbers[position + i] : dealer->number + position + i;
        gs_number_write(*place, number, reverse, records + i * dealer->record_bytes,
                        dealer->record_bytes);
        *place += dealer->wire_bytes;
    }
}

/* position: of the first record in this rank's input. */
static void copy_records(const struct gs_dealer *dealer, const char *records, size_t count,
                         uint64_t position, const uint16_t *found, char **places)
{
    if (dealer->wire_bytes > dealer->record_bytes) {
        copy_numbered(dealer, records, count, position, found, places);
        return;
    }
    if (dealer->record_bytes == 4)
        copy_each(records, count, found, places, 4);
    else if (dealer->record_bytes == 8)
        copy_each(records, count, found, places, 8);
    else if (dealer->record_bytes == 16)
        copy_each(records, count, found, places, 16);
    else
        copy_each(records, count, found, places, dealer->record_bytes);
}

bool gs_deal(struct gs_dealer *dealer, const void *records, uint64_t count, uint64_t position,
             void *to, uint64_t *starts)
{
    const unsigned ranges = dealer->ranges->count;
    const char *from = records;
    char *own = NULL;
#pragma omp parallel num_threads(dealer->threads)
    {
        const unsigned thread = (unsigned)omp_get_thread_num();
        const unsigned threads = (unsigned)omp_get_num_threads();
        const uint64_t first = count * thread / threads;
        const uint64_t end = count * (thread + 1) / threads;
        uint64_t *counts = dealer->counts + thread * dealer->stride;
        char **places = dealer->places + thread * dealer->stride;
        memset(counts, 0, (ranges + 1) * sizeof *counts);
        for (uint64_t i = first; i < end; i += GS_RANGES_BLOCK) {
            size_t here = end - i < GS_RANGES_BLOCK ? (size_t)(end - i) : GS_RANGES_BLOCK;
            gs_ranges_find(dealer->ranges, from + i * dealer->record_bytes, here, position + i,
                           dealer->found + i);
            count_ranks(dealer->found + i, here, ranges, counts);
            if (thread == 0 && i % MEANWHILE_RECORDS == 0)
                dealer->meanwhile(dealer->context);
        }
#pragma omp barrier
#pragma omp single
        add_up(dealer, threads, to, starts, &own);
        for (uint64_t i = first; i < end; i += GS_RANGES_BLOCK) {
            size_t here = end - i < GS_RANGES_BLOCK ? (size_t)(end - i) : GS_RANGES_BLOCK;
            copy_records(dealer, from + i * dealer->record_bytes, here, position + i,
                         dealer->found + i, places);
            if (thread == 0 && i % MEANWHILE_RECORDS == 0)
                dealer->meanwhile(dealer->context);
        }
    }
    if (dealer->verify)
        for (unsigned range = 0; range < ranges; range++) {
            const char *part = (const char *)to + starts[range] * dealer->wire_bytes;
            dealer->fingerprint +=
                gs_deal_fingerprint(range == dealer->own && own != NULL ? own : part,
                                    starts[range + 1] - starts[range], dealer->wire_bytes);
        }
    return own != NULL;
}
