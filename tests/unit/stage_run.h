/* stage_run.h -- set up a run like pipeline.c, up to the splitters, to call its stages one by one.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGE_RUN_H
#define GS_STAGE_RUN_H

#include "sort/split/select_samples.h"
#include "sort/split/sort_samples.h"
#include "sort/cpu/stages_cpu.h"
#include "tests/unit/check.h"

#include <stdlib.h>

enum { STAGE_RUN_SEED = 1 };

struct stage_run {
    struct gs_run run;
    struct gs_options options;
    struct gs_span span;
    struct gs_sink sink;
    struct gs_progress progress;
    struct gs_stats stats;
    struct gs_error err;
    uint64_t chunk_keys;
    gs_key *output; /* for the test's own use */
};

/* Begin a sort of n keys; the caller has set f->options and f->sink. Call stage_run_close even if
 * this returns false. */
static inline bool stage_run_open(struct stage_run *f, const gs_key *keys, uint64_t n)
{
    f->span = (struct gs_span){keys, n, "input"};
    f->run.options = &f->options;
    f->run.progress = &f->progress;
    f->run.stats = &f->stats;
    if (!CHECK(gs_tiles_make(&f->run.tiles, &f->span, 1, &f->err) == GS_OK))
        return false;
    gs_emit_init(&f->run.emitter, &f->options, &f->sink);
    gs_plan_make(&f->run.plan, &f->options, n);
    uint32_t samples = f->run.plan.samples;
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        abort();
    gs_select_samples_cpu(&f->run.tiles, samples, STAGE_RUN_SEED, 2, sample);
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&f->run.splitters, sample, samples, f->run.plan.bins, 0);
    gs_splitters_snap(&f->run.splitters, sample, samples, f->run.plan.bins, 0);
    f->run.counts = calloc(2 * (size_t)gs_run_bins(&f->run) + 1, sizeof *f->run.counts);
    if (f->run.counts == NULL)
        abort();
    gs_splitters_count(&f->run.splitters, sample, samples, f->run.counts);
    free(sample);
    f->run.offsets = f->run.counts + gs_run_bins(&f->run);
    return CHECK(gs_stages_cpu.open(&f->run, &f->chunk_keys, &f->err) == GS_OK) &&
           CHECK(f->chunk_keys > 0 && f->chunk_keys <= GS_CHUNK_KEYS_MAX);
}

/* Chunk number `index` of the input. */
static inline struct gs_chunk stage_run_chunk(const struct stage_run *f, uint64_t index)
{
    uint64_t first = index * f->chunk_keys;
    uint64_t left = f->span.count - first;
    return (struct gs_chunk){index, first, left < f->chunk_keys ? left : f->chunk_keys};
}

static inline void stage_run_close(struct stage_run *f)
{
    gs_stages_cpu.close(&f->run);
    gs_tiles_free(&f->run.tiles);
    free(f->run.counts);
}

#endif
