/* test_output.c -- an output appears whole under its name, or not at all.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/output.h"
#include "sort/files/output_sink.h"
#include "tests/unit/check.h"
#include "tests/unit/files_here.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char old_directory[4096];
static char directory[] = "/tmp/gsort-unit.XXXXXX";

static void write_file(const char *name, const char *text, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, mode) != 0)
        abort();
    close(fd);
}

static bool file_is(const char *name, const char *text)
{
    char got[64] = "";
    int fd = open(name, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) && memcmp(got, text, strlen(text)) == 0;
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 ? status.st_mode & 07777 : 0;
}

/* Pieces may be written in any order; nobody sees them under the name before publish. */
static void test_published_whole(const char *name, const char *before)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    if (!CHECK(gs_output_open(&output, name, &err) == GS_OK))
        return;
    CHECK(output.kind == GS_OUTPUT_TEMPORARY);
    CHECK(gs_output_reserve(&output, 8, &err) == GS_OK);
    CHECK(gs_output_write(&output, "5678", 4, 4, &err) == GS_OK);
    CHECK(before == NULL ? access(name, F_OK) != 0 : file_is(name, before));
    CHECK(gs_output_write(&output, "1234", 4, 0, &err) == GS_OK);
    CHECK(gs_output_publish(&output, 8, &err) == GS_OK);
    CHECK(file_is(name, "12345678"));
    gs_output_discard(&output); /* harmless now */
    CHECK(file_is(name, "12345678"));
}

/* A discarded output leaves the old file as it was, and no file of its own. */
static void test_discarded(void)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    unsigned before = files_here();
    write_file("kept", "old", 0600);
    CHECK(gs_output_open(&output, "kept", &err) == GS_OK);
    CHECK(gs_output_write(&output, "new!", 4, 0, &err) == GS_OK);
    gs_output_discard(&output);
    CHECK(file_is("kept", "old"));
    CHECK(gs_output_open(&output, "never", &err) == GS_OK);
    gs_output_discard(&output);
    CHECK(access("never", F_OK) != 0);
    CHECK_EQUAL(files_here(), before + 1);
}

/* Space that was reserved but not written (as with -u) does not lengthen the file. */
static void test_shorter_than_reserved(void)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_output_open(&output, "short", &err) == GS_OK);
    CHECK(gs_output_reserve(&output, 1 << 20, &err) == GS_OK);
    CHECK(gs_output_write(&output, "1234", 4, 0, &err) == GS_OK);
    CHECK(gs_output_publish(&output, 4, &err) == GS_OK);
    CHECK(file_is("short", "1234"));
}

/* A new file gets its mode from the umask; a file that replaces another keeps that one's mode. */
static void test_modes(void)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    umask(027);
    CHECK(gs_output_open(&output, "fresh", &err) == GS_OK);
    CHECK(gs_output_publish(&output, 0, &err) == GS_OK);
    CHECK_EQUAL(mode_of("fresh"), 0640);
    write_file("used", "x", 0604);
    CHECK(gs_output_open(&output, "used", &err) == GS_OK);
    CHECK(gs_output_publish(&output, 0, &err) == GS_OK);
    CHECK_EQUAL(mode_of("used"), 0604);
    umask(022);
}

/* A FIFO is written to directly: a file that replaced it would never reach its reader. */
static void test_fifo_is_a_stream(void)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    char got[5] = "";
    if (!CHECK(mkfifo("fifo", 0600) == 0))
        return;
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    CHECK(gs_output_open(&output, "fifo", &err) == GS_OK);
    CHECK(output.kind == GS_OUTPUT_STREAM);
    CHECK(gs_output_write(&output, "1234", 4, 0, &err) == GS_OK);
    CHECK(gs_output_publish(&output, 4, &err) == GS_OK);
    CHECK(read(reader, got, 4) == 4 && strcmp(got, "1234") == 0);
    close(reader);
}

/* Names that cannot be written to are refused with an error that names them, and leave no file. */
static void test_refusals(void)
{
    static const char *const names[] = {"missing/out", ".", "fresh/out", ""};
    unsigned before = files_here();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct gs_output output;
        struct gs_error err = {.status = GS_OK};
        CHECK(gs_output_open(&output, names[i], &err) == GS_ERR_OUTPUT);
        CHECK(strncmp(err.text, names[i], strlen(names[i])) == 0);
    }
    CHECK_EQUAL(files_here(), before);
}

