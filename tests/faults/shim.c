/* shim.c -- preloaded into gsort, it makes one chosen call to the system fail.
 * SPDX-License-Identifier: MIT
 *
 *     LD_PRELOAD=shim.so GSORT_FAULT="KIND HOW K" GSORT_FAULT_MARK=FILE gsort ...
 *
 * KIND is one of the names in `kinds`. Calls of that kind are counted from the start of main() on,
 * in all threads together, and the K-th fails. HOW is the errno that it fails with, or "short": it
 * moves fewer bytes than asked for; with a + after it, all later calls fail, too. FILE is created
 * at the first fault, so that the caller knows of it. Without counting that, GSORT_FAULT_NAMED=1
 * refuses O_TMPFILE from the start, as some file systems do, and GSORT_FAULT_BUSY=1 refuses to
 * replace or to remove a file that gsort has open or mapped, as servers do; with both, to rename
 * one, too.
 *
 * GSORT_FAULT_OWN=1 counts only what the program calls itself, not what libraries do for it: MPI's.
 *
 * GSORT_FAULT_SWAP=1: whenever FILE is opened and there is a FILE.next, that replaces it after.
 *
 * GSORT_FAULT_LARGE=BYTES refuses memory in larger pieces, as strict accounting does, and
 * GSORT_FAULT_BLOCK=BYTES larger blocks of malloc, without counting that.
 *
 * Calls within the C library are not seen, except those of malloc: so fopen() is replaced, too, for
 * the open() inside it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

enum kind {
    OPEN,
    STAT,
    ACCESS,
    READLINK,
    FCNTL,
    SEEK,
    MMAP,
    MADVISE,
    READ,
    PREAD,
    WRITE,
    PWRITE,
    LENGTH,
    SYNC,
    MODE,
    LINK,
    RENAME,
    UNLINK,
    CLOSE,
    RANDOM,
    MALLOC,
    THREAD,
    KINDS
};

static const char *const kinds[KINDS] = {
    "open",   "stat",   "access", "readlink", "fcntl",  "seek",   "mmap", "madvise",
    "read",   "pread",  "write",  "pwrite",   "length", "sync",   "mode", "link",
    "rename", "unlink", "close",  "random",   "malloc", "thread",
};

static int wanted = KINDS;
static int error_number;
static bool is_short;
static bool swaps;
static bool all_later;
static bool named_only;
static size_t large = SIZE_MAX;
static size_t largest_block = SIZE_MAX;
static bool refuses_busy;
static bool own_only;
static uintptr_t own_first, own_end; /* the program's code */
static long at;
static const char *mark;
static atomic_long calls;
static atomic_bool armed;

/* Must this call fail? Sets errno if so. */
#define fails(kind) fails_for(kind, (uintptr_t)__builtin_return_address(0))

static bool fails_for(enum kind kind, uintptr_t caller)
{
    if ((int)kind != wanted || !atomic_load(&armed))
        return false;
    if (own_only && (caller < own_first || caller >= own_end))
        return false;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number < at || (number > at && !all_later))
        return false;
    if (mark != NULL)
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
    errno = error_number;
    return true;
}

/* The same for a call that may move fewer than *size bytes: a short one gets a smaller *size.
 * False: make the call. */
static inline __attribute__((always_inline)) bool fails_or_shrinks(enum kind kind, size_t *size)
{
    int before = errno;
    if (!fails(kind))
        return false;
    if (!is_short)
        return true;
    *size = *size > 7 ? *size / 2 - 1 : 1; /* not a whole number of keys */
    errno = before;
    return false;
}

/* The first object is the program. */
static int find_own(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            own_first = object->dlpi_addr + part->p_vaddr;
            own_end = own_first + part->p_memsz;
        }
    }
    return 1;
}

