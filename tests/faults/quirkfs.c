/* quirkfs.c -- mount a directory once more, as a file system that has quirks.
 * SPDX-License-Identifier: MIT
 *
 *     quirkfs DIRECTORY MOUNTPOINT [QUIRK]...
 *
 * Returns when the file system is mounted; umount(8) or fusermount3(1) ends it. The quirks:
 *
 *     writeback     the kernel keeps writes for later
 *     direct-io     the kernel keeps no pages of files
 *     full=N        no file gets more than N bytes: writes behind that fail
 *     lossy=N       the same, but such writes seem to succeed, and the next flush or fsync fails
 *     io-error      these failures are EIO; else they are ENOSPC
 *     no-rename     as its name says, as are the next two
 *     no-link
 *     no-chmod
 *     busy          a file that is open cannot be removed, renamed or replaced
 *     short-reads   reads bring less than they ask for; means direct-io
 *     size-zero     files seem to be empty; means direct-io
 *     size-more     files seem to be 64 KiB longer than they are
 *
 * Only what a program needs that reads, writes and replaces files is there: no new directories, no
 * links or extended attributes, no O_TMPFILE.
 */
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MORE_BYTES 65536

/* Reads bring at most this much, with short-reads: not a whole number of keys. */
#define SHORT_BYTES 4095

/* A file that was closed a moment ago may seem to be open: wait this often for 10 ms. */
#define BUSY_TRIES 100

static int root; /* the directory */
static bool writeback, direct_io, no_rename, no_link, no_chmod, refuses_busy;
static bool short_reads, size_zero, size_more;
static off_t full = INT64_MAX, lossy = INT64_MAX;
static int write_error = ENOSPC;

