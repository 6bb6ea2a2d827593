/* groups512.h -- sort a bin of evenly spread keys by groups, with AVX-512.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GROUPS512_H
#define GS_GROUPS512_H

#include "sort/bin/bin_output.h"
#include "sort/keys/rows.h"

#include <stdbool.h>

/* Sort up to GS_CACHE_SORT_LARGE keys from runs to output->to, which may be the runs' own memory; a
 * codec there has to have lines. Returns false and leaves keys untouched if they are few, not
 * dense or not spread evenly over [low, high], or if scratch is too small. */
bool gs_groups512_sort(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high);

/* Whether this processor has the instructions: AVX-512 with VBMI2. */
bool gs_groups512_usable(void);

#endif
