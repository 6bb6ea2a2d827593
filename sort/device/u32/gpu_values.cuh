/* gpu_values.cuh -- bins of few values: only the values are sorted, the keys are counted.
 * SPDX-License-Identifier: MIT
 *
 * Part of sort_bins_gpu.cu and count_values_gpu.cu, for one block. Each key looks up its value in a
 * hash table in shared memory and counts there. Lanes that hold the same value read the same word,
 * and one increment whose result is not used counts all of them: repeated keys cost less than
 * others, whereas ranking each would make it wait for the one before. A bitonic network sorts the
 * distinct values, however they are distributed; the counts give their runs. So only a bin's
 * values, not its keys, must fit into shared memory.
 *
 * A free cell holds 0; the key 0 has the first cell to itself. The first chunk's keys are stored
 * without a look-up, and the largest of those that meet in a cell stays. The others go on a list,
 * and then look for the next free cell.
 */
#ifndef GS_GPU_VALUES_CUH
#define GS_GPU_VALUES_CUH

#include "sort/device/u32/gpu_windows.cuh"

enum {
    VALUES_MOST = 2048,  /* most values of a bin */
    VALUES_LEAST = 128,  /* fewest keys of a bin worth it */
    VALUES_REPEATED = 4, /* a bin has few values if this many repeat among 32 probes */
    HEAVY_PROBES = 4,    /* or if this many are of one value, an eighth of the bin, */
    HEAVY_LEAST = 512    /* in a bin of this size: more than CROWD_MOST keys then share a digit */
};

/* Probe a bin: one key from all over it for each of the first THREADS threads. Steps follow the
 * golden section, so that they match no period of the keys. */
template <int THREADS>
static __device__ __forceinline__ uint32_t probe_bin(const uint32_t *in, uint32_t size)
{
    return threadIdx.x < THREADS ? in[__umulhi((threadIdx.x + 1) * 2654435769U, size)] : 0;
}

/* What probes tell of a bin. SPREAD: no value repeats. REPEATED: some do, so values may be few if
 * many keys share a digit. FEW: values are few, or one is so frequent that it will form a crowd. */
enum probed { PROBED_SPREAD, PROBED_REPEATED, PROBED_FEW };

/* What the probes of a warp tell of a bin of `size` keys. A repeated value counts once, as one
 * value that is half of the bin does not make its values few. Of 32 probes, 2 values repeat with
 * 200 equally frequent values, 4 with 100. */
static __device__ __forceinline__ enum probed look_at_probes(uint32_t probe, uint32_t size)
{
    const uint32_t same = __match_any_sync(GS_ALL_LANES, probe);
    const bool first = (same & ((1U << lane_index()) - 1)) == 0;
    const uint32_t repeated = __ballot_sync(GS_ALL_LANES, first && (same & (same - 1)) != 0);
    const bool heavy = __any_sync(GS_ALL_LANES, __popc(same) >= HEAVY_PROBES) != 0;
    if (size < VALUES_LEAST || repeated == 0)
        return PROBED_SPREAD;
    if (__popc(repeated) >= VALUES_REPEATED || (heavy && size >= HEAVY_LEAST))
        return PROBED_FEW;
    return PROBED_REPEATED;
}

/* A hash table of values and their counts. */
template <uint32_t CELLS> struct value_table {
    uint32_t *value; /* 0: the cell is free, unless it is the first */
    uint32_t *count; /* keys of that value */

    __device__ __forceinline__ uint32_t cell_of(uint32_t key) const
    {
        return __umulhi(key * 2654435769U, CELLS);
    }

    __device__ __forceinline__ uint32_t next(uint32_t cell) const
    {
        return (cell + 1) % CELLS;
    }

    /* Find the cell of a key, or give it a free one, which must exist, and set *fresh. */
    __device__ __forceinline__ uint32_t find(uint32_t key, bool *fresh) const
    {
        *fresh = false;
        if (key == 0)
            return 0;
        for (uint32_t cell = cell_of(key);; cell = next(cell)) {
            if (cell == 0)
                continue;
            const uint32_t found = atomicCAS(&value[cell], 0, key);
            *fresh = found == 0;
            if (found == 0 || found == key)
                return cell;
        }
    }

    /* The count of a value that is in the table, but not in the cell it hashes to. */
    __device__ __forceinline__ uint32_t count_behind(uint32_t key) const
    {
        uint32_t cell = next(cell_of(key));
        while (value[cell] != key)
            cell = next(cell);
        return count[cell];
    }
};

