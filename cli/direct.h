/* direct.h -- write an output past the page cache (open(2): O_DIRECT).
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DIRECT_H
#define GS_DIRECT_H

#include "common/output.h"

/* A second descriptor of output's file, for direct writes; -1: its file system has no such thing.
 */
int gs_direct_open(const struct gs_output *output);

/* gs_output_write, but whole blocks go to the disk by direct_fd. Safe from several threads. */
enum gs_status gs_direct_write(int direct_fd, struct gs_output *output, const void *data,
                               size_t bytes, uint64_t position, struct gs_error *err);

#endif
