/* type_hint.h -- what a word that is no type was probably meant for.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TYPE_HINT_H
#define GS_TYPE_HINT_H

#include <stdbool.h>

#define GS_TYPE_HINT_TEXT 32

/* What the type at the start of the text, up to a comma or its end, was probably meant for, as
 * "u64be"; false if nothing is like it. */
bool gs_type_hint(const char *text, char hint[GS_TYPE_HINT_TEXT]);

/* The types that a word of other languages may stand for, as "f32 or f64"; NULL: it is none. */
const char *gs_type_in_words(const char *word);

#endif
