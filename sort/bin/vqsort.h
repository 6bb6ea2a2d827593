/* vqsort.h -- Highway's vqsort behind a C interface.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VQSORT_H
#define GS_VQSORT_H

#include "common/formats/keys.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sort the keys in place, any number of them. To be called only if usable. */
void gs_vqsort(gs_key *keys, size_t count);

/* The same for integers of 8 bytes, whatever keys are. */
void gs_vqsort_words(uint64_t *words, size_t count);

/* Whether it has vector instructions to use here; and the name of their instruction set. */
bool gs_vqsort_usable(void);
const char *gs_vqsort_target(void);

#ifdef __cplusplus
}
#endif

#endif
