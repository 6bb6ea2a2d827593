/* ahead.h -- start slow things before they are needed: a GPU, the output's pages, disk reads.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_AHEAD_H
#define GS_AHEAD_H

#include "common/files/input.h"
#include "common/files/output.h"
#include "sort/sort.h"

/* At least `bytes` bytes of input are known to come. If a GPU will sort that much, start CUDA now
 * or, while a pipe is read, just early enough; and if output is not NULL, which says that it will
 * be as long as the input, start making its pages now: the latter also for a CPU sort, if reading
 * a pipe leaves processors idle. read_ns: how long pipes have been read so far; 0 if none is. Call
 * again whenever more input is known. */
void gs_start_ahead(const struct gs_options *options, uint64_t bytes, struct gs_output *output,
                    uint64_t read_ns);

/* Threads to make the output's pages: while all others wait (idle), or beside those that sort. */
unsigned gs_threads_for_pages(const struct gs_options *options, bool idle);

/* Are there processors to spare while one thread reads a pipe? */
bool gs_reads_with_help(const struct gs_options *options);

/* Have the kernel read mapped files that are not in memory from beginning to end: otherwise the
 * sample would touch pages all over them first, and a disk takes many times as long to read them in
 * that order. Not if they would evict each other: there must be memory for the inputs, a copy and
 * the output. Returns the number of bytes requested. */
uint64_t gs_fetch_inputs(const struct gs_inputs *inputs);

/* Is most of a mapped file not in memory? */
bool gs_input_is_cold(const struct gs_input *input);

#endif
