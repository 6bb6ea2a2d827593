/* sort_samples.h -- sort the sample, on the CPU for every device: a few thousand keys.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_SAMPLES_H
#define GS_SORT_SAMPLES_H

#include "common/keys.h"

#include <stddef.h>

void gs_sort_samples(gs_key *sample, size_t count);

#endif
