/* cluster_absent.c -- stands in where the program is built without MPI.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cluster.h"

static enum gs_status fail_absent(struct gs_error *err)
{
    return gs_fail(err, GS_ERR_USAGE, 0, "this build has no MPI");
}

const char *gs_cluster_library(void)
{
    return NULL;
}

enum gs_status gs_cluster_start(struct gs_cluster *cluster, struct gs_error *err)
{
    *cluster = (struct gs_cluster){.size = 1, .local_size = 1};
    return fail_absent(err);
}

void gs_cluster_end(void)
{
}

enum gs_status gs_cluster_agree(const struct gs_cluster *cluster, enum gs_status st,
                                struct gs_error *err)
{
    (void)cluster;
    (void)st;
    return fail_absent(err);
}

enum gs_status gs_cluster_share(void *bytes, size_t size, struct gs_error *err)
{
    (void)bytes;
    (void)size;
    return fail_absent(err);
}

enum gs_status gs_cluster_gather(const void *own, size_t size, void *all, struct gs_error *err)
{
    (void)own;
    (void)size;
    (void)all;
    return fail_absent(err);
}

enum gs_status gs_cluster_sort(const struct gs_cluster *cluster, const struct gs_options *options,
                               const struct gs_cluster_source *source,
                               const struct gs_cluster_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_cluster_row *row,
                               struct gs_error *err)
{
    (void)cluster;
    (void)options;
    (void)source;
    (void)output;
    (void)progress;
    (void)stats;
    (void)row;
    return fail_absent(err);
}
