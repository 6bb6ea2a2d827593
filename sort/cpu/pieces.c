/* pieces.c -- make a piece of each bin, and several of a bin far over its share.
 * SPDX-License-Identifier: MIT
 *
 * A sample may miss a cluster of keys, and there may be more keys than bins can share. A bin that
 * is too large for one thread is split by its highest varying bits: each of its runs is reordered
 * in place, so the parts are runs of the same chunks, and nothing else moves. This happens at most
 * GS_KEY_BITS / SPLIT_BITS times in a row, so no distribution is disastrously slow. Where runs are
 * too short for that, which takes more than 2^28 keys, the bin is left to the in-cache sort, which
 * splits it once it is gathered.
 */
#include "sort/bin/cache_sort.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/pieces.h"

#include "common/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT_BITS 8
#define SPLITS     (1 << SPLIT_BITS)

/* Keys of a piece of equal keys: a huge page full. */
#define EQUAL_KEYS_MAX ((uint64_t)GS_CLAIM_KEYS)

static_assert(GS_CHUNK_KEYS_MAX <= GS_CACHE_SORT_SCRATCH, "a run fits the scratch memory");

static enum gs_status add_piece(const struct gs_run *run, struct gs_pieces *pieces,
                                struct gs_piece piece, struct gs_error *err)
{
    if (piece.count == 0)
        return GS_OK;
    if (pieces->count == pieces->room) {
        uint64_t room = pieces->room * 2 + 256;
        struct gs_piece *list = realloc(pieces->list, room * sizeof *list);
        if (list == NULL)
            return gs_cpu_fail_memory(run, err);
        pieces->list = list;
        pieces->room = room;
    }
    if (piece.low != piece.high && piece.count > pieces->largest)
        pieces->largest = piece.count;
    pieces->list[pieces->count++] = piece;
    return GS_OK;
}

/* Add a piece that is not split further; but many equal keys become several pieces, for several
 * threads, unless options->unique keeps only one or cpu->moves_equal wants their runs. */
static enum gs_status add_whole(const struct gs_run *run, struct gs_pieces *pieces,
                                struct gs_piece piece, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_cpu *cpu = run->cpu;
    struct gs_piece part = piece;
    part.count = EQUAL_KEYS_MAX;
    if (piece.low == piece.high && !run->options->unique && !cpu->moves_equal)
        for (; piece.count > EQUAL_KEYS_MAX; piece.count -= EQUAL_KEYS_MAX)
            GS_TRY(add_piece(run, pieces, part, err));
    st = add_piece(run, pieces, piece, err);
cleanup:
    return st;
}

/* A new table of starts for parts, owned by pieces; NULL: no memory. */
static uint32_t *add_table(struct gs_pieces *pieces, uint64_t entries)
{
    uint32_t **tables = realloc(pieces->tables, (pieces->table_count + 1) * sizeof *tables);
    if (tables == NULL)
        return NULL;
    pieces->tables = tables;
    uint32_t *table = malloc(entries * sizeof *table);
    if (table != NULL)
        pieces->tables[pieces->table_count++] = table;
    return table;
}

void gs_pieces_free(struct gs_pieces *pieces)
{
    for (size_t i = 0; i < pieces->table_count; i++)
        free(pieces->tables[i]);
    free(pieces->tables);
    free(pieces->list);
    *pieces = (struct gs_pieces){0};
}

/* Narrow the bounds of a piece to those of its keys. (No reduction: keys of 128 bits have no atomic
 * operations.) */
