/* even_absent.c -- no vector code for keys of this width, or for this processor.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/u32/even.h"

enum gs_even_method gs_even_method(void)
{
    return GS_EVEN_NONE;
}

bool gs_even_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high, bool *tried)
{
    (void)keys, (void)scratch, (void)count, (void)low, (void)high, (void)tried;
    return false;
}

bool gs_even_sort_runs(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high,
                       bool *tried)
{
    (void)rows, (void)output, (void)scratch, (void)scratch_keys, (void)count, (void)low, (void)high,
        (void)tried;
    return false;
}
