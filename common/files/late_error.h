/* late_error.h -- ask a file for those failures of writes that are reported late.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LATE_ERROR_H
#define GS_LATE_ERROR_H

#include <stdbool.h>
#include <sys/types.h>

/* A call on a file that was written has failed with this errno: may it be the one that is told of
 * an earlier write's failure? Then the run fails, even if the call itself could be done without. */
bool gs_is_late_error(int errnum);

/* The failure of any write-back since the file was opened that nobody has asked for yet: 0 or an
 * errno. Waits for nothing. Asked after a read, it says whether what was read is what was written:
 * a page that could not be written may have been dropped from memory and read anew. */
int gs_late_error(int fd);

/* The same, but first have file systems that write, or report, only at a close do so. Call it when
 * all is written, before any call that could be told and ignore it: for the mode, say. */
int gs_late_error_settle(int fd);

/* Somebody else was told of this error of the file: gs_late_error will tell it once more. */
void gs_late_error_keep(int fd, int errnum);

/* sync_file_range(2), which tells of late errors, too: 0 or the errno of one. */
int gs_late_error_sync(int fd, off_t offset, off_t bytes, unsigned flags);

#endif
