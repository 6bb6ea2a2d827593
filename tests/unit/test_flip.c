/* test_flip.c -- a bit flips in memory between two stages, 10,000 times; each flip is reported.
 * SPDX-License-Identifier: MIT
 *
 * The pipeline runs the CPU's stages with hooks that flip a bit of a key: between count bins and
 * scatter (in the chunk), between scatter and sort bins (in a bin), before a piece is written, and
 * before the file is read back. A stage may report the wrong key; if none does, --verify must.
 */
#include "sort/cpu/chunk_scratch.h"
#include "sort/keys/params.h"
#include "sort/pipeline/pipeline.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/cpu/cpu.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "sort/sort.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 5003, FLIPS = 10000 };

enum place { NOWHERE, COUNTED, BINS, PIECE, FILE_READ_BACK, PLACES };

static enum place place; /* where this run flips a bit */
static uint64_t at;      /* index of the key, in the order of that place */
static gs_key bit;
static bool flipped;

static gs_key keys[N];
static int file;

static void flip(gs_key *key)
{
    *key ^= bit;
    flipped = true;
}

/* Index in the chunk of its first key from `at` on outside equality bins, whose keys are counted
 * but not stored; if there is none, of the last one before `at`; -1 if the chunk stores no key. */
static int64_t find_stored(const struct gs_run *run, const struct gs_chunk *chunk,
                           const uint16_t *bins)
{
    int64_t found = -1;
    for (uint64_t i = 0; i < chunk->count; i++) {
        if (gs_splitters_equal(&run->splitters, bins[i]))
            continue;
        found = (int64_t)i;
        if (chunk->first + i >= at)
            break;
    }
    return found;
}

static enum gs_status scatter(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err)
{
    const struct gs_cpu *cpu = run->cpu;
    struct gs_chunk_scratch scratch = gs_chunk_scratch(run);
    int64_t stored = find_stored(run, chunk, scratch.bins);
    bool here = !flipped && stored >= 0 && (chunk->first + chunk->count > at);
    uint32_t bin = here ? scratch.bins[stored] : 0;
    if (here && place == COUNTED)
        flip(&scratch.keys[stored]);
    enum gs_status st = gs_stages_cpu.scatter(run, chunk, err);
    if (here && place == BINS && st == GS_OK)
        flip(&gs_cpu_chunk(cpu,
                           chunk->index)[cpu->rows.starts[chunk->index * cpu->rows.stride + bin]]);
    return st;
}

static enum gs_status store(struct gs_sink *sink, const void *data, uint64_t count,
                            uint64_t position, struct gs_error *err)
{
    const gs_key *from = data;
    (void)sink;
    static gs_key piece[N];
    memcpy(piece, from, (size_t)count * sizeof *piece);
    if (place == PIECE && at >= position && at < position + count)
        flip(&piece[at - position]);
    size_t bytes = (size_t)count * sizeof *piece;
    if (pwrite(file, piece, bytes, (off_t)(position * sizeof *piece)) != (ssize_t)bytes)
        return gs_fail(err, GS_ERR_OUTPUT, 0, "store");
    return GS_OK;
}

/* Sort keys[] into the file and verify it. GS_OK: no fault was noticed. */
static enum gs_status sort_and_verify(const struct gs_options *options)
{
    struct gs_stages stages = gs_stages_cpu;
    struct gs_span span = {keys, N, "input"};
    struct gs_sink sink = {.write = store};
    struct gs_progress progress = {.phase = NULL};
    struct gs_stats stats = {.keys_in = N};
    struct gs_error err = {.status = GS_OK};
    struct gs_run run = {.options = options, .progress = &progress, .stats = &stats};
    stages.scatter = scatter;
    if (gs_tiles_make(&run.tiles, &span, 1, &err) != GS_OK)
        abort();
    gs_emit_init(&run.emitter, options, &sink);
    gs_plan_make(&run.plan, options, N);
    gs_plan_force_bins(&run.plan);
    enum gs_status st = gs_pipeline_run(&run, &stages, &err);
    stats.keys_out = run.emitter.position;
    stats.fingerprint = run.fingerprint - run.emitter.dropped_sum;
    gs_tiles_free(&run.tiles);
    gs_key key;
    off_t offset = (off_t)(at * sizeof key); /* no duplicate is dropped: at is in the file */
    if (st == GS_OK && place == FILE_READ_BACK && pread(file, &key, sizeof key, offset) > 0) {
        flip(&key);
        CHECK(pwrite(file, &key, sizeof key, offset) == (ssize_t)sizeof key);
    }
    return st != GS_OK ? st : gs_verify_file(options, file, 0, &stats, "output", &err);
}

int main(void)
{
    static const enum sample_kind kinds[] = {SAMPLE_UNIFORM, SAMPLE_SKEWED};
    unsigned told[PLACES] = {0};
    file = memfd_create("output", 0);
    if (file < 0)
        return 1;
    for (uint64_t run = 0; run < FLIPS + 4; run++) {
        struct gs_options options = {
            .verify = true, .threads = 1, .bins = run % 3 == 0 ? 16 : 2, .reverse = (run & 2) != 0};
        for (uint64_t i = 0; i < N; i++)
            keys[i] = sample_key(kinds[run & 1], N, i);
        uint64_t random = gs_random(23, run);
        place = run < 4 ? NOWHERE : COUNTED + run / 4 % (PLACES - 1);
        at = (random >> 8) % N;
        bit = (gs_key)1 << (random & 31);
        flipped = false;
        enum gs_status st = sort_and_verify(&options);
        CHECK(flipped == (place != NOWHERE));
        if (!CHECK((st == GS_OK) == (place == NOWHERE)))
            fprintf(stderr, "run %" PRIu64 ", place %d, key %" PRIu64 ", bit %#" PRIx32 "\n", run,
                    (int)place, at, (uint32_t)bit);
        told[place] += st != GS_OK;
    }
    CHECK_EQUAL(told[COUNTED] + told[BINS] + told[PIECE] + told[FILE_READ_BACK], FLIPS);
    return check_failures();
}
