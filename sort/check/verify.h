/* verify.h -- read the output back and check it against what was sorted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VERIFY_H
#define GS_VERIFY_H

#include "sort/types/look.h"

/* As gs_verify_file (sort/sort.h), of records that `look` can look at. */
enum gs_status gs_verify_records(const struct gs_options *options, gs_look_at *look, int fd,
                                 uint64_t start, struct gs_stats *stats, const char *name,
                                 struct gs_error *err);

#endif