static void read_request(void)
{
    const char *request = getenv("GSORT_FAULT");
    char kind[16], how[16];
    mark = getenv("GSORT_FAULT_MARK");
    named_only = getenv("GSORT_FAULT_NAMED") != NULL;
    if (getenv("GSORT_FAULT_LARGE") != NULL)
        large = strtoul(getenv("GSORT_FAULT_LARGE"), NULL, 10);
    if (getenv("GSORT_FAULT_BLOCK") != NULL)
        largest_block = strtoul(getenv("GSORT_FAULT_BLOCK"), NULL, 10);
    refuses_busy = getenv("GSORT_FAULT_BUSY") != NULL;
    own_only = getenv("GSORT_FAULT_OWN") != NULL;
    swaps = getenv("GSORT_FAULT_SWAP") != NULL;
    dl_iterate_phdr(find_own, NULL);
    if (request == NULL)
        return;
    if (sscanf(request, "%15s %15s %ld", kind, how, &at) != 3)
        abort();
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kind, kinds[i]) == 0)
            wanted = i;
    if (wanted == KINDS)
        abort();
    error_number = atoi(how);
    is_short = strncmp(how, "short", 5) == 0;
    all_later = how[strlen(how) - 1] == '+';
}

/* The next definition of a function, looked up once. */
#define NEXT(result, name, ...)                                                                    \
    static result (*next)(__VA_ARGS__);                                                            \
    if (next == NULL)                                                                              \
    *(void **)&next = dlsym(RTLD_NEXT, name)

static int (*program_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **environment)
{
    atomic_store(&armed, true);
    return program_main(argc, argv, environment);
}

/* The C library starts the program by this. main() is wrapped, since calls before it are not
 * gsort's and are not counted. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    NEXT(int, "__libc_start_main", int (*)(int, char **, char **), int, char **, void (*)(void),
         void (*)(void), void (*)(void), void *);
    read_request();
    program_main = main;
    return next(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* --- files ------------------------------------------------------------------------------------ */

#define MODE_ARGUMENT(flags)                                                                       \
    mode_t mode = 0;                                                                               \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {                                                  \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode = va_arg(args, mode_t);                                                               \
        va_end(args);                                                                              \
    }

static inline __attribute__((always_inline)) bool open_fails(int flags)
{
    if (named_only && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return true;
    }
    return fails(OPEN);
}

static void swap(const char *path)
{
    char next[4096];
    if (swaps && snprintf(next, sizeof next, "%s.next", path) < (int)sizeof next)
        syscall(SYS_renameat2, AT_FDCWD, next, AT_FDCWD, path, 0);
}

int open(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags)
    if (open_fails(flags))
        return -1;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0)
        swap(path);
    return fd;
}

int openat(int dirfd, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags)
    return open_fails(flags) ? -1 : (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(FILE *, "fopen", const char *, const char *);
    return fails(OPEN) ? NULL : next(path, mode);
}

/* Functions that fail or are called unchanged. */
#define SIMPLE(kind, result, failed, name, types, parameters, arguments)                           \
    result name parameters                                                                         \
    {                                                                                              \
        static result(*next) types;                                                                \
        if (next == NULL)                                                                          \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        return fails(kind) ? failed : next arguments;                                              \
    }

SIMPLE(OPEN, int, -1, pipe2, (int *, int), (int ends[2], int flags), (ends, flags))
SIMPLE(STAT, int, -1, stat, (const char *, struct stat *), (const char *path, struct stat *to),
       (path, to))
SIMPLE(STAT, int, -1, lstat, (const char *, struct stat *), (const char *path, struct stat *to),
       (path, to))
SIMPLE(STAT, int, -1, fstat, (int, struct stat *), (int fd, struct stat *to), (fd, to))
SIMPLE(STAT, int, -1, fstatat, (int, const char *, struct stat *, int),
       (int fd, const char *path, struct stat *to, int flags), (fd, path, to, flags))
SIMPLE(STAT, int, -1, fstatfs, (int, struct statfs *), (int fd, struct statfs *to), (fd, to))
SIMPLE(STAT, int, -1, statfs, (const char *, struct statfs *),
       (const char *path, struct statfs *to), (path, to))
