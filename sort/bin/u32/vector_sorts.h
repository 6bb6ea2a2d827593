/* vector_sorts.h -- the ways to sort a bin of evenly spread keys by vectors, behind even.h.
 * SPDX-License-Identifier: MIT
 *
 * Each returns false and leaves keys untouched where they are not dense or not spread evenly over
 * [low, high]. Usable: whether this processor has the instructions.
 */
#ifndef GS_VECTOR_SORTS_H
#define GS_VECTOR_SORTS_H

#include "sort/bin/bin_output.h"
#include "sort/keys/rows.h"

#include <stdbool.h>

/* By columns, with AVX2: up to GS_CACHE_SORT_CAPACITY keys in place, about twice as fast as the
 * portable methods. scratch is that of gs_cache_sort(). */
bool gs_columns_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high);
bool gs_columns_usable(void);

/* By groups, with AVX-512 and VBMI2: up to GS_CACHE_SORT_LARGE keys, but not few, from runs to
 * output->to, which may be the runs' own memory; a codec there has to have lines. False, too, if
 * scratch is too small. */
bool gs_groups512_sort(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high);
bool gs_groups512_usable(void);

/* The same by groups that keys are put into one by one, for 2^16 keys or more. False, too, if a
 * group overflows. */
bool gs_placed512_sort(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high);
bool gs_placed512_usable(void);
bool gs_placed512_pays(void); /* it is faster here */

#endif
