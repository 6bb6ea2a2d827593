/* groups.c -- load as many bins of all chunks as fit, and write their records in random order.
 * SPDX-License-Identifier: MIT
 *
 * What is loaded stays where it is: numbers of records change places, and these are fetched.
 */
#include "sort/shuffle/shuffle.h"
#include "sort/shuffle/shuffling.h"

#include "common/formats/record_copy.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>

#define WRITTEN_BYTES ((uint64_t)1 << 20) /* by a thread at once */

/* Bytes that a group needs besides its records, with so many threads and records in a bin. */
static uint64_t beside(unsigned threads, uint64_t most)
{
    const uint64_t again = most > GS_SHUFFLE_MIXED ? gs_dealing_bytes(1) : 0;
    return threads * (2 * most * sizeof(uint32_t) + again) + 4 * GS_CHUNK_HEAD_BYTES;
}

/* The records of a group that memory has room for, loaded and fetched. */
static uint64_t group_records(uint64_t memory, unsigned threads, uint64_t most, unsigned bytes)
{
    const uint64_t used = beside(threads, most);
    const uint64_t left = memory > used ? (memory - used) / 2 / bytes : 0;
    return left < UINT32_MAX ? left : UINT32_MAX;
}

static enum gs_status refuse(const struct gs_options *options, uint64_t memory, uint64_t count,
                             uint64_t most, struct gs_error *err)
{
    const unsigned bytes = gs_record_bytes(options);
    const uint64_t least =
        gs_dealing_bytes(1) + GS_CHUNK_HEAD_BYTES + beside(1, most) + 2 * most * bytes;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "%" PRIu64 " records of %u bytes take at least %" PRIu64
                   " MiB of memory to shuffle, and only %" PRIu64 " MiB may be used (-S)",
                   count, bytes, (least >> 20) + 1, memory >> 20);
}

enum gs_status gs_shuffle_check_external(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count, struct gs_error *err)
{
    const uint64_t most = gs_shuffle_most(count);
    const uint64_t memory = gs_shuffle_for_groups(memory_bytes);
    return group_records(memory, 1, most, gs_record_bytes(options)) < most
               ? refuse(options, memory, count, most, err)
               : GS_OK;
}

/* Where the bins from `bin` to `end` begin in all chunks. */
static enum gs_status load_starts(struct gs_shuffling *all, uint32_t bin, uint32_t end,
                                  uint32_t *starts, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t loaded = 0;
    const size_t count = end - bin + 1;
    for (size_t i = 0; i < all->chunk_count; i++, starts += count) {
        struct gs_dealt_chunk *chunk = &all->chunks[i];
        GS_TRY(gs_spill_read(&all->spill, &chunk->place, bin * sizeof *starts, starts,
                             count * sizeof *starts, err));
        for (size_t j = 1; j < count; j++)
            if (starts[j] < starts[j - 1] || starts[j] - starts[j - 1] > all->totals[bin + j - 1])
                GS_TRY(gs_fail(err, GS_ERR_OUTPUT, 0, "a temporary file has changed"));
        chunk->starts = starts;
        chunk->loaded = loaded;
        loaded += starts[count - 1] - starts[0];
    }
cleanup:
    return st;
}

/* Load the records of `count` bins, one chunk after the other. */
static enum gs_status load(struct gs_shuffling *all, uint32_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
    for (size_t i = 0; i < all->chunk_count; i++) {
        struct gs_error error = {.status = GS_OK};
        const struct gs_dealt_chunk *chunk = &all->chunks[i];
        const uint64_t first = chunk->starts[0];
        if (gs_spill_read(&all->spill, &chunk->place, GS_CHUNK_HEAD_BYTES + first * all->bytes,
                          all->from + chunk->loaded * all->bytes,
                          (chunk->starts[count] - first) * all->bytes, &error) == GS_OK)
            continue;
        gs_shuffle_keep(&error, &st, err);
    }
    return st;
}

