/* gather.c -- fetch the records of sorted tags.
 * SPDX-License-Identifier: MIT
 *
 * Each record is somewhere else, so nearly every one is a cache miss, and often one of the TLB,
 * too: those of the next records are under way while one is copied. They come to the second-level
 * cache, which takes more at once than the first.
 */
#include "sort/tags/gather.h"

#define AHEAD          24 /* records that are under way */
#define LINE           64
#define PREFETCHED_MAX 512 /* bytes of a record; the hardware fetches the rest of longer ones */

static inline void prefetch(const char *record, uint32_t bytes)
{
    const uint32_t end = bytes < PREFETCHED_MAX ? bytes : PREFETCHED_MAX;
    for (uint32_t at = 0; at < end; at += LINE)
        __builtin_prefetch(record + at, 0, 2);
    __builtin_prefetch(record + end - 1, 0, 2);
}

/* Copy a record; short ones without a call, where the last part may overlap the one before. */
static inline void copy(char *to, const char *record, uint32_t bytes)
{
    enum { PART = 32, MOST = 8 * PART };
    if (bytes < PART || bytes > MOST) {
        memcpy(to, record, bytes);
        return;
    }
    for (uint32_t at = 0; at + PART < bytes; at += PART)
        memcpy(to + at, record + at, PART);
    memcpy(to + bytes - PART, record + bytes - PART, PART);
}

static inline void fetch(const struct gs_wide *wide, gs_key tag, char *to)
{
    const char *record = gs_wide_tagged(wide, tag);
    const uint32_t bytes = wide->tags.tagger.record_bytes;
    const bool reverse = wide->options->reverse;
    if (wide->numbers.use == GS_NUMBERS_ADD) {
        const uint64_t number = wide->numbers.first + gs_tag_index(&wide->tags, tag);
        gs_number_write(to, number, reverse, record, bytes);
    } else if (wide->numbers.use == GS_NUMBERS_TAKE) {
        const uint64_t number = gs_number_read(record, reverse);
        memcpy(to, &number, wide->output_bytes);
    } else {
        copy(to, record, bytes);
    }
}

static void gather_records(const struct gs_wide *wide, const gs_key *tags, uint64_t count, char *to)
{
    const bool takes = wide->numbers.use == GS_NUMBERS_TAKE;
    const uint32_t bytes = takes ? GS_NUMBER_BYTES : wide->tags.tagger.record_bytes;
    const unsigned output_bytes = wide->output_bytes;
    for (uint64_t i = 0; i < count && i < AHEAD; i++)
        prefetch(gs_wide_tagged(wide, tags[i]), bytes);
    for (uint64_t i = 0; i < count; i++, to += output_bytes) {
        if (i + AHEAD < count)
            prefetch(gs_wide_tagged(wide, tags[i + AHEAD]), bytes);
        fetch(wide, tags[i], to);
    }
}

void gs_gather(const struct gs_wide *wide, const gs_key *tags, uint64_t count, char *to)
{
    const unsigned index_bytes = wide->options->index_bytes;
    if (index_bytes == 0 || wide->numbers.use == GS_NUMBERS_TAKE) {
        gather_records(wide, tags, count, to);
        return;
    }
    for (uint64_t i = 0; i < count; i++, to += index_bytes) {
        const uint64_t index = gs_tag_index(&wide->tags, tags[i]);
        memcpy(to, &index, index_bytes);
    }
}
