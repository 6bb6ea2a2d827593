/* shared_output.c -- one output file that all ranks write to.
 * SPDX-License-Identifier: MIT
 */
#include "cli/shared_output.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Find what will be written; a file in a directory, for nothing else has room for several writers.
 */
static enum gs_status find_target(struct gs_output *output, struct gs_error *err)
{
    enum gs_status st = gs_target_find(&output->target, output->name, err);
    if (st != GS_OK || output->target.kind != GS_TARGET_OPENED)
        return st;
    output->fd = output->target.fd;
    return gs_fail(err, GS_ERR_OUTPUT, 0, "%s: ranks can write to a regular file only",
                   output->name);
}

/* What rank 0 has made, for the others to open. */
struct made {
    char name[GS_NAME_BYTES];
    struct stat status;
};

static enum gs_status make_file(struct gs_output *output, struct stat *status, struct gs_error *err)
{
    enum gs_status st = gs_tempfile_create_named(&output->temp, &output->target, output->name, err);
    if (st == GS_OK && fstat(output->temp.fd, status) != 0)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: its temporary file", output->name);
    return st;
}

enum gs_status gs_shared_output_open(const struct gs_cluster *cluster, struct gs_output *output,
                                     const char *path, struct gs_error *err)
{
    enum gs_status st;
    struct statfs fs;
    struct made made = {.name = ""};
    struct gs_tempfile *temp = &output->temp;
    *output = (struct gs_output){.kind = GS_OUTPUT_TEMPORARY,
                                 .name = path,
                                 .head_written = true,
                                 .fd = -1,
                                 .target = {.dirfd = -1, .fd = -1},
                                 .temp = {.fd = -1}};
    st = find_target(output, err);
    if (st == GS_OK && cluster->rank == 0)
        st = make_file(output, &made.status, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    memcpy(made.name, temp->name, sizeof made.name);
    GS_TRY(gs_cluster_share(&made, sizeof made, err));
    if (cluster->rank > 0) {
        memcpy(temp->name, made.name, sizeof made.name);
        st = gs_tempfile_join(temp, &output->target, &made.status, cluster->host == 0, path, err);
    }
    GS_TRY(gs_cluster_agree(cluster, st, err));
    output->fd = temp->fd;
    output->in_memory = fstatfs(output->fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
cleanup:
    if (st != GS_OK)
        gs_output_discard(output);
    return st;
}

enum gs_status gs_shared_output_reserve(struct gs_output *output, uint64_t bytes,
                                        struct gs_error *err)
{
    enum gs_status st = gs_output_reserve(output, bytes, err);
    if (st == GS_OK && ftruncate(output->fd, (off_t)(output->head_bytes + bytes)) != 0)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot set its length", output->name);
    return st;
}

/* Some servers show a file's bytes to others only when it is closed. */
static enum gs_status close_written(struct gs_output *output, struct gs_error *err)
{
    enum gs_status st = gs_output_settle(output, err);
    int fd = output->fd;
    output->fd = output->temp.fd = -1;
    if (st == GS_OK && output->synced && fsync(fd) != 0)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: fsync failed", output->name);
    if (close(fd) != 0 && errno != EINTR && st == GS_OK)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: close failed", output->name);
    return st;
}

enum gs_status gs_shared_output_publish(const struct gs_cluster *cluster, struct gs_output *output,
                                        uint64_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (cluster->rank > 0)
        st = close_written(output, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    if (cluster->rank == 0)
        st = gs_output_publish(output, bytes, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
cleanup:
    return st;
}
