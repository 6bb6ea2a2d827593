/* gpu_buffers.c -- device memory for a sort, and the way back from it to the output.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_buffers.h"
#include "sort/device/gpu_call.h"
#include "sort/run/copy_ordered.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <string.h>

enum gs_status gs_gpu_buffers_reserve(struct gs_gpu_buffers *buffers, uint64_t capacity,
                                      struct gs_error *err)
{
    uint64_t bytes = gs_gpu_host_bytes(capacity);
    *buffers =
        (struct gs_gpu_buffers){.capacity = capacity, .bus.mutex = PTHREAD_MUTEX_INITIALIZER};
    void *host = gs_pages_alloc(bytes);
    if (host == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for the GPU's buffers");
    memset(host, 0, bytes); /* first touch: the driver would take longer to make pages */
    buffers->host = host;
    return GS_OK;
}

enum gs_status gs_gpu_buffers_open(struct gs_gpu_buffers *buffers, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t capacity = buffers->capacity;
    GS_CUDA_TRY(
        cudaHostRegister(buffers->host, gs_gpu_host_bytes(capacity), cudaHostRegisterDefault));
    buffers->pinned = true;
    /* One key more than needed: a key that a flipped bit sends to another bin than it was counted
     * for may be written after the last, and must then be reported rather than overwrite what lies
     * there. */
    GS_CUDA_TRY(cudaMalloc((void **)&buffers->keys, (capacity + 1) * sizeof(gs_key)));
    GS_CUDA_TRY(cudaMalloc((void **)&buffers->other, (capacity + 1) * sizeof(gs_key)));
    GS_TRY(gs_device_sorter_open(&buffers->sorter, capacity, err));
    GS_CUDA_TRY(cudaStreamCreateWithFlags(&buffers->compute, cudaStreamNonBlocking));
    buffers->sorter.stream = buffers->compute;
    buffers->sorter.timed = true;
    for (int i = 0; i < GS_GPU_WRITERS_MAX; i++)
        GS_CUDA_TRY(cudaStreamCreateWithFlags(&buffers->fetches[i], cudaStreamNonBlocking));
cleanup:
    return st;
}

void gs_gpu_buffers_close(struct gs_gpu_buffers *buffers)
{
    if (buffers->compute != NULL)
        cudaStreamSynchronize(buffers->compute);
    gs_device_sorter_close(&buffers->sorter);
    for (int i = 0; i < GS_GPU_WRITERS_MAX; i++)
        if (buffers->fetches[i] != NULL)
            cudaStreamDestroy(buffers->fetches[i]);
    if (buffers->compute != NULL)
        cudaStreamDestroy(buffers->compute);
    cudaFree(buffers->keys);
    cudaFree(buffers->other);
    if (buffers->pinned)
        cudaHostUnregister(buffers->host);
    gs_pages_free(buffers->host, gs_gpu_host_bytes(buffers->capacity));
    (void)cudaGetLastError(); /* for example of a lost device: the next user starts afresh */
    *buffers = (struct gs_gpu_buffers){.keys = NULL};
}

void gs_gpu_describe(struct gs_run *run, const struct gs_gpu_device *device)
{
    run->stats->device_text = device->name;
    run->stats->bus_rate = device->bus_rate;
    run->stats->device_rate = device->memory_rate;
    gs_run_account_at(run, GS_STAGE_START, GS_DEVICE_GPU, device->start_ns, device->begin_ns,
                      device->begin_ns + device->start_ns);
}

static void begin_fetch(struct gs_gpu_bus *bus)
{
    pthread_mutex_lock(&bus->mutex);
    if (bus->fetches++ == 0)
        bus->since_ns = gs_now_ns();
    pthread_mutex_unlock(&bus->mutex);
}

static void end_fetch(struct gs_gpu_bus *bus)
{
    pthread_mutex_lock(&bus->mutex);
    if (--bus->fetches == 0)
        bus->ns += gs_now_ns() - bus->since_ns;
    pthread_mutex_unlock(&bus->mutex);
}

