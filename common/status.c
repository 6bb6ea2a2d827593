/* status.c -- fill in the first failure.
 * SPDX-License-Identifier: MIT
 */
#include "common/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REASON_BYTES = 128 }; /* of what strerror says, at most */

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
    /* Of a name that fills the text the end gives way: the reason is what it is for. */
    const int most = sizeof err->text - REASON_BYTES;
    snprintf(err->text + (used < most ? used : most), REASON_BYTES, ": %s", strerror(errnum));
    return status;
}
