/* status.c -- fill in the first failure.
 * SPDX-License-Identifier: MIT
 */
#include "common/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    if (errnum != 0 && used >= 0 && (size_t)used < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s", strerror(errnum));
    return status;
}
