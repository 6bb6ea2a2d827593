/* direct.h -- write an output past the page cache (open(2): O_DIRECT).
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DIRECT_H
#define GS_DIRECT_H

#include "common/output.h"

/* Open output's file once more, for direct writes; the caller closes the descriptor. -1 if its file
 * system does not support them. */
int gs_direct_open(const struct gs_output *output);

/* As gs_output_write, but whole blocks go straight to the disk, through direct_fd. Thread-safe. */
enum gs_status gs_direct_write(int direct_fd, struct gs_output *output, const void *data,
                               size_t bytes, uint64_t position, struct gs_error *err);

#endif
