/* sight.c -- what a rank sees under a name, to be compared with what others see.
 * SPDX-License-Identifier: MIT
 */
#include "cli/sight.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gs_sight gs_sight_of(const struct gs_cluster *cluster, const char *name)
{
    struct stat status;
    struct gs_sight sight;
    memset(&sight, 0, sizeof sight); /* it is sent as bytes */
    sight.host = cluster->host;
    if ((strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(name, &status)) != 0)
        return sight;
    sight.device = status.st_dev;
    sight.inode = status.st_ino;
    sight.kind = status.st_mode & S_IFMT;
    sight.size = (uint64_t)status.st_size;
    sight.modified = status.st_mtim;
    sight.changed = status.st_ctim;
    return sight;
}

static bool are_equal(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool gs_sight_is_same(const struct gs_sight *a, const struct gs_sight *b)
{
    if (a->inode != b->inode || a->kind != b->kind || a->kind == 0)
        return false;
    if (a->host == b->host)
        return a->device == b->device;
    return a->kind == S_IFREG && a->size == b->size && are_equal(a->modified, b->modified) &&
           are_equal(a->changed, b->changed);
}
