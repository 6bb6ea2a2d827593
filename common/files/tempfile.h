/* tempfile.h -- a new file that appears under its name complete, or never.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TEMPFILE_H
#define GS_TEMPFILE_H

#include "common/status.h"
#include "common/files/target.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Names have 64 random bits and do not collide by chance; but somebody may make them collide. */
#define GS_NAME_TRIES 16

#define GS_NAME_BYTES 32

struct gs_tempfile {
    int fd;      /* open for reading and writing, or -1 */
    bool named;  /* it has a temporary name, registered with the signal handler */
    bool synced; /* set by the caller: publish waits until file and name are on the disk */
    char name[GS_NAME_BYTES]; /* the temporary name */
    mode_t mode;              /* that it gets in the end, unless it replaces another file */
};

/* Draw a random name for a temporary file, in all likelihood unused. 0, or -1 with errno set. */
int gs_tempfile_draw_name(char name[GS_NAME_BYTES]);

/* Create an empty file, mode 0600, in the target's directory: without a name where the file system
 * supports that, so that not even SIGKILL leaves anything behind. name is for messages. */
enum gs_status gs_tempfile_create(struct gs_tempfile *temp, const struct gs_target *target,
                                  const char *name, struct gs_error *err);

/* The same, with its temporary name from the beginning: for other processes to open, which then
 * write to it, too. Each that ends in trouble removes it. */
enum gs_status gs_tempfile_create_named(struct gs_tempfile *temp, const struct gs_target *target,
                                        const char *name, struct gs_error *err);

/* The file that another process has made so, whose name is in temp: `made` is what that knows of
 * it. Refuses any other file of that name. near: both are on the same machine. */
enum gs_status gs_tempfile_join(struct gs_tempfile *temp, const struct gs_target *target,
                                const struct stat *made, bool near, const char *name,
                                struct gs_error *err);

/* Give the file the target's name in one atomic step, with the mode, owner and access control list
 * of the file it replaces as far as permitted, and close it. The target is looked at once more: a
 * file may have appeared where there was none. After a failure the temporary file is gone. */
enum gs_status gs_tempfile_publish(struct gs_tempfile *temp, struct gs_target *target,
                                   const char *name, struct gs_error *err);

/* Close and remove the temporary file, if it still exists. */
void gs_tempfile_discard(struct gs_tempfile *temp, const struct gs_target *target);

#endif
