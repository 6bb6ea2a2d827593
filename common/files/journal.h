/* journal.h -- a file of entries, each of which is there whole or not at all.
 * SPDX-License-Identifier: MIT
 *
 * Each entry has its checksum in front: what a crash or a full disk has cut short counts as not
 * there, and so does all that follows.
 */
#ifndef GS_JOURNAL_H
#define GS_JOURNAL_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_journal {
    const char *name; /* the caller's string */
    int fd;           /* or -1 */
    uint64_t begin;   /* entries in front of this byte are not the next reader's */
    uint64_t next;    /* where the next entry is read or written */
    size_t taken;     /* entries that were of use to who read them */
    bool refused;     /* an entry was whole, but of no use to who read it */
};

/* Open or create a journal, the last part of `name`, in its directory. Close with gs_journal_close,
 * also after a failure. */
enum gs_status gs_journal_open(struct gs_journal *journal, int dirfd, const char *name,
                               struct gs_error *err);
void gs_journal_close(struct gs_journal *journal);

/* Have it alone until it is closed: GS_ERR_OUTPUT if another process does. */
enum gs_status gs_journal_lock(const struct gs_journal *journal, struct gs_error *err);

/* Bytes of all entries, whole or not. */
uint64_t gs_journal_bytes(const struct gs_journal *journal);

/* The next entry, which the caller frees; NULL if none is whole. */
void *gs_journal_read(struct gs_journal *journal, size_t *bytes);

/* Write an entry in place of the next one and all that follow it. */
enum gs_status gs_journal_write(struct gs_journal *journal, const void *data, size_t bytes,
                                struct gs_error *err);

/* A checksum for what a disk may do to data, not for what an enemy may. */
uint64_t gs_checksum(const void *data, size_t bytes, uint64_t seed);

#endif
