/* read_pipes.h -- read pipes into memory, as long as all input can be sorted there.
 * SPDX-License-Identifier: MIT
 *
 * Meanwhile a GPU is started, pages of the output are made, and if a pipe is the only input, its
 * keys are moved to their bins (sort/incoming.h).
 */
#ifndef GS_READ_PIPES_H
#define GS_READ_PIPES_H

#include "common/files/input.h"
#include "common/files/output.h"
#include "sort/sort.h"

#include <stdbool.h>
#include <stdint.h>

/* Fewer dirty bytes than this do not fill a control group. */
#define GS_DIRTY_BYTES (UINT64_C(8) << 20)

/* Bounds and state of reading pipes. The caller sets the first five fields; the rest are zero. */
struct gs_read_limit {
    const struct gs_options *options; /* ->incoming: set if the only input is a pipe, whose keys
                                       * move to their bins while it is read; else NULL */
    struct gs_inputs *inputs;
    struct gs_progress *progress;
    struct gs_output *output; /* whose pages may be made meanwhile, or NULL */
    uint64_t bytes;           /* of memory for the whole sort */
    uint64_t mapped_bytes;    /* of mapped input: it takes no memory itself, but sorting it does */
    uint64_t begin_ns;        /* when reading began */
    uint64_t fitting;         /* keys that keep to the limit, all of them in memory */
    uint64_t asked_bytes;     /* of input known when `pages` and the bound on dirty pages were last
                               * decided */
    bool pages;               /* make pages: the output will be nearly as long as the input */
    bool reached;             /* there is more input than can be sorted in memory */
};

/* Read the inputs that are not mapped, until the limit is reached, which is no error. *read_bytes:
 * how much of them is in memory now. *stage gets time and size. */
enum gs_status gs_read_pipes(struct gs_read_limit *limit, uint64_t *read_bytes,
                             struct gs_stage_stats *stage, struct gs_error *err);

/* Bound dirty pages: `bytes` bytes will be written, twice if they also go to temporary files
 * (spills); `held` bytes of input are in memory now. */
void gs_read_limit_bound_dirty(const struct gs_read_limit *limit, uint64_t held, uint64_t bytes,
                               bool spills);

#endif
