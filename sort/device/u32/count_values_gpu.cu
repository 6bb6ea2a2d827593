/* count_values_gpu.cu -- slots of few values: each value is counted, and its run written.
 * SPDX-License-Identifier: MIT
 *
 * If a slot has some thousand values with dozens of copies each, a hash table in shared memory
 * counts them in one read of the keys, at about the cost of counting bins. That saves all the rest:
 * the count and the scatter by digits, and the sort of the bins. There are three kernels: in the
 * first, each block counts one part of a slot in a table of its own and leaves a list of values and
 * counts; in the second, one block per slot adds up these lists, sorts the values and finds where
 * their runs begin; the third (write_values_gpu.cu) writes the runs. A slot with too many values is
 * left as it is.
 *
 * The lists lie in the slot's place in the buffer that the level would scatter to, each at the
 * place of its part: number of values or 0, values, counts. The table of runs lies in the slot's
 * place in b, where the keys, or the lists, have been read by then: values, where each run begins,
 * where the last one ends. A part's values have two copies on average or more, so both fit.
 *
 * All keys together are a slot, too, if the sample says that their values may be few: a slot of
 * level 1, in a.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/u32/gpu_values.cuh"

enum {
    COUNT_THREADS = 1024, /* one block per multiprocessor, for the largest table */
    COUNT_ITEMS = 10,     /* keys of a thread; as many again are being loaded */
    COUNT_KEYS = COUNT_THREADS * COUNT_ITEMS,
    PART_LEAST = 16384, /* fewest keys of a part, if a slot has several */
    PART_KEYS = 2 * PART_LEAST,
    REPEATED_PROBES = 24, /* of 1024 probes: as many as 20,000 equally frequent values give */
    ROUNDS = 4            /* blocks that each multiprocessor should get in turn */
};

/* Most keys of a slot: with two values or more, the length of each run fits a word, and so do the
 * ends of all runs but the last. */
#define SLOT_MOST (1ULL << 32)

/* A part has fewer keys than this, as they are counted down in an int. */
#define PART_MOST (1ULL << 31)

/* Shared memory of a block that counts. */
template <uint32_t CELLS> struct count_memory {
    static const uint32_t MOST = CELLS / 8 * 5; /* values */
    /* Room for keys that are not in their first cell, and later for the values to be sorted. */
    static const uint32_t LISTED = CELLS < COUNT_THREADS * ITEMS ? CELLS : COUNT_THREADS * ITEMS;
    static_assert(MOST + COUNT_THREADS < CELLS, "a block finds a free cell for each thread");
    uint32_t value[CELLS];
    uint32_t count[CELLS + 32]; /* the last 32, one per lane, count keys of no cell */
    uint32_t list[LISTED];
    uint32_t partial[33];
    uint32_t listed[2]; /* keys on the list, of even and of odd chunks */
    uint32_t fresh[2];  /* new values in the table, likewise */
};

static_assert(sizeof(struct count_memory<GS_GPU_VALUE_CELLS>) <= GS_GPU_VALUE_ROOM, "room");

/* Parts of a slot: `parts`, or as many of PART_LEAST keys as it has, but at least one. */
static __device__ __forceinline__ uint32_t parts_of(uint64_t size, uint32_t parts)
{
    return min(parts, max((uint32_t)(size / PART_LEAST), 1U));
}

/* Can a slot of this size be counted in `used` parts? If not, it stays as it is. */
static __device__ __forceinline__ bool can_count(uint64_t size, uint32_t used)
{
    return size <= SLOT_MOST && size / used < PART_MOST - 1;
}

static __device__ __forceinline__ uint64_t part_begin(uint64_t size, uint32_t part, uint32_t parts)
{
    return size * part / parts;
}

template <uint32_t CELLS>
static __device__ __forceinline__ struct value_table<CELLS>
clear_table(struct count_memory<CELLS> *memory) {
    for (uint32_t i = threadIdx.x; i < CELLS / 4; i += COUNT_THREADS) {
        ((uint4 *)memory->value)[i] = make_uint4(0, 0, 0, 0);
        ((uint4 *)memory->count)[i] = make_uint4(0, 0, 0, 0);
    }
    if (threadIdx.x < 2)
        memory->listed[threadIdx.x] = memory->fresh[threadIdx.x] = 0;
    __syncthreads();
    const struct value_table<CELLS> table = {
        memory->value, memory->count
    };
    return table;
}

