/* dirty.h -- bound the pages of files that are written, but not on the disk yet.
 * SPDX-License-Identifier: MIT
 *
 * Linux lets files' pages wait for the disk until they are a part of the whole machine's memory. A
 * control group of version 1 is charged for those of its processes and cannot give them back before
 * the disk has them: where they fill the group, and the disk is slow, a process is killed that has
 * hardly any memory of its own. So in a group that may be filled like that, writers wait for the
 * disk: a file system is told to write when a half of what is allowed is new, and the half before
 * must be on the disk by then. [sync_file_range(2)]
 */
#ifndef GS_DIRTY_H
#define GS_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on about so many bytes may wait, of all files together; UINT64_MAX, as at the start: any
 * number. Not while there are writers. */
void gs_dirty_limit(uint64_t bytes);

/* Is there a limit? Then so many bytes are to be written at a time at the most: what writers have
 * in hand is beyond the limit. */
bool gs_dirty_limited(void);
#define GS_DIRTY_PIECE_BYTES ((size_t)256 << 10)

/* So many bytes were just written to a file, which other threads may write to, too: wait until
 * there may be more. Returns 0, or the number of the error that the disk met. No limit, or no file:
 * does nothing. */
int gs_dirty_written(int fd, uint64_t bytes);

#endif
