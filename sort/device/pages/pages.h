/* pages.h -- sort keys in device memory without counting them first; the only header of pages/.
 * SPDX-License-Identifier: MIT
 *
 * For callers whose keys are already on the device; keys from a file are counted while they arrive.
 * Bins lie in pages, and digits in rooms, scattered over a buffer and spare memory:
 *
 *     keys --level 1--> pages in other --level 2--> rooms in keys --sort bins--> other
 *
 * or, for very many keys,
 *
 *     keys --level 1--> pages in other --split--> pages in keys --level 2--> rooms in other
 *          --sort bins--> keys
 *
 * A room may hold only the low 16 bits of each key: a narrow job. Keys that do not suit this are
 * counted after all. Of wider keys, only level 1 goes to pages; level 2 counts its digits, and
 * moves keys to their place in `keys`.
 */
#ifndef GS_PAGES_H
#define GS_PAGES_H

#include "sort/device/device_sorter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much more memory it takes so that gs_device_sort need not count, as room.paged_keys and
 * ->split_keys say, which may be set before, and raised later: 20 % of the keys' size at 2^26 keys,
 * 16 % at 2^28, 14 % at 2^30, 20 % at 2^32, and of wider keys 7 % at 2^24, 2 % at 2^28; 0: it
 * counts in any case. Then place that in a caller's memory. Of 32-bit keys, the result may then be
 * in `other` (stats->in_other), and both buffers must be aligned to 16 bytes, as a block reads four
 * words of a room at once. With a source, `other` is where it is unless level 2 is counted, or very
 * many keys are sorted. */
size_t gs_device_sorter_room(struct gs_device_sorter *sorter);
void gs_device_sorter_place_room(struct gs_device_sorter *sorter, void *memory);

#ifdef __cplusplus
}
#endif

#endif
