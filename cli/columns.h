/* columns.h -- a record as a line of text: what stands in it, in the order of its bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COLUMNS_H
#define GS_COLUMNS_H

#include "cli/command.h"

struct gs_columns {
    struct gs_key_field *list;
    size_t count;
    size_t room;       /* of list */
    size_t line_bytes; /* the most that a line takes */
    char *names;       /* "#NAME", a tab, the next name and so on, a newline; or NULL */
    size_t names_bytes;
};

/* What the records of a command are: the fields of a .npy file; or the keys of -t, -R and -k, and
 * the bytes between them. Free it, even after a failure. */
enum gs_status gs_columns_make(struct gs_columns *columns, const struct gs_command *command,
                               struct gs_error *err);
void gs_columns_free(struct gs_columns *columns);

/* Write a record, with tabs between the columns and a newline; returns how many characters. */
size_t gs_columns_print(const struct gs_columns *columns, const void *record, char *line);

#endif
