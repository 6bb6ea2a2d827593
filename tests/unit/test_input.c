/* test_input.c -- pipes are read on after a part or spooled to a file; mapped files can be read.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/input.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNIT  4
#define BYTES 300004

static char directory[] = "/tmp/gsort-unit.XXXXXX";
static unsigned char data[BYTES];

/* Make a FIFO, and a process that writes `bytes` bytes of data to it in pieces of an odd size. */
static void feed(const char *name, size_t bytes)
{
    if (mkfifo(name, 0600) != 0)
        abort();
    if (fork() != 0)
        return;
    int fd = open(name, O_WRONLY);
    for (size_t done = 0; done < bytes;) {
        size_t piece = bytes - done < 1021 ? bytes - done : 1021;
        ssize_t n = write(fd, data + done, piece);
        if (n < 0)
            break;
        done += (size_t)n;
    }
    close(fd);
    _exit(0);
}

static enum gs_status refuse_above(void *context, uint64_t bytes, struct gs_error *err)
{
    (void)err;
    return bytes > *(const uint64_t *)context ? GS_ERR_MEMORY : GS_OK;
}

/* Read up to about `most` bytes, until the gate refuses, then the rest in pieces of `room` bytes:
 * together they are what was written, so an external sort can take over from there. */
static void test_read_on(uint64_t most, size_t room)
{
    static const char *const names[] = {"fifo", "file"};
    struct gs_inputs inputs;
    struct gs_error err = {.status = GS_OK};
    size_t got = 1;
    size_t used;
    unsigned char *all = malloc(2 * BYTES);
    feed("fifo", BYTES);
    CHECK(gs_inputs_open(&inputs, names, 2, UNIT, NULL, GS_LOOKS_ALL, &err) == GS_OK);
    CHECK(gs_inputs_pending(&inputs));
    const struct gs_slurp_watch watch = {.gate = refuse_above, .context = &most};
    enum gs_status st = gs_inputs_read(&inputs, UNIT, &watch, &err);
    CHECK(st == (most < BYTES ? GS_ERR_MEMORY : GS_OK) && err.status == GS_OK);
    const struct gs_input *input = &inputs.list[0];
    used = (size_t)input->size;
    CHECK(used % UNIT == 0 && used <= BYTES && used + UNIT > (most < BYTES ? most : BYTES));
    if (used > 0)
        memcpy(all, input->bytes, used);
    gs_inputs_release(&inputs, input->bytes, input->size);
    while (got > 0) {
        CHECK(gs_inputs_read_on(&inputs, UNIT, all + used, used + room < 2 * BYTES ? room : 8, &got,
                                &err) == GS_OK);
        CHECK_EQUAL(got % UNIT, 0);
        used += got;
    }
    CHECK(!gs_inputs_pending(&inputs));
    CHECK_EQUAL(used, BYTES);
    CHECK(memcmp(all, data, BYTES) == 0);
    CHECK_EQUAL(inputs.list[1].size, 8); /* the mapped file is not affected */
    gs_inputs_close(&inputs);
    free(all);
    unlink("fifo");
}

static void note_bytes(void *context, uint64_t bytes)
{
    *(uint64_t *)context = bytes;
}

/* A FIFO longer than `most` moves to a temporary file, a shorter one stays in memory; both then
 * hold all its bytes. An input that is no whole number of units is refused. */
static void test_spool(uint64_t most, size_t bytes, enum gs_status wanted)
{
    static const char *const names[] = {"fifo"};
    const char *const directories[] = {directory};
    struct gs_inputs inputs;
    struct gs_error err = {.status = GS_OK};
    uint64_t temporary = 0;
    uint64_t told = 0;
    feed("fifo", bytes);
    CHECK(gs_inputs_open(&inputs, names, 1, UNIT, NULL, GS_LOOKS_ALL, &err) == GS_OK);
    CHECK(gs_inputs_spool(&inputs, UNIT, most, directories, 1, note_bytes, &told, &temporary,
                          &err) == wanted);
    CHECK_EQUAL(told, bytes);
    if (wanted == GS_OK) {
        CHECK_EQUAL(temporary, most < bytes ? bytes : 0);
        CHECK_EQUAL(inputs.list[0].size, bytes);
        CHECK(memcmp(inputs.list[0].bytes, data, bytes) == 0);
        CHECK(!gs_inputs_pending(&inputs));
    }
    gs_inputs_close(&inputs);
    unlink("fifo");
}

