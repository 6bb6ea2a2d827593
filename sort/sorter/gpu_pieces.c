/* gpu_pieces.c -- an input that does not fit into the GPU's memory is sorted there piece by piece.
 * SPDX-License-Identifier: MIT
 *
 * The CPU distributes the keys to bins, as without a GPU. Then as many neighbouring bins as fit go
 * through the GPU's stages as an input of their own, and to the output behind those before. No
 * merge is needed, as bins are disjoint. A piece that does not fit after all, because it is one
 * large bin or because less memory is free than the GPU said, is in turn sorted piece by piece.
 */
#include "sort/sorter/gpu_pieces.h"
#include "sort/cpu/count_bins.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/prefix_sum.h"
#include "sort/cpu/scatter.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/gpu/gpu_capacity.h"
#include "sort/gpu/stages_gpu.h"
#include "sort/pipeline/pipeline.h"

#include <stdlib.h>

/* A piece is written, as keys, to the output of the whole, from the whole's position on. */
struct piece {
    struct gs_sink sink; /* first member */
    struct gs_run *whole;
    struct gs_run run;
    struct gs_options options;
    struct gs_last_key last;     /* of the whole, with this piece */
    struct gs_progress progress; /* nobody reads it */
    struct gs_stats stats;
};

static enum gs_status write_piece(struct gs_sink *sink, const void *keys, uint64_t count,
                                  uint64_t position, struct gs_error *err)
{
    struct gs_emitter *emitter = &((struct piece *)(void *)sink)->whole->emitter;
    const uint64_t at = emitter->position + position;
    gs_key *own = (gs_key *)(uintptr_t)keys; /* of the piece: nothing else needs them */
    if (gs_emit_write(emitter, gs_emit_place(emitter, own, count, at), count, at) == GS_OK)
        return GS_OK;
    return gs_emit_result(emitter, err);
}

/* Sort the piece by these stages. */
static enum gs_status run_stages(struct piece *piece, const struct gs_stages *stages,
                                 struct gs_error *err)
{
    struct gs_run *run = &piece->run;
    piece->stats = (struct gs_stats){0};
    run->fingerprint = 0;
    gs_plan_make(&run->plan, &piece->options, gs_tiles_keys(&run->tiles));
    if (stages->plan != NULL)
        stages->plan(&run->plan, &piece->options);
    piece->last = *piece->whole->emitter.last;
    gs_emit_init(&run->emitter, &piece->options, &piece->sink);
    run->emitter.last = &piece->last;
    run->emitter.keeps_keys = true;
    run->emitter.trail.look = NULL; /* that of the whole follows what it gets */
    return gs_pipeline_run(run, stages, err);
}

/* Add a piece that has been sorted to what is booked on the whole. The GPU started only once. */
static void add_piece(struct gs_run *whole, const struct piece *piece)
{
    const struct gs_emitter *emitter = &piece->run.emitter;
    for (int i = whole->emitter.position > 0 ? GS_STAGE_START + 1 : 0; i < GS_STAGES; i++)
        gs_stage_add(&whole->stats->stages[i], &piece->stats.stages[i]);
    if (piece->stats.device_text != NULL) { /* it was not in order already */
        whole->stats->device_text = piece->stats.device_text;
        whole->stats->bus_rate = piece->stats.bus_rate;
        whole->stats->device_rate = piece->stats.device_rate;
    }
    if (whole->emitter.begin_ns == 0)
        whole->emitter.begin_ns = emitter->begin_ns;
    *whole->emitter.last = piece->last;
    whole->emitter.position += emitter->position;
    whole->emitter.dropped_sum += emitter->dropped_sum;
    atomic_fetch_add_explicit(&whole->progress->done, piece->run.plan.count, memory_order_relaxed);
}

/* Sort the keys in spans as a piece of the whole. */
static enum gs_status sort_piece(struct gs_run *whole, const struct gs_stages *stages,
                                 const struct gs_stages *again, const struct gs_span *spans,
                                 size_t span_count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_sink *sink = whole->emitter.sink;
    struct piece *piece = calloc(1, sizeof *piece); /* too large for a small stack */
    if (piece == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    piece->sink = (struct gs_sink){.write = write_piece, .stream = sink->stream};
    piece->whole = whole;
    piece->options = *whole->options;
    piece->options.own.leave_device = false; /* the next piece needs its memory */
    piece->run.options = &piece->options;
    piece->run.progress = &piece->progress;
    piece->run.stats = &piece->stats;
    GS_TRY(gs_tiles_make(&piece->run.tiles, spans, span_count, err));
    st = run_stages(piece, stages, err);
    bool partial = sink->stream && piece->run.emitter.position > 0;
    if (st == GS_ERR_DEVICE_MEMORY && !partial) {
        err->status = GS_OK;
        st = run_stages(piece, again, err);
    }
    if (st == GS_OK)
        add_piece(whole, piece);
cleanup:
    gs_tiles_free(&piece->run.tiles);
    free(piece);
    return st;
}

enum gs_status gs_sort_pieces(struct gs_run *run, const struct gs_stages *stages,
                              const struct gs_stages *again, uint64_t most, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_rows *rows = &run->cpu->rows;
    uint32_t next = 0, low, high;
    uint64_t count;
    struct gs_span *spans = calloc(rows->count, sizeof *spans);
    if (spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    gs_total_bins_cpu(run);
    while ((count = gs_run_take_bins(run, &next, most, &low, &high)) > 0) {
        if (count == run->plan.count) { /* another try would be the same */
            st = gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "GPU: not enough memory for one bin");
            goto cleanup;
        }
        for (uint64_t row = 0; row < rows->count; row++) {
            uint32_t keys;
            spans[row].keys = gs_rows_part(rows, row, low, high, &keys);
            spans[row].count = keys;
            spans[row].name = "bins";
        }
        GS_TRY(sort_piece(run, stages, again, spans, rows->count, err));
    }
cleanup:
    free(spans);
    return st;
}

static void plan(struct gs_plan *plan, const struct gs_options *options)
{
    (void)options;
    gs_plan_force_bins(plan);
    plan->memory_bytes += gs_gpu_host_bytes(plan->count);
}

/* Rows hold all keys, those of equality bins, too. */
static enum gs_status open_rows(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    enum gs_status st = gs_open_cpu(run, chunk_keys, err);
    if (st == GS_OK)
        run->cpu->moves_equal = true;
    return st;
}

/* A piece is at most half of the keys, as all together did not fit. */
static enum gs_status sort_bins(struct gs_run *run, struct gs_error *err)
{
    uint64_t most;
    enum gs_status st = gs_gpu_free_keys(run->options, &most, err);
    if (st != GS_OK)
        return st;
    most = most < run->plan.count / 2 ? most : run->plan.count / 2;
    return gs_sort_pieces(run, &gs_stages_gpu, &gs_stages_gpu_pieces, most, err);
}

const struct gs_stages gs_stages_gpu_pieces = {
    .device = GS_DEVICE_GPU,
    .scatter_device = GS_DEVICE_CPU,
    .chunks_side_by_side = true,
    .plan = plan,
    .open = open_rows,
    .count_bins = gs_count_bins_cpu,
    .prefix_sum = gs_prefix_sum_cpu,
    .scatter = gs_scatter_cpu,
    .sort_bins = sort_bins,
    .close = gs_close_cpu,
};
