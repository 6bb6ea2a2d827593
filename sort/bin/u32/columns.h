/* columns.h -- sort a bin of evenly spread keys by columns, with AVX2.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COLUMNS_H
#define GS_COLUMNS_H

#include "common/keys.h"

#include <stdbool.h>
#include <stddef.h>

/* Sort up to GS_CACHE_SORT_CAPACITY keys in place: about twice as fast as the portable methods
 * where they are spread evenly over [low, high]. Where they are not, returns false and leaves keys
 * untouched. scratch is that of gs_cache_sort(). */
bool gs_columns_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high);

/* Whether this processor has the instructions. */
bool gs_columns_usable(void);

#endif
