/* record_sample.c -- draw a sample of records that are in memory or mapped.
 * SPDX-License-Identifier: MIT
 */
#include "sort/api/record_sample.h"
#include "sort/keys/sample_position.h"

#include <sys/mman.h>

#define SAMPLE_SEED 0x636c7573U

/* What mincore(2) and madvise(2) are asked about: on systems with larger pages they refuse, and
 * nothing is asked. */
#define PAGE_BYTES ((size_t)4096)

/* Sample records whose pages are asked for at once. */
#define SAMPLES_AT_ONCE 256

/* Where the record at a position of all spans is; positions ascend from call to call, and *span and
 * *before, the records of earlier spans, with them. */
static const char *find_record(const struct gs_span *spans, size_t record_bytes, uint64_t position,
                               size_t *span, uint64_t *before)
{
    while (position - *before >= spans[*span].count)
        *before += spans[(*span)++].count;
    return (const char *)spans[*span].keys + (position - *before) * record_bytes;
}

/* Probes by which the input's pages seem to be in memory, or not. */
#define PROBES 64

/* Is any of a few records on the disk? Asking for each page of an input that is in memory takes
 * longer than reading it. */
static bool is_on_disk(const struct gs_span *spans, size_t record_bytes, uint64_t keys)
{
    size_t span = 0;
    uint64_t before = 0;
    for (uint64_t i = 0; i < PROBES; i++) {
        unsigned char there = 1;
        const uint64_t at = gs_sample_position(i, PROBES, keys, SAMPLE_SEED);
        const char *record = find_record(spans, record_bytes, at, &span, &before);
        void *page = (void *)((uintptr_t)record & ~(uintptr_t)(PAGE_BYTES - 1));
        if (mincore(page, PAGE_BYTES, &there) == 0 && (there & 1) == 0)
            return true;
    }
    return false;
}

void gs_sample_draw(const struct gs_span *spans, size_t record_bytes, uint64_t keys, uint64_t count,
                    gs_sample_take *take, void *context)
{
    const char *records[SAMPLES_AT_ONCE];
    uint64_t positions[SAMPLES_AT_ONCE];
    size_t span = 0;
    uint64_t before = 0;
    const bool ask = count < keys && is_on_disk(spans, record_bytes, keys);
    for (uint64_t i = 0; i < count; i += SAMPLES_AT_ONCE) {
        uint64_t here = count - i < SAMPLES_AT_ONCE ? count - i : SAMPLES_AT_ONCE;
        for (uint64_t j = 0; j < here; j++) {
            positions[j] =
                count == keys ? i + j : gs_sample_position(i + j, count, keys, SAMPLE_SEED);
            records[j] = find_record(spans, record_bytes, positions[j], &span, &before);
            uintptr_t page = (uintptr_t)records[j] & ~(uintptr_t)(PAGE_BYTES - 1);
            if (ask)
                madvise((void *)page, PAGE_BYTES, MADV_WILLNEED);
        }
        for (uint64_t j = 0; j < here; j++)
            take(context, i + j, records[j], positions[j]);
    }
}