SIMPLE(STAT, int, -1, fstatvfs, (int, struct statvfs *), (int fd, struct statvfs *to), (fd, to))
SIMPLE(STAT, int, -1, statvfs, (const char *, struct statvfs *),
       (const char *path, struct statvfs *to), (path, to))
SIMPLE(ACCESS, int, -1, faccessat, (int, const char *, int, int),
       (int fd, const char *path, int mode, int flags), (fd, path, mode, flags))
SIMPLE(READLINK, ssize_t, -1, readlinkat, (int, const char *, char *, size_t),
       (int fd, const char *path, char *to, size_t size), (fd, path, to, size))
SIMPLE(READLINK, ssize_t, -1, readlink, (const char *, char *, size_t),
       (const char *path, char *to, size_t size), (path, to, size))
SIMPLE(SEEK, off_t, -1, lseek, (int, off_t, int), (int fd, off_t offset, int whence),
       (fd, offset, whence))
SIMPLE(LENGTH, int, -1, ftruncate, (int, off_t), (int fd, off_t length), (fd, length))
SIMPLE(LENGTH, int, -1, fallocate, (int, int, off_t, off_t),
       (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length))
SIMPLE(SYNC, int, -1, fsync, (int), (int fd), (fd))
SIMPLE(SYNC, int, -1, fdatasync, (int), (int fd), (fd))
SIMPLE(SYNC, int, -1, sync_file_range, (int, off_t, off_t, unsigned),
       (int fd, off_t offset, off_t bytes, unsigned flags), (fd, offset, bytes, flags))
SIMPLE(MODE, int, -1, fchmod, (int, mode_t), (int fd, mode_t mode), (fd, mode))
SIMPLE(MODE, int, -1, fchown, (int, uid_t, gid_t), (int fd, uid_t user, gid_t group),
       (fd, user, group))
SIMPLE(LINK, int, -1, linkat, (int, const char *, int, const char *, int),
       (int from, const char *path, int to, const char *name, int flags),
       (from, path, to, name, flags))
SIMPLE(RENAME, int, -1, rename, (const char *, const char *), (const char *from, const char *to),
       (from, to))
SIMPLE(UNLINK, int, -1, unlink, (const char *), (const char *path), (path))
SIMPLE(RANDOM, ssize_t, -1, getrandom, (void *, size_t, unsigned),
       (void *to, size_t size, unsigned flags), (to, size, flags))
SIMPLE(MADVISE, int, -1, madvise, (void *, size_t, int), (void *where, size_t size, int advice),
       (where, size, advice))

static bool is_open(const struct stat *file)
{
    struct stat other;
    for (int fd = 0; fd < 256; fd++)
        if (syscall(SYS_newfstatat, fd, "", &other, AT_EMPTY_PATH) == 0 &&
            other.st_dev == file->st_dev && other.st_ino == file->st_ino)
            return true;
    return false;
}

static bool is_mapped(const struct stat *file)
{
    static char maps[1 << 20];
    size_t used = 0;
    ssize_t got = 0;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY);
    do
        used += (size_t)(got = syscall(SYS_read, fd, maps + used, sizeof maps - 1 - used));
    while (got > 0);
    syscall(SYS_close, fd);
    maps[used] = '\0';
    for (char *rest, *line = strtok_r(maps, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        unsigned major_number, minor_number;
        unsigned long inode;
        if (sscanf(line, "%*s %*s %*s %x:%x %lu", &major_number, &minor_number, &inode) == 3 &&
            makedev(major_number, minor_number) == file->st_dev && inode == file->st_ino)
            return true;
    }
    return false;
}

/* Is the file refused because it is in use? Sets errno if so. */
static bool is_busy(int fd, const char *name)
{
    struct stat file;
    if (!refuses_busy || syscall(SYS_newfstatat, fd, name, &file, AT_SYMLINK_NOFOLLOW) != 0 ||
        (!is_open(&file) && !is_mapped(&file)))
        return false;
    errno = EBUSY;
    return true;
}

int renameat(int from, const char *path, int to, const char *name)
{
    if (fails(RENAME) || is_busy(to, name) || (named_only && is_busy(from, path)))
        return -1;
    return (int)syscall(SYS_renameat2, from, path, to, name, 0);
}

