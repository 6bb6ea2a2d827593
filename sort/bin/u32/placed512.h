/* placed512.h -- sort a bin of evenly spread keys by groups that they are put into one by one.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PLACED512_H
#define GS_PLACED512_H

#include "sort/bin/bin_output.h"
#include "sort/keys/rows.h"

#include <stdbool.h>

/* As gs_groups512_sort(), for 2^16 keys or more. Returns false, also, if a group overflows. */
bool gs_placed512_sort(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high);

/* Whether this processor has the instructions, and whether it is faster there. */
bool gs_placed512_usable(void);
bool gs_placed512_pays(void);

#endif