static void remove_all(void)
{
    DIR *here = opendir(".");
    for (struct dirent *entry; here != NULL && (entry = readdir(here)) != NULL;)
        unlink(entry->d_name);
    if (here != NULL)
        closedir(here);
    if (chdir(old_directory) == 0)
        rmdir(directory);
}

/* Pages made ahead change neither bytes nor length, whether threads or writer reach them first. */
static void test_prefilled(void)
{
    const uint64_t bytes = (uint64_t)40 << 20;
    const size_t piece = 12345 * 4;
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    char *from = malloc(bytes);
    char *got = malloc(bytes);
    if (from == NULL || got == NULL)
        abort();
    for (uint64_t i = 0; i < bytes; i++)
        from[i] = (char)(i * 7 >> 3);
    CHECK(gs_output_open(&output, "prefilled", &err) == GS_OK);
    CHECK(gs_output_reserve(&output, bytes, &err) == GS_OK);
    gs_output_prefill(&output, bytes, 4);
    for (uint64_t at = 0; at < bytes; at += piece) {
        size_t here = bytes - at < piece ? (size_t)(bytes - at) : piece;
        CHECK(gs_output_write(&output, from + at, here, at, &err) == GS_OK);
    }
    CHECK(gs_output_publish(&output, bytes, &err) == GS_OK);
    int fd = open("prefilled", O_RDONLY);
    CHECK_EQUAL((uint64_t)lseek(fd, 0, SEEK_END), bytes);
    CHECK(pread(fd, got, bytes, 0) == (ssize_t)bytes && memcmp(got, from, bytes) == 0);
    close(fd);
    unlink("prefilled");
    CHECK(gs_output_open(&output, "prefilled", &err) == GS_OK);
    gs_output_prefill(&output, bytes, 4);
    gs_output_discard(&output);
    CHECK(access("prefilled", F_OK) != 0);
    free(from);
    free(got);
}

/* Open an output by a descriptor's name; the output keeps a pointer to it, so it is static. */
static bool open_descriptor(struct gs_output *output, int fd)
{
    static char name[32];
    struct gs_error err = {.status = GS_OK};
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    return CHECK(gs_output_open(output, name, &err) == GS_OK);
}

/* A file that a shell opened write-only and that grows as more input is known ends as long as its
 * output, or at its old length if the output is discarded. */