int unlinkat(int fd, const char *path, int flags)
{
    return fails(UNLINK) || is_busy(fd, path) ? -1 : (int)syscall(SYS_unlinkat, fd, path, flags);
}

/* close(2) releases the descriptor even when it fails. */
int close(int fd)
{
    NEXT(int, "close", int);
    bool failed = fails(CLOSE);
    int errnum = errno;
    int result = next(fd);
    if (failed)
        errno = errnum;
    return failed ? -1 : result;
}

int fcntl(int fd, int command, ...)
{
    NEXT(int, "fcntl", int, int, ...);
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    return fails(FCNTL) ? -1 : next(fd, command, argument);
}

/* Is this memory refused for its size? Sets errno if so. */
static bool is_too_large(size_t size, size_t most)
{
    if (size <= most)
        return false;
    errno = ENOMEM;
    return true;
}

void *mmap(void *where, size_t size, int access, int flags, int fd, off_t offset)
{
    NEXT(void *, "mmap", void *, size_t, int, int, int, off_t);
    if (fails(MMAP) || ((flags & MAP_ANONYMOUS) != 0 && is_too_large(size, large)))
        return MAP_FAILED;
    return next(where, size, access, flags, fd, offset);
}

void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    NEXT(void *, "mremap", void *, size_t, size_t, int, ...);
    return fails(MMAP) || is_too_large(size, large) ? MAP_FAILED : next(old, old_size, size, flags);
}

ssize_t read(int fd, void *to, size_t size)
{
    NEXT(ssize_t, "read", int, void *, size_t);
    return fails_or_shrinks(READ, &size) ? -1 : next(fd, to, size);
}

ssize_t splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t size, unsigned flags)
{
    NEXT(ssize_t, "splice", int, off_t *, int, off_t *, size_t, unsigned);
    return fails_or_shrinks(READ, &size) ? -1 : next(from, from_offset, to, to_offset, size, flags);
}

ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
    NEXT(ssize_t, "pread", int, void *, size_t, off_t);
    return fails_or_shrinks(PREAD, &size) ? -1 : next(fd, to, size, offset);
}

ssize_t write(int fd, const void *from, size_t size)
{
    NEXT(ssize_t, "write", int, const void *, size_t);
    /* Writes to standard error never fail: they are the messages that report the fault. */
    return fd != STDERR_FILENO && fails_or_shrinks(WRITE, &size) ? -1 : next(fd, from, size);
}

ssize_t vmsplice(int fd, const struct iovec *from, size_t count, unsigned flags)
{
    NEXT(ssize_t, "vmsplice", int, const struct iovec *, size_t, unsigned);
    struct iovec first = *from;
    return fails_or_shrinks(WRITE, &first.iov_len) ? -1 : next(fd, &first, count, flags);
}

/* A direct write's size must be a multiple of this (open(2): O_DIRECT). */
#define BLOCK_BYTES 4096

ssize_t pwrite(int fd, const void *from, size_t size, off_t offset)
{
    NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t);
    bool is_blocks = size % BLOCK_BYTES == 0 && (syscall(SYS_fcntl, fd, F_GETFL) & O_DIRECT) != 0;
    if (fails_or_shrinks(PWRITE, &size))
        return -1;
    if (is_blocks && size > BLOCK_BYTES) /* else a direct write would fail instead of being short */
        size -= size % BLOCK_BYTES;
    return next(fd, from, size, offset);
}

/* --- memory and threads ------------------------------------------------------------------------
 */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(MALLOC) || is_too_large(size, largest_block) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(MALLOC) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? NULL : realloc(old, count * size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MALLOC) || is_too_large(size, largest_block) ? NULL
                                                              : __libc_memalign(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *memory = fails(MALLOC) ? NULL : __libc_memalign(alignment, size);
    if (memory != NULL)
        *to = memory;
    return memory != NULL ? 0 : ENOMEM;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return fails(THREAD) ? EAGAIN : next(thread, attributes, start, argument);
}
