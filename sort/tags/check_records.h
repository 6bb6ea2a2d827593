/* check_records.h -- are records in order?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CHECK_RECORDS_H
#define GS_CHECK_RECORDS_H

#include "sort/types/types.h"

/* As first_disorder of struct gs_width (sort/types/calls.h). */
uint64_t gs_records_first_disorder(const struct gs_options *options, const void *records,
                                   uint64_t count, const void *previous);

/* How many records have the keys of the one before. */
uint64_t gs_records_duplicates(const struct gs_options *options, const void *records,
                               uint64_t count, const void *previous);

#endif
