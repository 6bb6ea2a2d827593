/* gpu_batches.c -- sort the bins on the device in batches, each when it is wanted.
 * SPDX-License-Identifier: MIT
 *
 * A writer that wants keys which are not sorted yet sorts the next batch, while the others write. A
 * batch is an input of its own for the device sort, with splitters from a sample of its own. That
 * costs one level more than going on from the bins would, but for all batches except the first the
 * download of the batch before hides it.
 */
#include "sort/gpu/gpu_batches.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/gpu/gpu_capacity.h"

#include "common/clock.h"

enum gs_status gs_gpu_batches_open(struct gs_gpu_batches *batches, struct gs_run *run,
                                   struct gs_gpu_buffers *buffers, uint64_t chunks,
                                   uint64_t chunk_keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *batches = (struct gs_gpu_batches){.run = run,
                                       .buffers = buffers,
                                       .room_keys = gs_gpu_batch_keys(run->plan.count),
                                       .rows = {.keys = buffers->other,
                                                .row_keys = chunk_keys,
                                                .count = chunks,
                                                .stride = gs_run_bins(run) + 1},
                                       .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct gs_rows *rows = &batches->rows;
    GS_CUDA_TRY(cudaEventCreate(&batches->begun));
    GS_CUDA_TRY(cudaEventCreate(&batches->done));
    GS_CUDA_TRY(cudaHostAlloc((void **)&rows->starts, chunks * rows->stride * sizeof *rows->starts,
                              cudaHostAllocMapped));
    GS_CUDA_TRY(cudaMalloc((void **)&batches->room, batches->room_keys * sizeof(gs_key)));
cleanup:
    return st;
}

void gs_gpu_batches_close(struct gs_gpu_batches *batches)
{
    if (batches->begun != NULL)
        cudaEventDestroy(batches->begun);
    if (batches->done != NULL)
        cudaEventDestroy(batches->done);
    cudaFree(batches->room);
    cudaFreeHost(batches->rows.starts);
    (void)cudaGetLastError(); /* for example of a lost device */
    *batches = (struct gs_gpu_batches){.room = NULL};
}

enum gs_status gs_gpu_batches_place(struct gs_gpu_batches *batches, const struct gs_chunk *chunk,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_buffers *buffers = batches->buffers;
    const struct gs_rows *rows = &batches->rows;
    GS_CUDA_TRY(gs_place_runs_gpu(&buffers->sorter.work, rows->starts + chunk->index * rows->stride,
                                  buffers->compute));
cleanup:
    return st;
}

enum gs_status gs_gpu_batches_scatter(struct gs_gpu_batches *batches, const struct gs_chunk *chunk,
                                      struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_buffers *buffers = batches->buffers;
    GS_CUDA_TRY(gs_scatter_bins_gpu(&buffers->sorter.work, buffers->keys + chunk->first,
                                    buffers->other + chunk->first, chunk->count,
                                    batches->run->plan.bins, gs_run_bins(batches->run),
                                    buffers->sorter.processors, buffers->compute));
cleanup:
    return st;
}

bool gs_gpu_batches_total(struct gs_gpu_batches *batches)
{
    struct gs_run *run = batches->run;
    uint32_t bins = gs_run_bins(run);
    bool fit = true;
    gs_rows_total(&batches->rows, 0, bins, run->counts);
    for (uint32_t bin = 0; bin < bins; bin++)
        if (run->counts[bin] > batches->room_keys && !gs_splitters_equal(&run->splitters, bin))
            fit = false;
    gs_prefix_sum_scan(run->counts, run->offsets, bins, run->options->reverse);
    return fit;
}

/* Queue copies of all keys of bins low to high to `to`. */
static enum gs_status gather_bins(struct gs_gpu_batches *batches, uint32_t low, uint32_t high,
                                  gs_key *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint64_t row = 0; row < batches->rows.count; row++) {
        uint32_t count;
        const gs_key *from = gs_rows_part(&batches->rows, row, low, high, &count);
        if (count > 0)
            GS_CUDA_TRY(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToDevice,
                                        batches->buffers->compute));
        to += count;
    }
cleanup:
    return st;
}

/* Gather and sort the next batch. The caller holds the mutex. */
static enum gs_status sort_batch(struct gs_gpu_batches *batches, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_run *run = batches->run;
    struct gs_gpu_buffers *buffers = batches->buffers;
    float ms = 0;
    uint64_t start = gs_now_ns();
    uint64_t place = atomic_load(&batches->sorted);
    uint32_t low, high;
    uint64_t count = gs_run_take_bins(run, &batches->next, batches->room_keys, &low, &high);
    if (run->options->reverse) /* from the last bin down; positions on the device ascend */
        place = run->plan.count - place - count;
    gs_key *keys = buffers->keys + place;
    if (count == 0)
        return gs_fail(err, GS_ERR_INTERNAL, 0, "GPU: bins hold fewer keys than were read");
    GS_CUDA_TRY(cudaEventRecord(batches->begun, buffers->compute));
    GS_TRY(gather_bins(batches, low, high, keys, err));
    if (count <= batches->room_keys) /* otherwise it is an equality bin */
        GS_TRY(gs_device_sort(&buffers->sorter, keys, batches->room, count, NULL, err));
    GS_CUDA_TRY(cudaEventRecord(batches->done, buffers->compute));
    GS_CUDA_TRY(cudaStreamSynchronize(buffers->compute));
    GS_CUDA_TRY(cudaEventElapsedTime(&ms, batches->begun, batches->done));
    if (batches->begin_ns == 0)
        batches->begin_ns = start;
    batches->end_ns = gs_now_ns();
    batches->ns += gs_gpu_ns(ms);
    atomic_fetch_add(&batches->sorted, count);
cleanup:
    return st;
}

enum gs_status gs_gpu_batches_await(void *context, uint64_t first, uint64_t count,
                                    struct gs_error *err)
{
    struct gs_gpu_batches *batches = context;
    const struct gs_run *run = batches->run;
    uint64_t n = run->plan.count;
    uint64_t wanted = run->options->reverse ? n - first : first + count;
    uint64_t ahead = wanted + batches->room_keys / 2 < n ? wanted + batches->room_keys / 2 : n;
    if (atomic_load(&batches->sorted) >= ahead)
        return GS_OK;
    if (atomic_load(&batches->sorted) < wanted)
        pthread_mutex_lock(&batches->mutex);
    else if (pthread_mutex_trylock(&batches->mutex) != 0)
        return GS_OK; /* another thread sorts ahead */
    struct gs_error *failure = &batches->failure;
    while (failure->status == GS_OK && atomic_load(&batches->sorted) < wanted)
        sort_batch(batches, failure);
    if (failure->status == GS_OK && atomic_load(&batches->sorted) < ahead)
        sort_batch(batches, failure);
    enum gs_status st = failure->status;
    if (st != GS_OK)
        *err = *failure;
    pthread_mutex_unlock(&batches->mutex);
    return st;
}

void gs_gpu_batches_account(struct gs_gpu_batches *batches)
{
    struct gs_run *run = batches->run;
    uint64_t n = run->plan.count;
    gs_run_account_at(run, GS_STAGE_SORT_BINS, GS_DEVICE_GPU, batches->ns, batches->begin_ns,
                      batches->end_ns);
    gs_run_add(run, GS_STAGE_SORT_BINS, n, n * 2 * GS_KEY_BYTES); /* read and written */
}
