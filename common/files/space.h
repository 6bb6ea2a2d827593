/* space.h -- how much room a file system has, and reserving some of it for a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPACE_H
#define GS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that this user may still write on fd's file system; UINT64_MAX if it does not tell. */
uint64_t gs_space_free(int fd);

/* Does allocating space in advance make writes faster on this file system? Yes on ext4 and XFS. */
bool gs_space_gains(int fd);

/* Allocate bytes [offset, offset + bytes) of a file where that makes the writes faster. Returns 0,
 * or the errno if the file system has no room for them; any other refusal is no failure. */
int gs_space_reserve(int fd, uint64_t offset, uint64_t bytes);

#endif
