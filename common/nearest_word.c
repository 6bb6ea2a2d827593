/* nearest_word.c -- the word of a list that another one was probably meant for.
 * SPDX-License-Identifier: MIT
 */
#include "common/nearest_word.h"

#include <string.h>

enum { WORD_MAX = 32 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many letters were left out, added, changed or exchanged with the next one. */
static unsigned distance(const char *a, const char *b)
{
    unsigned char far[WORD_MAX + 1][WORD_MAX + 1];
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    if (a_size > WORD_MAX || b_size > WORD_MAX)
        return WORD_MAX;
    for (size_t i = 0; i <= a_size; i++) {
        for (size_t j = 0; j <= b_size; j++) {
            unsigned now = (unsigned)(i + j);
            if (i > 0 && j > 0) {
                now = least(far[i - 1][j], far[i][j - 1]) + 1U;
                now = least(now, far[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U));
            }
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now = least(now, far[i - 2][j - 2] + 1U);
            far[i][j] = (unsigned char)now;
        }
    }
    return far[a_size][b_size];
}

const char *gs_nearest_word(const char *word, const char *const *words)
{
    const char *best = NULL;
    unsigned best_distance = least(2, (unsigned)strlen(word) / 3) + 1;
    for (; *words != NULL; words++) {
        const unsigned far = distance(word, *words);
        if (far < best_distance) {
            best_distance = far;
            best = *words;
        }
    }
    return best;
}
