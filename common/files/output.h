/* output.h -- where the result goes: a file that appears whole, or a stream.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_H
#define GS_OUTPUT_H

#include "common/files/output_pages.h"

/* Open `path`, or standard output if it is NULL; refuse what cannot work before anything is
 * changed. After a failure there is nothing to discard. The string must stay. */
enum gs_status gs_output_open(struct gs_output *output, const char *path, struct gs_error *err);

/* Call when standard input has been consumed: a file that is written in place may share its file
 * position, and the output begins wherever that is now. */
void gs_output_begin(struct gs_output *output);

/* The output will be `bytes` long: allocate its space now, where that makes the writes faster; a
 * full disk is then an error before the work instead of after it. The position of a file that is
 * written in place moves behind the output, so that processes that share the position write behind
 * it; what they have written so far stays before the output. Call before the first write. */
enum gs_status gs_output_reserve(struct gs_output *output, uint64_t bytes, struct gs_error *err);

/* Give a file that is written in place its old length and position back, unless another process has
 * written behind the output. Async-signal-safe. */
void gs_output_take_back(const struct gs_output *output);

/* Put these bytes, which must stay, in front of the output: all positions and lengths count from
 * behind them. A stream gets them before its first bytes; write_head writes them where that has not
 * happened. Call set_head before everything else, write_head when the rest is written. */
void gs_output_set_head(struct gs_output *output, const void *head, uint64_t bytes);
enum gs_status gs_output_write_head(struct gs_output *output, struct gs_error *err);

/* Write at byte `position` of the output. A stream ignores the position: call in ascending order
 * without gaps, from one thread at a time. Other kinds may be written by several threads at once.
 */
enum gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err);

/* Whether the caller will write past the page cache: if always, no pages are made ahead. Never to a
 * stream, which has no pages, or on tmpfs, where the page cache is the file. Call right after open.
 */
void gs_output_go_direct(struct gs_output *output, enum gs_direct direct);

/* Make publish wait until the output and its name are on the disk. */
void gs_output_sync(struct gs_output *output);

/* All is written: learn of each write that has failed without notice. Before the output is read
 * back; publish does this, too. */
enum gs_status gs_output_settle(struct gs_output *output, struct gs_error *err);

/* All is written: give the output its length of `bytes` and its name. On failure, whatever can be
 * undone is undone. */
enum gs_status gs_output_publish(struct gs_output *output, uint64_t bytes, struct gs_error *err);

/* Give up: no temporary file remains. Harmless after publish. */
void gs_output_discard(struct gs_output *output);

#endif
