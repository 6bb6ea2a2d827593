/* values.h -- records of one or two bytes sorted by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VALUES_H
#define GS_VALUES_H

#include "common/formats/format.h"

#include <stddef.h>

#define GS_VALUES_MAX 65536

/* Values, by their bits in memory, in the order in which they are written. */
struct gs_values {
    uint32_t record_bytes;
    uint32_t count;                     /* different values that occur */
    uint16_t values[GS_VALUES_MAX];     /* the i-th of them */
    uint64_t starts[GS_VALUES_MAX + 1]; /* the first record that is the i-th value */
};

/* Add to counts how often each value occurs among `count` records of one or two bytes, by this many
 * threads. Each record is read once. */
enum gs_status gs_values_count(const void *records, size_t count, uint32_t record_bytes,
                               int threads, uint64_t counts[GS_VALUES_MAX], struct gs_error *err);

/* Bytes that counting takes with so many threads, and writing, all in all. */
uint64_t gs_values_memory(unsigned threads);

/* The most records that a thread should write at a time. */
#define GS_VALUES_PIECE ((uint64_t)1 << 18)

/* Put the values in the format's order, reversed if it says so; with unique, one record for each
 * key. starts[count] is then how many records there are to write. */
void gs_values_arrange(struct gs_values *values, const struct gs_format *format, bool unique,
                       const uint64_t counts[GS_VALUES_MAX]);

/* Write the sorted records from `first` on, `count` of them. Any thread may write any part. */
void gs_values_write(const struct gs_values *values, uint64_t first, size_t count, void *records);

#endif
