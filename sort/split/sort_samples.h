/* sort_samples.h -- sort the sample, which is a few thousand keys, on the CPU for every device.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_SAMPLES_H
#define GS_SORT_SAMPLES_H

#include "common/formats/keys.h"

#include <stddef.h>

/* Sort sample[0 .. count) in place, ascending. Cannot fail. */
void gs_sort_samples(gs_key *sample, size_t count);

#endif
