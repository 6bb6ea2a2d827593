/* output_pages.h -- an output's pages: made ahead, mapped, or given to a pipe.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_PAGES_H
#define GS_OUTPUT_PAGES_H

#include "common/files/output_file.h"

/* The output will have at least `bytes` bytes, and nothing is written for a while: have its pages
 * made meanwhile, by at most `threads` threads, where that makes the writes faster and there is
 * memory for it. May be called again with a larger length. A file that is written in place gets its
 * old length back if the output is discarded. */
void gs_output_prefill(struct gs_output *output, uint64_t bytes, unsigned threads);

/* Memory to put the output's `bytes` bytes in: what is stored there needs no further write. NULL if
 * none is available or gs_output_write is faster. At most `threads` threads make its pages; the
 * output owns it until publish or discard. early: all of it will be stored to more than once; the
 * caller counts as one of the threads and makes pages when it waits for all of them.
 * For a pipe, pass the memory to gs_output_write, which gives its pages away: no byte may be stored
 * to after that. */
void *gs_output_map(struct gs_output *output, uint64_t bytes, bool early, unsigned threads);

/* Call before the first store to these bytes of the mapped output, from any thread: waits until
 * their pages are made, or makes them. GS_ERR_OUTPUT if that is impossible (a full disk). */
enum gs_status gs_output_make(struct gs_output *output, uint64_t position, uint64_t bytes,
                              struct gs_error *err);

/* These mapped bytes are final: their pages may be unmapped. Report each byte once. */
void gs_output_made(struct gs_output *output, uint64_t position, uint64_t bytes);

/* Does the address lie in the mapped output? Async-signal-safe. */
bool gs_output_holds(const struct gs_output *output, const void *address);

/* Stop making pages and unmap the output: from now on it is written by system calls. */
void gs_output_end_prefill(struct gs_output *output);

/* Write by copying into pages of the mapped file. False if they are not made: write otherwise. */
bool gs_output_copy_to_pages(struct gs_output *output, const void *data, size_t bytes,
                             uint64_t position);

/* Give a pipe the next bytes, in ascending order, of the memory that gs_output_map returned. */
enum gs_status gs_output_give_pages(struct gs_output *output, const void *data, size_t bytes,
                                    struct gs_error *err);

#endif