/* Look up this thread's keys, key i if i * COUNT_THREADS < rest. Returns a bit for each key that is
 * not in its first cell; *free: a bit for each of these whose first cell is free. */
template <uint32_t CELLS>
static __device__ __forceinline__ uint32_t look_up(const struct value_table<CELLS> &table,
                                                   const uint32_t (&key)[COUNT_ITEMS], int rest,
                                                   uint32_t *free)
{
    uint32_t missed = 0;
    *free = 0;
    uint32_t found[COUNT_ITEMS];
#pragma unroll
    for (int i = 0; i < COUNT_ITEMS; i++)
        found[i] = table.value[table.cell_of(key[i])];
#pragma unroll
    for (int i = 0; i < COUNT_ITEMS; i++)
        if (i * COUNT_THREADS < rest && found[i] != key[i]) {
            missed |= 1U << i;
            *free |= found[i] == 0 && table.cell_of(key[i]) != 0 ? 1U << i : 0;
        }
    return missed;
}

/* Count a chunk of keys. *values: the number of values so far, the same for all threads. Returns
 * false if they are too many; the table is of no use then. Between two barriers, cells are either
 * only read or changed only by atomics. */
template <uint32_t CELLS>
static __device__ __forceinline__ bool
count_chunk(const struct value_table<CELLS> &table, struct count_memory<CELLS> *memory,
            const uint32_t (&key)[COUNT_ITEMS], int rest, uint32_t parity, uint32_t *values)
{
    uint32_t free;
    uint32_t missed = look_up(table, key, rest, &free);
    if (__syncthreads_or((int)free) != 0) {
        uint32_t fresh = 0;
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++)
            if ((free >> i & 1) != 0)
                fresh += atomicCAS(&table.value[table.cell_of(key[i])], 0, key[i]) == 0;
        if (fresh != 0)
            atomicAdd(&memory->fresh[parity], fresh);
        __syncthreads();
        missed = look_up(table, key, rest, &free);
    }
#pragma unroll
    for (int i = 0; i < COUNT_ITEMS; i++) {
        const bool counts = i * COUNT_THREADS < rest && (missed >> i & 1) == 0;
        atomicAdd(&table.count[counts ? table.cell_of(key[i]) : CELLS + lane_index()], 1);
    }
    if (missed != 0) {
        uint32_t place = atomicAdd(&memory->listed[parity], (uint32_t)__popc(missed));
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++)
            if ((missed >> i & 1) != 0) {
                if (place < count_memory<CELLS>::LISTED)
                    memory->list[place] = key[i];
                place++;
            }
    }
    __syncthreads();
    const uint32_t listed = memory->listed[parity];
    *values += memory->fresh[parity];
    if (threadIdx.x == 0) /* for the next chunk; all threads have read these */
        memory->listed[parity ^ 1] = memory->fresh[parity ^ 1] = 0;
    if (*values > count_memory<CELLS>::MOST || listed > count_memory<CELLS>::LISTED)
        return false;
    for (uint32_t round = 0; round < listed; round += COUNT_THREADS) {
        bool fresh = false;
        if (round + threadIdx.x < listed)
            atomicAdd(&table.count[table.find(memory->list[round + threadIdx.x], &fresh)], 1);
        *values += (uint32_t)__syncthreads_count(fresh);
        if (*values > count_memory<CELLS>::MOST)
            return false;
    }
    return true;
}

/* Count the values of in[0 .. size). Returns false if these, or the probes', are too many. */
template <uint32_t CELLS>
static __device__ __forceinline__ bool count_part(const struct value_table<CELLS> &table,
                                                  struct count_memory<CELLS> *memory,
                                                  const uint32_t *in, uint32_t size)
{
    const uint32_t t = threadIdx.x;
    bool fresh;
    table.find(probe_bin<COUNT_THREADS>(in, size), &fresh);
    uint32_t values = (uint32_t)__syncthreads_count(fresh);
    if (values > COUNT_THREADS - REPEATED_PROBES)
        return false;
    uint32_t key[COUNT_ITEMS];
#pragma unroll
    for (int i = 0; i < COUNT_ITEMS; i++)
        key[i] = in[min(i * COUNT_THREADS + t, size - 1)];
    uint32_t parity = 0;
    for (uint32_t first = 0; first < size; first += COUNT_KEYS, parity ^= 1) {
        uint32_t next[COUNT_ITEMS]; /* loaded while `key` is counted */
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++)
            next[i] = in[min(first + COUNT_KEYS + i * COUNT_THREADS + t, size - 1)];
        if (!count_chunk(table, memory, key, (int)(size - first) - (int)t, parity, &values))
            return false;
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++)
            key[i] = next[i];
    }
    return true;
}

