/* tempfile.h -- a file that appears under its name whole, or never.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TEMPFILE_H
#define GS_TEMPFILE_H

#include "common/status.h"
#include "common/target.h"

#include <stdbool.h>

/* 64 random bits never meet twice; an unlucky clock or a prank may. */
#define GS_NAME_TRIES 16

#define GS_NAME_BYTES 32

struct gs_tempfile {
    int fd;      /* open for reading and writing, or -1 */
    bool named;  /* it has a name in the directory, and the signal handler knows it */
    bool synced; /* publish waits until the disk has it, under its name; set it before */
    char name[GS_NAME_BYTES]; /* that name */
    mode_t mode;              /* it gets that in the end, unless it replaces another file */
};

/* A name for a temporary that nothing has, in all likelihood. 0, or -1 with errno set. */
int gs_tempfile_draw_name(char name[GS_NAME_BYTES]);

/* A new empty file, mode 0600, in the target's directory: one without a
 * name where the file system has that, so that not even SIGKILL leaves anything. name is for
 * messages. */
enum gs_status gs_tempfile_create(struct gs_tempfile *temp, const struct gs_target *target,
                                  const char *name, struct gs_error *err);

/* Give the file the target's name, in one step, with the mode, owner and access control list of the
 * file it replaces as far as permitted, and close it. What lies there now counts, if there was
 * nothing before. On failure it is gone. */
enum gs_status gs_tempfile_publish(struct gs_tempfile *temp, struct gs_target *target,
                                   const char *name, struct gs_error *err);

/* Close and remove it, if it is still there. */
void gs_tempfile_discard(struct gs_tempfile *temp, const struct gs_target *target);

#endif
