/* scatter_cpu.c -- move every key to its bin, through a cache line for each bin.
 * SPDX-License-Identifier: MIT
 *
 * A thread gathers keys of a bin in a line of its own, and writes the line when it is full, past
 * the caches: thousands of bins would each hold a cache line and a TLB entry otherwise, to write
 * four bytes at a time. Lines are aligned as they will be in memory, so the first and the last of a
 * part may be partial: those are copied. [Wassenberg, Sanders: Engineering a multi-core radix sort,
 * 2011, for the write buffers.]
 */
#include "sort/scatter.h"
#include "sort/stages_cpu.h"

#include <inttypes.h>
#include <string.h>

#include "common/memory.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LINE_KEYS 16

/* Keys whose bins are found before the first of them moves. */
#define BATCH_KEYS 64

/* Where the lines of one bin go. */
struct target {
    gs_key *line;  /* where the line that holds the part's first key starts; NULL: not stored */
    uint32_t head; /* keys of that line that belong to others */
    uint32_t end;  /* head + keys that the part has for this bin */
};

/* A thread's own buffers, one after the other in memory. */
struct buffers {
    gs_key *lines;          /* [bin][LINE_KEYS] */
    uint32_t *fill;         /* [bin]: head + keys so far */
    struct target *targets; /* [bin] */
};

#define BUFFER_BYTES_PER_BIN (LINE_KEYS * sizeof(gs_key) + sizeof(uint32_t) + sizeof(struct target))

/* Write one whole line to aligned memory. */
static inline void write_line(gs_key *to, const gs_key *line, bool past_cache)
{
#if defined(__SSE2__)
    if (past_cache) {
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)(void *)to + i,
                             _mm_load_si128((const __m128i *)(const void *)line + i));
        return;
    }
#else
    (void)past_cache;
#endif
    memcpy(to, line, LINE_KEYS * sizeof *line);
}

/* A bin's line is full and the next key has come: write the line out. Returns the new fill: as it
 * was, or set back where the part has more keys than were counted, so that nothing is ever written
 * behind its place. */
static inline uint32_t flush_line(const struct target *target, const gs_key *line, uint32_t fill,
                                  bool past_cache, bool *overrun)
{
    if (fill >= target->end) {
        *overrun = true;
        return fill - LINE_KEYS;
    }
    if (target->line == NULL)
        return fill;
    uint32_t start = fill - LINE_KEYS;
    if (start >= target->head)
        write_line(target->line + start, line, past_cache);
    else
        memcpy(target->line + target->head, line + target->head,
               (LINE_KEYS - target->head) * sizeof *line);
    return fill;
}

/* Scatter the keys of one tile, a batch at a time: first the bins of all, then the moves, with each
 * bin's line called into cache a few keys ahead. A full line is written when its bin's next key
 * comes: by then its own last store has left the store buffer, which a load of the whole line would
 * have to wait for. guide and steps are constants at every call. */
static inline __attribute__((always_inline)) bool
scatter_keys(const struct gs_splitters *splitters, enum gs_guide guide, uint32_t steps,
             const struct gs_tile *tile, const struct buffers *buffers, bool past_cache)
{
    bool overrun = false;
    struct {
        gs_key key; /* read once: whoever changes the input cannot part a key from its bin */
        uint32_t bin;
    } batch[BATCH_KEYS];
    for (uint64_t first = 0; first < tile->count; first += BATCH_KEYS) {
        const gs_key *keys = tile->keys + first;
        uint64_t left = tile->count - first;
        uint64_t here = left < BATCH_KEYS ? left : BATCH_KEYS;
        for (uint64_t i = 0; i < here; i++) {
            batch[i].key = keys[i];
            batch[i].bin = gs_splitters_bin(splitters, guide, steps, batch[i].key);
            __builtin_prefetch(buffers->lines + (size_t)batch[i].bin * LINE_KEYS, 1);
        }
        for (uint64_t i = 0; i < here; i++) {
            uint32_t bin = batch[i].bin;
            uint32_t fill = buffers->fill[bin];
            gs_key *line = buffers->lines + (size_t)bin * LINE_KEYS;
            if (fill % LINE_KEYS == 0 && fill != 0)
                fill = flush_line(&buffers->targets[bin], line, fill, past_cache, &overrun);
            line[fill % LINE_KEYS] = batch[i].key;
            buffers->fill[bin] = fill + 1;
        }
    }
    return overrun;
}

