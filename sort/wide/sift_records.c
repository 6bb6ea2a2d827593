/* sift_records.c -- which records may be among the first or the last ones of the output?
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/record_calls.h"

#include "sort/types/record_order.h"

/* May a record be in the part whose keys begin as those of its bound do? Records without an order
 * of their own come in that of the input: those behind the bound are in its tail. */
static bool may_be(const struct gs_options *options, enum gs_wanted_end end, const void *bound,
                   const char *record)
{
    const struct gs_record_order *order = options->records;
    const bool turned = options->reverse != (end == GS_WANTED_TAIL);
    const int sign = options->unique ? gs_record_compare_keys(order, record, bound)
                                     : gs_record_compare(order, record, bound);
    if (sign == 0)
        return options->unique || (end == GS_WANTED_TAIL && order->format.stable);
    return (sign > 0) == turned;
}

uint64_t gs_records_sift(const struct gs_options *options, enum gs_wanted_end end,
                         const void *bound, const void *records, uint64_t count, uint32_t *kept)
{
    const struct gs_record_word how = options->records->words[0];
    const bool turned = options->reverse != (end == GS_WANTED_TAIL);
    const uint64_t bytes = gs_record_bytes(options);
    const uint64_t limit = gs_record_word_by(&how, bound);
    const char *record = records;
    uint64_t used = 0;
    for (uint64_t i = 0; i < count; i++, record += bytes) {
        const uint64_t word = gs_record_word_by(&how, record);
        kept[used] = (uint32_t)i;
        used += word != limit ? (word > limit) == turned : may_be(options, end, bound, record);
    }
    return used;
}
