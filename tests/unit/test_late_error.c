/* test_late_error.c -- asking for late errors does no harm where there are none.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/late_error.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Any file that is open, and none: no error, and the descriptor stays open. */
static void test_none(int fd)
{
    CHECK(gs_late_error(fd) == 0);
    CHECK(gs_late_error_settle(fd) == 0);
    CHECK(fd < 0 || fcntl(fd, F_GETFD) != -1);
}

/* With no descriptor left, there is still an answer. */
static void test_no_descriptor(int fd)
{
    struct rlimit old, none;
    if (!CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0))
        return;
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(gs_late_error_settle(fd) == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
}

int main(void)
{
    char name[] = "/tmp/gsort-unit.XXXXXX";
    int file = mkstemp(name), ends[2];
    if (file < 0 || pipe(ends) != 0)
        return 1;
    test_none(file);
    CHECK(write(file, name, sizeof name) == (ssize_t)sizeof name);
    test_none(file);
    test_no_descriptor(file);
    test_none(ends[0]);
    test_none(ends[1]);
    test_no_descriptor(ends[1]);
    test_none(-1);
    CHECK(unlink(name) == 0);
    test_none(file);
    CHECK(gs_is_late_error(EIO) && gs_is_late_error(ENOSPC) && gs_is_late_error(EDQUOT));
    CHECK(!gs_is_late_error(EPERM) && !gs_is_late_error(0));
    return check_failures();
}
