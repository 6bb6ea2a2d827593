/* test_journal.c -- what was cut short or damaged is not there, and neither is what follows.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/journal.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[] = "/tmp/gsort-unit.XXXXXX";
static int folder; /* it is in there */

static enum gs_status open_journal(struct gs_journal *journal, struct gs_error *err)
{
    enum gs_status st = gs_journal_open(journal, folder, name, err);
    return st == GS_OK ? gs_journal_lock(journal, err) : st;
}

/* Count the entries "entry 0", "entry 1" and so on from the beginning. */
static unsigned count_entries(void)
{
    struct gs_journal journal;
    struct gs_error err = {.status = GS_OK};
    unsigned count = 0;
    size_t bytes;
    if (!CHECK(open_journal(&journal, &err) == GS_OK))
        return 0;
    for (char *entry; (entry = gs_journal_read(&journal, &bytes)) != NULL; count++) {
        char wanted[] = "entry 0";
        wanted[6] = (char)('0' + count);
        CHECK(bytes == sizeof wanted && memcmp(entry, wanted, bytes) == 0);
        free(entry);
    }
    gs_journal_close(&journal);
    return count;
}

/* Write entries from `first` on, behind those that are there, and in place of the others. */
static void write_entries(unsigned first, unsigned count)
{
    struct gs_journal journal;
    struct gs_error err = {.status = GS_OK};
    size_t bytes;
    if (!CHECK(open_journal(&journal, &err) == GS_OK))
        return;
    for (unsigned i = 0; i < first; i++)
        free(gs_journal_read(&journal, &bytes));
    for (unsigned i = first; i < first + count; i++) {
        char entry[] = "entry 0";
        entry[6] = (char)('0' + i);
        CHECK(gs_journal_write(&journal, entry, sizeof entry, &err) == GS_OK);
    }
    gs_journal_close(&journal);
}

static void test_entries(void)
{
    write_entries(0, 5);
    CHECK(count_entries() == 5);
    write_entries(2, 1); /* the same bytes: the old entries behind must not come back */
    CHECK(count_entries() == 3);
    write_entries(3, 2);
    CHECK(truncate(name, 5 * 24 - 1) == 0);
    CHECK(count_entries() == 4);
    CHECK(truncate(name, 3 * 24 + 5) == 0);
    CHECK(count_entries() == 3);
}

static void test_damage(void)
{
    for (off_t at = 24; at < 48; at++) {
        write_entries(0, 4);
        int fd = open(name, O_WRONLY | O_CLOEXEC);
        CHECK(pwrite(fd, "\xa5", 1, at) == 1);
        close(fd);
        CHECK(count_entries() == 1);
    }
}

static void test_lock(void)
{
    struct gs_journal one, other;
    struct gs_error err = {.status = GS_OK};
    CHECK(open_journal(&one, &err) == GS_OK);
    CHECK(gs_journal_open(&other, folder, name, &err) == GS_OK); /* to read it */
    CHECK(gs_journal_lock(&other, &err) == GS_ERR_OUTPUT);
    CHECK(strstr(err.text, "in use") != NULL);
    gs_journal_close(&one);
    err = (struct gs_error){.status = GS_OK};
    CHECK(gs_journal_lock(&other, &err) == GS_OK);
    gs_journal_close(&other);
    CHECK(gs_journal_open(&one, -1, "/nonexistent/file", &err) == GS_ERR_OUTPUT);
}

/* Only a regular file of this user's is a journal, and it is found in the directory that was
 * opened, whatever has its name by now. */
static void test_place(void)
{
    static const char link[] = "/tmp/gsort-unit.link";
    struct gs_journal journal;
    struct gs_error err = {.status = GS_OK};
    (void)unlink(link);
    CHECK(symlink(name, link) == 0);
    CHECK(gs_journal_open(&journal, folder, link, &err) == GS_ERR_OUTPUT);
    CHECK(unlink(link) == 0);
    err = (struct gs_error){.status = GS_OK};
    CHECK(mkdir(link, 0700) == 0);
    CHECK(gs_journal_open(&journal, folder, link, &err) == GS_ERR_OUTPUT);
    CHECK(rmdir(link) == 0);
    err = (struct gs_error){.status = GS_OK};
    if (geteuid() == 0) {
        CHECK(chown(name, 1, 1) == 0);
        CHECK(gs_journal_open(&journal, folder, name, &err) == GS_ERR_OUTPUT);
        CHECK(chown(name, 0, 0) == 0);
    }
}

int main(void)
{
    int fd = mkstemp(name);
    if (fd < 0)
        return 1;
    close(fd);
    folder = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    test_entries();
    test_damage();
    test_lock();
    test_place();
    close(folder);
    (void)unlink(name);
    return check_failures();
}