static void find_bounds(const struct gs_run *run, struct gs_piece *piece)
{
    gs_key least = GS_KEY_MAX;
    gs_key most = 0;
#pragma omp parallel num_threads(run->plan.threads)
    {
        gs_key low = GS_KEY_MAX;
        gs_key high = 0;
#pragma omp for nowait
        for (uint64_t row = 0; row < piece->rows.count; row++) {
            uint32_t count;
            const gs_key *keys = gs_rows_run(&piece->rows, row, &count);
            for (uint32_t i = 0; i < count; i++) {
                low = keys[i] < low ? keys[i] : low;
                high = keys[i] > high ? keys[i] : high;
            }
        }
#pragma omp critical(gs_bounds)
        {
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
    }
    piece->low = least;
    piece->high = most;
}

/* Order the run in one row by part, in place, and record in `parts` where the parts start. */
static void split_run(const struct gs_piece *piece, uint64_t row, unsigned shift,
                      const struct gs_rows *parts, gs_key *scratch)
{
    uint32_t count;
    gs_key *keys = gs_rows_run(&piece->rows, row, &count);
    uint32_t *starts = parts->starts + row * parts->stride;
    uint32_t next[SPLITS] = {0};
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        next[(keys[i] - piece->low) >> shift]++;
    for (uint32_t part = 0; part < parts->stride; part++) {
        uint32_t part_count = part + 1 < parts->stride ? next[part] : 0;
        starts[part] = piece->rows.starts[row * piece->rows.stride] + sum;
        next[part] = sum;
        sum += part_count;
    }
    for (uint32_t i = 0; i < count; i++)
        scratch[next[(keys[i] - piece->low) >> shift]++] = keys[i];
    memcpy(keys, scratch, count * sizeof *keys);
}

/* The number of bits to split a piece by; 0: it stays whole. */
static unsigned split_bits(const struct gs_run *run, const struct gs_piece *piece)
{
    uint64_t run_keys = piece->count / piece->rows.count;
    unsigned bits = 0;
    if (piece->count <= run->plan.bin_keys_max || piece->low == piece->high)
        return 0;
    while (bits < SPLIT_BITS && piece->count >> bits > GS_CACHE_SORT_CAPACITY / 4 &&
           run_keys >> (bits + 1) >= GS_RUN_KEYS_MIN)
        bits++;
    return bits;
}

/* Add a piece, or its parts, recursively split as far as needed. */
static enum gs_status add_parts(struct gs_run *run, struct gs_pieces *pieces, struct gs_piece piece,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    unsigned bits = split_bits(run, &piece);
    if (bits > 0)
        find_bounds(run, &piece);
    if (bits == 0 || piece.low == piece.high)
        return add_whole(run, pieces, piece, err);
    unsigned width = GS_KEY_BITS - gs_key_clz(piece.high - piece.low);
    bits = bits < width ? bits : width;
    unsigned shift = width - bits;
    uint32_t parts = (uint32_t)((piece.high - piece.low) >> shift) + 1;
    struct gs_rows rows = piece.rows;
    rows.stride = parts + 1;
    rows.starts = add_table(pieces, rows.count * rows.stride);
    if (rows.starts == NULL)
        return gs_cpu_fail_memory(run, err);
#pragma omp parallel for num_threads(run->plan.threads) schedule(dynamic, 4)
    for (uint64_t row = 0; row < rows.count; row++)
        split_run(&piece, row, shift, &rows, gs_cpu_scratch(run));
    for (uint32_t i = 0; i < parts; i++) {
        gs_key low = piece.low + ((gs_key)i << shift);
        gs_key last = ((gs_key)1 << shift) - 1;
        struct gs_piece part = {.rows = gs_rows_from(&rows, i), .low = low};
        part.high = piece.high - low < last ? piece.high : low + last;
        gs_rows_total(&part.rows, 0, 1, &part.count);
        GS_TRY(add_parts(run, pieces, part, err));
    }
cleanup:
    return st;
}

/* Give each piece its place in the output. */
static void place_pieces(const struct gs_run *run, struct gs_pieces *pieces)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < pieces->count; i++) {
        struct gs_piece *piece = &pieces->list[i];
        piece->offset = run->options->reverse ? run->plan.count - sum - piece->count : sum;
        sum += piece->count;
    }
}

enum gs_status gs_split_bins_cpu(struct gs_run *run, struct gs_pieces *pieces, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_cpu *cpu = run->cpu;
    uint64_t start = gs_now_ns();
    uint32_t each = gs_regions_of(run) != NULL ? 2 : 1; /* entries of starts per bin */
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        struct gs_piece piece = {.rows = gs_rows_from(&cpu->rows, bin * each),
                                 .low = gs_splitters_low(&run->splitters, bin),
                                 .high = gs_splitters_high(&run->splitters, bin),
                                 .count = run->counts[bin]};
        GS_TRY(add_parts(run, pieces, piece, err));
    }
    place_pieces(run, pieces);
cleanup:
    gs_run_account(run, GS_STAGE_SORT_BINS, GS_DEVICE_CPU, gs_now_ns() - start, 0, 0);
    return st;
}