#ifndef __SANITIZE_ADDRESS__ /* which has terabytes mapped already */
/* A file, and standard input from its second unit on, stay mapped while there is address space for
 * the sort; else they are unmapped and read. */
static void test_make_room(void)
{
    static const char *const names[] = {"file", "-"};
    struct gs_inputs inputs;
    struct gs_error err = {.status = GS_OK};
    unsigned char got[2 * UNIT];
    size_t bytes = 0;
    uint64_t most = UINT64_MAX;
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    int fd = open("file", O_RDONLY);
    CHECK(dup2(fd, STDIN_FILENO) == STDIN_FILENO && lseek(STDIN_FILENO, UNIT, SEEK_SET) == UNIT);
    close(fd);
    CHECK(gs_inputs_open(&inputs, names, 2, UNIT, NULL, GS_LOOKS_ALL, &err) == GS_OK);
    gs_inputs_make_room(&inputs, UINT64_MAX);
    CHECK(!gs_inputs_pending(&inputs)); /* no limit: both stay mapped */
    limit.rlim_cur = (rlim_t)1 << 40;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    gs_inputs_make_room(&inputs, (uint64_t)1 << 39);
    CHECK(!gs_inputs_pending(&inputs));
    gs_inputs_make_room(&inputs, (uint64_t)1 << 41);
    CHECK(inputs.list[0].pending && inputs.list[1].pending);
    CHECK(inputs.list[0].size + inputs.list[1].size == 0);
    const struct gs_slurp_watch watch = {.gate = refuse_above, .context = &most};
    CHECK(gs_inputs_read(&inputs, UNIT, &watch, &err) == GS_OK);
    CHECK(!gs_inputs_pending(&inputs));
    CHECK_EQUAL(inputs.list[0].size, 2 * UNIT);
    CHECK_EQUAL(inputs.list[1].size, UNIT);
    CHECK(memcmp(inputs.list[0].bytes, data, 2 * UNIT) == 0);
    CHECK(memcmp(inputs.list[1].bytes, data + UNIT, UNIT) == 0);
    CHECK_EQUAL((uint64_t)lseek(STDIN_FILENO, 0, SEEK_CUR), 2 * UNIT);
    gs_inputs_close(&inputs);

    /* An unmapped file can be read in pieces, too. */
    CHECK(gs_inputs_open(&inputs, names, 1, UNIT, NULL, GS_LOOKS_ALL, &err) == GS_OK);
    gs_inputs_make_room(&inputs, (uint64_t)1 << 41);
    CHECK(gs_inputs_read_on(&inputs, UNIT, got, sizeof got, &bytes, &err) == GS_OK);
    CHECK(bytes == sizeof got && memcmp(got, data, sizeof got) == 0);
    CHECK(gs_inputs_read_on(&inputs, UNIT, got, sizeof got, &bytes, &err) == GS_OK && bytes == 0);
    gs_inputs_close(&inputs);
}
#endif

int main(void)
{
    if (mkdtemp(directory) == NULL || chdir(directory) != 0)
        return 1;
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 31 + i / 251);
    int fd = open("file", O_WRONLY | O_CREAT, 0600);
    CHECK(write(fd, data, 8) == 8);
    close(fd);
    test_read_on(0, 4096);
    test_read_on(1000, 8);
    test_read_on(100001, 65536);
    test_read_on(UINT64_MAX, 4096);
    test_spool(UINT64_MAX, BYTES, GS_OK);
    test_spool(0, BYTES, GS_OK);
    test_spool(100000, BYTES, GS_OK);
    test_spool(100000, BYTES - 1, GS_ERR_INPUT);
    test_spool(UINT64_MAX, BYTES - 1, GS_ERR_INPUT);
#ifndef __SANITIZE_ADDRESS__
    test_make_room();
#endif
    unlink("file");
    CHECK(chdir("/") == 0 && rmdir(directory) == 0);
    return check_failures();
}