static void test_grown(bool give_up)
{
    const uint64_t step = (uint64_t)32 << 20;
    const uint64_t bytes = 3 * step + 12;
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    int fd = open("grown", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (!open_descriptor(&output, fd))
        return;
    CHECK(output.kind == GS_OUTPUT_POSITIONED);
    for (uint64_t known = step; known < bytes; known += step / 4)
        gs_output_prefill(&output, known, 2);
    struct stat status;
    CHECK(stat("grown", &status) == 0 && status.st_size <= (off_t)bytes);
    CHECK(gs_output_write(&output, "last", 4, bytes - 4, &err) == GS_OK);
    CHECK(gs_output_write(&output, "1st!", 4, 0, &err) == GS_OK);
    if (give_up)
        gs_output_discard(&output);
    else
        CHECK(gs_output_publish(&output, bytes, &err) == GS_OK);
    CHECK(stat("grown", &status) == 0);
    CHECK_EQUAL((uint64_t)status.st_size, give_up && output.grown_bytes > 0 ? 0 : bytes);
    unlink("grown");
    close(fd);
}

/* A file whose offset other processes share, grown for more than comes. What they write before the
 * output's length is known stays in front of the output, what they write afterwards behind it, and
 * none of it is lost, even if the output is discarded. */
static void test_shared(bool before, bool meanwhile, bool known, bool give_up)
{
    const uint64_t bytes = (uint64_t)40 << 20;
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    char got[7] = "";
    int fd = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (!open_descriptor(&output, fd))
        return;
    gs_output_prefill(&output, bytes * 2, 2);
    CHECK(!before || write(fd, "before", 6) == 6);
    if (known)
        CHECK(gs_output_reserve(&output, bytes, &err) == GS_OK);
    CHECK(gs_output_write(&output, "1st!", 4, 0, &err) == GS_OK);
    CHECK(gs_output_write(&output, "last", 4, bytes - 4, &err) == GS_OK);
    CHECK(!meanwhile || write(fd, "behind", 6) == 6);
    const bool right = known || (!before && !meanwhile);
    if (give_up)
        gs_output_discard(&output);
    else
        CHECK((gs_output_publish(&output, bytes, &err) == GS_OK) == right);
    struct stat status;
    off_t end = before ? 6 : 0;
    if (right && (!give_up || (known && meanwhile)))
        end += (off_t)bytes;
    end += meanwhile ? 6 : 0;
    CHECK(fstat(fd, &status) == 0);
    CHECK_EQUAL((uint64_t)lseek(fd, 0, SEEK_CUR), (uint64_t)end);
    if (right && (!give_up || !meanwhile))
        CHECK_EQUAL((uint64_t)status.st_size, (uint64_t)end);
    if (known && before)
        CHECK(pread(fd, got, 6, 0) == 6 && strcmp(got, "before") == 0);
    if (meanwhile)
        CHECK(pread(fd, got, 6, end - 6) == 6 && strcmp(got, "behind") == 0);
    if (right && !give_up)
        CHECK(pread(fd, got, 4, before ? 6 : 0) == 4 && memcmp(got, "1st!", 4) == 0);
    unlink("shared");
    close(fd);
}

/* Another program that moves the shared offset back has written over the output: publish fails. */
static void test_moved_back(void)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    int fd = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (!open_descriptor(&output, fd))
        return;
    CHECK(gs_output_reserve(&output, 8, &err) == GS_OK);
    CHECK(gs_output_write(&output, "1st!last", 8, 0, &err) == GS_OK);
    CHECK(lseek(fd, 7, SEEK_SET) == 7);
    CHECK(gs_output_publish(&output, 8, &err) == GS_ERR_OUTPUT);
    CHECK(strstr(err.text, "another program") != NULL);
    CHECK(lseek(fd, 0, SEEK_CUR) == 7);
    unlink("shared");
    close(fd);
}

static unsigned char byte_at(uint64_t position)
{
    return (unsigned char)(position * 7 >> 3);
}

/* A mapped output file, opened by name or by a shell, holds what is written to its memory, and the
 * memory is known to be the file's until publish. */
static void test_mapped(bool named, bool early)
{
    const uint64_t bytes = ((uint64_t)40 << 20) + 12;
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (named)
        CHECK(gs_output_open(&output, "mapped", &err) == GS_OK);
    else
        open_descriptor(&output, fd);
    unsigned char *memory = gs_output_map(&output, bytes, early, 2);
    if (!CHECK(memory != NULL))
        return;
    CHECK(gs_output_holds(&output, memory) && gs_output_holds(&output, memory + bytes - 1));
    CHECK(!gs_output_holds(&output, memory + bytes) && !gs_output_holds(&output, memory - 1));
    CHECK(!gs_output_holds(&output, NULL));
    if (early)
        CHECK(gs_output_make(&output, 0, bytes, &err) == GS_OK);
    const uint64_t piece = bytes / 7;
    for (uint64_t at = 0; at < bytes; at += piece) {
        uint64_t here = bytes - at < piece ? bytes - at : piece;
        CHECK(gs_output_make(&output, at, here, &err) == GS_OK);
        for (uint64_t i = at; i < at + here; i++)
            memory[i] = byte_at(i);
        gs_output_made(&output, at, here);
    }
    CHECK(gs_output_publish(&output, bytes, &err) == GS_OK);
    CHECK(!gs_output_holds(&output, memory));
    int got_fd = open("mapped", O_RDONLY);
    unsigned char *got = malloc(bytes + 1);
    uint64_t wrong = 0;
    CHECK(got != NULL && pread(got_fd, got, bytes + 1, 0) == (ssize_t)bytes);
    for (uint64_t i = 0; got != NULL && i < bytes; i++)
        wrong += got[i] != byte_at(i);
    CHECK_EQUAL(wrong, 0);
    free(got);
    close(got_fd);
    close(fd);
    unlink("mapped");
}