/* Fetch the records of the i-th bin from the first that is loaded, in their order. */
static void fetch_bin(struct gs_shuffling *all, uint32_t first, uint32_t i, char *to)
{
    const int thread = omp_get_thread_num();
    uint32_t *numbers = all->numbers + (size_t)thread * 2 * all->most;
    uint32_t *end = numbers;
    for (size_t c = 0; c < all->chunk_count; c++) {
        const struct gs_dealt_chunk *chunk = &all->chunks[c];
        uint64_t number = chunk->loaded + chunk->starts[i] - chunk->starts[0];
        for (uint32_t j = chunk->starts[i]; j < chunk->starts[i + 1]; j++)
            *end++ = (uint32_t)number++;
    }
    const char *mixed = gs_shuffle_mix(gs_shuffle_node(all->options->seed, first + i),
                                       (char *)numbers, (uint64_t)(end - numbers), sizeof *numbers,
                                       (char *)(numbers + all->most), all->own[thread]);
    for (const uint32_t *number = (const uint32_t *)(const void *)mixed,
                        *last = number + (end - numbers);
         number < last; number++, to += all->bytes)
        gs_record_copy(to, all->from + (uint64_t)*number * all->bytes, all->bytes);
}

/* Hand `count` records to the sink. */
static enum gs_status put(struct gs_shuffling *all, uint64_t count, uint64_t position,
                          struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const bool stream = all->sink->stream;
    const uint64_t piece = stream ? count : WRITTEN_BYTES / all->bytes + 1;
    GS_TRY(gs_trail_follow(&all->trail, all->to, count, position, err));
#pragma omp parallel for num_threads(stream ? 1 : all->threads) schedule(dynamic)
    for (uint64_t at = 0; at < count; at += piece) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - at < piece ? count - at : piece;
        if (all->sink->write(all->sink, all->to + at * all->bytes, here, position + at, &error) ==
            GS_OK)
            continue;
        gs_shuffle_keep(&error, &st, err);
    }
    atomic_fetch_add(&all->progress->done, count);
cleanup:
    return st;
}

/* Bins [bin, end), of `count` records that follow `position` others. */
static enum gs_status emit_group(struct gs_shuffling *all, uint32_t bin, uint32_t end,
                                 uint64_t count, uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t offsets[GS_SHUFFLE_BINS + 1] = {0};
    uint32_t *starts = reallocarray(NULL, all->chunk_count * (end - bin + 1), sizeof *starts);
    if (starts == NULL)
        return gs_shuffle_no_memory(err);
    for (uint32_t i = 0; i < end - bin; i++)
        offsets[i + 1] = offsets[i] + all->totals[bin + i];
    GS_TRY(load_starts(all, bin, end, starts, err));
    GS_TRY(load(all, end - bin, err));
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
    for (uint64_t i = 0; i < end - bin; i++)
        fetch_bin(all, bin, (uint32_t)i, all->to + offsets[i] * all->bytes);
    st = put(all, count, position, err);
cleanup:
    free(starts);
    return st;
}

/* Room for what emit_group needs, with as many threads as memory allows; *most: records of a group.
 */
static enum gs_status plan_groups(struct gs_shuffling *all, uint64_t *most, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++)
        all->most = all->totals[bin] > all->most ? all->totals[bin] : all->most;
    free(all->deal);
    all->deal = NULL;
    while ((*most = group_records(all->memory, all->threads, all->most, all->bytes)) < all->most &&
           all->threads > 1)
        all->threads--;
    if (*most < all->most)
        return refuse(all->options, all->memory, all->done, all->most, err);
    *most = *most < all->done ? *most : all->done;
    GS_TRY(gs_shuffle_need(&all->from, &all->from_bytes, *most * all->bytes, err));
    GS_TRY(gs_shuffle_need(&all->to, &all->to_bytes, *most * all->bytes, err));
    all->numbers = reallocarray(NULL, all->threads * 2 * all->most + 1, sizeof *all->numbers);
    all->own = gs_dealings_new(all->threads, all->most);
    if (all->numbers == NULL || all->own == NULL)
        st = gs_shuffle_no_memory(err);
cleanup:
    return st;
}

enum gs_status gs_shuffle_emit(struct gs_shuffling *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t most = 0;
    uint64_t position = 0;
    GS_TRY(plan_groups(all, &most, err));
    gs_progress_enter(all->progress, gs_stage_name(GS_STAGE_SORT_BINS), all->done);
    for (uint32_t bin = 0, end; bin < GS_SHUFFLE_BINS; bin = end) {
        uint64_t count = all->totals[bin];
        for (end = bin + 1; end < GS_SHUFFLE_BINS && count + all->totals[end] <= most; end++)
            count += all->totals[end];
        if (count > 0)
            GS_TRY(emit_group(all, bin, end, count, position, err));
        position += count;
    }
cleanup:
    return st;
}
