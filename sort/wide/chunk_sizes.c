/* chunk_sizes.c -- what a sort of records through temporary files takes: sizes of chunks.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/chunk_sizes.h"
#include "sort/wide/record_calls.h"

#include <inttypes.h>
#include <stdio.h>

/* A slice takes a piece of each run, and a look where that ends: so there are at most so many runs,
 * or, where chunks are large, as many as leave pieces of so many bytes. Else reading would take
 * more than the sort, and grow with the square of the input. */
#define RUNS_MOST       1024
#define PIECE_BYTES_MIN 1024

/* Bytes that so many records take while they are sorted. */
static uint64_t part_bytes(const struct gs_options *options, uint64_t count)
{
    return count * gs_record_bytes(options) + gs_sort_records_memory(options, count);
}

uint64_t gs_chunk_fit(const struct gs_options *options, uint64_t bytes, bool loaded)
{
    uint64_t low = 0;
    uint64_t high = bytes / gs_record_bytes(options) + 1;
    if (!loaded)
        high = bytes + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if ((loaded ? part_bytes(options, middle) : gs_sort_records_memory(options, middle)) <=
            bytes)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* An eighth of the memory is for samples. */
static uint64_t without_samples(uint64_t memory)
{
    return memory - memory / 8;
}

uint64_t gs_chunk_serves(const struct gs_options *options, uint64_t chunk)
{
    const uint64_t runs = chunk * gs_record_bytes(options) / PIECE_BYTES_MIN;
    uint64_t most;
    return __builtin_mul_overflow(chunk, runs > RUNS_MOST ? runs : RUNS_MOST, &most) ? UINT64_MAX
                                                                                     : most;
}

uint64_t gs_chunk_mebibytes(const struct gs_options *options, uint64_t count)
{
    struct gs_options one = *options;
    uint64_t too_few = GS_CHUNK_LEAST - 1;
    uint64_t chunk = count / RUNS_MOST + GS_CHUNK_LEAST;
    one.threads = 1;
    while (chunk - too_few > 1) {
        const uint64_t middle = too_few + (chunk - too_few) / 2;
        if (gs_chunk_serves(&one, middle) >= count)
            chunk = middle;
        else
            too_few = middle;
    }
    return (part_bytes(&one, chunk) >> 20) * 8 / 7 + 2;
}

enum gs_status gs_chunk_refuse(const struct gs_options *options, uint64_t count, const char *more,
                               uint64_t mebibytes, uint64_t memory, struct gs_error *err)
{
    char number[24] = "";
    if (count > 0)
        snprintf(number, sizeof number, "%" PRIu64 " ", count);
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "%srecords of %u bytes%s take at least %" PRIu64
                   " MiB of memory to sort, and only %" PRIu64 " MiB may be used (-S)",
                   number, gs_record_bytes(options), more, mebibytes, memory >> 20);
}

enum gs_status gs_chunk_plan(struct gs_options *options, uint64_t memory, uint64_t count,
                             uint64_t *chunk, struct gs_error *err)
{
    const uint64_t room = without_samples(memory);
    const unsigned threads = gs_threads(options);
    options->threads = 1; /* whose chunks are the largest: more may take a quarter of that */
    const uint64_t least = gs_chunk_fit(options, room, true) / 4 * 3;
    options->threads = threads;
    while (options->threads > 1 && gs_chunk_fit(options, room, true) < least)
        options->threads--;
    while ((*chunk = gs_chunk_fit(options, room, true)) < GS_CHUNK_LEAST ||
           gs_chunk_serves(options, *chunk) < count)
        if (options->threads-- == 1)
            return gs_chunk_refuse(options, count, "", gs_chunk_mebibytes(options, count), memory,
                                   err);
    return GS_OK;
}
