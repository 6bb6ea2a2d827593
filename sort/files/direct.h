/* direct.h -- write an output past the page cache (open(2): O_DIRECT), while the sort goes on.
 * SPDX-License-Identifier: MIT
 *
 * Addresses, lengths and file offsets of direct writes must be multiples of a block. A bin begins
 * and ends anywhere: blocks that two pieces share are kept until both are there. What is written is
 * copied to aligned buffers, which threads of their own write, so that callers wait only while all
 * buffers are full. Whatever a direct write refuses or falls short of goes through the page cache;
 * if that fails, too, it reports the cause.
 */
#ifndef GS_DIRECT_H
#define GS_DIRECT_H

#include "common/files/output.h"

struct gs_direct_writer;

/* For an output that is open; NULL if its file system does not support direct writes, or there is
 * no memory. Give it back with gs_direct_close; the output must stay until then. */
struct gs_direct_writer *gs_direct_open(struct gs_output *output);

/* As gs_output_write, but whole blocks go straight to the disk, perhaps after the return: a later
 * call or gs_direct_close reports what fails. No two pieces may overlap. Thread-safe. */
enum gs_status gs_direct_write(struct gs_direct_writer *direct, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err);

/* Write what is left, and wait for all. NULL is fine. */
enum gs_status gs_direct_close(struct gs_direct_writer *direct, struct gs_error *err);

#endif
