/* records.c -- are records in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#include "sort/check/records.h"
#include "sort/check/record_fingerprint.h"

#include "common/record_order.h"

#define LOOK_BYTES ((uint64_t)1 << 20) /* that a thread looks at at once */

/* May b follow a, and do they have the same keys? */
static inline bool follows(const struct gs_options *options, const char *a, const char *b,
                           bool *same)
{
    const struct gs_record_order *order = options->records;
    int sign = gs_record_compare_keys(order, a, b);
    *same = sign == 0;
    if (*same && options->unique)
        return false;
    if (*same)
        sign = gs_record_compare_from(order, a, b, order->key_bytes);
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
    bool same;
    if (count == 0)
        return count;
    if (previous != NULL && !follows(options, previous, first, &same))
        return 0;
#pragma omp parallel for num_threads(blocks > 1 ? gs_threads(options) : 1) schedule(dynamic)
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t end = count - i * block < block ? count : (i + 1) * block;
        uint64_t known;
#pragma omp atomic read
        known = best;
        for (uint64_t at = i > 0 ? i * block : 1; at < end && at < known; at++) {
            bool equal;
            if (follows(options, first + (at - 1) * bytes, first + at * bytes, &equal))
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

void gs_records_look(const struct gs_options *options, const void *records, uint64_t count,
                     const void *previous, struct gs_look *look)
{
    const uint64_t bytes = gs_record_bytes(options);
    const char *record = records;
    *look = (struct gs_look){.bad = count};
    for (uint64_t i = 0; i < count; i++, previous = record, record += bytes) {
        bool same = false;
        if (previous != NULL && !follows(options, previous, record, &same)) {
            look->bad = i;
            return;
        }
        look->duplicates += same;
        look->fingerprint += gs_record_hash(record, bytes);
    }
}