/* An open file. */
struct handle {
    int fd;
    ino_t inode;
    atomic_bool lost; /* bytes, and nobody has been told */
    struct handle *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct handle *handles; /* all of them; guarded by the mutex */

static struct handle *handle_of(const struct fuse_file_info *info)
{
    return (struct handle *)(uintptr_t)info->fh;
}

/* The path relative to root. */
static const char *within(const char *path)
{
    return path[1] == '\0' ? "." : path + 1;
}

static int done(int result)
{
    return result < 0 ? -errno : 0;
}

static bool is_open(ino_t inode)
{
    pthread_mutex_lock(&mutex);
    const struct handle *handle = handles;
    while (handle != NULL && handle->inode != inode)
        handle = handle->next;
    pthread_mutex_unlock(&mutex);
    return handle != NULL;
}

static bool is_busy(const char *path)
{
    struct stat status;
    if (!refuses_busy || fstatat(root, within(path), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    for (int tries = 0; tries < BUSY_TRIES; tries++) {
        if (!is_open(status.st_ino))
            return false;
        usleep(10000);
    }
    return true;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config)
{
    if (writeback)
        connection->want |= FUSE_CAP_WRITEBACK_CACHE;
    config->hard_remove = refuses_busy; /* else what is open is renamed instead of removed */
    config->use_ino = 1;
    return NULL;
}

static int get_status(const char *path, struct stat *status, struct fuse_file_info *info)
{
    int failed = info != NULL ? fstat(handle_of(info)->fd, status)
                              : fstatat(root, within(path), status, AT_SYMLINK_NOFOLLOW);
    if (failed != 0)
        return -errno;
    if (S_ISREG(status->st_mode) && size_zero)
        status->st_size = 0;
    if (S_ISREG(status->st_mode) && size_more && status->st_size > 0)
        status->st_size += MORE_BYTES;
    return 0;
}

static int open_file(const char *path, mode_t mode, struct fuse_file_info *info)
{
    int flags = info->flags & ~(O_NOFOLLOW | O_DIRECT);
    if (writeback) { /* the kernel then reads what it will write only a part of, and appends itself
                      */
        flags &= ~O_APPEND;
        flags = (flags & O_ACCMODE) == O_WRONLY ? (flags & ~O_ACCMODE) | O_RDWR : flags;
    }
    struct stat status;
    struct handle *handle = calloc(1, sizeof *handle);
    if (handle == NULL)
        return -ENOMEM;
    handle->fd = openat(root, within(path), flags, mode);
    if (handle->fd < 0 || fstat(handle->fd, &status) != 0) {
        int errnum = errno;
        free(handle);
        return -errnum;
    }
    handle->inode = status.st_ino;
    info->fh = (uint64_t)(uintptr_t)handle;
    info->direct_io = direct_io;
    pthread_mutex_lock(&mutex);
    handle->next = handles;
    handles = handle;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int open_old(const char *path, struct fuse_file_info *info)
{
    return open_file(path, 0, info);
}

static int release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    struct handle *handle = handle_of(info);
    pthread_mutex_lock(&mutex);
    struct handle **link = &handles;
    while (*link != handle)
        link = &(*link)->next;
    *link = handle->next;
    pthread_mutex_unlock(&mutex);
    close(handle->fd);
    free(handle);
    return 0;
}

static int read_file(const char *path, char *to, size_t size, off_t offset,
                     struct fuse_file_info *info)
{
    (void)path;
    if (short_reads && size > SHORT_BYTES)
        size = SHORT_BYTES;
    ssize_t got = pread(handle_of(info)->fd, to, size, offset);
    return got < 0 ? -errno : (int)got;
}

static int write_file(const char *path, const char *from, size_t size, off_t offset,
                      struct fuse_file_info *info)
{
    (void)path;
    struct handle *handle = handle_of(info);
    size_t kept = size;
    if (offset + (off_t)size > full)
        return -write_error;
    if (offset + (off_t)size > lossy) {
        kept = offset < lossy ? (size_t)(lossy - offset) : 0;
        atomic_store(&handle->lost, true);
    }
    ssize_t written = pwrite(handle->fd, from, kept, offset);
    if (written < 0)
        return -errno;
    return (int)(size - kept) + (int)written;
}

/* Tell of lost bytes, once for each open file, as NFS does. */
static int flush(const char *path, struct fuse_file_info *info)
{
    (void)path;
    return atomic_exchange(&handle_of(info)->lost, false) ? -write_error : 0;
}

static int sync_file(const char *path, int data_only, struct fuse_file_info *info)
{
    (void)data_only;
    return flush(path, info);
}

static int set_length(const char *path, off_t length, struct fuse_file_info *info)
{
    if (info != NULL)
        return done(ftruncate(handle_of(info)->fd, length));
    int fd = openat(root, within(path), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int result = done(ftruncate(fd, length));
    close(fd);
    return result;
}

static int set_mode(const char *path, mode_t mode, struct fuse_file_info *info)
{
    (void)info;
    return no_chmod ? -EPERM : done(fchmodat(root, within(path), mode, 0));
}

static int set_owner(const char *path, uid_t user, gid_t group, struct fuse_file_info *info)
{
    (void)info;
    return done(fchownat(root, within(path), user, group, AT_SYMLINK_NOFOLLOW));
}

static int set_times(const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
    (void)info;
    return done(utimensat(root, within(path), times, AT_SYMLINK_NOFOLLOW));
}

/* libfuse itself renames what is removed while it is open: that is always possible. */
static int rename_file(const char *from, const char *to, unsigned flags)
{
    if (no_rename && strstr(to, "/.fuse_hidden") == NULL)
        return -ENOSYS;
    if (is_busy(from) || is_busy(to))
        return -EBUSY;
    return done(renameat2(root, within(from), root, within(to), flags));
}

static int link_file(const char *from, const char *to)
{
    return no_link ? -EPERM : done(linkat(root, within(from), root, within(to), 0));
}

static int remove_file(const char *path)
{
    return is_busy(path) ? -EBUSY : done(unlinkat(root, within(path), 0));
}

static int list(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
    (void)offset;
    (void)info;
    (void)flags;
    int fd = openat(root, within(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (directory == NULL)
        return -errno;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(directory);
    return 0;
}

static int get_room(const char *path, struct statvfs *status)
{
    (void)path;
    return done(fstatvfs(root, status));
}

static const struct fuse_operations operations = {
    .init = start,
    .getattr = get_status,
    .open = open_old,
    .create = open_file,
    .release = release,
    .read = read_file,
    .write = write_file,
    .flush = flush,
    .fsync = sync_file,
    .truncate = set_length,
    .chmod = set_mode,
    .chown = set_owner,
    .utimens = set_times,
    .rename = rename_file,
    .link = link_file,
    .unlink = remove_file,
    .readdir = list,
    .statfs = get_room,
};

/* False if there is no such quirk. */
static bool take_quirk(const char *word)
{
    static const struct {
        const char *word;
        bool *flag;
    } flags[] = {
        {"writeback", &writeback},     {"direct-io", &direct_io}, {"no-rename", &no_rename},
        {"no-link", &no_link},         {"no-chmod", &no_chmod},   {"busy", &refuses_busy},
        {"short-reads", &short_reads}, {"size-zero", &size_zero}, {"size-more", &size_more},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(word, flags[i].word) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    if (strcmp(word, "io-error") == 0)
        write_error = EIO;
    else if (strncmp(word, "full=", 5) == 0)
        full = atoll(word + 5);
    else if (strncmp(word, "lossy=", 6) == 0)
        lossy = atoll(word + 6);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    char *words[] = {argv[0], "-o", "default_permissions,attr_timeout=0", argv[2], NULL};
    if (argc < 3 || (root = open(argv[1], O_PATH | O_DIRECTORY)) < 0) {
        fprintf(stderr, "usage: quirkfs DIRECTORY MOUNTPOINT [QUIRK]...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        if (!take_quirk(argv[i])) {
            fprintf(stderr, "quirkfs: no such quirk: %s\n", argv[i]);
            return 2;
        }
    }
    direct_io = direct_io || short_reads || size_zero;
    umask(0);
    return fuse_main(4, words, &operations, NULL);
}
