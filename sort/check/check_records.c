/* check_records.c -- are records in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#include "sort/check/check_records.h"
#include "sort/check/record_fingerprint.h"

#include "sort/types/record_order.h"

#define LOOK_BYTES ((uint64_t)1 << 20) /* that a thread looks at at once */

/* gs_records_rise by so many words; where the first ones are the same, without a branch: which of
 * the others differ nobody can foresee. words and plain are constants at every call but one. */
static inline __attribute__((always_inline)) uint64_t rise(const struct gs_record_order *order,
                                                           const char *record, unsigned stride,
                                                           uint64_t first, uint64_t end,
                                                           bool reverse, uint32_t words, bool plain)
{
    struct gs_record_word how[GS_RECORD_WORDS];
    memcpy(how, order->words, sizeof how);
#define WORD(i, at) (plain ? gs_record_word_plain(&how[i], at) : gs_record_word_by(&how[i], at))
    for (; first < end; first++, record += stride) {
        const char *const lower = reverse ? record : record - stride;
        const char *const upper = reverse ? record - stride : record;
        const uint64_t a = WORD(0, lower), b = WORD(0, upper);
        bool rises = a < b;
        if (a == b) {
            __extension__ typedef unsigned __int128 pair; /* compared with a borrow */
#pragma GCC unroll 2
            for (uint32_t i = words - 1; i > 0; i -= i > 1 ? 2 : 1) {
                pair x = WORD(i, lower), y = WORD(i, upper);
                if (i > 1) {
                    x |= (pair)WORD(i - 1, lower) << 64;
                    y |= (pair)WORD(i - 1, upper) << 64;
                }
                rises = i < words - 1 ? (x < y) | ((x == y) & rises) : x < y;
            }
        }
        if (!rises)
            break;
    }
#undef WORD
    return first;
}

uint64_t gs_records_rise(const struct gs_record_order *order, const char *records, unsigned stride,
                         uint64_t first, uint64_t end, bool reverse)
{
    const char *record = records + first * stride;
    if (first >= end)
        return end;
    if (order->word_count == 0)
        return first; /* a key that is computed from several numbers */
    if (!order->plain)
        return rise(order, record, stride, first, end, reverse, order->word_count, false);
    switch (order->word_count) {
    case 1:
        return rise(order, record, stride, first, end, reverse, 1, true);
    case 2:
        return rise(order, record, stride, first, end, reverse, 2, true);
    case 3:
        return rise(order, record, stride, first, end, reverse, 3, true);
    default:
        return rise(order, record, stride, first, end, reverse, GS_RECORD_WORDS, true);
    }
}

uint64_t gs_records_find_disorder(const struct gs_options *options, const char *records,
                                  uint64_t first, uint64_t end)
{
    const struct gs_record_order *order = options->records;
    const unsigned bytes = gs_record_bytes(options);
    const bool reverse = options->reverse;
    for (;; first++) {
        first = gs_records_rise(order, records, bytes, first, end, reverse);
        const char *record = records + first * bytes;
        if (first == end ||
            !gs_record_follows(order, record - bytes, record, reverse, options->unique))
            return first;
    }
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

/* Look closely at a record that words do not tell to follow another one. Does it? */
static bool look_closely(const struct gs_options *options, const char *previous, const char *record,
                         struct gs_look *look)
{
    const struct gs_record_order *order = options->records;
    int sign = gs_record_compare_keys(order, previous, record);
    const bool same = sign == 0;
    if (same)
        sign = gs_record_compare_from(order, previous, record, order->key_bytes);
    look->duplicates += same;
    return !(same && options->unique) && (options->reverse ? sign >= 0 : sign <= 0);
}

void gs_records_look(const struct gs_options *options, const void *records, uint64_t count,
                     const void *previous, struct gs_look *look)
{
    const unsigned bytes = gs_record_bytes(options);
    const char *const first = records;
    *look = (struct gs_look){.bad = count,
                             .fingerprint = gs_records_fingerprint(records, bytes, count)};
    if (count > 0 && previous != NULL && !look_closely(options, previous, first, look)) {
        look->bad = 0;
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        i = gs_records_rise(options->records, first, bytes, i, count, options->reverse);
        const char *record = first + i * bytes;
        if (i < count && !look_closely(options, record - bytes, record, look)) {
            look->bad = i;
            return;
        }
    }
}
