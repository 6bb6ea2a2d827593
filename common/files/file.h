/* file.h -- reads and writes that continue after short counts and interruptions.
 * SPDX-License-Identifier: MIT
 *
 * These carry on after a short count, after EINTR and, on a non-blocking descriptor, after waiting
 * until it is ready. name is for messages: "NAME: what went wrong".
 */
#ifndef GS_FILE_H
#define GS_FILE_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

/* One read of at most `size` bytes. *got is 0 only at the end of the file. */
enum gs_status gs_file_read_some(int fd, void *buffer, size_t size, size_t *got, const char *name,
                                 struct gs_error *err);

/* The same, from the pipe fd to `pipe`, which must be empty (splice(2)). */
enum gs_status gs_file_splice_some(int fd, int pipe, size_t size, size_t *got, const char *name,
                                   struct gs_error *err);

/* Write all of it: at the descriptor's own position, or at `offset`. */
enum gs_status gs_file_write_full(int fd, const void *buffer, size_t size, const char *name,
                                  struct gs_error *err);
enum gs_status gs_file_pwrite_full(int fd, const void *buffer, size_t size, uint64_t offset,
                                   const char *name, struct gs_error *err);

/* As gs_file_write_full, to a pipe: where the system can, it gets the buffer's pages themselves
 * (vmsplice(2)). So nobody may ever write to these bytes again; but they may be unmapped. */
enum gs_status gs_file_give_full(int fd, const void *buffer, size_t size, const char *name,
                                 struct gs_error *err);

/* Read from `offset`: *got is less than size only at the end of the file or on failure. Returns 0
 * or errno; the caller decides what either means. */
int gs_file_pread_most(int fd, void *buffer, size_t size, uint64_t offset, size_t *got);

/* Read `size` bytes from `offset`; a file that ends sooner is an error. */
enum gs_status gs_file_pread_full(int fd, void *buffer, size_t size, uint64_t offset,
                                  const char *name, struct gs_error *err);

/* May the effective user access that file so? As faccessat(2); flags as there, AT_EACCESS is added.
 */
int gs_file_access(int dirfd, const char *path, int mode, int flags);

/* Open a file in a directory to read and write it, or create it: for what is kept from one run to
 * the next, so it must be a regular file and the effective user's. -1 with errno set if not. */
int gs_file_open_own(int dirfd, const char *name);

/* Occupy descriptors 0, 1 and 2 if they are closed, in a way that reading the first and writing the
 * others still fails with EBADF: a file opened later must not become standard output by accident.
 */
void gs_file_guard_standard(void);

#endif
