/* rank_part.h -- one rank's part in a sort, whose output is a range of that of all.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RANK_PART_H
#define GS_RANK_PART_H

#include "sort/cluster.h"
#include "sort/cluster/exchange.h"
#include "sort/tags/number.h"

#include <stdatomic.h>

/* One rank's part in a sort. */
struct gs_rank_part {
    struct gs_sink sink; /* first: the sort's callbacks get a pointer to it */
    const struct gs_cluster *cluster;
    const struct gs_options *options;
    const struct gs_cluster_source *source;
    struct gs_cluster_output output;
    unsigned wire_bytes;   /* of a record that comes, */
    unsigned output_bytes; /* and of one in the output */
    struct gs_numbered numbered;
    const struct gs_options *sorted; /* the options for what comes: these, or the caller's */
    atomic_uint_fast64_t numbered_sum, written_sum; /* under verify, with numbers: what was written,
                                                     * with them and without */
    struct gs_exchange exchange;
    bool exchanged;      /* and finished */
    int fd;              /* where the sort writes: the output's or, under -u, a scratch file's, */
    uint64_t start;      /* and from which byte on */
    uint64_t first;      /* position of this rank's first record */
    uint64_t total;      /* records of all ranks */
    uint64_t head_bytes; /* of the file, while it is entered at its range */
    bool on_gpu;         /* what comes is sorted there */
    char *memory;        /* the records that have come, */
    uint64_t room;       /* the most, */
    uint64_t count;      /* and how many there are */
};

/* Have its sink write to the file. Records that have to stay in input order are sorted with their
 * numbers, which are left out. */
void gs_rank_output_open(struct gs_rank_part *part);

/* Let the output begin where this rank's range does: what lies between that and the huge page that
 * it begins in is taken for the output's head. */
void gs_rank_output_enter(const struct gs_rank_part *part);
void gs_rank_output_leave(const struct gs_rank_part *part);

/* What was written, without numbers, is what the file must have, if it was the right records. */
enum gs_status gs_rank_output_prove(const struct gs_rank_part *part, struct gs_stats *stats,
                                    struct gs_error *err);

#endif
