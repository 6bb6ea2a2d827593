/* stages_gpu.c -- the table of GPU stages: the input on the device, twice.
 * SPDX-License-Identifier: MIT
 *
 *   bus      | chunk 0 | chunk 1 | chunk 2 | ...                | pieces back
 *   device             | count 0 | count 1 | ... | scatter, sort bins |
 *   host     | register 1 | register 2 | ...                       | write pieces
 *
 * Chunks are counted while the next one is on the bus. The splitters came from the host, so only
 * scatter and sort bins are left after the last: a few per cent of the time on the bus. Then pieces
 * of the output come back and are written by a few threads, each with a pinned buffer of its own.
 */
#include "sort/stages.h"
#include "sort/copy_ordered.h"
#include "sort/device_sort.h"
#include "sort/gpu.h"
#include "sort/gpu_call.h"
#include "sort/gpu_upload.h"
#include "sort/prefix_sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Keys on the bus at a time: long enough for its full rate, short enough to overlap. */
#define CHUNK_KEYS ((uint64_t)16 << 20)

/* Threads that fetch and write, and the keys of each of their pieces. */
#define WRITERS_MAX 4
#define PIECE_KEYS  ((uint64_t)1 << 20)

struct gpu {
    struct gs_device_sorter sorter;
    struct gs_gpu_upload upload;
    cudaStream_t compute;
    cudaStream_t fetches[WRITERS_MAX];
    gs_key *keys;        /* device: the input, at last sorted */
    gs_key *other;       /* device: room for as many */
    gs_key *scratch;     /* pinned: a piece and the key before it for each writer */
    cudaEvent_t *events; /* per chunk: upload begun and done, count begun and done */
    uint64_t event_count;
    uint64_t chunks;
};

enum { UPLOAD_BEGUN, UPLOAD_DONE, COUNT_BEGUN, COUNT_DONE, EVENTS_PER_CHUNK };

/* Does the input need no bins? Then one block sorts it. */
static bool is_one_block(const struct gs_run *run)
{
    return run->splitters.count == 0;
}

void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options)
{
    uint64_t bins = options->bins > 0 ? options->bins : gs_device_sort_bins(plan->count);
    uint64_t oversampling = plan->count < ((uint64_t)1 << 22) ? 16 : GS_OVERSAMPLING;
    plan->one_bin = false;
    plan->bins = 1;
    if (plan->count > GS_GPU_MEDIUM_KEYS)
        while (plan->bins < bins && plan->bins < GS_GPU_BINS_MAX)
            plan->bins *= 2;
    if (options->samples == 0)
        plan->samples = (uint32_t)(plan->bins * oversampling);
    if (plan->samples > plan->count)
        plan->samples = (uint32_t)plan->count;
    plan->memory_bytes = WRITERS_MAX * PIECE_KEYS * sizeof(gs_key);
}

/* Refuse what does not fit on the device. */
static enum gs_status check_device_memory(const struct gs_run *run,
                                          const struct gs_gpu_device *device, struct gs_error *err)
{
    uint64_t limit = run->options->device_memory_bytes;
    if (limit == 0 || limit > device->free_bytes)
        limit = device->free_bytes;
    /* Two buffers, lists of about 2 %, and what the driver keeps for itself. */
    uint64_t need = run->plan.count * sizeof(gs_key) / 50 * 102 + ((uint64_t)64 << 20);
    if (need <= limit)
        return GS_OK;
    return gs_fail(err, GS_ERR_DEVICE, 0,
                   "%s: %" PRIu64 " keys take %" PRIu64 " MiB of device memory, and %" PRIu64
                   " MiB may be used",
                   device->name, run->plan.count, need >> 20, limit >> 20);
}

