/* errors.c -- tell callers what went wrong, and take their options.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/library.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static_assert((int)GSORT_USAGE == (int)GS_ERR_USAGE, "a status is the same outside");
static_assert((int)GSORT_CANCELLED == (int)GS_ERR_CANCELLED, "and so is the last one");

/* What a structure of the first version had. */
#define OPTIONS_LEAST (offsetof(struct gsort_options, context) + sizeof(void *))

/* Options of this library's version; newer ones must be left at 0. */
#define FLAGS_KNOWN (GSORT_UNIQUE | GSORT_READ)

/* Room for the line in a caller's structure; 0: none. */
static size_t line_room(const struct gsort_error *error)
{
    const size_t begin = offsetof(struct gsort_error, line);
    if (error == NULL || error->size <= begin)
        return 0;
    return error->size < begin + sizeof error->line ? error->size - begin : sizeof error->line;
}

enum gsort_status gs_tell_error(struct gsort_error *error, enum gs_status status,
                                const struct gs_error *err)
{
    const size_t room = line_room(error);
    if (room > 0) {
        error->status = (enum gsort_status)status;
        snprintf(error->line, room, "%.*s", (int)room - 1, status == GS_OK ? "" : err->text);
    }
    return (enum gsort_status)status;
}

void gs_tell_line(struct gsort_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (line_room(error) > 0)
        vsnprintf(error->line, line_room(error), format, args);
    va_end(args);
}

bool gs_asks_more(const void *structure, size_t known, size_t size)
{
    bool more = false;
    for (size_t i = known; i < size; i++)
        more |= ((const char *)structure)[i] != 0;
    return more;
}

enum gs_status gs_take_options(const struct gsort_options *given, struct gsort_options *options,
                               struct gs_error *err)
{
    *options = (struct gsort_options)GSORT_OPTIONS_INIT;
    if (given == NULL)
        return GS_OK;
    if (given->size < OPTIONS_LEAST)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "struct gsort_options: its size says %zu: begin with GSORT_OPTIONS_INIT",
                       given->size);
    const size_t known = given->size < sizeof *options ? given->size : sizeof *options;
    memcpy(options, given, known);
    options->size = sizeof *options;
    if ((options->flags & ~FLAGS_KNOWN) != 0 || gs_asks_more(given, known, given->size))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "struct gsort_options: it asks for what only a newer library can do");
    return GS_OK;
}
