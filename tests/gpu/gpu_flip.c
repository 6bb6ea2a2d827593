/* gpu_flip.c -- flip one bit in device memory between two stages: each flip must be reported.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_flip [N]        N flips, by default 10,000
 *
 * The counterpart of unit/test_flip.c, which flips bits in host memory. The pipeline runs over the
 * GPU's stages; the linker replaces their launchers by functions of this file (--wrap), which flip
 * one bit of a key: uploaded and not yet counted; counted and not yet scattered; in its bin and not
 * yet sorted; sorted and not yet fetched. The last is for the host to tell. All else the GPU must
 * tell, and, unless bins are sorted in batches, before a key is written: a stage that notices the
 * key may fail, but must not lose the GPU, which would fail all later sorts; otherwise the proof on
 * the device must notice. If values that lie close together are counted by their lower bits, a flip
 * of an upper bit is undone, and the output is right. Compiled for each width of keys. Needs a GPU:
 * without one it says so and exits with 77.
 */
#include "sort/gpu/gpu_buffers.h"
#include "sort/gpu/stages_gpu.h"
#include "sort/check/verify.h"
#include "sort/keys/look_keys.h"
#include "sort/keys/params.h"
#include "sort/pipeline/pipeline.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* So many that two bins, unlike 16, are too large for medium jobs and are split again; and, in one
 * run of so many, so many that they are sorted in batches. */
enum { FEW = 40009, MANY = GS_KEYS_IN(16 << 10) + 40009, RUNS_OF_MANY = 64, FLIPS = 10000 };

enum place { NOWHERE, UPLOADED, COUNTED, IN_BIN, SORTED, PLACES };

static enum place place; /* where this run's flip is */
static uint64_t at;      /* number of the key, in the order at that place */
static gs_key bit;
static bool flipped;
static bool stored; /* whether any key was handed out */

static struct gs_run run;
static gs_key keys[MANY], output[MANY];
static uint64_t n; /* of them in this run */
static int file;

/* Under the names that the linker gives them. */
cudaError_t count_bins(const struct gs_gpu_work *work, const gs_key *from, uint64_t count,
                       uint32_t bins, unsigned processors,
                       cudaStream_t stream) __asm__("__real_gs_count_bins_gpu");
cudaError_t flip_and_count_bins(const struct gs_gpu_work *work, const gs_key *from, uint64_t count,
                                uint32_t bins, unsigned processors,
                                cudaStream_t stream) __asm__("__wrap_gs_count_bins_gpu");
cudaError_t scatter_bins(const struct gs_gpu_work *work, const gs_key *in, gs_key *out,
                         uint64_t count, uint32_t bins, uint32_t most, unsigned processors,
                         cudaStream_t stream) __asm__("__real_gs_scatter_bins_gpu");
cudaError_t flip_and_scatter_bins(const struct gs_gpu_work *work, const gs_key *in, gs_key *out,
                                  uint64_t count, uint32_t bins, uint32_t most, unsigned processors,
                                  cudaStream_t stream) __asm__("__wrap_gs_scatter_bins_gpu");
enum gs_status emit(struct gs_gpu_buffers *buffers, struct gs_run *sorted,
                    struct gs_error *err) __asm__("__real_gs_gpu_buffers_emit");
enum gs_status flip_and_emit(struct gs_gpu_buffers *buffers, struct gs_run *sorted,
                             struct gs_error *err) __asm__("__wrap_gs_gpu_buffers_emit");

/* Once everything queued is done, flip the bit of a key in device memory. A copy from memory that
 * is not pinned may return before it has arrived, and the sort's stream does not wait for it. */
