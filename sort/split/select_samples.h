/* select_samples.h -- draw the sample: one key from each of equally long strata of the input.
 * SPDX-License-Identifier: MIT
 * The positions: sample_position.h.
 */
#ifndef GS_SELECT_SAMPLES_H
#define GS_SELECT_SAMPLES_H

#include "sort/keys/sample_position.h"
#include "sort/keys/tiles.h"

/* Fill sample[0 .. samples) from the input on the host. */
void gs_select_samples_cpu(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed,
                           unsigned threads, gs_key *sample);

/* Would the first touch of a sample wait for the disk? Touches a few of them. */
bool gs_samples_on_disk(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed);

/* Have the disk read the pages of samples first .. first + count - 1, all at once. */
void gs_fetch_samples(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed, uint64_t first,
                      uint64_t count);

#endif
