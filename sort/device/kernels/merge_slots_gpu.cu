/* merge_slots_gpu.cu -- sort what level 2 left in slots by merging, where no host asks for level 3.
 * SPDX-License-Identifier: MIT
 *
 * The number of passes depends on sizes alone, so a host that is told nothing can queue them: any
 * keys are sorted. Blocks stride over the tiles of all slots; a pass that no slot needs ends at
 * once. A slot's keys are in `keys`, as level 2 left them, and come back there: a slot with an odd
 * number of passes has its first runs written to `other`. It has more keys than a run, so that its
 * last pass is where records leave through the door.
 *
 * A block makes RUN_KEYS merged keys at a time. It finds where these begin and end in both runs,
 * copies them to shared memory, and there each thread does the same for its own few.
 * [Odeh, Green, Mwassi, Shmueli, Birk: Merge Path, IPDPSW 2012]
 */
#include "sort/device/kernels/gpu_bitonic.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"

enum {
    RUN_THREADS = GS_BITS == 32 ? 256 : 128,
    RUN_KEYS = RUN_THREADS * BITONIC_KEYS,
    RUN_BLOCKS = 8 /* of a multiprocessor */
};

static_assert(RUN_KEYS < GS_GPU_SMALL_KEYS, "a slot is merged");
static_assert(GS_GPU_TILE_KEYS % RUN_KEYS == 0, "a tile is made of whole runs");

/* Merge passes that make one run of so many keys. */
static __host__ __device__ uint32_t passes_of(uint64_t size)
{
    uint32_t passes = 0;
    while ((uint64_t)RUN_KEYS << passes < size)
        passes++;
    return passes;
}

/* Call do_keys(slot, passes, first) for all runs of all slots of level 3, by all blocks together.
 */
template <typename CALL>
static __device__ __forceinline__ void
for_each_run(const struct gs_gpu_slot *slots, const struct gs_gpu_state *state, const CALL &do_keys)
{
    __shared__ struct gs_gpu_slot s_slot;
    for (uint32_t tile = blockIdx.x; tile < state->level_tiles; tile += gridDim.x) {
        load_slot(&s_slot, slots, state->level_slots, tile);
        const uint64_t first = (uint64_t)(tile - s_slot.first_tile) * GS_GPU_TILE_KEYS;
        const uint64_t end = min(first + GS_GPU_TILE_KEYS, s_slot.size);
        const uint32_t passes = passes_of(s_slot.size);
        for (uint64_t at = first; at < end; at += RUN_KEYS) {
            do_keys(s_slot, passes, at);
            __syncthreads();
        }
    }
}

static __global__ void __launch_bounds__(RUN_THREADS)
    sort_runs_kernel(gs_key *keys, gs_key *other, const struct gs_gpu_slot *slots,
                     const struct gs_gpu_state *state)
{
    after_previous();
    __shared__ gs_key s_keys[RUN_KEYS];
    const uint32_t t = threadIdx.x;
    for_each_run(slots, state, [&](const auto &slot, uint32_t passes, uint64_t first) {
        const uint32_t size = (uint32_t)min(slot.size - first, (uint64_t)RUN_KEYS);
        const gs_key *in = keys + slot.start + first;
        gs_key *out = (passes % 2 == 0 ? keys : other) + slot.start + first;
        gs_key key[BITONIC_KEYS];
#pragma unroll
        for (int i = 0; i < BITONIC_KEYS; i++)
            key[i] = i * RUN_THREADS + t < size ? in[i * RUN_THREADS + t] : GS_KEY_MAX;
        sort_bitonic(key, s_keys, (uint32_t)RUN_THREADS);
#pragma unroll
        for (int i = 0; i < BITONIC_KEYS; i++)
            if (t * BITONIC_KEYS + i < size)
                out[t * BITONIC_KEYS + i] = key[i];
    });
}

