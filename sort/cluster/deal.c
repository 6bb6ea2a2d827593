/* deal.c -- put records in order of the rank that they go to.
 * SPDX-License-Identifier: MIT
 *
 * Each thread finds the ranks of its part and counts them; a prefix sum over ranks and threads says
 * where each thread's records of each rank go; then it copies them there.
 */
#include "sort/cluster/deal.h"

#include "sort/keys/vectors.h"
#include "sort/tags/number.h"
#include "sort/tags/record_fingerprint.h"

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

enum gs_status gs_dealer_open(struct gs_dealer *dealer, struct gs_error *err)
{
    dealer->found = malloc(dealer->most * sizeof *dealer->found);
    dealer->places =
        calloc((size_t)dealer->threads * (dealer->ranges->count + 1), sizeof *dealer->places);
    if (dealer->found == NULL || dealer->places == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "exchange");
    return GS_OK;
}

void gs_dealer_close(struct gs_dealer *dealer)
{
    free(dealer->found);
    free(dealer->places);
    dealer->found = NULL;
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

/* Where each thread's records of each rank go. */
static void add_up(struct gs_dealer *dealer, unsigned threads, uint64_t *starts)
{
    const unsigned ranges = dealer->ranges->count;
    uint64_t next = 0;
    for (unsigned range = 0; range <= ranges; range++) {
        starts[range] = next;
        for (unsigned thread = 0; thread < threads; thread++) {
            uint64_t *place = &dealer->places[(size_t)thread * (ranges + 1) + range];
            uint64_t here = *place;
            *place = next;
            next += here;
        }
    }
}

/* Count the records of each rank, and of none. */
GS_CLONES static void count_ranks(const uint16_t *found, size_t count, unsigned ranges,
                                  uint64_t *places)
{
    if (ranges > COUNTED_MOST) {
        for (size_t i = 0; i < count; i++)
            places[found[i]]++;
        return;
    }
    for (unsigned range = 0; range <= ranges; range++) {
        uint16_t sum = 0; /* a block has fewer */
        for (size_t i = 0; i < count; i++)
            sum = (uint16_t)(sum + (found[i] == range));
        places[range] += sum;
    }
}

/* bytes is a constant wherever this is called: no call of memcpy is left. */
static inline __attribute__((always_inline)) void copy_each(const char *records, size_t count,
                                                            const uint16_t *found, uint64_t *places,
                                                            char *to, size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + places[found[i]]++ * bytes, records + i * bytes, bytes);
}

/* The same with numbers in front. */
static void copy_numbered(const struct gs_dealer *dealer, const char *records, size_t count,
                          uint64_t number, const uint16_t *found, uint64_t *places, char *to)
{
    const bool reverse = dealer->ranges->options->reverse;
    for (size_t i = 0; i < count; i++)
        gs_number_write(to + places[found[i]]++ * dealer->wire_bytes, number + i, reverse,
                        records + i * dealer->record_bytes, dealer->record_bytes);
}

/* position: of the first record in this rank's input. */
static void copy_records(const struct gs_dealer *dealer, const char *records, size_t count,
                         uint64_t position, const uint16_t *found, uint64_t *places, char *to)
{
    if (dealer->wire_bytes > dealer->record_bytes) {
        copy_numbered(dealer, records, count, dealer->number + position, found, places, to);
        return;
    }
    if (dealer->record_bytes == 4)
        copy_each(records, count, found, places, to, 4);
    else if (dealer->record_bytes == 8)
        copy_each(records, count, found, places, to, 8);
    else if (dealer->record_bytes == 16)
        copy_each(records, count, found, places, to, 16);
    else
        copy_each(records, count, found, places, to, dealer->record_bytes);
}

void gs_deal(struct gs_dealer *dealer, const void *records, uint64_t count, uint64_t position,
             void *to, uint64_t *starts)
{
    const unsigned ranges = dealer->ranges->count;
    const char *from = records;
#pragma omp parallel num_threads(dealer->threads)
    {
        const unsigned thread = (unsigned)omp_get_thread_num();
        const unsigned threads = (unsigned)omp_get_num_threads();
        const uint64_t first = count * thread / threads;
        const uint64_t end = count * (thread + 1) / threads;
        uint64_t *places = dealer->places + (size_t)thread * (ranges + 1);
        memset(places, 0, (ranges + 1) * sizeof *places);
        for (uint64_t i = first; i < end; i += GS_RANGES_BLOCK) {
            size_t here = end - i < GS_RANGES_BLOCK ? (size_t)(end - i) : GS_RANGES_BLOCK;
            gs_ranges_find(dealer->ranges, from + i * dealer->record_bytes, here, position + i,
                           dealer->found + i);
            count_ranks(dealer->found + i, here, ranges, places);
            if (thread == 0 && i % MEANWHILE_RECORDS == 0)
                dealer->meanwhile(dealer->context);
        }
#pragma omp barrier
#pragma omp single
        add_up(dealer, threads, starts);
        for (uint64_t i = first; i < end; i += GS_RANGES_BLOCK) {
            size_t here = end - i < GS_RANGES_BLOCK ? (size_t)(end - i) : GS_RANGES_BLOCK;
            copy_records(dealer, from + i * dealer->record_bytes, here, position + i,
                         dealer->found + i, places, to);
            if (thread == 0 && i % MEANWHILE_RECORDS == 0)
                dealer->meanwhile(dealer->context);
        }
    }
    if (dealer->verify)
        dealer->fingerprint += gs_deal_fingerprint(to, starts[ranges], dealer->wire_bytes);
}
