/* json.h -- texts and lists of them as JSON.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_JSON_H
#define GS_JSON_H

#include <stdio.h>

/* Print a string, or null if there is no text. Bytes that are no UTF-8 become U+FFFD. */
void gs_json_string(FILE *out, const char *text);

/* Print an array of strings. */
void gs_json_strings(FILE *out, const char *const *texts, size_t count);

#endif
