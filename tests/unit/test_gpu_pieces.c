/* test_gpu_pieces.c -- an input is sorted piece by piece, each an input of its own.
 * SPDX-License-Identifier: MIT
 *
 * The CPU stands in for the GPU that sorts the pieces, so that this needs none. It notes how large
 * they are, and can claim not to have memory for one.
 */
#include "common/memory/memory.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/keys/fingerprint.h"
#include "sort/pipeline/pipeline.h"
#include "sort/sorter/gpu_pieces.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

enum { N = 300007, MOST = 20000, FREE = 15000, LARGE = 2000003 };

static struct {
    uint64_t pieces, largest;
    bool streamed; /* all keys came in turn */
    gs_key *output;
    uint64_t stored;
    uint64_t most; /* keys of a piece, as a GPU says */
    uint64_t free; /* and as there is really memory for; 0: no less */
} seen;

static enum gs_status store(struct gs_sink *sink, const void *keys, uint64_t count,
                            uint64_t position, struct gs_error *err)
{
    (void)err;
    if (sink->stream && position != seen.stored)
        seen.streamed = false;
#pragma omp atomic
    seen.stored += count;
    memcpy(seen.output + position, keys, (size_t)count * sizeof(gs_key));
    return GS_OK;
}

/* The stand-in for a GPU. */
static enum gs_status open_piece(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    if (seen.free > 0 && run->plan.count > seen.free)
        return gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "no memory");
    seen.pieces++;
    seen.largest = run->plan.count > seen.largest ? run->plan.count : seen.largest;
    return gs_stages_cpu.open(run, chunk_keys, err);
}

static void plan_piece(struct gs_plan *plan, const struct gs_options *options)
{
    (void)options;
    gs_plan_force_bins(plan);
}

static enum gs_status sort_bins(struct gs_run *run, struct gs_error *err)
{
    struct gs_stages stages = gs_stages_cpu;
    struct gs_stages again = gs_stages_gpu_pieces;
    uint64_t most = seen.most < run->plan.count / 2 ? seen.most : run->plan.count / 2;
    again.sort_bins = sort_bins;
    stages.open = open_piece;
    stages.plan = plan_piece;
    stages.has_other_ways = false;
    return gs_sort_pieces(run, &stages, &again, most, err);
}

/* Drop keys of which the one before agrees in all but the payload. */
static uint64_t drop_payload(gs_key *keys, uint64_t count, unsigned payload_bits)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || (keys[kept - 1] ^ keys[i]) >> payload_bits != 0)
            keys[kept++] = keys[i];
    return kept;
}

/* Sort into a sink that takes keys anywhere, in turn (stream), or is memory. With options->codec,
 * input and output are records of the keys. */
static void check(const gs_key *keys, uint64_t n, const struct gs_options *options, bool stream,
                  bool memory)
{
    struct gs_stages stages = gs_stages_gpu_pieces;
    const struct gs_codec *codec = options->codec;
    gs_key *records = malloc(n * sizeof *records);
    struct gs_span span = {codec != NULL ? records : keys, n, "input"};
    struct gs_progress progress = {.phase = NULL};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    struct gs_run *run = calloc(1, sizeof *run);
    uint64_t count = n;
    gs_key *wanted =
        sample_sorted(keys, &count, options->reverse, options->unique && codec == NULL);
    gs_key *output = gs_pages_alloc(n * sizeof *output); /* near other pages, as regions want it */
    struct gs_sink sink = {.write = store, .stream = stream, .memory = memory ? output : NULL};
    if (run == NULL || output == NULL || records == NULL)
        abort();
    if (codec != NULL) {
        gs_codec_store(codec, keys, records, n);
        count = options->unique ? drop_payload(wanted, count, codec->payload_bits) : count;
        gs_codec_store(codec, wanted, wanted, count);
    }
    seen.output = output;
    seen.pieces = seen.largest = seen.stored = 0;
    seen.streamed = true;
    run->options = options;
    run->progress = &progress;
    run->stats = &stats;
    stages.sort_bins = sort_bins;
    CHECK(gs_tiles_decode(&run->tiles, codec, &span, 1, &err) == GS_OK);
    gs_plan_make(&run->plan, options, n);
    plan_piece(&run->plan, options);
    gs_emit_init(&run->emitter, options, &sink);
    if (!CHECK(gs_pipeline_run(run, &stages, &err) == GS_OK))
        fprintf(stderr, "%s\n", err.text);
    CHECK_EQUAL(run->emitter.position, count);
    CHECK(memcmp(output, wanted, (size_t)count * sizeof *output) == 0);
    CHECK(seen.streamed);
    if (!memory)
        CHECK_EQUAL(seen.stored, count);
    gs_run_describe(run);
    uint64_t kept = 0;
    if (codec != NULL)
        gs_codec_load(codec, output, output, count);
    for (uint64_t i = 0; i < count; i++)
        kept += gs_fingerprint(&output[i], 1);
    if (options->verify)
        CHECK_EQUAL(stats.fingerprint, kept);
    gs_tiles_free(&run->tiles);
    gs_pages_free(output, n * sizeof *output);
    free(wanted);
    free(records);
    free(run);
}

int main(void)
{
    /* Keys of two bytes, so that others are in the same record, and -u looks at parts of keys. */
    const struct gs_format format = {
        .record_bytes = 4,
        .element_bytes = 4,
        .key_count = 1,
        .keys = {{.type = {.kind = GS_TYPE_SIGNED, .bytes = 2, .big_endian = true}}}};
    struct gs_codec codec;
    gs_codec_init(&codec, &format);
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        gs_key *keys = sample_make((enum sample_kind)kind, N);
        for (unsigned way = 0; way < 32; way++) {
            if (kind > SAMPLE_UNIFORM && (int)way % 4 != kind % 4 && !check_expensive())
                continue;
            struct gs_options options = {.verify = true, .threads = 2, .bins = 100};
            options.reverse = (way & 1) != 0;
            options.unique = (way & 2) != 0;
            options.codec = (way & 16) != 0 ? &codec : NULL;
            seen.most = MOST;
            seen.free = (way & 8) != 0 ? FREE : 0;
            if (seen.free > 0)
                options.bins = 4; /* so that even one is too large */
            check(keys, N, &options, (way & 4) != 0, false);
            if (kind == SAMPLE_UNIFORM) {
                CHECK(seen.pieces >= N / MOST);
                CHECK(seen.largest <= (seen.free > 0 ? FREE : MOST));
            }
        }
        free(keys);
    }
    /* In memory that the CPU alone would have used on the way. */
    gs_key *keys = sample_make(SAMPLE_UNIFORM, LARGE);
    seen.most = LARGE / 3;
    seen.free = 0;
    struct gs_options options = {.threads = 2, .bins = 16};
    check(keys, LARGE, &options, false, true);
    CHECK(seen.pieces >= 3);
    free(keys);
    return check_failures();
}
