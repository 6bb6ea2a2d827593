/* even.h -- sort bins of evenly spread 32-bit keys by vectors.
 * SPDX-License-Identifier: MIT
 *
 * The door to this wing, the only header that others include. Where the wing has nothing to offer,
 * for wider keys and other processors, even_absent.c stands in.
 */
#ifndef GS_EVEN_H
#define GS_EVEN_H

#include "sort/bin/bin_output.h"
#include "sort/keys/rows.h"

#include <stdbool.h>

/* What this processor has instructions for. */
enum gs_even_method {
    GS_EVEN_NONE,
    GS_EVEN_COLUMNS, /* AVX2 */
    GS_EVEN_GROUPS   /* AVX-512 with VBMI2: sorts runs, and fast */
};
enum gs_even_method gs_even_method(void);

/* Sort keys in place, with scratch as of gs_cache_sort(). Returns false and leaves keys untouched
 * if there are more than GS_CACHE_SORT_CAPACITY, if by a sample many are equal or they are not
 * spread evenly over [low, high], or if sorting them found that; then also sets *tried, since
 * trying again within these bounds would be in vain. */
bool gs_even_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high,
                  bool *tried);

/* The same for up to GS_CACHE_SORT_LARGE keys in runs, which are sorted to the output and stay
 * unchanged; the parameters are those of gs_cache_sort_runs(). Always false unless the method is
 * GS_EVEN_GROUPS. */
bool gs_even_sort_runs(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high,
                       bool *tried);

#endif
