/* values.h -- count how often each value of records of one or two bytes occurs.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VALUES_H
#define GS_VALUES_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

#define GS_VALUES_MAX 65536

/* Add to counts how often each value occurs among `count` records of one or two bytes, by this many
 * threads. Each record is read once. */
enum gs_status gs_values_count(const void *records, size_t count, uint32_t record_bytes,
                               int threads, uint64_t counts[GS_VALUES_MAX], struct gs_error *err);

/* Bytes that counting takes with so many threads, and a list of the values. */
uint64_t gs_values_memory(unsigned threads);

#endif
