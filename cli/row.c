/* row.c -- rows of a table that are no wider than a terminal.
 * SPDX-License-Identifier: MIT
 */
#include "cli/row.h"

#include <stdarg.h>
#include <string.h>

#define LINE_COLUMNS 79

/* Longer than the longest text that gsort puts in a row: the reason for a device, or a type. */
#define ROW_BYTES 4096

/* How many bytes of text make a line of at most `columns`: of whole clauses ("; ") if possible, or
 * else of whole words. A word that is longer stays whole. */
static size_t cut_line(const char *text, size_t columns)
{
    const size_t length = strlen(text);
    size_t word = 0;
    if (length <= columns)
        return length;
    for (size_t i = columns; i > 0; i--) {
        if (text[i] != ' ')
            continue;
        if (text[i - 1] == ';')
            return i;
        word = word > 0 ? word : i;
    }
    return word > 0 ? word : strcspn(text, " ");
}

void gs_print_row(FILE *out, int name_columns, const char *name, const char *format, ...)
{
    char text[ROW_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *rest = text;
    do {
        const size_t length = cut_line(rest, (size_t)(LINE_COLUMNS - 1 - name_columns));
        fprintf(out, "%-*s %.*s\n", name_columns, name, (int)length, rest);
        name = "";
        rest += length + (rest[length] == ' ');
    } while (*rest != '\0');
}
