/* journal.c -- a file of entries, each of which is there whole or not at all.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/journal.h"

#include "common/files/file.h"
#include "common/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is in front of an entry. */
struct head {
    uint64_t bytes;
    uint64_t checksum;
};

enum gs_status gs_journal_open(struct gs_journal *journal, int dirfd, const char *name,
                               struct gs_error *err)
{
    const char *slash = strrchr(name, '/');
    const char *file = slash != NULL ? slash + 1 : name;
    *journal = (struct gs_journal){.name = name, .fd = gs_file_open_own(dirfd, file)};
    return journal->fd >= 0 ? GS_OK : gs_fail(err, GS_ERR_OUTPUT, errno, "%s", name);
}

enum gs_status gs_journal_lock(const struct gs_journal *journal, struct gs_error *err)
{
    struct stat status;
    int failed = flock(journal->fd, LOCK_EX | LOCK_NB);
    /* The process that had it may have removed it just now. */
    if (failed == 0 && fstat(journal->fd, &status) == 0 && status.st_nlink > 0)
        return GS_OK;
    if (failed != 0 && errno != EWOULDBLOCK)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be locked", journal->name);
    return gs_fail(err, GS_ERR_OUTPUT, 0, "%s: in use by another process", journal->name);
}

uint64_t gs_journal_bytes(const struct gs_journal *journal)
{
    struct stat status;
    return fstat(journal->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

void gs_journal_close(struct gs_journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
}

void *gs_journal_read(struct gs_journal *journal, size_t *bytes)
{
    struct head head;
    size_t got;
    uint64_t at = journal->next + sizeof head;
    const uint64_t size = gs_journal_bytes(journal);
    if (gs_file_pread_most(journal->fd, &head, sizeof head, journal->next, &got) != 0 ||
        got < sizeof head || size < at || head.bytes > size - at)
        return NULL;
    void *data = malloc(head.bytes + 1);
    if (data == NULL || gs_file_pread_most(journal->fd, data, head.bytes, at, &got) != 0 ||
        got < head.bytes || gs_checksum(data, head.bytes, at) != head.checksum) {
        free(data);
        return NULL;
    }
    *bytes = head.bytes;
    journal->next = at + head.bytes;
    return data;
}

enum gs_status gs_journal_write(struct gs_journal *journal, const void *data, size_t bytes,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t at = journal->next + sizeof(struct head);
    struct head head = {.bytes = bytes, .checksum = gs_checksum(data, bytes, at)};
    if (ftruncate(journal->fd, (off_t)journal->next) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be cut", journal->name);
    GS_TRY(gs_file_pwrite_full(journal->fd, &head, sizeof head, journal->next, journal->name, err));
    GS_TRY(gs_file_pwrite_full(journal->fd, data, bytes, at, journal->name, err));
    journal->next = at + bytes;
cleanup:
    return st;
}

uint64_t gs_checksum(const void *data, size_t bytes, uint64_t seed)
{
    const char *from = data;
    uint64_t sum = gs_random(seed, bytes);
    for (; bytes > 0; bytes -= bytes < 8 ? bytes : 8, from += 8) {
        uint64_t word = 0;
        memcpy(&word, from, bytes < 8 ? bytes : 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
        sum ^= sum >> 32;
    }
    return sum;
}
