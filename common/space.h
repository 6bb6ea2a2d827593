/* space.h -- how much room a file system has, and keeping some of it for a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPACE_H
#define GS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that this user may still write on the file system of an open file; UINT64_MAX where it does
 * not say. */
uint64_t gs_space_free(int fd);

/* Is a file of this file system written faster into allocated space? Extent-based ones say yes. */
bool gs_space_gains(int fd);

/* Allocate bytes [offset, offset + bytes) of a file where that makes the writes faster. 0, or the
 * errno of a file system that has no room for them; any other refusal is no failure. */
int gs_space_reserve(int fd, uint64_t offset, uint64_t bytes);

#endif
