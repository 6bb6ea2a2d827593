/* dirty.h -- bound the dirty pages of files: written, but not on the disk yet.
 * SPDX-License-Identifier: MIT
 *
 * Linux lets dirty pages wait for the disk until they are a fraction of the whole machine's memory.
 * A version 1 control group is charged for those of its processes and cannot reclaim them before
 * they are written: if they fill the group and the disk is slow, a process may be killed that has
 * hardly any memory of its own. So in a group that could fill up like that, writers wait for the
 * disk: write-back is started whenever half of what is allowed is new, and the half before that
 * must be on the disk by then. [sync_file_range(2)]
 */
#ifndef GS_DIRTY_H
#define GS_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on about `bytes` bytes of all files together may be dirty; UINT64_MAX, the initial
 * value, means no limit. Do not call while other threads write. */
void gs_dirty_limit(uint64_t bytes);

/* A call of the library begins, or ends. While there are several, the lowest limit is that of all
 * their files together; when the last one has ended, there is none. */
void gs_dirty_enter(void);
void gs_dirty_leave(void);

/* Is there a limit? Then write at most GS_DIRTY_PIECE_BYTES at a time: what each writer has in hand
 * comes on top of the limit. */
bool gs_dirty_limited(void);
#define GS_DIRTY_PIECE_BYTES ((size_t)256 << 10)

/* `bytes` bytes were just written to fd: wait until more may be written. Any number of threads may
 * write to the same file. Returns 0, or the errno of a write-back that failed. Does nothing without
 * a limit, or if fd is no file. */
int gs_dirty_written(int fd, uint64_t bytes);

#endif
