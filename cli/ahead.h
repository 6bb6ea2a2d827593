/* ahead.h -- start what takes long before it is needed: a GPU, the output's pages, a slow disk.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_AHEAD_H
#define GS_AHEAD_H

#include "common/input.h"
#include "common/output.h"
#include "sort/gsort.h"

/* `bytes` of input, or more, are known to come. If a GPU is going to sort so much, CUDA starts now,
 * or, while a pipe is being read, when it will have started in time; and, where output is not NULL
 * and is going to be as long, so does the making of its pages; that also for the CPU while it is
 * reading a pipe, if that leaves processors idle. read_ns is what reading has taken so far; 0:
 * there is nothing to be read. To be called as often as more is known. */
void gs_start_ahead(const struct gs_options *options, uint64_t bytes, struct gs_output *output,
                    uint64_t read_ns);

/* Threads that are to make the output's pages: while all others wait (idle), or beside those that
 * sort. */
unsigned gs_threads_for_pages(const struct gs_options *options, bool idle);

/* Are there processors to spare while one thread reads a pipe? */
bool gs_reads_with_help(const struct gs_options *options);

/* Have the kernel read mapped files that are not in memory, from the beginning to the end: a sample
 * touches pages all over them first, and a disk that reads them in that order takes many times as
 * long. Not where they would drive each other out: they, a copy and the output are to have room.
 * Returns the bytes that were asked for. */
uint64_t gs_fetch_inputs(const struct gs_inputs *inputs);

#endif