/* A thread that begins late to read a pipe, so that pages changed after they were given to the pipe
 * would show. wrong: wrong bytes, and one more if their number is not `bytes`. */
struct late_reader {
    int fd;
    uint64_t bytes;
    uint64_t wrong;
};

static void *read_late(void *argument)
{
    struct late_reader *reader = argument;
    unsigned char buffer[4096 + 5];
    uint64_t at = 0;
    ssize_t got;
    usleep(50000);
    while ((got = read(reader->fd, buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < got; i++, at++)
            reader->wrong += buffer[i] != byte_at(at);
    reader->wrong += at != reader->bytes;
    return NULL;
}

/* A pipe gets the output's pages themselves, and copies of other bytes in between. Pages that it
 * got are no longer in the output's memory, where writing to them would change the pipe's data. */
static void test_given(bool nonblocking)
{
    const uint64_t bytes = ((uint64_t)9 << 20) + 12;
    const uint64_t piece = 321321;
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    int ends[2];
    unsigned char other[4321];
    unsigned char resident;
    pthread_t thread;
    if (!CHECK(pipe(ends) == 0))
        return;
    struct late_reader reader = {.fd = ends[0], .bytes = bytes};
    pthread_create(&thread, NULL, read_late, &reader);
    if (nonblocking)
        fcntl(ends[1], F_SETFL, O_WRONLY | O_NONBLOCK);
    open_descriptor(&output, ends[1]);
    CHECK(gs_output_map(&output, bytes, true, 2) == NULL);
    unsigned char *memory = gs_output_map(&output, bytes, false, 2);
    if (!CHECK(memory != NULL))
        return;
    for (uint64_t at = 0, n = 0; at < bytes; n++) {
        uint64_t most = n % 3 == 2 ? sizeof other : piece;
        uint64_t here = bytes - at < most ? bytes - at : most;
        unsigned char *from = n % 3 == 2 ? other : memory + at;
        for (uint64_t i = 0; i < here; i++)
            from[i] = byte_at(at + i);
        CHECK(gs_output_write(&output, from, here, at, &err) == GS_OK);
        memset(other, 0, sizeof other); /* the write must have copied it */
        at += here;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    CHECK(mincore(memory + (4 << 20), page, &resident) == 0 && (resident & 1) == 0);
    CHECK(gs_output_publish(&output, bytes, &err) == GS_OK);
    CHECK(!gs_output_holds(&output, memory));
    close(ends[1]);
    pthread_join(thread, NULL);
    CHECK_EQUAL(reader.wrong, 0);
    close(ends[0]);
}

/* A stream that is no pipe has no memory to map. */
static void test_not_mapped(void)
{
    struct gs_output output = {.kind = GS_OUTPUT_STREAM, .fd = -1};
    CHECK(gs_output_map(&output, (uint64_t)40 << 20, false, 2) == NULL);
}

/* An output that cannot be read back is verified as it is written, which the library does for
 * streams: so its sink must say that it is one. */
static void test_proof_of_what_is_not_read_back(void)
{
    struct gs_options options = {.verify = true};
    struct gs_output output = {.kind = GS_OUTPUT_POSITIONED, .fd = -1};
    CHECK(gs_output_sink(&output, &options, NULL).sink.stream);
    output.kind = GS_OUTPUT_TEMPORARY;
    CHECK(!gs_output_sink(&output, &options, NULL).sink.stream);
}

int main(void)
{
    test_proof_of_what_is_not_read_back();
    if (getcwd(old_directory, sizeof old_directory) == NULL || mkdtemp(directory) == NULL ||
        chdir(directory) != 0)
        return 1;
    umask(022);
    test_published_whole("new", NULL);
    write_file("old", "old", 0644);
    test_published_whole("old", "old");
    CHECK_EQUAL(files_here(), 2);
    test_discarded();
    test_shorter_than_reserved();
    test_modes();
    test_prefilled();
    test_grown(false);
    test_grown(true);
    test_moved_back();
    for (int bits = 0; bits < 16; bits++)
        test_shared((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
    for (int way = 0; way < 4; way++)
        test_mapped((way & 1) != 0, (way & 2) != 0);
    test_not_mapped();
    test_given(false);
    test_given(true);
    test_fifo_is_a_stream();
    test_refusals();
    remove_all();
    return check_failures();
}