/* Count a chunk of keys; key i of a thread exists if i * THREADS < rest. s_list has room for
 * VALUES_MOST keys that do not find their value; returns false if there are more, which leaves the
 * table useless. No step waits for the one before it: all look-ups come first, then all increments;
 * keys without a value add to words of their own after the counters. */
template <int THREADS>
static __device__ __forceinline__ bool
count_values(const uint32_t (&key)[ITEMS], int rest, bool first,
             const struct value_table<THREADS * ITEMS> &table, uint32_t *s_list)
{
    __shared__ uint32_t s_listed;
    if (threadIdx.x == 0)
        s_listed = 0;
    if (first) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const uint32_t cell = table.cell_of(key[i]);
            if (i * THREADS < rest && cell != 0)
                atomicMax(&table.value[cell], key[i]);
        }
    }
    __syncthreads();
    uint32_t found[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        found[i] = table.value[table.cell_of(key[i])];
    uint32_t missed = 0; /* one bit per key */
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const bool exists = i * THREADS < rest;
        missed |= exists && found[i] != key[i] ? 1U << i : 0;
        found[i] =
            exists && found[i] == key[i] ? table.cell_of(key[i]) : THREADS * ITEMS + lane_index();
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        atomicAdd(&table.count[found[i]], 1);
    if (missed != 0) {
        uint32_t place = atomicAdd(&s_listed, (uint32_t)__popc(missed));
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if ((missed >> i & 1) != 0) {
                if (place < VALUES_MOST)
                    s_list[place] = key[i];
                place++;
            }
    }
    __syncthreads();
    const uint32_t listed = s_listed;
    if (listed > VALUES_MOST)
        return false;
    for (uint32_t x = threadIdx.x; x < listed; x += THREADS) {
        bool fresh;
        atomicAdd(&table.count[table.find(s_list[x], &fresh)], 1);
    }
    __syncthreads();
    return true;
}

/* Four counters of this thread, its group i. */
template <int THREADS, uint32_t CELLS>
static __device__ __forceinline__ uint4 four_counts(const struct value_table<CELLS> &table, int i)
{
    return ((const uint4 *)table.count)[i * THREADS + threadIdx.x];
}

/* How many values the table holds; *before becomes the number in the cells of earlier threads. */
template <int THREADS, uint32_t CELLS>
static __device__ __forceinline__ uint32_t count_cells(const struct value_table<CELLS> &table,
                                                       uint32_t *s_partial, uint32_t *before)
{
    static_assert(CELLS % (4 * THREADS) == 0, "each thread has as many cells");
    uint32_t mine = 0;
    uint32_t all;
#pragma unroll
    for (int i = 0; i < (int)CELLS / 4 / THREADS; i++) {
        const uint4 count = four_counts<THREADS>(table, i);
        mine += (count.x != 0) + (count.y != 0) + (count.z != 0) + (count.w != 0);
    }
    *before = scan_block<THREADS>(mine, s_partial, &all);
    return all;
}

/* Call keep_value(place, value, count) for each used cell of this thread: places ascend from
 * `place` on, values are in no order. */
template <int THREADS, uint32_t CELLS, typename KEEP>
static __device__ __forceinline__ void list_values(const struct value_table<CELLS> &table,
                                                   uint32_t place, const KEEP &keep_value)
{
#pragma unroll
    for (int i = 0; i < (int)CELLS / 4 / THREADS; i++) {
        const uint4 count = four_counts<THREADS>(table, i);
        const uint4 value = ((const uint4 *)table.value)[i * THREADS + threadIdx.x];
        const uint32_t counts[4] = {count.x, count.y, count.z, count.w};
        const uint32_t values[4] = {value.x, value.y, value.z, value.w};
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (counts[j] != 0)
                keep_value(place++, values[j], counts[j]);
    }
}

/* Sort the listed values, KEYS per thread, and replace the table's counters by the begin of each
 * run and, after the last, its end. Returns a power of two that is no less than `values`. */
