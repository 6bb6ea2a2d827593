/* cluster.h -- one sort by several processes: the ranks of a job that mpirun has started.
 * SPDX-License-Identifier: MIT
 *
 * Every rank brings records, and gets a range of the output: rank 0 the first, and so on. Functions
 * called collective must be called by all ranks, in the same order. A build without MPI has
 * gs_cluster_library alone to say so; the others fail.
 */
#ifndef GS_CLUSTER_H
#define GS_CLUSTER_H

#include "common/files/output.h"
#include "sort/types/types.h"

struct gs_cluster {
    int rank;       /* of this process, from 0 */
    int size;       /* ranks in all */
    int local_rank; /* the same among those on this machine, */
    int local_size;
    int host; /* of which this is the first */
};

/* Name of the MPI library that this program is built with, or NULL: none. */
const char *gs_cluster_library(void);

/* Join the other ranks; collective. End it with gs_cluster_end, also after a failure: then ranks
 * that do not answer are ended, too. */
enum gs_status gs_cluster_start(struct gs_cluster *cluster, struct gs_error *err);
void gs_cluster_end(void);

/* Has any rank failed? Then all return its status, and get its message; collective. */
enum gs_status gs_cluster_agree(const struct gs_cluster *cluster, enum gs_status st,
                                struct gs_error *err);

/* Copy bytes of rank 0 to all, or those of each rank, in order, to `all` on all; collective. */
enum gs_status gs_cluster_share(void *bytes, size_t size, struct gs_error *err);
enum gs_status gs_cluster_gather(const void *own, size_t size, void *all, struct gs_error *err);

/* What one rank brings, and may use. */
struct gs_cluster_source {
    const struct gs_span *spans; /* records that it brings, mapped or in memory */
    size_t span_count;
    uint64_t memory_bytes;          /* that its buffers may take */
    const char *const *directories; /* for temporary files, used in turn */
    size_t directory_count;
};

/* Where one rank writes. */
struct gs_cluster_output {
    struct gs_output *file;
    uint64_t start; /* byte of the file where the first record goes, */
    bool shared;    /* of all ranks: the file is the same for all, and has its full length already,
                     * but under -u; else of this rank */
};

/* What a rank did, for all to see. */
struct gs_cluster_row {
    uint64_t keys_in;     /* that it brought */
    uint64_t keys_out;    /* that it wrote, */
    uint64_t first;       /* and the position of the first of them in the output of all */
    uint64_t sent_bytes;  /* to other ranks */
    uint64_t got_bytes;   /* from them */
    uint64_t exchange_ns; /* from the first byte to the last, */
    uint64_t wait_ns;     /* and how long of that there was nothing to do */
    uint64_t sort_ns;     /* from then on */
    char host[64];        /* the name of its host, if the caller sets it */
};

/* Sort what all ranks bring: each writes its range. *row and *stats
 * tell of this rank alone. Collective; all ranks return the same status, with the same message. */
enum gs_status gs_cluster_sort(const struct gs_cluster *cluster, const struct gs_options *options,
                               const struct gs_cluster_source *source,
                               const struct gs_cluster_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_cluster_row *row,
                               struct gs_error *err);

#endif
