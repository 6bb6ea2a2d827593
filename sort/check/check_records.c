/* check_records.c -- are records in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#include "sort/check/check_records.h"
#include "sort/check/record_fingerprint.h"

#include "sort/types/record_order.h"

#define LOOK_BYTES ((uint64_t)1 << 20) /* that a thread looks at at once */

uint64_t gs_records_find_disorder(const struct gs_options *options, const char *records,
                                  uint64_t first, uint64_t end)
{
    const struct gs_record_order *order = options->records;
    const struct gs_record_word how = order->words[0];
    const uint64_t bytes = gs_record_bytes(options);
    const bool reverse = options->reverse;
    const char *record = records + first * bytes;
    uint64_t word = gs_record_word_by(&how, record - bytes);
    for (; first < end; first++, record += bytes) {
        const uint64_t before = word;
        word = gs_record_word_by(&how, record);
        if (before != word ? (before < word) == reverse
                           : !gs_record_follows_closely(order, record - bytes, record, reverse,
                                                        options->unique))
            break;
    }
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
    if (previous != NULL &&
        !gs_record_follows(options->records, previous, first, options->reverse, options->unique))
        return 0;
#pragma omp parallel for num_threads(blocks > 1 ? gs_threads(options) : 1) schedule(dynamic)
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t end = count - i * block < block ? count : (i + 1) * block;
        uint64_t known;
#pragma omp atomic read
        known = best;
        const uint64_t from = i > 0 ? i * block : 1;
        const uint64_t at =
            from < known ? gs_records_find_disorder(options, first, from, end) : end;
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

void gs_records_look(const struct gs_options *options, const void *records, uint64_t count,
                     const void *previous, struct gs_look *look)
{
    const struct gs_record_order *order = options->records;
    const struct gs_record_word how = order->words[0];
    const uint64_t bytes = gs_record_bytes(options);
    const char *record = records;
    uint64_t word = previous != NULL ? gs_record_word_by(&how, previous) : 0;
    *look = (struct gs_look){.bad = count};
    for (uint64_t i = 0; i < count; i++, previous = record, record += bytes) {
        const uint64_t before = word;
        word = gs_record_word_by(&how, record);
        look->fingerprint += gs_record_hash(record, bytes);
        if (previous == NULL)
            continue;
        int sign = before < word ? -1 : 1;
        if (before == word)
            sign = gs_record_compare_keys(order, previous, record);
        const bool same = sign == 0;
        if (same)
            sign = gs_record_compare_from(order, previous, record, order->key_bytes);
        look->duplicates += same;
        if ((same && options->unique) || (options->reverse ? sign < 0 : sign > 0)) {
            look->bad = i;
            return;
        }
    }
}
