/* stages_gpu.c -- the GPU stages for inputs that fit into device memory twice.
 * SPDX-License-Identifier: MIT
 *
 *   bus      | chunk 0    | chunk 1    | ...       |         | pieces 0  | pieces 1  | ...
 *   device                | distribute 0 | ...       | batch 0 | batch 1 | batch 2 | ...
 *   host     | stage 1    | stage 2    | ...                 | write pieces
 *
 * The host has chosen the splitters, so a chunk is counted and scattered while the next one is on
 * the bus. Then neighbouring bins are sorted in batches, while the pieces of earlier batches come
 * back and are written by a few threads, each with a pinned buffer of its own. Few keys are only
 * counted, and then sorted at once; gpu_batches.h tells how few.
 */
#include "sort/gpu/stages_gpu.h"
#include "sort/device/device_sizes.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/gpu/gpu_batches.h"
#include "sort/gpu/gpu_buffers.h"
#include "sort/gpu/gpu_capacity.h"
#include "sort/gpu/gpu_chunk_times.h"
#include "sort/gpu/gpu_proof.h"
#include "sort/gpu/gpu_splitters.h"
#include "sort/gpu/gpu_upload.h"
#include "sort/keys/fingerprint.h"

#include "common/clock.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Keys of a chunk: enough for the bus's full rate, few enough to overlap; and so many that there
 * are at most CHUNKS_MAX chunks, as each batch is gathered from all of them. */
#define GS_GPU_CHUNK_KEYS ((uint64_t)GS_KEYS_IN(64 << 10))
#define CHUNKS_MAX        128

struct gs_gpu {
    struct gs_gpu_buffers buffers;
    struct gs_gpu_upload upload;
    struct gs_gpu_batches batches;
    struct gs_gpu_chunk_times times;
    struct gs_gpu_splitters splitters;
    struct gs_gpu_proof proof;
    bool done; /* nothing is left for the device to do */
};

/* Does the input need no bins? The device then sorts it as one. */
static bool is_one_bin(const struct gs_run *run)
{
    return run->splitters.count == 0;
}

/* Are chunks scattered as they arrive, and bins sorted in batches? */
static bool is_batched(const struct gs_gpu *gpu)
{
    return gpu->batches.room != NULL;
}

static uint64_t choose_chunk_keys(uint64_t n)
{
    uint64_t keys = n / CHUNKS_MAX + 1;
    return keys > GS_GPU_CHUNK_KEYS ? keys : GS_GPU_CHUNK_KEYS;
}

static void plan_gpu(struct gs_plan *plan, const struct gs_options *options)
{
    uint64_t bins = options->bins > 0 ? options->bins : gs_device_sort_bins(plan->count);
    uint64_t oversampling = plan->count < ((uint64_t)1 << 22) ? 16 : GS_OVERSAMPLING;
    plan->one_bin = false;
    plan->bins = 1;
    if (plan->count > GS_GPU_MEDIUM_KEYS)
        while (plan->bins < bins && plan->bins < GS_GPU_BINS_MAX)
            plan->bins *= 2;
    if (options->samples == 0 || plan->samples == 0) /* so few keys that the CPU would draw none */
        plan->samples = (uint32_t)(plan->bins * oversampling);
    if (plan->samples > plan->count)
        plan->samples = (uint32_t)plan->count;
    plan->memory_bytes = gs_gpu_host_bytes(plan->count);
}

/* Check that there is a device, as the user asked for one. */
static enum gs_status ready_gpu(struct gs_run *run, struct gs_error *err)
{
    struct gs_gpu_device device;
    (void)run;
    return gs_gpu_wait(&device, err);
}

