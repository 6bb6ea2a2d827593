/* vector_bins_absent.c -- no vectors of keys of this width, or for this processor.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/u32/vector_bins.h"

uint64_t gs_vector_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                        gs_key *copy, uint16_t *bins)
{
    (void)splitters, (void)keys, (void)count, (void)copy, (void)bins;
    return 0;
}
