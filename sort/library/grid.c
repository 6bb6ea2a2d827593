/* grid.c -- the cell of a record, by its place in each of several orders.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/grid.h"

#include "sort/keys/sample_position.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slabs differ by 1 / sqrt(SAMPLES) or so. */
#define SAMPLES 256

/* Records whose cells are found at once, axis by axis. */
#define BLOCK ((size_t)512)

/* qsort_r: pointers to records, in the order of an axis. */
static int compare(const void *a, const void *b, void *order)
{
    return gs_record_compare(order, *(const char *const *)a, *(const char *const *)b);
}

/* Splitters at equal distances in the sample. */
static enum gs_status choose_splitters(struct gs_grid_axis *axis, const char **sample, size_t count,
                                       size_t record_bytes, struct gs_error *err)
{
    const size_t splitters = axis->slabs - 1;
    axis->words = calloc(splitters + 1, sizeof *axis->words);
    axis->splitters = malloc(splitters * record_bytes + 1);
    if (axis->words == NULL || axis->splitters == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu splitters", splitters);
    qsort_r(sample, count, sizeof *sample, compare, &axis->order);
    for (size_t i = 0; i < splitters; i++) {
        const char *const splitter = sample[(i + 1) * count / axis->slabs];
        memcpy(axis->splitters + i * record_bytes, splitter, record_bytes);
        axis->words[i] = gs_record_word(&axis->order, splitter);
    }
    return GS_OK;
}

/* Of each axis alike, for so many cells in all. */
static size_t choose_slabs(const struct gs_options *orders, size_t order_count, size_t most_cells)
{
    size_t slabs = GS_GRID_SLABS;
    for (size_t i = 0; i < order_count; i++)
        if (gs_keeps_input_order(&orders[i]))
            return 1;
    while (slabs > 1 && pow((double)slabs, (double)order_count) > (double)most_cells)
        slabs--;
    return slabs;
}

/* The guide's entry for a word: all words of an entry are below all of the next one. */
static inline size_t find_entry(const struct gs_grid_axis *axis, uint64_t word)
{
    const uint64_t entry = (word > axis->least ? word - axis->least : 0) >> axis->shift;
    return entry < GS_GRID_GUIDE ? entry : GS_GRID_GUIDE;
}

/* For each entry, and one behind them: how many splitters are in those before it? */
static void make_guide(struct gs_grid_axis *axis)
{
    const size_t splitters = axis->slabs - 1;
    axis->least = axis->words[0];
    while ((axis->words[splitters > 0 ? splitters - 1 : 0] - axis->least) >> axis->shift >=
           GS_GRID_GUIDE)
        axis->shift++;
    for (size_t entry = 0, i = 0; entry < GS_GRID_GUIDE + 2; entry++) {
        while (i < splitters && find_entry(axis, axis->words[i]) < entry)
            i++;
        axis->guide[entry] = (uint8_t)i;
    }
}

enum gs_status gs_grid_open(struct gs_grid *grid, const struct gs_options *orders,
                            size_t order_count, size_t most_cells, const void *records,
                            uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t slabs = choose_slabs(orders, order_count, most_cells);
    const size_t samples = count < slabs * SAMPLES ? count : slabs * SAMPLES;
    const char **sample = calloc(samples + 1, sizeof *sample);
    *grid = (struct gs_grid){.axes = calloc(order_count, sizeof *grid->axes),
                             .axis_count = order_count,
                             .record_bytes = gs_record_bytes(&orders[0]),
                             .cells = 1};
    if (grid->axes == NULL || sample == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu samples", samples);
        goto cleanup;
    }
    for (size_t i = 0; i < samples; i++)
        sample[i] = (const char *)records +
                    gs_sample_position(i, samples, count, samples) * grid->record_bytes;
    for (size_t i = order_count; i-- > 0;) {
        struct gs_grid_axis *axis = &grid->axes[i];
        struct gs_format format = *orders[i].format;
        format.stable |= orders[i].unique;
        gs_record_order_init(&axis->order, &format);
        axis->slabs = slabs;
        axis->behind = grid->cells;
        grid->cells *= slabs;
        GS_TRY(choose_splitters(axis, sample, samples, grid->record_bytes, err));
        make_guide(axis);
    }
cleanup:
    free(sample);
    return st;
}

/* A record that has the first word of splitter `low`: how many splitters are not behind it? */
static size_t find_among_equals(const struct gs_grid_axis *axis, size_t low, const char *record)
{
    const size_t bytes = axis->order.format.record_bytes;
    size_t high = axis->slabs - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (gs_record_follows(&axis->order, axis->splitters + middle * bytes, record, false, false))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A record's slab. Where keys are spread evenly, few guesses of a branch are wrong. */
static inline size_t find_slab(const struct gs_grid_axis *axis, const char *record, uint64_t word)
{
    const size_t entry = find_entry(axis, word);
    size_t low = axis->guide[entry];
    size_t high = axis->guide[entry + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (axis->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < axis->slabs - 1 && axis->words[low] == word ? find_among_equals(axis, low, record)
                                                             : low;
}

/* Add each record's number on an axis. */
static void find_on_axis(const struct gs_grid_axis *axis, const char *records, size_t count,
                         uint16_t *cells)
{
    const struct gs_record_word how = axis->order.words[0];
    const size_t bytes = axis->order.format.record_bytes;
    for (size_t i = 0; i < count; i++) {
        const char *const record = records + i * bytes;
        const size_t slab = find_slab(axis, record, gs_record_word_by(&how, record));
        cells[i] = (uint16_t)(cells[i] + slab * axis->behind);
    }
}

void gs_grid_find(const struct gs_grid *grid, const void *records, size_t count, uint16_t *cells)
{
    memset(cells, 0, count * sizeof *cells);
    for (size_t done = 0, here; done < count; done += here) {
        here = count - done < BLOCK ? count - done : BLOCK;
        for (size_t i = 0; grid->cells > 1 && i < grid->axis_count; i++)
            find_on_axis(&grid->axes[i], (const char *)records + done * grid->record_bytes, here,
                         cells + done);
    }
}

void gs_grid_close(struct gs_grid *grid)
{
    for (size_t i = 0; grid->axes != NULL && i < grid->axis_count; i++) {
        free(grid->axes[i].words);
        free(grid->axes[i].splitters);
    }
    free(grid->axes);
    grid->axes = NULL;
}
