/* number.h -- records with a number in front, by which those of equal keys are told apart.
 * SPDX-License-Identifier: MIT
 *
 *   in the sort   | number | record |      in the output   | record |, or | index |
 *
 * Where records are sorted in parts, and those of equal keys stay in input order or their positions
 * are wanted, each travels with its position in the input. The numbers are big-endian, and inverted
 * under reverse: the order of records that are not stable, by keys, then by all bytes, is right.
 * Those of a shuffle travel with their places in the output, which are all that is sorted by then.
 */
#ifndef GS_NUMBER_H
#define GS_NUMBER_H

#include "sort/types/types.h"

#include "sort/types/record_order.h"

#include <endian.h>
#include <string.h>

/* The sort of such records. */
struct gs_numbered {
    struct gs_options options;
    struct gs_record_order order;
};

static inline void gs_numbered_init(struct gs_numbered *numbered, const struct gs_options *options)
{
    struct gs_format format = {
        .key_count = 1, .keys = {{.type = {.kind = GS_TYPE_BYTES, .bytes = GS_NUMBER_BYTES}}}};
    if (!options->shuffled) {
        format = *options->format;
        for (uint32_t i = 0; i < format.key_count; i++)
            format.keys[i].offset += GS_NUMBER_BYTES;
    }
    format.record_bytes = gs_record_bytes(options) + GS_NUMBER_BYTES;
    format.element_bytes = 0;
    format.stable = false;
    gs_record_order_init(&numbered->order, &format);
    numbered->options = *options;
    numbered->options.shuffled = false;
    numbered->options.codec = NULL;
    numbered->options.index_bytes = 0;
    numbered->options.format = &numbered->order.format;
    numbered->options.records = &numbered->order;
}

/* Write a record with its number in front. */
static inline void gs_number_write(char *to, uint64_t number, bool reverse, const char *record,
                                   size_t record_bytes)
{
    number = htobe64(reverse ? ~number : number);
    memcpy(to, &number, sizeof number);
    memcpy(to + sizeof number, record, record_bytes);
}

/* The number of such a record. */
static inline uint64_t gs_number_read(const char *numbered, bool reverse)
{
    uint64_t number;
    memcpy(&number, numbered, sizeof number);
    number = be64toh(number);
    return reverse ? ~number : number;
}

#endif
