/* scatter_rooms_gpu.cu -- level 2's scatter without a count: every key to its digit's room.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_scatter.cuh"
#include "sort/device/kernels/gpu_scatter_room.cuh"
#include "sort/device/pages/gpu_page_targets.cuh"
#include "sort/device/pages/page_launchers.h"

/* Level 2 without a count: a block moves one tile of one slot, if the slot has rooms. */
template <int ITEMS>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_rooms_kernel(const uint32_t *__restrict__ in, const struct gs_gpu_pages pages,
                         uint32_t *__restrict__ out, const struct gs_gpu_slot *__restrict__ slots,
                         uint32_t slot_count, uint32_t words, unsigned long long *cursors)
{
    after_previous();
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ struct gs_gpu_slot s_slot;
    struct tile_memory<uint32_t> memory;
    memory.delta = s_memory;
    memory.count = memory.delta + GS_GPU_DIGITS_MAX;
    for (uint32_t b = threadIdx.x; b < GS_GPU_DIGITS_MAX; b += SCATTER_THREADS)
        memory.count[b] = 0;
    load_slot(&s_slot, slots, slot_count, blockIdx.x);
    if (s_slot.room == 0)
        return;
    const uint32_t index = blockIdx.x - s_slot.first_tile;
    const uint32_t size =
        (uint32_t)min(s_slot.size - (uint64_t)index * tile_keys, (uint64_t)tile_keys);
    if (threadIdx.x == 0 && (index + GS_TILES_AHEAD + 1) * (uint64_t)tile_keys <= s_slot.size)
        prefetch_keys(tile_at(pages, in, s_slot, index + GS_TILES_AHEAD), tile_keys);
    const auto digits = [&]() { return digit_view{s_slot.digit, s_slot.bins}; };
    cursors += (uint64_t)GS_GPU_PARTS * s_slot.first_digit;
    uint32_t *s_rows = memory.count + GS_GPU_DIGITS_MAX;
    in = tile_at(pages, in, s_slot, index);
    out += s_slot.to;
    const uint32_t limit = s_slot.bins * s_slot.room;
    if (s_slot.narrow) {
        const struct room_target<uint16_t> target = {
            (uint16_t *)out, limit, cursors, s_slot.room
        };
        scatter_slot_tile<ITEMS>(in, size, target, digits, s_slot.bins, memory, s_rows, words);
    } else {
        const struct room_target<uint32_t> target = {
            out, limit, cursors, s_slot.room
        };
        scatter_slot_tile<ITEMS>(in, size, target, digits, s_slot.bins, memory, s_rows, words);
    }
}

cudaError_t gs_scatter_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                 uint32_t slots, uint32_t tiles, cudaStream_t stream)
{
    const int items = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    const uint32_t words = scatter_room(work, GS_GPU_TILE_KEYS);
    const size_t shared = (words + 2 * GS_GPU_DIGITS_MAX) * sizeof(uint32_t);
    cudaError_t error = cudaFuncSetAttribute(
        scatter_rooms_kernel<items>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(scatter_rooms_kernel<items>, tiles, SCATTER_THREADS, shared, stream, in,
                          work->pages, out, work->slots[0], slots, words, work->counters);
}
