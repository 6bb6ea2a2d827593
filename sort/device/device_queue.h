/* device_queue.h -- the rest of a sort on the device, queued at once: the host is told nothing.
 * SPDX-License-Identifier: MIT
 *
 * Such a sort never waits on the host, and can be captured in a graph. It has no report, so grids
 * are for the most slots and tiles that n keys can have, and blocks that find nothing to do return.
 * Level 2 is queued for each way of finding digits. What it leaves, which is little unless the
 * sample was misled, is merged (merge_slots_gpu.cu).
 */
#ifndef GS_DEVICE_QUEUE_H
#define GS_DEVICE_QUEUE_H

#include "sort/device/device_sorter.h"

/* Queue all that follows the scatter of level 1 from `source` to at most `bins` bins in `other`. */
cudaError_t gs_device_queue_rest(const struct gs_device_sorter *sorter, const gs_key *source,
                                 gs_key *keys, gs_key *other, uint64_t n, uint32_t bins);

#endif
