/* spill.c -- bytes that memory has no room for, in temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/spill.h"

#include "common/clock.h"
#include "common/files/direct_file.h"
#include "common/files/file.h"
#include "common/files/late_error.h"
#include "common/files/signals.h"
#include "common/files/space.h"
#include "common/files/tempfile.h"
#include "common/human.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without O_TMPFILE: a named file, unlinked before any signal handler can run. */
static int create_unlinked(int dirfd)
{
    for (int tries = 0; tries < GS_NAME_TRIES; tries++) {
        char name[GS_NAME_BYTES];
        if (gs_tempfile_draw_name(name) != 0)
            return -1;
        gs_signals_enter();
        int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        int errnum = errno;
        if (fd >= 0 && unlinkat(dirfd, name, 0) != 0) {
            errnum = errno;
            close(fd);
            fd = -1;
            unlinkat(dirfd, name, 0); /* refused only while it was open? */
        }
        gs_signals_leave();
        errno = errnum;
        if (fd >= 0 || errnum != EEXIST)
            return fd;
    }
    return -1;
}

int gs_spill_create(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || errno == ENOENT || errno == EACCES || errno == EMFILE)
        return fd;
    int dirfd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0)
        return -1;
    fd = create_unlinked(dirfd);
    int errnum = errno;
    close(dirfd);
    errno = errnum;
    return fd;
}

enum gs_status gs_spill_open(struct gs_spill *spill, const char *const *directories, size_t count,
                             enum gs_direct direct, struct gs_error *err)
{
    *spill = (struct gs_spill){
        .directories = calloc(count, sizeof *spill->directories), .count = count, .direct = direct};
    if (spill->directories == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu directories", count);
    for (size_t i = 0; i < count; i++) {
        spill->directories[i].name = directories[i];
        for (int k = 0; k < GS_SPILL_FILES; k++)
            spill->directories[i].fds[k] = spill->directories[i].direct_fds[k] = -1;
    }
    return GS_OK;
}

/* The name of a file that has one. */
struct file_name {
    char text[24];
};

static struct file_name name_file(int file)
{
    struct file_name name;
    snprintf(name.text, sizeof name.text, "keys.%d", file);
    return name;
}

static int open_file(const struct gs_spill *spill, const struct gs_spill_directory *directory,
                     int file)
{
    if (spill->homes == NULL)
        return gs_spill_create(directory->name);
    return gs_file_open_own(spill->homes[directory - spill->directories].fd, name_file(file).text);
}

enum gs_status gs_spill_make_files(const struct gs_spill *spill,
                                   struct gs_spill_directory *directory, struct gs_error *err)
{
    for (int i = 0; i < GS_SPILL_FILES; i++) {
        if (directory->fds[i] >= 0)
            continue;
        directory->fds[i] = open_file(spill, directory, i);
        if (directory->fds[i] >= 0 && spill->direct != GS_DIRECT_NEVER)
            directory->direct_fds[i] = gs_direct_reopen(directory->fds[i], O_WRONLY);
        if (directory->fds[i] < 0)
            return gs_fail(
                err, GS_ERR_OUTPUT, errno,
                "%s: cannot create a temporary file; -T or TMPDIR names another directory",
                directory->name);
    }
    return GS_OK;
}

/* The device of an open file; false if fstat(2) fails. */
static bool find_device(int fd, dev_t *device)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    *device = status.st_dev;
    return true;
}

/* Is a directory before this one on the same file system, so that its room is counted already? */
static bool counted_before(const struct gs_spill *spill, size_t index, dev_t device)
{
    dev_t other;
    for (size_t i = 0; i < index; i++)
        if (find_device(spill->directories[i].fds[0], &other) && other == device)
            return true;
    return false;
}

enum gs_status gs_spill_check(struct gs_spill *spill, uint64_t bytes, dev_t device,
                              uint64_t elsewhere, struct gs_error *err)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < spill->count; i++) {
        dev_t own;
        enum gs_status st = gs_spill_make_files(spill, &spill->directories[i], err);
        if (st != GS_OK)
            return st;
        if (!find_device(spill->directories[i].fds[0], &own) || counted_before(spill, i, own))
            continue;
        uint64_t room = gs_space_free(spill->directories[i].fds[0]);
        if (own == device)
            room = room > elsewhere ? room - elsewhere : 0;
        if (__builtin_add_overflow(sum, room, &sum))
            return GS_OK;
    }
    if (bytes <= sum)
        return GS_OK;
    char needed[GS_HUMAN_TEXT];
    char room[GS_HUMAN_TEXT];
    return gs_fail(err, GS_ERR_OUTPUT, ENOSPC, "%s: %s of temporary files needed, room for %s",
                   spill->directories[0].name, gs_human_bytes(bytes, needed),
                   gs_human_bytes(sum, room));
}

/* A direct write pays if it takes half the time: what went past the page cache is read back from
 * the disk, which takes about as long again. */
#define DIRECT_GAIN 2

