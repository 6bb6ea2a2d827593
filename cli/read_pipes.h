/* read_pipes.h -- read pipes to memory, as long as all can be sorted there.
 * SPDX-License-Identifier: MIT
 *
 * Meanwhile a GPU starts, pages of the output are made, and the keys of a single pipe are taken to
 * their bins (sort/incoming.h).
 */
#ifndef GS_READ_PIPES_H
#define GS_READ_PIPES_H

#include "common/input.h"
#include "common/output.h"
#include "sort/gsort.h"

#include <stdbool.h>
#include <stdint.h>

/* Fewer bytes do not fill a control group while they wait for the disk. */
#define GS_DIRTY_BYTES (UINT64_C(8) << 20)

/* What bounds the reading of pipes; the first five are the caller's to set, the others zero. */
struct gs_read_limit {
    const struct gs_options *options; /* ->incoming: the only input is a pipe, and its keys are
                                       * taken to their bins while it is read; or NULL */
    struct gs_inputs *inputs;
    struct gs_progress *progress;
    struct gs_output *output; /* whose pages are to be made meanwhile, or NULL */
    uint64_t bytes;           /* of memory for all of the sort */
    uint64_t mapped_bytes;    /* input that costs no memory of ours, but sorting it does */
    uint64_t begin_ns;        /* of reading */
    uint64_t asked_bytes;     /* when as many had come, `pages` was decided last, and what may wait
                               * for the disk bounded */
    bool pages;               /* make some: the output will be as long as the input, or nearly */
    bool reached;             /* there is more than sorting it in memory allows */
};

/* Read those inputs that are not mapped, until the limit is reached, which is no error.
 * *read_bytes: what came of them, in memory now. Time and size go into *stage. */
enum gs_status gs_read_pipes(struct gs_read_limit *limit, uint64_t *read_bytes,
                             struct gs_stage_stats *stage, struct gs_error *err);

/* Are `held` bytes of so many keys in memory too much to sort all in memory? */
bool gs_read_limit_exceeded(const struct gs_read_limit *limit, uint64_t held, uint64_t keys);

/* Bound what waits for the disk: so many bytes will be written, or twice as many if they go through
 * temporary files; `held` are in memory now. */
void gs_read_limit_bound_dirty(const struct gs_read_limit *limit, uint64_t held, uint64_t bytes,
                               bool spills);

#endif