template <int THREADS, int KEYS, uint32_t CELLS>
static __device__ __forceinline__ uint32_t place_runs(const struct value_table<CELLS> &table,
                                                      uint32_t values, uint32_t *s_list,
                                                      uint32_t *s_partial)
{
    const uint32_t t = threadIdx.x;
    uint32_t threads = 1; /* threads that hold values */
    while (threads * KEYS < values)
        threads *= 2;
    uint32_t value[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        const uint32_t x = i * threads + t;
        value[i] = t < threads && x < values ? s_list[x] : GS_KEY_MAX;
    }
    if (threads > 32 || t < 32)
        sort_bitonic(value, s_list, threads);
    uint32_t count[KEYS];
    uint32_t found[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        const uint32_t cell = table.cell_of(value[i]);
        found[i] = table.value[cell];
        count[i] = t * KEYS + i < values ? table.count[cell] : 0;
    }
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        if (t * KEYS + i < values && found[i] != value[i])
            count[i] = table.count_behind(value[i]);
        sum += count[i];
    }
    uint32_t all;
    uint32_t start = scan_block<THREADS>(sum, s_partial, &all);
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        if (t * KEYS + i < values) {
            s_list[t * KEYS + i] = value[i];
            table.count[t * KEYS + i] = start;
            start += count[i];
        }
    if (t == 0)
        table.count[values] = all;
    __syncthreads();
    return threads * KEYS;
}

/* Write the runs of the listed values: each thread finds the run that its first place is in. power:
 * what place_runs returned. s_keys: room for the keys of one round, padded. */
template <int THREADS>
static __device__ __forceinline__ void write_runs(uint32_t *out, uint32_t size, uint32_t values,
                                                  uint32_t power, const uint32_t *s_list,
                                                  const uint32_t *s_start, uint32_t *s_keys)
{
    const uint32_t t = threadIdx.x;
    for (uint32_t round = 0; round < size; round += THREADS * ITEMS) {
        const uint32_t place = round + t * ITEMS;
        if (place < size) {
            uint32_t run = 0;
            for (uint32_t half = power / 2; half > 0; half /= 2)
                if (run + half < values && s_start[run + half] <= place)
                    run += half;
            /* Load the next run before it begins. No read leaves the room of the two arrays. */
            uint32_t value = s_list[run];
            uint32_t next = s_list[min(run + 1, values - 1)];
            uint32_t start = s_start[run + 1];
            uint32_t *window = s_keys + gs_gpu_padded(t * ITEMS);
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if (place + i == start) {
                    run++;
                    value = next;
                    next = s_list[min(run + 1, values - 1)];
                    start = s_start[min(run + 1, values)];
                }
                window[i] = value;
            }
        }
        __syncthreads();
        write_keys<THREADS>(out + round, s_keys, (int)(size - round) - (int)t);
        __syncthreads();
    }
}

/* Shared memory of a block: its keys, a counter for each key and one for each lane, then lists. */
template <int THREADS> struct block_memory {
    static const size_t COUNTERS = key_words(THREADS * ITEMS);
    static const size_t LISTS = COUNTERS + THREADS * ITEMS + 32;
    static const size_t CROWDS = 2 * sizeof(struct crowd_list<THREADS>) / sizeof(uint32_t);
    static const size_t VALUES = VALUES_MOST;
    static const size_t WORDS = LISTS + (CROWDS > VALUES ? CROWDS : VALUES);
};

/* Sort a bin of few values, in[0 .. size) to `out`, which may be the same, by a block whose
 * block_memory is free for use. Returns false, with nothing written, if there are too many
 * values. */
template <int THREADS>
static __device__ __forceinline__ bool sort_values(const uint32_t *in, uint32_t *out, uint32_t size)
{
    extern __shared__ __align__(16) uint32_t s_keys[];
    __shared__ uint32_t s_partial[33];
    const uint32_t t = threadIdx.x;
    uint32_t *s_list = s_keys + block_memory<THREADS>::LISTS;
    const struct value_table<THREADS *ITEMS> table = {
        s_keys, s_keys + block_memory<THREADS>::COUNTERS
    };
#pragma unroll
    for (int i = 0; i < ITEMS / 4; i++) {
        ((uint4 *)table.value)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
        ((uint4 *)table.count)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    uint32_t values = 0;
    uint32_t before = 0;
    for (uint32_t first = 0; first < size; first += THREADS * ITEMS) {
        uint32_t key[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            key[i] = in[min(first + i * THREADS + t, size - 1)];
        if (!count_values<THREADS>(key, (int)(size - first) - (int)t, first == 0, table, s_list))
            return false;
        values = count_cells<THREADS>(table, s_partial, &before);
        if (values > VALUES_MOST)
            return false;
    }
    list_values<THREADS>(table, before,
                         [&](uint32_t place, uint32_t value, uint32_t) { s_list[place] = value; });
    __syncthreads();
    const uint32_t power = place_runs<THREADS, BITONIC_KEYS>(table, values, s_list, s_partial);
    write_runs<THREADS>(out, size, values, power, s_list, table.count, s_keys);
    return true;
}

#endif
