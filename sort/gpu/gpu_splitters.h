/* gpu_splitters.h -- give the device the splitters that the host has chosen.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_SPLITTERS_H
#define GS_GPU_SPLITTERS_H

#include "sort/device/kernels/gpu_work.h"
#include "sort/split/splitters.h"

#include "common/status.h"

struct gs_gpu_splitters {
    uint32_t splitter[GS_GPU_SPLITTERS_MAX]; /* the proxies that the device searches */
#if GS_BITS > 32
    struct gs_gpu_scale scale;
#endif
};

/* Make them from `splitters`. Elements of over 32 bits go to bins by their proxies: each splitter
 * becomes the largest element of its proxy, and those that then are equal become one. So bins are
 * the same on both sides, though an equality bin may become wider. */
void gs_gpu_fit_splitters(struct gs_gpu_splitters *fitted, struct gs_splitters *splitters);

/* Queue the transfer of `count` splitters, and the building of the device's tables, for `bins`
 * wanted bins; clear its counters. *fitted must stay until that is done. */
enum gs_status gs_gpu_send_splitters(const struct gs_gpu_splitters *fitted, uint32_t count,
                                     uint32_t bins, const struct gs_gpu_work *work,
                                     cudaStream_t stream, struct gs_error *err);

#endif