static enum gs_status open_gpu(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_gpu_device device;
    uint64_t n = run->plan.count;
    struct gpu *gpu = calloc(1, sizeof *gpu);
    run->device = gpu;
    if (gpu == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    GS_TRY(gs_gpu_wait(&device, err));
    run->stats->device_text = device.name;
    GS_TRY(check_device_memory(run, &device, err));
    *chunk_keys = CHUNK_KEYS;
    gpu->chunks = (n + CHUNK_KEYS - 1) / CHUNK_KEYS;
    gpu->event_count = gpu->chunks * EVENTS_PER_CHUNK;
    gpu->events = calloc(gpu->event_count, sizeof *gpu->events);
    if (gpu->events == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    for (uint64_t i = 0; i < gpu->event_count; i++)
        GS_CUDA_TRY(cudaEventCreate(&gpu->events[i]));
    GS_TRY(gs_gpu_upload_open(&gpu->upload, run->plan.threads, err));
    GS_CUDA_TRY(cudaMalloc((void **)&gpu->keys, n * sizeof(gs_key)));
    GS_CUDA_TRY(cudaMalloc((void **)&gpu->other, n * sizeof(gs_key)));
    GS_TRY(gs_device_sorter_open(&gpu->sorter, n, err));
    GS_CUDA_TRY(cudaStreamCreateWithFlags(&gpu->compute, cudaStreamNonBlocking));
    gpu->sorter.stream = gpu->compute;
    gpu->sorter.timed = true;
    for (int i = 0; i < WRITERS_MAX; i++)
        GS_CUDA_TRY(cudaStreamCreateWithFlags(&gpu->fetches[i], cudaStreamNonBlocking));
cleanup:
    return st;
}

static void close_gpu(struct gs_run *run)
{
    struct gpu *gpu = run->device;
    if (gpu == NULL)
        return;
    gs_gpu_upload_close(&gpu->upload);
    if (gpu->compute != NULL)
        cudaStreamSynchronize(gpu->compute);
    gs_device_sorter_close(&gpu->sorter);
    for (uint64_t i = 0; gpu->events != NULL && i < gpu->event_count; i++)
        if (gpu->events[i] != NULL)
            cudaEventDestroy(gpu->events[i]);
    free(gpu->events);
    for (int i = 0; i < WRITERS_MAX; i++)
        if (gpu->fetches[i] != NULL)
            cudaStreamDestroy(gpu->fetches[i]);
    if (gpu->compute != NULL)
        cudaStreamDestroy(gpu->compute);
    cudaFree(gpu->keys);
    cudaFree(gpu->other);
    cudaFreeHost(gpu->scratch);
    (void)cudaGetLastError(); /* of a lost device, say: the next user starts afresh */
    free(gpu);
    run->device = NULL;
}

/* Give the device the splitters, and counters at zero. */
static enum gs_status send_splitters(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gpu *gpu = run->device;
    const struct gs_gpu_work *work = &gpu->sorter.work;
    const struct gs_splitters *splitters = &run->splitters;
    GS_CUDA_TRY(cudaMemsetAsync(work->state, 0, sizeof *work->state, gpu->compute));
    /* The host has seen disorder: the device need not look for order. */
    GS_CUDA_TRY(cudaMemsetAsync(&work->state->sample_order, GS_GPU_DESCENT | GS_GPU_ASCENT, 1,
                                gpu->compute));
    GS_CUDA_TRY(cudaMemcpyAsync(&work->tables->count, &splitters->count, sizeof splitters->count,
                                cudaMemcpyHostToDevice, gpu->compute));
    GS_CUDA_TRY(cudaMemcpyAsync(work->tables->splitter, splitters->splitter,
                                splitters->count * sizeof(gs_key), cudaMemcpyHostToDevice,
                                gpu->compute));
    GS_CUDA_TRY(gs_build_tables_gpu(work, run->plan.bins, gpu->compute));
cleanup:
    return st;
}

/* The chunk's fingerprint, by all threads, while the bus is busy. */
static uint64_t fingerprint_chunk(const struct gs_run *run, const struct gs_chunk *chunk)
{
    uint64_t sum = 0;
    uint64_t tiles = (chunk->count + GS_TILE_KEYS - 1) / GS_TILE_KEYS;
#pragma omp parallel for num_threads(run->plan.threads) reduction(+ : sum)
    for (uint64_t i = 0; i < tiles; i++) {
        uint64_t end =
            (i + 1) * GS_TILE_KEYS < chunk->count ? (i + 1) * GS_TILE_KEYS : chunk->count;
        for (uint64_t at = i * GS_TILE_KEYS; at < end;) {
            struct gs_tile part = gs_tiles_part(&run->tiles, chunk->first + at, end - at);
            sum += gs_fingerprint(part.keys, part.count);
            at += part.count;
        }
    }
    return sum;
}

/* Queue a chunk's upload and count. */
static enum gs_status count_bins_gpu(struct gs_run *run, const struct gs_chunk *chunk,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gpu *gpu = run->device;
    cudaEvent_t *events = gpu->events + chunk->index * EVENTS_PER_CHUNK;
    gs_key *to = gpu->keys + chunk->first;
    if (chunk->index == 0)
        GS_TRY(send_splitters(run, err));
    GS_CUDA_TRY(cudaEventRecord(events[UPLOAD_BEGUN], gpu->upload.stream));
    GS_TRY(gs_gpu_upload_keys(&gpu->upload, &run->tiles, chunk->first, chunk->count, to, err));
    GS_CUDA_TRY(cudaEventRecord(events[UPLOAD_DONE], gpu->upload.stream));
    GS_CUDA_TRY(cudaStreamWaitEvent(gpu->compute, events[UPLOAD_DONE], 0));
    GS_CUDA_TRY(cudaEventRecord(events[COUNT_BEGUN], gpu->compute));
    if (!is_one_block(run))
        GS_CUDA_TRY(gs_count_bins_gpu(&gpu->sorter.work, to, chunk->count, run->plan.bins,
                                      gpu->sorter.processors, gpu->compute));
    GS_CUDA_TRY(cudaEventRecord(events[COUNT_DONE], gpu->compute));
    if (run->options->verify)
        run->fingerprint += fingerprint_chunk(run, chunk);
    atomic_fetch_add_explicit(&run->progress->done, chunk->count, memory_order_relaxed);
cleanup:
    return st;
}

/* After the last chunk: get the counts, and where the bins begin. */
static enum gs_status prefix_sum_gpu(struct gs_run *run, const struct gs_chunk *chunk,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gpu *gpu = run->device;
    uint32_t bins = gs_run_bins(run);
    static_assert(sizeof gpu->sorter.work.state->counts[0] == sizeof *run->counts,
                  "as on the host");
    if (chunk->first + chunk->count < run->plan.count)
        return GS_OK;
    run->counts[0] = run->plan.count;
    if (!is_one_block(run))
        GS_CUDA_TRY(cudaMemcpyAsync(run->counts, gpu->sorter.work.state->counts,
                                    bins * sizeof *run->counts, cudaMemcpyDeviceToHost,
                                    gpu->compute));
    GS_CUDA_TRY(cudaStreamSynchronize(gpu->compute));
    gs_prefix_sum_scan(run->counts, run->offsets, bins, run->options->reverse);
cleanup:
    return st;
}

/* Scatter needs all counts: it is the first thing that sort_bins does. */
static enum gs_status scatter_gpu(struct gs_run *run, const struct gs_chunk *chunk,
                                  struct gs_error *err)
{
    (void)run;
    (void)chunk;
    (void)err;
    return GS_OK;
}

static void account_gpu(struct gs_run *run, enum gs_stage stage, double ms, uint64_t keys,
                        uint64_t bytes_per_key)
{
    gs_run_account(run, stage, "gpu", (uint64_t)(ms * 1e6), keys, keys * bytes_per_key);
}

/* Put the device's times on the books. */
static enum gs_status account_stages(struct gs_run *run, const struct gs_device_stats *stats,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gpu *gpu = run->device;
    double upload_ms = 0;
    double count_ms = stats->ms[GS_DEVICE_COUNT_DIGITS];
    uint64_t n = run->plan.count;
    for (uint64_t i = 0; i < gpu->chunks; i++) {
        cudaEvent_t *events = gpu->events + i * EVENTS_PER_CHUNK;
        float ms = 0;
        GS_CUDA_TRY(cudaEventElapsedTime(&ms, events[UPLOAD_BEGUN], events[UPLOAD_DONE]));
        upload_ms += (double)ms;
        GS_CUDA_TRY(cudaEventElapsedTime(&ms, events[COUNT_BEGUN], events[COUNT_DONE]));
        count_ms += (double)ms;
    }
    account_gpu(run, GS_STAGE_UPLOAD, upload_ms, n, GS_KEY_BYTES);
    account_gpu(run, GS_STAGE_COUNT_BINS, count_ms, n, GS_KEY_BYTES);
    account_gpu(run, GS_STAGE_PREFIX_SUM, (double)stats->ms[GS_DEVICE_PREFIX_SUM], 0, 0);
    account_gpu(run, GS_STAGE_SCATTER,
                (double)(stats->ms[GS_DEVICE_SCATTER] + stats->ms[GS_DEVICE_SCATTER_DIGITS]), n,
                (uint64_t)2 * GS_KEY_BYTES);
    account_gpu(run, GS_STAGE_SORT_BINS, (double)stats->ms[GS_DEVICE_SORT_BINS], n,
                (uint64_t)2 * GS_KEY_BYTES);
cleanup:
    return st;
}

/* Bring sorted keys back into a writer's pinned buffer. */
static enum gs_status fetch_keys(void *context, unsigned thread, uint64_t first, uint64_t count,
                                 gs_key *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gpu *gpu = context;
    GS_CUDA_TRY(cudaMemcpyAsync(to, gpu->keys + first, count * sizeof *to, cudaMemcpyDeviceToHost,
                                gpu->fetches[thread]));
    GS_CUDA_TRY(cudaStreamSynchronize(gpu->fetches[thread]));
cleanup:
    return st;
}

static enum gs_status sort_bins_gpu(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gpu *gpu = run->device;
    uint64_t n = run->plan.count;
    struct gs_device_stats stats;
    struct gs_ordered ordered = {.fetch = fetch_keys,
                                 .context = gpu,
                                 .disorder = "GPU: it gave keys that are not in order",
                                 .stage = GS_STAGE_DOWNLOAD,
                                 .device = "gpu",
                                 .piece_keys = n < PIECE_KEYS ? n : PIECE_KEYS,
                                 .scratch_keys = PIECE_KEYS + 1,
                                 .threads = run->plan.threads < WRITERS_MAX ? run->plan.threads
                                                                            : WRITERS_MAX};
    if (is_one_block(run))
        GS_TRY(gs_device_sort(&gpu->sorter, gpu->keys, gpu->other, n, &stats, err));
    else
        GS_TRY(gs_device_sort_counted(&gpu->sorter, gpu->keys, gpu->other, n, run->plan.bins,
                                      &stats, err));
    /* While the device sorts: pinned memory for the way back. */
    GS_CUDA_TRY(cudaMallocHost((void **)&gpu->scratch,
                               ordered.threads * ordered.scratch_keys * sizeof(gs_key)));
    GS_CUDA_TRY(cudaStreamSynchronize(gpu->compute));
    GS_TRY(account_stages(run, &stats, err));
    ordered.scratch = gpu->scratch;
    GS_TRY(gs_copy_ordered(run, &ordered, err));
cleanup:
    return st;
}

const struct gs_stages gs_stages_gpu = {
    .device = "gpu",
    .accounts = true,
    .open = open_gpu,
    .count_bins = count_bins_gpu,
    .prefix_sum = prefix_sum_gpu,
    .scatter = scatter_gpu,
    .sort_bins = sort_bins_gpu,
    .close = close_gpu,
};
