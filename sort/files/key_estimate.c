/* key_estimate.c -- how many keys does an input have, and are most records of few of them?
 * SPDX-License-Identifier: MIT
 *
 * By how many keys come once, and how many twice, in a sample [Chao: Nonparametric estimation of
 * the number of classes in a population, 1984].
 */
#include "sort/files/key_estimate.h"

#include "common/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 55

/* From larger inputs, more: one record of so many, or of a few thousand more, as neighbours at the
 * places; no more than these there, and than have room in this part of the memory, with what the
 * table takes for each. */
#define SHARE        1024
#define SHARE_OF_FEW 16
#define FEW          (4 * GS_ESTIMATE_PLACES)
#define PER_PLACE    256
#define MEMORY_SHARE 8
#define TABLE_BYTES  40

/* How many at each place. */
static uint64_t run_for(const struct gs_external *source, uint64_t total, uint64_t bytes)
{
    const uint64_t room = source->memory_bytes / MEMORY_SHARE / (2 * bytes + TABLE_BYTES);
    const uint64_t few = total / SHARE_OF_FEW < FEW ? total / SHARE_OF_FEW : FEW;
    uint64_t records = total / SHARE > few ? total / SHARE : few;
    records = (records < room ? records : room) / GS_ESTIMATE_PLACES;
    return records < 1 ? 1 : records < PER_PLACE ? records : PER_PLACE;
}

/* Records from places that are spread over the spans, `run` from each. */
static void draw_sample(const struct gs_external *source, uint64_t total, uint64_t run,
                        uint64_t bytes, char *to)
{
    const struct gs_span *span = source->spans;
    const uint64_t step = total / GS_ESTIMATE_PLACES;
    uint64_t before = 0; /* records of the spans before */
    for (uint64_t i = 0; i < GS_ESTIMATE_PLACES; i++) {
        const uint64_t at = step * i + gs_random(SEED, i) % (step - run + 1);
        for (uint64_t j = 0; j < run; j++, to += bytes) {
            for (; at + j - before >= span->count; span++)
                before += span->count;
            memcpy(to, (const char *)span->keys + (at + j - before) * bytes, bytes);
        }
    }
}

/* So many events may be luck: by two standard deviations, there are to be at least these. */
static uint64_t surely(uint64_t count)
{
    const double least = (double)count - 2 * sqrt((double)count);
    return least > 0 ? (uint64_t)least : 0;
}

uint64_t gs_estimate_keys(const struct gs_part_form *parts, const struct gs_external *source,
                          uint64_t total, double *rare)
{
    struct gs_part_form form = *parts;
    struct gs_part_table table = {.form = &form, .limit_bytes = UINT64_MAX};
    uint64_t times[3] = {0}; /* keys that come once, twice, and more often */
    const uint64_t run = run_for(source, total, form.record_bytes);
    const uint64_t records = run * GS_ESTIMATE_PLACES;
    char *sample = malloc(records * form.record_bytes);
    uint64_t keys = UINT64_MAX;
    form.how = NULL;
    form.counts = true;
    form.part_bytes = form.record_bytes + GS_TIMES_BYTES;
    *rare = 1;
    if (sample != NULL) {
        draw_sample(source, total, run, form.record_bytes, sample);
        if (gs_part_table_add(&table, sample, records) == records) {
            for (uint64_t i = 0; i < table.count; i++) {
                const char *part = table.parts + i * form.part_bytes;
                const uint32_t often = gs_row_half(part + form.record_bytes);
                times[often < 3 ? often - 1 : 2]++;
            }
            *rare = (double)times[0] / (double)records;
            if (times[0] == 0 || surely(times[1]) > 0)
                keys = table.count + times[0] * times[0] / (2 * surely(times[1]) + 1);
        }
    }
    gs_part_table_free(&table);
    free(sample);
    return keys;
}
