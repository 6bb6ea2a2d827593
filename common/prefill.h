/* prefill.h -- have a new file's pages made by other threads, before there is anything to write.
 * SPDX-License-Identifier: MIT
 *
 * Making a page (find memory, clear it, enter it into the page cache, reserve its block) costs more
 * than copying 4 KiB into it, and whoever waits for something else can have it done meanwhile. The
 * pages are made through a shared mapping by MADV_POPULATE_WRITE: it changes no byte, so it may run
 * beside writes to the same place, and it reports a full disk instead of raising SIGBUS.
 */
#ifndef GS_PREFILL_H
#define GS_PREFILL_H

#include <stdbool.h>
#include <stdint.h>

struct gs_prefill;

/* Threads for the pages of the file fd from byte `start` on, a multiple of 64 KiB, up to `room`
 * bytes of them; they begin with the first extend. fd must be open for reading and writing, and
 * stay open until stop. huge: a file of tmpfs gets huge pages, where the kernel can make them
 * (from 6.1 on) and has memory for them at hand. NULL where nothing can be done (kernels before
 * 5.14, no thread, no address space). */
struct gs_prefill *gs_prefill_start(int fd, uint64_t start, uint64_t room, unsigned threads,
                                    bool huge);

/* The file is as long as start + bytes now: make pages up to there, in ascending order, but for the
 * last part of 2 MiB; the last sixteenth when others are done, or waited for. */
void gs_prefill_extend(struct gs_prefill *prefill, uint64_t bytes);

/* Where to copy `bytes` bytes that belong at start + position, if their pages are made, else NULL:
 * they are to be written by pwrite(2). eager: make them now if they are not made yet. */
void *gs_prefill_pages(struct gs_prefill *prefill, uint64_t position, uint64_t bytes, bool eager);

/* The mapping of the file's first `bytes` bytes behind `start`; NULL: it is not that long, or there
 * is no room for so many. */
void *gs_prefill_mapping(struct gs_prefill *prefill, uint64_t bytes);

/* Wait until the pages of these bytes of the mapping are made, or make them (eager); false: it
 * cannot be done, and who touches them may get a SIGBUS. */
bool gs_prefill_make(struct gs_prefill *prefill, uint64_t position, uint64_t bytes, bool eager);

/* All pages will be waited for: none is late. help: make them with the threads, until there are
 * none left to begin. */
void gs_prefill_want_all(struct gs_prefill *prefill);
void gs_prefill_help(struct gs_prefill *prefill);

/* They are written, and told once: pages leave this process's page table by pieces of 16 MiB, when
 * all of one are written, not in the end by one thread. So huge pages stay whole, and other
 * threads are seldom interrupted. */
void gs_prefill_done(struct gs_prefill *prefill, uint64_t position, uint64_t bytes);

/* End the threads, wherever they are, and give everything back. NULL is fine. */
void gs_prefill_stop(struct gs_prefill *prefill);

#endif
