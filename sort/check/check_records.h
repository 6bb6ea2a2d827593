/* check_records.h -- are records in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CHECK_RECORDS_H
#define GS_CHECK_RECORDS_H

#include "sort/types/look.h"
#include "sort/types/record_order.h"

/* As first_disorder of struct gs_width (sort/types/calls.h). */
uint64_t gs_records_first_disorder(const struct gs_options *options, const void *records,
                                   uint64_t count, const void *previous);

/* The first of records [first, end) that words do not tell to come behind the one before it: those
 * have to be compared; or end. They lie `stride` bytes apart. */
uint64_t gs_records_rise(const struct gs_record_order *order, const char *records, unsigned stride,
                         uint64_t first, uint64_t end, bool reverse);

/* The first of records [first, end) that may not follow the one before it; or end. By this thread
 * alone. */
uint64_t gs_records_find_disorder(const struct gs_options *options, const char *records,
                                  uint64_t first, uint64_t end);

/* Look at records of options->records. */
gs_look_at gs_records_look;

#endif
