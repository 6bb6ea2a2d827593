/* gpu_values.cuh -- bins of few values: the values are sorted, and their keys only counted.
 * SPDX-License-Identifier: MIT
 *
 * Part of sort_bins_gpu.cu and count_values_gpu.cu, for one block. Each key looks for its value in
 * a hash table in shared memory and counts there. Lanes that hold the same value read one word, and
 * an increment whose result nobody needs counts them all at once: repeated keys cost less than
 * others, where a rank for each would wait for the one before it. The distinct values are sorted by
 * a bitonic network, however they are distributed; their runs are written from the counts. So a bin
 * need not fit into shared memory: its values do.
 *
 * A free cell holds 0. That is a key, too, but one that has the first cell for itself. The first
 * chunk's keys are stored without looking, and the largest of those that meet in a cell stays. The
 * others are listed, and look for the next free cell.
 */
#ifndef GS_GPU_VALUES_CUH
#define GS_GPU_VALUES_CUH

#include "sort/gpu_windows.cuh"

enum {
    VALUES_MOST = 2048,  /* values of a bin */
    VALUES_LEAST = 128,  /* keys of a bin that is worth it */
    VALUES_REPEATED = 4, /* by 32 probes: they tell a bin of few values */
    HEAVY_PROBES = 4,    /* of one value, an eighth of the bin, in a bin of so many keys: */
    HEAVY_LEAST = 512    /* more than CROWD_MOST have one digit */
};

/* A key for each of the first THREADS threads, from all over a bin. Steps are of a golden section,
 * so that no period of the keys meets them. */
template <int THREADS>
static __device__ __forceinline__ uint32_t probe_bin(const uint32_t *in, uint32_t size)
{
    return threadIdx.x < THREADS ? in[__umulhi((threadIdx.x + 1) * 2654435769U, size)] : 0;
}

/* What probes tell of a bin: no value repeats; some do, so if many keys share a digit, values may
 * be few; values are few, or one is so frequent that it will crowd. */
enum probed { PROBED_SPREAD, PROBED_REPEATED, PROBED_FEW };

/* What the probes of a warp tell of a bin of `size` keys. One value that is half of it does not
 * make its values few, so a repeated value counts once. Of 32 probes there are 2 such with 200
 * equally frequent values, 4 with 100. */
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

/* A hash table. */
template <uint32_t CELLS> struct value_table {
    uint32_t *value; /* zero, but in the first cell: it is free */
    uint32_t *count; /* of keys */

    __device__ __forceinline__ uint32_t cell_of(uint32_t key) const
    {
        return __umulhi(key * 2654435769U, CELLS);
    }

    __device__ __forceinline__ uint32_t next(uint32_t cell) const
    {
        return (cell + 1) % CELLS;
    }

    /* Find the cell of a key, which gets one if it has none, and is `fresh` then: there must be a
     * free one. */
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

    /* The count of a value that has a cell, but not its own. */
    __device__ __forceinline__ uint32_t count_behind(uint32_t key) const
    {
        uint32_t cell = next(cell_of(key));
        while (value[cell] != key)
            cell = next(cell);
        return count[cell];
    }
};

/* Count a chunk of keys, key i of a thread if i * THREADS < rest. s_list: room for VALUES_MOST keys
 * that do not find their value. Returns false if those are more; the table is of no use then. No
 * step waits for the one before it: look-ups in a row, then increments in a row, those of no value
 * in words of their own behind the counters. */
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
    uint32_t missed = 0; /* a bit for each key */
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

/* This thread's counters of the table, four by four. */
template <int THREADS, uint32_t CELLS>
static __device__ __forceinline__ uint4 four_counts(const struct value_table<CELLS> &table, int i)
{
    return ((const uint4 *)table.count)[i * THREADS + threadIdx.x];
}

/* How many values the table holds; *before: those in the cells of threads before this one. */
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

/* Hand value and count of each of this thread's cells to keep(place, value, count), in any order,
 * places ascending. */
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

/* Sort the listed values, KEYS a thread, and replace the table's counters by where each run begins;
 * behind the last, where it ends. Returns a power of two that is no less than values. */
template <int THREADS, int KEYS, uint32_t CELLS>
static __device__ __forceinline__ uint32_t place_runs(const struct value_table<CELLS> &table,
                                                      uint32_t values, uint32_t *s_list,
                                                      uint32_t *s_partial)
{
    const uint32_t t = threadIdx.x;
    uint32_t threads = 1; /* that hold values */
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

/* Write the runs of the listed values: each thread finds the run of its first place. power: as
 * place_runs says. s_keys: room for the keys of one round, padded. */
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
            /* The next run is known before it begins. No read leaves the two arrays' room. */
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

/* Shared memory of a block: its keys, then a counter for each and one for each lane, then lists. */
template <int THREADS> struct block_memory {
    static const size_t COUNTERS = key_words(THREADS * ITEMS);
    static const size_t LISTS = COUNTERS + THREADS * ITEMS + 32;
    static const size_t CROWDS = 2 * sizeof(struct crowd_list<THREADS>) / sizeof(uint32_t);
    static const size_t VALUES = VALUES_MOST;
    static const size_t WORDS = LISTS + (CROWDS > VALUES ? CROWDS : VALUES);
};

/* Sort a bin of few values, in[0 .. size) to out, which may be the same, by a block that has
 * block_memory, which no thread is using. Returns false, with nothing written, if the values are
 * too many. */
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
