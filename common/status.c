/* status.c -- fill in the first failure.
 * SPDX-License-Identifier: MIT
 */
#include "common/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REASON_BYTES = 128 }; /* room for ": " and the strerror text */

const char *gs_reason(int errnum)
{
    return errnum == EBADF ? "it is closed, or open for the other direction" : strerror(errnum);
}

enum gs_status gs_fail(struct gs_error *err, enum gs_status status, int errnum, const char *format,
                       ...)
{
    if (err == NULL || err->status != GS_OK)
        return status;
    err->status = status;
    va_list args;
    va_start(args, format);
    int used = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (errnum == 0 || used < 0)
        return status;
    /* If a long name fills the text, its end is overwritten: the reason matters more. */
    const int most = sizeof err->text - REASON_BYTES;
    snprintf(err->text + (used < most ? used : most), REASON_BYTES, ": %s", gs_reason(errnum));
    return status;
}
