/* number.h -- records with a number in front, by which those of equal keys are told apart.
 * SPDX-License-Identifier: MIT
 *
 *   on the wire and in the sort   | number | record |      in the output   | record |, or | index |
 *
 * What a rank gets comes in any order. Where records of equal keys stay in input order, each
 * travels with its position in the input of all ranks. The numbers are big-endian, and inverted
 * under reverse: the order of records that are not stable, by keys, then by all bytes, is right.
 */
#ifndef GS_NUMBER_H
#define GS_NUMBER_H

#include "sort/types/types.h"

#include "common/record_order.h"

#include <endian.h>
#include <string.h>

#define GS_NUMBER_BYTES 8

/* Are records of these options sorted with numbers? */
static inline bool gs_number_needed(const struct gs_options *options)
{
    return options->records != NULL && options->format->stable;
}

/* Bytes of a record on the wire. */
static inline unsigned gs_wire_bytes(const struct gs_options *options)
{
    return gs_record_bytes(options) + (gs_number_needed(options) ? GS_NUMBER_BYTES : 0);
}

/* The sort of such records. */
struct gs_numbered {
    struct gs_options options;
    struct gs_record_order order;
};
void gs_numbered_init(struct gs_numbered *numbered, const struct gs_options *options);

/* Write a record with its number in front. */
static inline void gs_number_write(char *to, uint64_t number, bool reverse, const char *record,
                                   size_t record_bytes)
{
    number = htobe64(reverse ? ~number : number);
    memcpy(to, &number, sizeof number);
    memcpy(to + sizeof number, record, record_bytes);
}

/* Write what the output of the sort with `options` has for numbered records: gs_output_bytes() for
 * each. */
void gs_number_strip(const struct gs_options *options, const char *numbered, uint64_t count,
                     char *to);

#endif