static enum gs_status open_gpu(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_device device;
    uint64_t n = run->plan.count;
    struct gs_gpu *gpu = calloc(1, sizeof *gpu);
    run->gpu = gpu;
    if (gpu == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    GS_TRY(gs_gpu_buffers_reserve(&gpu->buffers, n, err));
    GS_TRY(gs_gpu_wait(&device, err));
    gs_gpu_describe(run, &device);
    if (device.block_bytes < GS_GPU_BLOCK_LEAST)
        return gs_fail(err, GS_ERR_DEVICE, 0,
                       "%s: too little shared memory for elements of %d bytes", device.name,
                       GS_KEY_BYTES);
    gs_gpu_fit_splitters(&gpu->splitters, &run->splitters);
    if (n > gs_gpu_capacity(run->options, &device))
        return gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "%s: no room for %" PRIu64 " keys",
                       device.name, n);
    *chunk_keys = choose_chunk_keys(n);
    GS_TRY(gs_gpu_chunk_times_open(&gpu->times, (n + *chunk_keys - 1) / *chunk_keys, err));
    GS_TRY(gs_gpu_buffers_open(&gpu->buffers, err));
    GS_TRY(gs_gpu_upload_open(&gpu->upload, gpu->buffers.host, gs_gpu_host_bytes(n),
                              run->plan.threads, err));
    if (run->options->verify)
        GS_TRY(gs_gpu_proof_open(&gpu->proof, gpu->buffers.sorter.processors, err));
    if (!is_one_bin(run) && gs_gpu_batch_keys(n) > 0)
        GS_TRY(gs_gpu_batches_open(&gpu->batches, run, &gpu->buffers, gpu->times.chunks,
                                   *chunk_keys, err));
cleanup:
    return st;
}

static void close_gpu(struct gs_run *run)
{
    struct gs_gpu *gpu = run->gpu;
    if (gpu == NULL)
        return;
    bool leave = run->options->own.leave_device && gpu->done;
    if (!leave) {
        gs_gpu_upload_close(&gpu->upload);
        gs_gpu_buffers_close(&gpu->buffers);
        gs_gpu_batches_close(&gpu->batches);
        gs_gpu_proof_close(&gpu->proof);
    }
    gs_gpu_chunk_times_close(&gpu->times, leave);
    free(gpu);
    run->gpu = NULL;
}

/* Keys that are decoded, if they have to be, for the fingerprint. */
#define FINGERPRINT_KEYS ((uint64_t)4096)

/* Compute the chunk's fingerprint while the bus is busy: with as many threads as the upload, since
 * any other number would create threads anew for each chunk. */
static uint64_t fingerprint_chunk(const struct gs_run *run, const struct gs_chunk *chunk,
                                  unsigned threads)
{
    uint64_t sum = 0;
    uint64_t tiles = (chunk->count + GS_TILE_KEYS - 1) / GS_TILE_KEYS;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (uint64_t i = 0; i < tiles; i++) {
        uint64_t end =
            (i + 1) * GS_TILE_KEYS < chunk->count ? (i + 1) * GS_TILE_KEYS : chunk->count;
        gs_key block[FINGERPRINT_KEYS];
        for (uint64_t at = i * GS_TILE_KEYS; at < end;) {
            uint64_t most = end - at < FINGERPRINT_KEYS ? end - at : FINGERPRINT_KEYS;
            struct gs_tile part = gs_tiles_part(&run->tiles, chunk->first + at, most);
            sum +=
                gs_fingerprint(gs_tile_keys(&run->tiles, &part, 0, part.count, block), part.count);
            at += part.count;
        }
    }
    return sum;
}

static cudaEvent_t event_of(const struct gs_gpu *gpu, const struct gs_chunk *chunk,
                            enum gs_gpu_chunk_event event)
{
    return gs_gpu_chunk_event(&gpu->times, chunk->index, event);
}

