/* test_spill.c -- pieces come back as they were written, from files without names, or with them.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "common/files/space.h"
#include "common/files/spill.h"
#include "tests/unit/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECES      5
#define PIECE_BYTES 5000

static unsigned files_in(const char *directory)
{
    unsigned files = 0;
    DIR *here = opendir(directory);
    for (struct dirent *entry; here != NULL && (entry = readdir(here)) != NULL;)
        files += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (here != NULL)
        closedir(here);
    return files;
}

/* Pieces go to both directories in turn, without names, and parts of them can be read. */
static void test_pieces(const char *const *directories)
{
    struct gs_spill spill;
    struct gs_error err = {.status = GS_OK};
    struct gs_place places[PIECES];
    unsigned char data[PIECE_BYTES], got[PIECE_BYTES];
    if (!CHECK(gs_spill_open(&spill, directories, 2, GS_DIRECT_AUTO, &err) == GS_OK))
        return;
    for (unsigned i = 0; i < PIECES; i++) {
        memset(data, (int)i + 1, sizeof data);
        data[i] = 99;
        CHECK(gs_spill_place(&spill, sizeof data, &places[i], &err) == GS_OK);
        CHECK_EQUAL(places[i].directory, i % 2);
        CHECK(gs_spill_write(&spill, &places[i], 0, data, 1000, &err) == GS_OK);
        CHECK(gs_spill_write(&spill, &places[i], 1000, data + 1000, sizeof data - 1000, &err) ==
              GS_OK);
    }
    CHECK_EQUAL(spill.used, PIECES * PIECE_BYTES);
    CHECK_EQUAL(files_in(directories[0]) + files_in(directories[1]), 0);
    for (unsigned i = PIECES; i-- > 0;) {
        memset(data, (int)i + 1, sizeof data);
        data[i] = 99;
        gs_spill_announce(&spill, &places[i], 0, sizeof data);
        CHECK(gs_spill_read(&spill, &places[i], 0, got, sizeof got, &err) == GS_OK);
        CHECK(memcmp(got, data, sizeof got) == 0);
        CHECK(gs_spill_read(&spill, &places[i], i, got, 1, &err) == GS_OK);
        CHECK_EQUAL(got[0], 99);
    }
    /* Beyond the end of the file: an error, not an endless loop. */
    CHECK(gs_spill_read(&spill, &places[PIECES - 1], 1 << 20, got, 1, &err) == GS_ERR_INPUT);
    gs_spill_close(&spill);
    gs_spill_close(&spill); /* harmless */
}

/* Pieces longer than a stripe come back right, in parts that begin and end anywhere. */
static void test_stripes(const char *const *directories)
{
    enum { ROOM = (2 * GS_SPILL_FILES + 1) * GS_SPILL_STRIPE_BYTES + 4321, STEP = 1500007 };
    struct gs_spill spill;
    struct gs_error err = {.status = GS_OK};
    struct gs_place places[2];
    unsigned char *data = malloc(ROOM), *got = malloc(ROOM);
    if (CHECK(data != NULL && got != NULL) &&
        CHECK(gs_spill_open(&spill, directories, 1, GS_DIRECT_AUTO, &err) == GS_OK)) {
        for (size_t i = 0; i < ROOM; i++)
            data[i] = (unsigned char)(gs_random(1, i / 8) >> (i % 8 * 8));
        for (int piece = 0; piece < 2; piece++)
            CHECK(gs_spill_place(&spill, ROOM, &places[piece], &err) == GS_OK);
        for (size_t from = 0; from < ROOM; from += STEP) {
            size_t here = ROOM - from < STEP ? ROOM - from : STEP;
            CHECK(gs_spill_write(&spill, &places[1], from, data + from, here, &err) == GS_OK);
            memset(got, 7, here);
            CHECK(gs_spill_write(&spill, &places[0], from, got, here, &err) == GS_OK);
        }
        gs_spill_announce(&spill, &places[1], 0, ROOM);
        for (size_t from = 0; from < ROOM; from += STEP / 3) {
            size_t here = ROOM - from < STEP / 3 ? ROOM - from : STEP / 3;
            CHECK(gs_spill_read(&spill, &places[1], from, got + from, here, &err) == GS_OK);
        }
        CHECK(memcmp(got, data, ROOM) == 0);
        CHECK_EQUAL(spill.used, 2 * ROOM);
        gs_spill_close(&spill);
    }
    free(data);
    free(got);
}

/* A spill that its file systems have no room for is refused before it is written. */
static void test_room(const char *const *directories)
{
    struct gs_spill spill;
    struct gs_error err = {.status = GS_OK};
    struct stat status;
    if (!CHECK(gs_spill_open(&spill, directories, 2, GS_DIRECT_AUTO, &err) == GS_OK) ||
        !CHECK(stat(directories[0], &status) == 0))
        return;
    CHECK(gs_spill_check(&spill, 1, 0, 0, &err) == GS_OK);
    /* Both are on one file system: its room counts once, less what others will write there. */
    uint64_t room = gs_space_free(spill.directories[0].fds[0]);
    if (room != UINT64_MAX && room > 1 << 30) {
        CHECK(gs_spill_check(&spill, room / 2, 0, 0, &err) == GS_OK);
        CHECK(gs_spill_check(&spill, room / 2, status.st_dev, room / 4 * 3, &err) == GS_ERR_OUTPUT);
        CHECK(strncmp(err.text, directories[0], strlen(directories[0])) == 0);
        err.status = GS_OK;
        CHECK(gs_spill_check(&spill, room / 8 * 15, 0, 0, &err) == GS_ERR_OUTPUT);
    }
    gs_spill_close(&spill);
}