/* A block counts one part of one slot. */
template <uint32_t CELLS>
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_values_kernel(const uint32_t *from, uint32_t *to, const struct gs_gpu_slot *slots,
                        uint32_t parts)
{
    after_previous();
    extern __shared__ __align__(16) uint32_t s_memory[];
    struct count_memory<CELLS> *memory = (struct count_memory<CELLS> *)s_memory;
    const uint32_t *in = from + slots[blockIdx.x / parts].from;
    const uint64_t size = slots[blockIdx.x / parts].size;
    const uint32_t part = blockIdx.x % parts;
    const uint32_t used = parts_of(size, parts);
    if (!can_count(size, used) || part >= used)
        return;
    const uint64_t begin = part_begin(size, part, used);
    const uint32_t keys = (uint32_t)(part_begin(size, part + 1, used) - begin);
    uint32_t *list = to + slots[blockIdx.x / parts].to + begin;
    const struct value_table<CELLS> table = clear_table(memory);
    uint32_t values = 0;
    uint32_t before = 0;
    if (count_part(table, memory, in + begin, keys)) {
        values = count_cells<COUNT_THREADS>(table, memory->partial, &before);
        if (values > keys / 2 - 1)
            values = 0; /* the list would not fit, nor be worth it */
    }
    if (values != 0)
        list_values<COUNT_THREADS>(table, before,
                                   [&](uint32_t place, uint32_t value, uint32_t count) {
                                       list[1 + place] = value;
                                       list[1 + values + place] = count;
                                   });
    if (threadIdx.x == 0)
        list[0] = values;
}

/* Add up the lists of a slot's parts, the longest of which has `longest` values; each warp takes a
 * piece of a list at a time. Returns false if there are too many values. Each warp checks that
 * after each piece, and there are cells for one more piece of every warp: the table never fills up.
 */
template <uint32_t CELLS>
static __device__ __forceinline__ bool add_parts(const struct value_table<CELLS> &table,
                                                 uint32_t *s_values, const uint32_t *to,
                                                 uint64_t size, uint32_t parts, uint32_t longest)
{
    constexpr int ROUNDS_MOST = (CELLS - count_memory<CELLS>::MOST) / COUNT_THREADS;
    constexpr int PIECE = ROUNDS_MOST < 4 ? ROUNDS_MOST : 4; /* values of a lane */
    const uint32_t pieces = parts * ((longest + PIECE * 32 - 1) / (PIECE * 32));
    uint32_t values = 0;
    for (uint32_t piece = threadIdx.x / 32; piece < pieces; piece += COUNT_THREADS / 32) {
        const uint32_t *list = to + part_begin(size, piece % parts, parts);
        const uint32_t listed = list[0];
        const uint32_t first = 1 + piece / parts * (PIECE * 32) + lane_index();
        uint32_t value[PIECE];
        uint32_t count[PIECE];
#pragma unroll
        for (int i = 0; i < PIECE; i++) {
            const bool exists = first + i * 32 <= listed;
            value[i] = exists ? list[first + i * 32] : 0;
            count[i] = exists ? list[listed + first + i * 32] : 0;
        }
        uint32_t more = 0;
#pragma unroll
        for (int i = 0; i < PIECE; i++) {
            bool fresh = false;
            if (count[i] != 0)
                atomicAdd(&table.count[table.find(value[i], &fresh)], count[i]);
            more += (uint32_t)__popc(__ballot_sync(GS_ALL_LANES, fresh));
        }
        if (lane_index() == 0)
            values = atomicAdd(s_values, more) + more;
        if (__shfl_sync(GS_ALL_LANES, values, 0) > count_memory<CELLS>::MOST)
            break;
    }
    return __syncthreads_and(values <= count_memory<CELLS>::MOST) != 0;
}

