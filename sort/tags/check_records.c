/* check_records.c -- are records in order?
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/check_records.h"

#include "common/record_order.h"

#define LOOK_BYTES ((uint64_t)1 << 20) /* that a thread looks at at once */

/* The first of records [first, end) that may not follow the one before; or end. */
static uint64_t find_disorder(const struct gs_options *options, const char *records, uint64_t first,
                              uint64_t end)
{
    const uint64_t bytes = gs_record_bytes(options);
    const char *record = records + first * bytes;
    uint64_t word = gs_record_word(options->records, record - bytes);
    while (first < end && gs_record_follows(options->records, record - bytes, record, &word,
                                            options->reverse, options->unique))
        first++, record += bytes;
    return first;
}

uint64_t gs_records_first_disorder(const struct gs_options *options, const void *records,
                                   uint64_t count, const void *previous)
{
    const char *first = records;
    const uint64_t bytes = gs_record_bytes(options);
    const uint64_t block = LOOK_BYTES / bytes;
    const uint64_t blocks = (count + block - 1) / block;
    uint64_t best = count;
    if (count == 0)
        return count;
    if (previous != NULL) {
        uint64_t word = gs_record_word(options->records, previous);
        if (!gs_record_follows(options->records, previous, first, &word, options->reverse,
                               options->unique))
            return 0;
    }
#pragma omp parallel for num_threads(blocks > 1 ? gs_threads(options) : 1) schedule(dynamic)
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t end = count - i * block < block ? count : (i + 1) * block;
        uint64_t known;
#pragma omp atomic read
        known = best;
        const uint64_t from = i > 0 ? i * block : 1;
        const uint64_t at = from < known ? find_disorder(options, first, from, end) : end;
        if (at == end)
            continue;
#pragma omp critical(gs_disorder)
        if (at < best) {
#pragma omp atomic write
            best = at;
        }
    }
    return best;
}

uint64_t gs_records_duplicates(const struct gs_options *options, const void *records,
                               uint64_t count, const void *previous)
{
    const uint64_t bytes = gs_record_bytes(options);
    const char *record = records;
    uint64_t same = 0;
    for (uint64_t i = 0; i < count; i++, previous = record, record += bytes)
        same += previous != NULL && gs_record_same_keys(options->records, previous, record);
    return same;
}