/* Queue a chunk's upload and count. */
static enum gs_status count_bins_gpu(struct gs_run *run, const struct gs_chunk *chunk,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu *gpu = run->gpu;
    gs_key *to = gpu->buffers.keys + chunk->first;
    if (chunk->index == 0)
        GS_TRY(gs_gpu_send_splitters(&gpu->splitters, run->splitters.count, run->plan.bins,
                                     &gpu->buffers.sorter.work, gpu->buffers.compute, err));
    GS_CUDA_TRY(cudaEventRecord(event_of(gpu, chunk, GS_GPU_UPLOAD_BEGUN), gpu->upload.stream));
    GS_TRY(gs_gpu_upload_keys(&gpu->upload, &run->tiles, chunk->first, chunk->count, to, err));
    GS_CUDA_TRY(cudaEventRecord(event_of(gpu, chunk, GS_GPU_UPLOAD_DONE), gpu->upload.stream));
    GS_CUDA_TRY(
        cudaStreamWaitEvent(gpu->buffers.compute, event_of(gpu, chunk, GS_GPU_UPLOAD_DONE), 0));
    GS_TRY(gs_gpu_proof_arrived(&gpu->proof, to, chunk->count, gpu->buffers.compute, err));
    GS_CUDA_TRY(cudaEventRecord(event_of(gpu, chunk, GS_GPU_COUNT_BEGUN), gpu->buffers.compute));
    if (!is_one_bin(run))
        GS_CUDA_TRY(gs_count_bins_gpu(&gpu->buffers.sorter.work, to, chunk->count, run->plan.bins,
                                      gpu->buffers.sorter.processors, gpu->buffers.compute));
    GS_CUDA_TRY(cudaEventRecord(event_of(gpu, chunk, GS_GPU_COUNT_DONE), gpu->buffers.compute));
    if (run->options->verify)
        run->fingerprint += fingerprint_chunk(run, chunk, gpu->upload.threads);
    atomic_fetch_add_explicit(&run->progress->done, chunk->count, memory_order_relaxed);
cleanup:
    return st;
}

/* Queue a chunk's prefix sum. Without batches: after the last chunk, fetch the counts and find
 * where the bins begin. */
static enum gs_status prefix_sum_gpu(struct gs_run *run, const struct gs_chunk *chunk,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu *gpu = run->gpu;
    uint32_t bins = gs_run_bins(run);
    static_assert(sizeof gpu->buffers.sorter.work.state->counts[0] == sizeof *run->counts,
                  "as on the host");
    if (is_batched(gpu)) {
        GS_TRY(gs_gpu_batches_place(&gpu->batches, chunk, err));
        GS_CUDA_TRY(cudaEventRecord(event_of(gpu, chunk, GS_GPU_PLACED), gpu->buffers.compute));
        return GS_OK;
    }
    if (chunk->first + chunk->count < run->plan.count)
        return GS_OK;
    run->counts[0] = run->plan.count;
    if (!is_one_bin(run))
        GS_CUDA_TRY(cudaMemcpyAsync(run->counts, gpu->buffers.sorter.work.state->counts,
                                    bins * sizeof *run->counts, cudaMemcpyDeviceToHost,
                                    gpu->buffers.compute));
    GS_CUDA_TRY(cudaStreamSynchronize(gpu->buffers.compute));
    gs_prefix_sum_scan(run->counts, run->offsets, bins, run->options->reverse);
cleanup:
    return st;
}

/* Queue a chunk's scatter; without batches, sort_bins does that first. */
static enum gs_status scatter_gpu(struct gs_run *run, const struct gs_chunk *chunk,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu *gpu = run->gpu;
    if (!is_batched(gpu))
        return GS_OK;
    GS_TRY(gs_gpu_batches_scatter(&gpu->batches, chunk, err));
    GS_CUDA_TRY(cudaEventRecord(event_of(gpu, chunk, GS_GPU_SCATTERED), gpu->buffers.compute));
cleanup:
    return st;
}

/* Account for the time of the bus and of the chunks' stages. */
static enum gs_status account_chunks(struct gs_run *run, cudaEvent_t known, uint64_t known_ns,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu *gpu = run->gpu;
    const struct gs_gpu_chunk_times *times = &gpu->times;
    uint64_t n = run->plan.count;
    GS_TRY(gs_gpu_chunk_times_account(times, run, GS_STAGE_UPLOAD, GS_GPU_UPLOAD_BEGUN,
                                      GS_GPU_UPLOAD_DONE, known, known_ns, err));
    GS_TRY(gs_gpu_chunk_times_account(times, run, GS_STAGE_COUNT_BINS, GS_GPU_COUNT_BEGUN,
                                      GS_GPU_COUNT_DONE, known, known_ns, err));
    gs_run_add(run, GS_STAGE_UPLOAD, n, n * GS_KEY_BYTES);
    gs_run_add(run, GS_STAGE_COUNT_BINS, n, n * GS_KEY_BYTES);
    if (!is_batched(gpu))
        return GS_OK;
    GS_TRY(gs_gpu_chunk_times_account(times, run, GS_STAGE_PREFIX_SUM, GS_GPU_COUNT_DONE,
                                      GS_GPU_PLACED, known, known_ns, err));
    GS_TRY(gs_gpu_chunk_times_account(times, run, GS_STAGE_SCATTER, GS_GPU_PLACED, GS_GPU_SCATTERED,
                                      known, known_ns, err));
    gs_run_add(run, GS_STAGE_SCATTER, n, n * 2 * GS_KEY_BYTES); /* read and written */
cleanup:
    return st;
}

