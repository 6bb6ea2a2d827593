/* test_tempfile_join.c -- a rank joins the temporary file that another has made, and no other.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/tempfile.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Join the file `made`, as from this machine (near) or another one. */
static enum gs_status join(const struct gs_tempfile *made, const struct gs_target *target,
                           const struct stat *status, bool near)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_tempfile own = {.fd = -1};
    memcpy(own.name, made->name, sizeof own.name);
    enum gs_status st = gs_tempfile_join(&own, target, status, near, "out", &err);
    CHECK((st == GS_OK) == own.named);
    CHECK(err.status == st);
    own.named = false; /* the one who has made it removes it */
    gs_tempfile_discard(&own, target);
    return st;
}

/* Somebody puts another file in its place. */
static void exchange(const struct gs_tempfile *made, const struct gs_target *target)
{
    int fd = openat(target->dirfd, "other", O_CREAT | O_RDWR, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(renameat(target->dirfd, "other", target->dirfd, made->name) == 0);
}

int main(void)
{
    char directory[] = "/tmp/gsort-unit.XXXXXX";
    struct gs_error err = {.status = GS_OK};
    struct gs_target target;
    struct gs_tempfile made;
    struct stat status;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0 ||
        gs_target_find(&target, "out", &err) != GS_OK ||
        gs_tempfile_create_named(&made, &target, "out", &err) != GS_OK ||
        fstat(made.fd, &status) != 0)
        return 1;
    CHECK(join(&made, &target, &status, true) == GS_OK);
    status.st_dev++;
    CHECK(join(&made, &target, &status, true) == GS_ERR_OUTPUT);
    CHECK(join(&made, &target, &status, false) == GS_OK);
    status.st_dev--;
    status.st_ino++;
    CHECK(join(&made, &target, &status, false) == GS_ERR_OUTPUT);
    status.st_ino--;
    exchange(&made, &target);
    CHECK(join(&made, &target, &status, true) == GS_ERR_OUTPUT);
    CHECK(unlinkat(target.dirfd, made.name, 0) == 0);
    CHECK(mkfifoat(target.dirfd, made.name, 0600) == 0);
    CHECK(join(&made, &target, &status, true) == GS_ERR_OUTPUT);
    CHECK(unlinkat(target.dirfd, made.name, 0) == 0);
    CHECK(join(&made, &target, &status, true) == GS_ERR_OUTPUT);
    gs_tempfile_discard(&made, &target);
    gs_target_release(&target);
    CHECK(rmdir(directory) == 0);
    return check_failures();
}