/* How many of the first `place` keys of both runs, merged, are from a. */
template <typename COUNT>
static __device__ __forceinline__ COUNT merge_path(const gs_key *a, COUNT a_size, const gs_key *b,
                                                   COUNT b_size, COUNT place)
{
    COUNT low = place > b_size ? place - b_size : 0;
    COUNT high = min(place, a_size);
    while (low < high) {
        const COUNT middle = (low + high) / 2;
        if (a[middle] <= b[place - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merge pairs of runs of RUN_KEYS << pass keys. */
static __global__ void __launch_bounds__(RUN_THREADS)
    merge_runs_kernel(gs_key *keys, gs_key *other, const struct gs_gpu_slot *slots,
                      const struct gs_gpu_state *state, uint32_t pass,
                      const __grid_constant__ struct gs_gpu_door door)
{
    after_previous();
    __shared__ gs_key s_keys[RUN_KEYS];
    __shared__ uint64_t s_path[2];
    const uint32_t t = threadIdx.x;
    for_each_run(slots, state, [&](const auto &slot, uint32_t passes, uint64_t first) {
        if (pass >= passes)
            return;
        const bool back = (passes - pass) % 2 != 0; /* from `other` */
        const uint64_t run = (uint64_t)RUN_KEYS << pass;
        const uint64_t begin = first & ~(2 * run - 1);
        const uint64_t middle = min(begin + run, slot.size);
        const uint64_t end = min(begin + 2 * run, slot.size);
        const gs_key *a = (back ? other : keys) + slot.start + begin;
        const gs_key *b = a + run;
        const uint64_t place = first - begin;
        const uint32_t size = (uint32_t)min(end - first, (uint64_t)RUN_KEYS);
        if (t < 2)
            s_path[t] = merge_path(a, middle - begin, b, end - middle, place + t * size);
        __syncthreads();
        const uint32_t a_size = (uint32_t)(s_path[1] - s_path[0]);
        const uint32_t b_size = size - a_size;
        a += s_path[0];
        b += place - s_path[0];
        for (uint32_t i = t; i < size; i += RUN_THREADS)
            s_keys[i] = i < a_size ? a[i] : b[i - a_size];
        __syncthreads();
        const uint32_t mine = min(t * BITONIC_KEYS, size);
        uint32_t at = merge_path<uint32_t>(s_keys, a_size, s_keys + a_size, b_size, mine);
        uint32_t at_b = a_size + mine - at;
        gs_key key[BITONIC_KEYS];
#pragma unroll
        for (int i = 0; i < BITONIC_KEYS; i++) {
            const bool from_a = at < a_size && (at_b >= size || s_keys[at] <= s_keys[at_b]);
            const uint32_t from = from_a ? at++ : at_b++;
            key[i] = from < size ? s_keys[from] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BITONIC_KEYS; i++)
            if (mine + i < size)
                s_keys[mine + i] = key[i];
        __syncthreads();
        gs_key *out = (back ? keys : other) + slot.start + first;
        for (uint32_t i = t; i < size; i += RUN_THREADS)
            out[i] = pass + 1 < passes ? s_keys[i] : leave(door, s_keys[i]);
    });
}

cudaError_t gs_merge_slots_gpu(const struct gs_gpu_work *work, gs_key *keys, gs_key *other,
                               uint64_t most, unsigned processors, cudaStream_t stream)
{
    const struct gs_gpu_slot *slots = work->slots[3 & 1];
    const struct gs_gpu_state *state = work->state;
    const unsigned blocks = processors * RUN_BLOCKS;
    cudaError_t error =
        gs_launch_next(sort_runs_kernel, blocks, RUN_THREADS, 0, stream, keys, other, slots, state);
    for (uint32_t pass = 0; pass < passes_of(most) && error == cudaSuccess; pass++)
        error = gs_launch_next(merge_runs_kernel, blocks, RUN_THREADS, 0, stream, keys, other,
                               slots, state, pass, work->door);
    return error;
}
