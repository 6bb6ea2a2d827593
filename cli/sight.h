/* sight.h -- what a rank sees under a name, to be compared with what others see.
 * SPDX-License-Identifier: MIT
 *
 * The numbers of devices are each machine's own. Inodes are not, on file systems that machines
 * share, nor are times: so files of two machines are taken for the same if inode, size, and times
 * of modification and of change agree. Nobody can set the latter.
 */
#ifndef GS_SIGHT_H
#define GS_SIGHT_H

#include "sort/cluster.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct gs_sight {
    dev_t device;
    ino_t inode;
    mode_t kind; /* S_IFMT; 0: nothing is there */
    uint64_t size;
    struct timespec modified, changed;
    int host; /* of the rank */
};

/* "-" is standard input. Bytes between the fields are 0: it can be sent. */
struct gs_sight gs_sight_of(const struct gs_cluster *cluster, const char *name);

/* Is it the same file? Of several machines, only regular files are. */
bool gs_sight_is_same(const struct gs_sight *a, const struct gs_sight *b);

#endif
