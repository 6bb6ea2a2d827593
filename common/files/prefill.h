/* prefill.h -- threads that make a new file's pages before there is anything to write.
 * SPDX-License-Identifier: MIT
 *
 * Making a page (find memory, clear it, enter it into the page cache, reserve its block) costs more
 * than copying 4 KiB into it, and can be done while the program waits for something else. Pages are
 * made through a shared mapping by MADV_POPULATE_WRITE: it changes no byte, so it may run alongside
 * writes to the same place, and it reports a full disk instead of raising SIGBUS.
 */
#ifndef GS_PREFILL_H
#define GS_PREFILL_H

#include <stdbool.h>
#include <stdint.h>

struct gs_prefill;

/* Map up to `room` bytes of the file fd from byte `start`, a multiple of 64 KiB, and start threads
 * for their pages; they begin work at the first extend. fd must be open for reading and writing,
 * and stay open until stop. huge: give a file on tmpfs huge pages, where the kernel can make them
 * (from 6.1 on) and has memory for them at hand. NULL if it cannot be done (kernel before 5.14, no
 * thread, no memory or address space). Give it back with gs_prefill_stop. */
struct gs_prefill *gs_prefill_start(int fd, uint64_t start, uint64_t room, unsigned threads,
                                    bool huge);

/* The file is now start + bytes long: make pages up to there, in ascending order, except for a last
 * unit of less than 2 MiB. The last sixteenth waits until as much has been written, or somebody
 * waits for it. */
void gs_prefill_extend(struct gs_prefill *prefill, uint64_t bytes);

/* Where to copy `bytes` bytes that belong at start + position; NULL if their pages are not made, or
 * prefill is NULL: use pwrite(2) then. eager: make missing pages now. */
void *gs_prefill_pages(struct gs_prefill *prefill, uint64_t position, uint64_t bytes, bool eager);

/* The mapping of the `bytes` bytes of the file from `start` on; NULL if gs_prefill_extend has not
 * been told of that many, or `room` is smaller. */
void *gs_prefill_mapping(struct gs_prefill *prefill, uint64_t bytes);

/* Wait until the pages of these bytes of the mapping are made, or make them here at once (eager).
 * False if that cannot be done: touching them may then raise SIGBUS. */
bool gs_prefill_make(struct gs_prefill *prefill, uint64_t position, uint64_t bytes, bool eager);

/* All pages will be waited for: make even the last sixteenth at once. help: the caller also makes
 * pages, alongside the threads, until none is left to begin. */
void gs_prefill_want_all(struct gs_prefill *prefill);
void gs_prefill_help(struct gs_prefill *prefill);

/* These bytes are written; report each byte once. Pages are unmapped in pieces of 16 MiB as each
 * piece is complete, not at the end by one thread: so huge pages stay whole, and other threads are
 * seldom interrupted by TLB shootdowns. */
void gs_prefill_done(struct gs_prefill *prefill, uint64_t position, uint64_t bytes);

/* End the threads, finished or not, unmap and free everything. NULL is fine. */
void gs_prefill_stop(struct gs_prefill *prefill);

#endif