static bool scatter_tile(const struct gs_splitters *splitters, const struct gs_tile *tile,
                         const struct buffers *buffers, bool past_cache)
{
    bool overrun = false;
#define SCATTER(guide, steps)                                                                      \
    overrun = scatter_keys(splitters, guide, steps, tile, buffers, past_cache);
    GS_SPLITTERS_SEARCH(splitters, SCATTER)
#undef SCATTER
    return overrun;
}

/* Point the buffers at a part's places. */
static void open_part(const struct gs_run *run, uint64_t part, const struct buffers *buffers)
{
    const struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    for (uint32_t bin = 0; bin < bins; bin++) {
        gs_key *start = cpu->bins + cpu->part_starts[part * bins + bin];
        uint32_t head = (uint32_t)((uintptr_t)start / sizeof(gs_key) % LINE_KEYS);
        bool stored = !gs_splitters_equal(&run->splitters, bin);
        buffers->targets[bin] = (struct target){.line = stored ? start - head : NULL,
                                                .head = head,
                                                .end = head + cpu->part_counts[part * bins + bin]};
        buffers->fill[bin] = head;
    }
}

/* Write what is left in the lines. Returns false where a bin did not get what was counted. */
static bool close_part(const struct gs_run *run, const struct buffers *buffers)
{
    uint32_t bins = gs_run_bins(run);
    bool exact = true;
    for (uint32_t bin = 0; bin < bins; bin++) {
        const struct target *target = &buffers->targets[bin];
        uint32_t fill = buffers->fill[bin];
        exact = exact && fill == target->end;
        if (fill > target->end || fill <= target->head || target->line == NULL)
            continue;
        uint32_t start = (fill - 1) / LINE_KEYS * LINE_KEYS;
        uint32_t from = start > target->head ? start : target->head;
        memcpy(target->line + from, buffers->lines + (size_t)bin * LINE_KEYS + from % LINE_KEYS,
               (fill - from) * sizeof(gs_key));
    }
    return exact;
}

/* Scatter one part; returns false where its keys are not those that were counted. */
static bool scatter_part(struct gs_run *run, uint64_t part, const struct buffers *buffers)
{
    bool past_cache = run->plan.count >= GS_PAST_CACHE_KEYS;
    bool overrun = false;
    open_part(run, part, buffers);
    for (uint64_t i = gs_cpu_part_tile(run, part); i < gs_cpu_part_tile(run, part + 1); i++) {
        struct gs_tile tile = gs_tiles_at(&run->tiles, i);
        overrun |= scatter_tile(&run->splitters, &tile, buffers, past_cache);
        atomic_fetch_add_explicit(&run->progress->done, tile.count, memory_order_relaxed);
    }
    bool exact = close_part(run, buffers);
#if defined(__SSE2__)
    _mm_sfence(); /* lines written past the cache must be seen by whoever sorts the bin */
#endif
    return exact && !overrun;
}

/* Is there a key outside the equality bins? */
static bool has_keys_to_move(const struct gs_run *run)
{
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++)
        if (run->counts[bin] > 0 && !gs_splitters_equal(&run->splitters, bin))
            return true;
    return false;
}

enum gs_status gs_scatter_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err)
{
    const struct gs_cpu *cpu = run->device;
    if (!has_keys_to_move(run)) {
        atomic_fetch_add_explicit(&run->progress->done, chunk->count, memory_order_relaxed);
        return GS_OK;
    }
    uint32_t bins = gs_run_bins(run);
    size_t bytes = (size_t)bins * BUFFER_BYTES_PER_BIN;
    bytes = (bytes + 4095) / 4096 * 4096; /* lines stay aligned, threads off each other's pages */
    unsigned char *memory = gs_pages_alloc(bytes * run->plan.threads);
    if (memory == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for the write buffers");
    atomic_uint_fast64_t next = 0;
    atomic_bool changed = false;
#pragma omp parallel num_threads(run->plan.threads)
    {
        struct buffers buffers;
        buffers.lines = (gs_key *)(void *)(memory + bytes * gs_cpu_thread());
        buffers.targets = (struct target *)(void *)(buffers.lines + (size_t)bins * LINE_KEYS);
        buffers.fill = (uint32_t *)(void *)(buffers.targets + bins);
        for (uint64_t part; (part = atomic_fetch_add(&next, 1)) < cpu->parts;)
            if (!scatter_part(run, part, &buffers))
                atomic_store(&changed, true);
    }
    gs_pages_free(memory, bytes * run->plan.threads);
    if (changed)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s%s: changed while it was being sorted",
                       run->tiles.spans[0].name,
                       run->tiles.span_count > 1 ? " or another input" : "");
    return GS_OK;
}
