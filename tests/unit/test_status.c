/* test_status.c -- the first error is kept; if too long, its file name is cut, not its reason.
 * SPDX-License-Identifier: MIT
 */
#include "common/status.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>

int main(void)
{
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_fail(&err, GS_ERR_INPUT, ENOENT, "%s: cannot open", "file") == GS_ERR_INPUT);
    CHECK(err.status == GS_ERR_INPUT);
    CHECK(strcmp(err.text, "file: cannot open: No such file or directory") == 0);
    CHECK(gs_fail(&err, GS_ERR_OUTPUT, 0, "later") == GS_ERR_OUTPUT);
    CHECK(err.status == GS_ERR_INPUT);
    CHECK(strstr(err.text, "later") == NULL);
    CHECK(gs_fail(NULL, GS_ERR_MEMORY, 0, "nobody listens") == GS_ERR_MEMORY);

    char name[GS_ERROR_BYTES + 100];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct gs_error cut = {.status = GS_OK};
    gs_fail(&cut, GS_ERR_INPUT, EIO, "%s: cannot read", name);
    const char *reason = strstr(cut.text, ": ");
    CHECK(reason != NULL && strcmp(reason, ": Input/output error") == 0);
    CHECK(strspn(cut.text, "x") > sizeof cut.text / 2);
    return check_failures();
}