/* A block makes the table of one slot's runs, if all of its parts have been counted. */
template <uint32_t CELLS>
static __global__ void __launch_bounds__(COUNT_THREADS)
    place_values_kernel(const uint32_t *to, uint32_t *b, bool to_b, struct gs_gpu_slot *slots,
                        uint32_t parts)
{
    after_previous();
    extern __shared__ __align__(16) uint32_t s_memory[];
    struct count_memory<CELLS> *memory = (struct count_memory<CELLS> *)s_memory;
    const uint64_t size = slots[blockIdx.x].size;
    const uint32_t *lists = to + slots[blockIdx.x].to;
    const uint32_t used = parts_of(size, parts);
    if (!can_count(size, used))
        return;
    bool counted = true;
    uint32_t longest = 0;
    for (uint32_t part = threadIdx.x; part < used; part += COUNT_THREADS) {
        const uint32_t listed = lists[part_begin(size, part, used)];
        /* A list is longer than MOST only if memory is damaged. */
        counted = counted && listed != 0 && listed <= count_memory<CELLS>::MOST;
        longest = max(longest, listed);
    }
    if (__syncthreads_and(counted) == 0)
        return;
    const struct value_table<CELLS> table = clear_table(memory);
    atomicMax(&memory->fresh[1], longest);
    __syncthreads();
    if (!add_parts(table, &memory->fresh[0], lists, size, used, memory->fresh[1]))
        return;
    uint32_t before;
    const uint32_t values = count_cells<COUNT_THREADS>(table, memory->partial, &before);
    list_values<COUNT_THREADS>(table, before, [&](uint32_t place, uint32_t value, uint32_t) {
        memory->list[place] = value;
    });
    __syncthreads();
    place_runs<COUNT_THREADS, ITEMS>(table, values, memory->list, memory->partial);
    uint32_t *runs = b + (to_b ? slots[blockIdx.x].to : slots[blockIdx.x].from);
    for (uint32_t i = threadIdx.x; i <= values; i += COUNT_THREADS) {
        if (i < values)
            runs[i] = memory->list[i];
        runs[values + i] = table.count[i];
    }
    if (threadIdx.x == 0)
        slots[blockIdx.x].values = values;
}

/* Shares of one slot: so many that `slots` slots have `wanted` together, but at most `most`. */
static uint32_t choose_shares(uint32_t slots, unsigned wanted, uint64_t most)
{
    const uint64_t shares = (wanted + slots - 1) / slots;
    return (uint32_t)(most < 1 ? 1 : most < shares ? most : shares);
}

template <uint32_t CELLS>
static cudaError_t count_values(const struct gs_gpu_work *work, unsigned level,
                                const uint32_t *from, uint32_t *to, uint32_t *b, uint32_t slots,
                                uint32_t parts, cudaStream_t stream)
{
    const int shared = (int)sizeof(struct count_memory<CELLS>);
    cudaError_t error = cudaFuncSetAttribute(count_values_kernel<CELLS>,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(place_values_kernel<CELLS>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (error == cudaSuccess)
        error = gs_launch_next(count_values_kernel<CELLS>, slots * parts, COUNT_THREADS, shared,
                               stream, from, to, work->slots[level & 1], parts);
    if (error == cudaSuccess)
        error = gs_launch_next(place_values_kernel<CELLS>, slots, COUNT_THREADS, shared, stream, to,
                               b, to == b, work->slots[level & 1], parts);
    return error;
}

cudaError_t gs_count_values_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t *a,
                                uint32_t *b, uint32_t slots, uint32_t tiles, unsigned processors,
                                cudaStream_t stream)
{
    const uint64_t mean = (uint64_t)tiles * GS_GPU_TILE_KEYS / slots;
    /* One block adds up all lists of a slot: a single slot gets one part per multiprocessor. */
    const uint32_t rounds = slots > 1 ? ROUNDS : 1;
    const uint32_t parts = choose_shares(slots, rounds * processors, mean / PART_KEYS);
    uint32_t *from = level % 2 == 0 ? b : a;
    uint32_t *to = level % 2 == 0 ? a : b;
    if (work->large_values)
        return count_values<GS_GPU_VALUE_CELLS>(work, level, from, to, b, slots, parts, stream);
    return count_values<GS_GPU_FEW_CELLS>(work, level, from, to, b, slots, parts, stream);
}
