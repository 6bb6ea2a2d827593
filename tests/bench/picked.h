/* picked.h -- lists of names that select what a benchmark measures.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PICKED_H
#define GS_PICKED_H

#include <stdbool.h>
#include <string.h>

/* Is name one of the space-separated words in `only`? With NULL every name is picked. */
static inline bool is_picked(const char *only, const char *name)
{
    size_t length = strlen(name);
    for (const char *word = only; word != NULL; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (strncmp(word, name, length) == 0 && (word[length] == ' ' || word[length] == '\0'))
            return true;
    }
    return only == NULL;
}

#endif