static void flip(const gs_key *d_keys, uint64_t index)
{
    gs_key *d_key = (gs_key *)(uintptr_t)(d_keys + index);
    gs_key key;
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(&key, d_key, sizeof key, cudaMemcpyDeviceToHost));
    key ^= bit;
    must(cudaMemcpy(d_key, &key, sizeof key, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    flipped = true;
}

static bool is_batched(void)
{
    return n > FEW;
}

/* The first key of the input from `at` on, wrapping around, that is in no equality bin: keys of
 * those are not moved, but written from the counts. */
static uint64_t find_moved(void)
{
    for (uint64_t i = 0; i < n; i++) {
        gs_key key = keys[(at + i) % n];
        uint32_t bin =
            gs_splitters_bin(&run.splitters, run.splitters.guide, run.splitters.steps, key);
        if (!gs_splitters_equal(&run.splitters, bin))
            return (at + i) % n;
    }
    abort();
}

/* The same for keys in bins, in the order of the bins; if none follows, a key before `at`. Batches
 * have the keys of equality bins, too. */
static uint64_t find_in_bin(void)
{
    uint64_t start = 0, found = n;
    if (is_batched())
        return at;
    for (uint32_t bin = 0; bin < gs_run_bins(&run); start += run.counts[bin++]) {
        if (run.counts[bin] == 0 || gs_splitters_equal(&run.splitters, bin))
            continue;
        found = at > start ? at : start;
        if (at < start + run.counts[bin])
            return found;
        found = start;
    }
    return found;
}

cudaError_t flip_and_count_bins(const struct gs_gpu_work *work, const gs_key *from, uint64_t count,
                                uint32_t bins, unsigned processors, cudaStream_t stream)
{
    if (place == UPLOADED)
        flip(from, at);
    return count_bins(work, from, count, bins, processors, stream);
}

cudaError_t flip_and_scatter_bins(const struct gs_gpu_work *work, const gs_key *in, gs_key *out,
                                  uint64_t count, uint32_t bins, uint32_t most, unsigned processors,
                                  cudaStream_t stream)
{
    if (place == COUNTED)
        flip(in, find_moved());
    cudaError_t error = scatter_bins(work, in, out, count, bins, most, processors, stream);
    if (place == IN_BIN)
        flip(out, find_in_bin());
    return error;
}

enum gs_status flip_and_emit(struct gs_gpu_buffers *buffers, struct gs_run *sorted,
                             struct gs_error *err)
{
    if (place == SORTED) /* of batches, none is yet */
        flip(is_batched() ? buffers->other : buffers->keys, at);
    return emit(buffers, sorted, err);
}

static enum gs_status store(struct gs_sink *sink, const void *data, uint64_t count,
                            uint64_t position, struct gs_error *err)
{
    const gs_key *from = data;
    (void)sink;
    size_t bytes = (size_t)count * sizeof *from;
    stored = true;
    if (pwrite(file, from, bytes, (off_t)(position * sizeof *from)) != (ssize_t)bytes)
        return gs_fail(err, GS_ERR_OUTPUT, 0, "store");
    return GS_OK;
}

/* Sort keys[] into the file and verify it. GS_OK: nothing was noticed. */
static enum gs_status sort_and_verify(const struct gs_options *options, struct gs_error *err)
{
    struct gs_span span = {keys, n, "input"};
    struct gs_sink sink = {.write = store};
    struct gs_progress progress = {.phase = NULL};
    struct gs_stats stats = {.keys_in = n};
    run = (struct gs_run){.options = options, .progress = &progress, .stats = &stats};
    if (gs_tiles_make(&run.tiles, &span, 1, err) != GS_OK)
        abort();
    gs_emit_init(&run.emitter, options, &sink);
    gs_plan_make(&run.plan, options, n);
    gs_stages_gpu.plan(&run.plan, options);
    enum gs_status st = gs_pipeline_run(&run, &gs_stages_gpu, err);
    stats.keys_out = run.emitter.position;
    stats.fingerprint = run.fingerprint - run.emitter.dropped_sum;
    gs_tiles_free(&run.tiles);
    return st != GS_OK ? st
                       : gs_verify_records(options, gs_keys_look, file, 0, &stats, "output", err);
}

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

/* Is the output right, although a key's bit was flipped? */
static bool is_made_anew(const struct gs_options *options)
{
    const size_t bytes = n * sizeof *keys;
    if (GS_KEY_BITS > 32 || place < IN_BIN || bit < GS_GPU_CLOSE_VALUES ||
        pread(file, output, bytes, 0) != (ssize_t)bytes)
        return false;
    qsort(keys, n, sizeof *keys, compare_keys);
    for (uint64_t i = 0; i < n; i++)
        if (output[i] != keys[options->reverse ? n - 1 - i : i])
            return false;
    return true;
}

/* Is this what a run with this flip has to end with? */
static bool is_right(enum gs_status st, bool anew)
{
    if (place == NOWHERE || anew)
        return st == GS_OK;
    if (is_batched())
        return st == GS_ERR_DEVICE;
    return place == SORTED ? st != GS_OK : st == GS_ERR_DEVICE && !stored;
}

/* Run `number`, with or without a flip: was it reported? *anew: it need not be, as the output is
 * right. */
static bool flip_once(uint64_t number, bool *anew)
{
    struct gs_options options = {.device = GS_DEVICE_GPU,
                                 .key_bytes = GS_KEY_BYTES,
                                 .verify = true,
                                 .threads = 1,
                                 .bins = number % 3 == 0 ? 2 : 16,
                                 .reverse = (number & 2) != 0};
    struct gs_error err = {.status = GS_OK};
    uint64_t random = gs_random(23, number);
    /* New keys for each run, so that keys which the last run left in device memory cannot stand in
     * for them. */
    n = number % RUNS_OF_MANY == RUNS_OF_MANY - 1 ? MANY : FEW;
    for (uint64_t i = 0; i < n; i++) {
        gs_key key = sample_random(29 + number, i);
        keys[i] = (number & 1) != 0 ? key >> gs_random(31, i) % GS_KEY_BITS : key;
    }
    at = (random >> 8) % n;
    bit = (gs_key)1 << random % GS_KEY_BITS;
    flipped = stored = false;
    enum gs_status st = sort_and_verify(&options, &err);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "run %" PRIu64 ", place %d, key %" PRIu64 ", bit %u: lost the GPU\n",
                number, (int)place, at, GS_KEY_BITS - 1 - gs_key_clz(bit));
        exit(1); /* no later run could say anything */
    }
    CHECK(flipped == (place != NOWHERE));
    *anew = st == GS_OK && is_made_anew(&options);
    if (!CHECK(is_right(st, *anew)))
        fprintf(stderr, "run %" PRIu64 ", place %d, key %" PRIu64 ", bit %u: %s\n", number,
                (int)place, at, GS_KEY_BITS - 1 - gs_key_clz(bit),
                st == GS_OK ? "sorted" : err.text);
    return st != GS_OK;
}

int main(int argc, char **argv)
{
    uint64_t flips = argc > 1 ? strtoull(argv[1], NULL, 10) : FLIPS;
    uint64_t told = 0;
    uint64_t made_anew = 0;
    bool anew;
    require_gpu();
    file = memfd_create("output", 0);
    if (file < 0)
        return 2;
    gs_gpu_start();
    place = NOWHERE;
    for (uint64_t number = 0; number < 6; number++)
        flip_once(number, &anew);
    flip_once(RUNS_OF_MANY - 1, &anew);
    for (uint64_t number = 0; number < flips; number++) {
        place = UPLOADED + number / 4 % (PLACES - 1);
        told += flip_once(number, &anew);
        made_anew += anew;
    }
    CHECK_EQUAL(told + made_anew, flips);
    CHECK(made_anew <= flips / 100);
    printf("%" PRIu64 " of %" PRIu64 " flips in device memory told, %" PRIu64 " made good\n", told,
           flips, made_anew);
    return check_failures();
}