/* Write what lies in one stripe: whole blocks past the page cache if that is faster. */
static enum gs_status write_stripe(struct gs_spill *spill, struct gs_spill_directory *directory,
                                   const struct gs_stripe *stripe, const char *data,
                                   struct gs_error *err)
{
    const uint64_t start = gs_now_ns();
    const int direct_fd = directory->direct_fds[stripe->file];
    const bool direct = direct_fd >= 0 &&
                        ((uintptr_t)data | stripe->offset) % GS_DIRECT_BLOCK == 0 &&
                        gs_pace_chooses_direct(&spill->pace, spill->direct, DIRECT_GAIN);
    size_t done = 0;
    int errnum =
        direct ? gs_direct_pwrite(direct_fd, data, (size_t)stripe->bytes, stripe->offset, &done)
               : 0;
    if (errnum != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: write failed", directory->name);
    atomic_fetch_add(&spill->direct_bytes, done);
    if (done > 0)
        atomic_store(&directory->went_direct[stripe->file], true);
    enum gs_status st = gs_file_pwrite_full(stripe->fd, data + done, (size_t)stripe->bytes - done,
                                            stripe->offset + done, directory->name, err);
    gs_pace_book(&spill->pace, direct, stripe->bytes, gs_now_ns() - start);
    return st;
}

enum gs_status gs_spill_write(struct gs_spill *spill, const struct gs_place *place, uint64_t from,
                              const void *data, size_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_spill_directory *directory = &spill->directories[place->directory];
    for (size_t done = 0; done < bytes && st == GS_OK;) {
        struct gs_stripe stripe = gs_stripe_at(directory, place, from + done, bytes - done);
        st = write_stripe(spill, directory, &stripe, (const char *)data + done, err);
        atomic_store(&directory->unasked[stripe.file], true);
        done += (size_t)stripe.bytes;
    }
    return st;
}

/* Learn of writes to one of the files that have failed without notice: 0 or an errno. A network
 * file system may write pages back through, and report failures to, either descriptor. */
static int settle_file(const struct gs_spill_directory *directory, int file)
{
    int lost = gs_late_error_settle(directory->fds[file]);
    return lost == 0 && directory->direct_fds[file] >= 0
               ? gs_late_error_settle(directory->direct_fds[file])
               : lost;
}

/* Read what lies in one stripe, and make sure that it is what was written. */
static enum gs_status read_stripe(struct gs_spill_directory *directory,
                                  const struct gs_stripe *stripe, void *data, struct gs_error *err)
{
    atomic_bool *unasked = &directory->unasked[stripe->file];
    int lost = atomic_load(unasked) && atomic_exchange(unasked, false)
                   ? settle_file(directory, stripe->file)
                   : 0;
    enum gs_status st = GS_OK;
    if (lost == 0)
        st = gs_file_pread_full(stripe->fd, data, (size_t)stripe->bytes, stripe->offset,
                                directory->name, err);
    if (st == GS_OK && lost == 0)
        lost = gs_late_error(stripe->fd);
    /* What went past the page cache on its way out came back through it: its pages are of use for
     * what is read next. */
    if (atomic_load(&directory->went_direct[stripe->file]))
        (void)posix_fadvise(stripe->fd, (off_t)stripe->offset, (off_t)stripe->bytes,
                            POSIX_FADV_DONTNEED);
    if (lost != 0)
        st = gs_fail(err, GS_ERR_OUTPUT, lost, "%s: write failed", directory->name);
    return st;
}

enum gs_status gs_spill_read(const struct gs_spill *spill, const struct gs_place *place,
                             uint64_t from, void *data, size_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_spill_directory *directory = &spill->directories[place->directory];
    for (size_t done = 0; done < bytes && st == GS_OK;) {
        struct gs_stripe stripe = gs_stripe_at(directory, place, from + done, bytes - done);
        st = read_stripe(directory, &stripe, (char *)data + done, err);
        done += (size_t)stripe.bytes;
    }
    return st;
}

void gs_spill_announce(const struct gs_spill *spill, const struct gs_place *place, uint64_t from,
                       uint64_t bytes)
{
    const struct gs_spill_directory *directory = &spill->directories[place->directory];
    for (uint64_t done = 0; done < bytes;) {
        struct gs_stripe stripe = gs_stripe_at(directory, place, from + done, bytes - done);
        (void)posix_fadvise(stripe.fd, (off_t)stripe.offset, (off_t)stripe.bytes,
                            POSIX_FADV_WILLNEED);
        done += stripe.bytes;
    }
}

struct gs_spill_mark gs_spill_mark(const struct gs_spill *spill, const struct gs_place *place)
{
    return (struct gs_spill_mark){.home = spill->homes[place->directory].id,
                                  .offset = place->offset};
}

bool gs_spill_find(const struct gs_spill *spill, const struct gs_spill_mark *mark,
                   struct gs_place *place)
{
    for (size_t i = 0; i < spill->count; i++) {
        *place = (struct gs_place){.directory = (uint32_t)i, .offset = mark->offset};
        if (spill->homes[i].id == mark->home)
            return mark->offset == spill->directories[i].used;
    }
    return false;
}

enum gs_status gs_spill_reopen(struct gs_spill *spill, const struct gs_spill_home *homes,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    spill->homes = homes;
    for (size_t i = 0; i < spill->count && st == GS_OK; i++)
        st = gs_spill_make_files(spill, &spill->directories[i], err);
    return st;
}

void gs_spill_close(struct gs_spill *spill)
{
    for (size_t i = 0; i < spill->count && spill->directories != NULL; i++)
        for (int k = 0; k < GS_SPILL_FILES; k++) {
            if (spill->directories[i].direct_fds[k] >= 0)
                close(spill->directories[i].direct_fds[k]);
            if (spill->directories[i].fds[k] >= 0)
                close(spill->directories[i].fds[k]);
        }
    for (size_t i = 0; i < spill->count && spill->directories != NULL; i++)
        free(spill->directories[i].free);
    free(spill->directories);
    *spill = (struct gs_spill){.directories = NULL};
}

void gs_spill_remove(int dirfd)
{
    for (int i = 0; i < GS_SPILL_FILES; i++)
        (void)unlinkat(dirfd, name_file(i).text, 0);
}
