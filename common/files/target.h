/* target.h -- what file an output's name refers to, and whether it may be written.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TARGET_H
#define GS_TARGET_H

#include "common/status.h"

#include <stdbool.h>
#include <sys/stat.h>

enum gs_target_kind {
    GS_TARGET_NEW,     /* there is nothing yet */
    GS_TARGET_REPLACE, /* a regular file, to be replaced as a whole */
    GS_TARGET_OPENED   /* `fd` is open for writing, and is written directly */
};

struct gs_target {
    enum gs_target_kind kind;
    int dirfd;          /* NEW, REPLACE: its directory (O_PATH), else -1 */
    char *base;         /* NEW, REPLACE: its name in there, else NULL */
    struct stat status; /* REPLACE: of the file as it is now */
    bool reopened;      /* opened by the /proc name of another process's file: cut its old rest */
    int fd;             /* OPENED: owned by the caller, else -1 */
};

/* Find out what `path` refers to, following symbolic links: the link's target is what will be
 * written. What could not be written in the end is refused here, before anything is changed.
 * Opening a FIFO waits for a reader. */
enum gs_status gs_target_find(struct gs_target *target, const char *path, struct gs_error *err);

/* Look again, just before publishing: NEW becomes REPLACE if somebody has put a file there
 * meanwhile (refused if that may not be replaced); a file that is still the same gets its mode and
 * owner updated in `status`. */
enum gs_status gs_target_look_again(struct gs_target *target, const char *path,
                                    struct gs_error *err);

/* Close and free what the target holds, except fd. */
void gs_target_release(struct gs_target *target);

#endif
