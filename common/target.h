/* target.h -- what an output's name stands for, and whether it may be written.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TARGET_H
#define GS_TARGET_H

#include "common/status.h"

#include <stdbool.h>
#include <sys/stat.h>

enum gs_target_kind {
    GS_TARGET_NEW,     /* nothing there yet */
    GS_TARGET_REPLACE, /* a regular file, to be replaced whole */
    GS_TARGET_OPENED   /* `fd` is open for writing and is written directly */
};

struct gs_target {
    enum gs_target_kind kind;
    int dirfd;          /* NEW, REPLACE: the directory it is in, else -1 */
    char *base;         /* NEW, REPLACE: its name there, else NULL */
    struct stat status; /* REPLACE: the file as it is now */
    bool reopened;      /* by a name in /proc of what is open elsewhere: nothing old may stay */
    int fd;             /* OPENED, else -1 */
};

/* Find out what `path` stands for, through any symbolic links: the link's target is what will be
 * written. Refuses, before anything is changed, what could not be written in the end. Opening a
 * FIFO waits for a reader. */
enum gs_status gs_target_find(struct gs_target *target, const char *path, struct gs_error *err);

/* Before something is put under its name: NEW becomes REPLACE where somebody has put a file there
 * meanwhile, and that is refused like any other file that may not be replaced; of a file that was
 * there before and still is, mode and owner as they are now. */
enum gs_status gs_target_look_again(struct gs_target *target, const char *path,
                                    struct gs_error *err);

/* Close and free what the target holds, but not OPENED's fd. */
void gs_target_release(struct gs_target *target);

#endif
