/* vqsort_absent.c -- no vqsort: Highway is not built in, or slower for elements of this width.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/vqsort.h"

void gs_vqsort(gs_key *keys, size_t count)
{
    (void)keys, (void)count; /* not called */
}

void gs_vqsort_words(uint64_t *words, size_t count)
{
    (void)words, (void)count; /* not called */
}

bool gs_vqsort_usable(void)
{
    return false;
}

const char *gs_vqsort_target(void)
{
    return "none";
}