/* Pieces in files with names can be read by another process; those that it keeps stay, and new ones
 * go behind them. */
static void test_names(const char *const *directories)
{
    struct gs_spill spill;
    struct gs_error err = {.status = GS_OK};
    struct gs_place places[PIECES], place;
    struct gs_spill_mark mark;
    struct gs_spill_home homes[2];
    char data[PIECE_BYTES], got[PIECE_BYTES];
    for (int i = 0; i < 2; i++)
        homes[i] = (struct gs_spill_home){
            .fd = open(directories[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), .id = 70 + (uint64_t)i};
    CHECK(gs_spill_open(&spill, directories, 2, GS_DIRECT_AUTO, &err) == GS_OK);
    CHECK(gs_spill_reopen(&spill, homes, &err) == GS_OK);
    for (int i = 0; i < PIECES; i++) {
        memset(data, i, sizeof data);
        CHECK(gs_spill_place(&spill, sizeof data, &places[i], &err) == GS_OK);
        CHECK(gs_spill_write(&spill, &places[i], 0, data, sizeof data, &err) == GS_OK);
    }
    gs_spill_close(&spill);
    CHECK_EQUAL(files_in(directories[0]), GS_SPILL_FILES);
    CHECK(gs_spill_open(&spill, directories, 2, GS_DIRECT_AUTO, &err) == GS_OK);
    CHECK(gs_spill_reopen(&spill, homes, &err) == GS_OK);
    for (int i = 0; i < PIECES - 1; i++) {
        mark = gs_spill_mark(&spill, &places[i]);
        CHECK_EQUAL(mark.home, 70 + places[i].directory);
        CHECK(gs_spill_find(&spill, &mark, &place));
        CHECK(place.directory == places[i].directory && place.offset == places[i].offset);
        gs_spill_keep(&spill, &place, PIECE_BYTES);
        CHECK(!gs_spill_find(&spill, &mark, &place)); /* no two pieces share bytes */
    }
    mark.home = 5;
    CHECK(!gs_spill_find(&spill, &mark, &place));
    gs_spill_trim(&spill);
    CHECK(gs_spill_place(&spill, PIECE_BYTES, &place, &err) == GS_OK);
    CHECK(gs_spill_write(&spill, &place, 0, data, sizeof data, &err) == GS_OK);
    for (int i = 0; i < PIECES - 1; i++) {
        CHECK(gs_spill_read(&spill, &places[i], 0, got, sizeof got, &err) == GS_OK);
        CHECK(got[0] == i && got[PIECE_BYTES - 1] == i);
    }
    gs_spill_trim(&spill); /* the new piece is kept, too */
    CHECK(gs_spill_read(&spill, &place, 0, got, sizeof got, &err) == GS_OK);
    CHECK(memcmp(got, data, sizeof data) == 0);
    gs_spill_close(&spill);
    for (int i = 0; i < 2; i++) {
        gs_spill_remove(homes[i].fd);
        close(homes[i].fd);
    }
    CHECK_EQUAL(files_in(directories[0]) + files_in(directories[1]), 0);
}

/* A missing directory is refused by name; a spill file is private and has no name. */
static void test_refusals(const char *directory)
{
    const char *const missing[] = {"/nonexistent/gsort"};
    struct gs_spill spill;
    struct gs_place place;
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_spill_open(&spill, missing, 1, GS_DIRECT_AUTO, &err) == GS_OK);
    CHECK(gs_spill_place(&spill, 4, &place, &err) == GS_ERR_OUTPUT);
    CHECK(strncmp(err.text, missing[0], strlen(missing[0])) == 0);
    gs_spill_close(&spill);
    CHECK(gs_spill_create("/nonexistent") == -1 && errno == ENOENT);
    int fd = gs_spill_create(directory);
    if (CHECK(fd >= 0)) {
        struct stat status;
        CHECK(fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0600 && status.st_nlink == 0);
        CHECK(gs_space_reserve(fd, 0, 1 << 20) == 0);
        CHECK(gs_space_reserve(fd, 0, 0) == 0);
        close(fd);
    }
    CHECK(gs_space_free(-1) == UINT64_MAX);
}

int main(void)
{
    char one[] = "/tmp/gsort-unit.XXXXXX";
    char two[] = "/tmp/gsort-unit.XXXXXX";
    const char *const directories[] = {one, two};
    if (mkdtemp(one) == NULL || mkdtemp(two) == NULL)
        return 1;
    test_pieces(directories);
    test_stripes(directories);
    test_room(directories);
    test_names(directories);
    test_refusals(one);
    CHECK(rmdir(one) == 0 && rmdir(two) == 0); /* empty */
    return check_failures();
}
