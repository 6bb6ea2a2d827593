/* nearest_word.h -- the word of a list that another one was probably meant for.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_NEAREST_WORD_H
#define GS_NEAREST_WORD_H

/* The word of a list, ended by NULL, that is most like this one, or NULL if none is. */
const char *gs_nearest_word(const char *word, const char *const *words);

#endif