/* Copy keys to host memory, and wait until they are there. */
static enum gs_status copy_back(const gs_key *from, uint64_t count, gs_key *to, cudaStream_t stream,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_CUDA_TRY(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToHost, stream));
    GS_CUDA_TRY(cudaStreamSynchronize(stream));
cleanup:
    return st;
}

/* Fetch sorted keys into a writer's pinned buffer. */
static enum gs_status fetch_keys(void *context, unsigned thread, uint64_t first, uint64_t count,
                                 gs_key *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_buffers *buffers = context;
    if (buffers->await != NULL)
        GS_TRY(buffers->await(buffers->await_context, first, count, err));
    begin_fetch(&buffers->bus);
    st = copy_back(buffers->keys + first, count, to, buffers->fetches[thread], err);
    end_fetch(&buffers->bus);
cleanup:
    return st;
}

enum gs_status gs_gpu_buffers_emit(struct gs_gpu_buffers *buffers, struct gs_run *run,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    unsigned threads = run->plan.threads;
    const struct gs_error disorder = {GS_ERR_DEVICE, "GPU: it gave keys that are not in order"};
    struct gs_ordered ordered = {.count = run->plan.count,
                                 .fetch = fetch_keys,
                                 .context = buffers,
                                 .disorder = &disorder,
                                 .stage = GS_STAGE_DOWNLOAD,
                                 .device = GS_DEVICE_GPU,
                                 .piece_keys = gs_gpu_piece_keys(buffers->capacity),
                                 .scratch = buffers->host,
                                 .scratch_keys = gs_gpu_scratch_keys(buffers->capacity),
                                 .threads =
                                     threads < GS_GPU_WRITERS_MAX ? threads : GS_GPU_WRITERS_MAX};
    GS_CUDA_TRY(cudaStreamSynchronize(buffers->compute));
    buffers->bus.ns = 0;
    GS_TRY(gs_copy_ordered(run, &ordered, err));
    gs_run_account(run, GS_STAGE_DOWNLOAD, GS_DEVICE_GPU, buffers->bus.ns, 0, 0);
cleanup:
    return st;
}

/* Account for one stage of the device sort that began at begin_ns, in a row of the stage table. */
static void account(struct gs_run *run, enum gs_stage row, const struct gs_device_stats *stats,
                    enum gs_device_stage stage, uint64_t begin_ns)
{
    if (stats->end_ms[stage] > 0)
        gs_run_account_at(run, row, GS_DEVICE_GPU, gs_gpu_ns(stats->ms[stage]),
                          begin_ns + gs_gpu_ns(stats->begin_ms[stage]),
                          begin_ns + gs_gpu_ns(stats->end_ms[stage]));
}

uint64_t gs_gpu_account_sort(struct gs_run *run, const struct gs_device_stats *stats, uint64_t n)
{
    uint64_t begin_ns = gs_now_ns() - gs_gpu_ns(stats->total_ms);
    account(run, GS_STAGE_COUNT_BINS, stats, GS_DEVICE_COUNT_DIGITS, begin_ns);
    account(run, GS_STAGE_PREFIX_SUM, stats, GS_DEVICE_PREFIX_SUM, begin_ns);
    account(run, GS_STAGE_SCATTER, stats, GS_DEVICE_SCATTER, begin_ns);
    account(run, GS_STAGE_SCATTER, stats, GS_DEVICE_SCATTER_DIGITS, begin_ns);
    account(run, GS_STAGE_SORT_BINS, stats, GS_DEVICE_SORT_BINS, begin_ns);
    gs_run_add(run, GS_STAGE_SCATTER, n, n * 2 * GS_KEY_BYTES); /* read and written */
    gs_run_add(run, GS_STAGE_SORT_BINS, n, n * 2 * GS_KEY_BYTES);
    return begin_ns;
}
