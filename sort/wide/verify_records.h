/* verify_records.h -- prove that an output has the records that were read, in order.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VERIFY_RECORDS_H
#define GS_VERIFY_RECORDS_H

#include "sort/types/types.h"

/* As verify_file of struct gs_width (sort/types/calls.h). */
enum gs_status gs_records_verify_file(const struct gs_options *options, int fd, uint64_t start,
                                      struct gs_stats *stats, const char *name,
                                      struct gs_error *err);

#endif
