/* copies.h -- write as many copies of each value as there were keys of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COPIES_H
#define GS_COPIES_H

#include "sort/run/run.h"

/* A value in the output: its copies lie from `start` on, up to the next one's. */
struct gs_copies {
    gs_key key;
    uint64_t start;
};

/* Turn numbers of keys, in `start`, into places, as the options want them. The list ascends, and
 * has room for one value more, which starts where the output ends. Returns the number of values
 * that are left. */
uint64_t gs_copies_place(struct gs_run *run, struct gs_copies *list, uint64_t listed);

/* What a thread needs to write. */
size_t gs_copies_bytes(const struct gs_run *run);

/* Hand out all copies, piece by piece; buffers has room for what each thread needs. */
void gs_copies_emit(struct gs_run *run, const struct gs_copies *list, uint64_t kept, char *buffers);

#endif
