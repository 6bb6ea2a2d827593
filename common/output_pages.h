/* output_pages.h -- what output.c and output_pages.c share.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_PAGES_H
#define GS_OUTPUT_PAGES_H

#include "common/output.h"

/* Write by copying into pages of the mapped file. False if they are not made: write otherwise. */
bool gs_output_copy_to_pages(struct gs_output *output, const void *data, size_t bytes,
                             uint64_t position);

/* Give a pipe the next bytes, in ascending order, of the memory that gs_output_map returned. */
enum gs_status gs_output_give_pages(struct gs_output *output, const void *data, size_t bytes,
                                    struct gs_error *err);

#endif
