/* key_estimate.c -- how many keys does an input have, and are most records of few of them?
 * SPDX-License-Identifier: MIT
 *
 * By how many keys come once, and how many twice, in a sample [Chao: Nonparametric estimation of
 * the number of classes in a population, 1984].
 */
#include "sort/files/key_estimate.h"

#include "common/random.h"

#include <stdlib.h>
#include <string.h>

#define SEED 55

/* Records from places that are spread over the spans. */
static void draw_sample(const struct gs_external *source, uint64_t total, uint64_t bytes, char *to)
{
    const struct gs_span *span = source->spans;
    uint64_t before = 0; /* records of the spans before */
    for (uint64_t i = 0; i < GS_ESTIMATE_RECORDS; i++, to += bytes) {
        const uint64_t at =
            total / GS_ESTIMATE_RECORDS * i + gs_random(SEED, i) % (total / GS_ESTIMATE_RECORDS);
        for (; at - before >= span->count; span++)
            before += span->count;
        memcpy(to, (const char *)span->keys + (at - before) * bytes, bytes);
    }
}

uint64_t gs_estimate_keys(const struct gs_part_form *parts, const struct gs_external *source,
                          uint64_t total, double *rare)
{
    struct gs_part_form form = *parts;
    struct gs_part_table table = {.form = &form, .limit_bytes = UINT64_MAX};
    uint64_t times[3] = {0}; /* keys that come once, twice, and more often */
    char *sample = malloc((size_t)GS_ESTIMATE_RECORDS * form.record_bytes);
    uint64_t keys = UINT64_MAX;
    form.how = NULL;
    form.counts = true;
    form.part_bytes = form.record_bytes + sizeof *times;
    *rare = 1;
    if (sample != NULL) {
        draw_sample(source, total, form.record_bytes, sample);
        if (gs_part_table_add(&table, sample, GS_ESTIMATE_RECORDS) == GS_ESTIMATE_RECORDS) {
            for (uint64_t i = 0; i < table.count; i++) {
                const char *part = table.parts + i * form.part_bytes;
                const uint64_t often = gs_row_word(part + form.record_bytes);
                times[often < 3 ? often - 1 : 2]++;
            }
            *rare = (double)times[0] / GS_ESTIMATE_RECORDS;
            if (times[0] == 0 || times[1] > 0)
                keys = table.count + times[0] * times[0] / (2 * times[1] + 1);
        }
    }
    gs_part_table_free(&table);
    free(sample);
    return keys;
}
