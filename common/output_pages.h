/* output_pages.h -- what the parts of an output do for each other.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_PAGES_H
#define GS_OUTPUT_PAGES_H

#include "common/output.h"

/* Copy to pages that are made already; false: there are none. */
bool gs_output_copy_to_pages(struct gs_output *output, const void *data, size_t bytes,
                             uint64_t position);

/* Give a pipe bytes of the memory that gs_output_map returned, in ascending order. */
enum gs_status gs_output_give_pages(struct gs_output *output, const void *data, size_t bytes,
                                    struct gs_error *err);

#endif
