/* direct_file.h -- a file's whole blocks, past the page cache (open(2): O_DIRECT).
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DIRECT_FILE_H
#define GS_DIRECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses, lengths and offsets of direct I/O are multiples of this, which is a multiple of the
 * block size of every disk. */
#define GS_DIRECT_BLOCK ((size_t)4096)

/* Open an open file once more, for direct I/O; flags: O_RDWR, say. The caller closes the
 * descriptor. -1 if the file system does not support it. */
int gs_direct_reopen(int fd, int flags);

/* Write as many whole blocks as can be written; data and offset must be aligned. *written is less
 * if the file system refuses them or falls short: the rest goes through the page cache, which
 * reports the cause if it fails, too. Returns 0, or the errno of a failure that may be another
 * write's, and so counts in any case. */
int gs_direct_pwrite(int fd, const void *data, size_t bytes, uint64_t offset, size_t *written);

#endif
