/* row.h -- rows of a table that are no wider than a terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ROW_H
#define GS_ROW_H

#include <stdio.h>

/* Print a row of a table: a name and words beside it in a column of their own, which go on below
 * where the line would have more than 79 columns. */
void gs_print_row(FILE *out, int name_columns, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
