/* check_records.c -- are records in order?
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/check_records.h"

#include "common/record_order.h"

#define LOOK_BYTES ((uint64_t)1 << 20) /* that a thread looks at at once */

/* May b follow a? */
static bool follows(const struct gs_options *options, const char *a, const char *b)
{
    const struct gs_record_order *order = options->records;
    if (options->unique && gs_record_same_keys(order, a, b))
        return false;
    int sign = gs_record_compare(order, a, b);
    return options->reverse ? sign >= 0 : sign <= 0;
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
    if (previous != NULL && !follows(options, previous, first))
        return 0;
#pragma omp parallel for num_threads(blocks > 1 ? gs_threads(options) : 1) schedule(dynamic)
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t end = count - i * block < block ? count : (i + 1) * block;
        uint64_t known;
#pragma omp atomic read
        known = best;
        for (uint64_t at = i > 0 ? i * block : 1; at < end && at < known; at++) {
            if (follows(options, first + (at - 1) * bytes, first + at * bytes))
                continue;
#pragma omp critical(gs_disorder)
            if (at < best) {
#pragma omp atomic write
                best = at;
            }
            break;
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