/* Sort all keys at once: from their counts on, if they have bins. */
static enum gs_status sort_at_once(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu *gpu = run->gpu;
    struct gs_gpu_buffers *buffers = &gpu->buffers;
    uint64_t n = run->plan.count;
    struct gs_device_stats stats;
    if (is_one_bin(run) || is_batched(gpu)) /* batches have cleared the counts */
        GS_TRY(gs_device_sort(&buffers->sorter, buffers->keys, buffers->other, n, &stats, err));
    else
        GS_TRY(gs_device_sort_counted(&buffers->sorter, buffers->keys, buffers->other, n,
                                      run->plan.bins, &stats, err));
    assert(!stats.in_other); /* only with room (pages/pages.h) */
    uint64_t begin_ns = gs_gpu_account_sort(run, &stats, n);
    if (!is_batched(gpu))
        GS_TRY(account_chunks(run, buffers->sorter.events[0], begin_ns, err));
cleanup:
    return st;
}

/* Under options->verify: are the keys on the device in order, and those that were read? */
static enum gs_status prove(const struct gs_run *run, struct gs_error *err)
{
    const struct gs_gpu *gpu = run->gpu;
    return gs_gpu_proof_sorted(&gpu->proof, gpu->buffers.keys, run->plan.count, run->fingerprint,
                               gpu->buffers.compute, err);
}

static enum gs_status sort_bins_gpu(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu *gpu = run->gpu;
    struct gs_gpu_buffers *buffers = &gpu->buffers;
    if (is_batched(gpu)) {
        cudaEvent_t last = gs_gpu_chunk_event(&gpu->times, gpu->times.chunks - 1, GS_GPU_SCATTERED);
        GS_CUDA_TRY(cudaStreamSynchronize(buffers->compute));
        GS_TRY(account_chunks(run, last, gs_now_ns(), err));
        if (gs_gpu_batches_total(&gpu->batches)) {
            buffers->await = gs_gpu_batches_await;
            buffers->await_context = &gpu->batches;
        }
    }
    if (buffers->await == NULL) {
        GS_TRY(sort_at_once(run, err));
        GS_TRY(prove(run, err));
    }
    GS_TRY(gs_gpu_buffers_emit(buffers, run, err));
    if (buffers->await != NULL) {
        gs_gpu_batches_account(&gpu->batches);
        GS_TRY(prove(run, err));
    }
    gpu->done = true;
cleanup:
    return st;
}

/* Under options->unique, tell the sink how long the output will be: pages can be made meanwhile. */
static enum gs_status expect_output(struct gs_run *run, struct gs_error *err)
{
    struct gs_sink *sink = run->emitter.sink;
    (void)err;
    if (run->options->unique && run->keeps_most && sink->expect != NULL)
        sink->expect(sink, run->plan.count);
    return GS_OK;
}

const struct gs_stages gs_stages_gpu = {
    .device = GS_DEVICE_GPU,
    .scatter_device = GS_DEVICE_GPU,
    .accounts = true,
    .plan = plan_gpu,
    .map_output = expect_output,
    .ready = ready_gpu,
    .open = open_gpu,
    .count_bins = count_bins_gpu,
    .prefix_sum = prefix_sum_gpu,
    .scatter = scatter_gpu,
    .sort_bins = sort_bins_gpu,
    .close = close_gpu,
};
