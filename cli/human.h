/* human.h -- times as people read them, and lines no wider than a terminal.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HUMAN_H
#define GS_HUMAN_H

#include "common/human_bytes.h"

#include <stdio.h>

/* "0.8 s", or from a minute on "h:mm:ss". Returns text. */
const char *gs_human_time(double seconds, char text[GS_HUMAN_TEXT]);

/* Print a row of a table: a name and words beside it in a column of their own, which go on below
 * where the line would have more than 79 columns. */
void gs_human_row(FILE *out, int name_columns, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
