/* gpu_chunk_times.c -- when the device did what with each chunk of the input, by its own clock.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_chunk_times.h"
#include "sort/device/gpu_call.h"

#include <stdlib.h>

enum gs_status gs_gpu_chunk_times_open(struct gs_gpu_chunk_times *times, uint64_t chunks,
                                       struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *times = (struct gs_gpu_chunk_times){.chunks = chunks};
    times->events = calloc(chunks * GS_GPU_CHUNK_EVENTS, sizeof *times->events);
    if (times->events == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    for (uint64_t i = 0; i < chunks * GS_GPU_CHUNK_EVENTS; i++)
        GS_CUDA_TRY(cudaEventCreate(&times->events[i]));
cleanup:
    return st;
}

void gs_gpu_chunk_times_close(struct gs_gpu_chunk_times *times, bool leave)
{
    if (times->events != NULL && !leave)
        for (uint64_t i = 0; i < times->chunks * GS_GPU_CHUNK_EVENTS; i++)
            if (times->events[i] != NULL)
                cudaEventDestroy(times->events[i]);
    free(times->events);
    *times = (struct gs_gpu_chunk_times){.events = NULL};
}

/* Account for the time between two events. */
static enum gs_status account_between(struct gs_run *run, enum gs_stage stage, cudaEvent_t begin,
                                      cudaEvent_t end, cudaEvent_t known, uint64_t known_ns,
                                      struct gs_error *err)
{
    enum gs_status st = GS_OK;
    float ms = 0;
    float before_ms = 0; /* from begin to known */
    GS_CUDA_TRY(cudaEventElapsedTime(&ms, begin, end));
    GS_CUDA_TRY(cudaEventElapsedTime(&before_ms, begin, known));
    before_ms = before_ms > 0 ? before_ms : 0; /* the events' clock is coarse */
    uint64_t begin_ns = known_ns - gs_gpu_ns(before_ms);
    uint64_t ns = gs_gpu_ns(ms);
    gs_run_account_at(run, stage, GS_DEVICE_GPU, ns, begin_ns, begin_ns + ns);
cleanup:
    return st;
}

enum gs_status gs_gpu_chunk_times_account(const struct gs_gpu_chunk_times *times,
                                          struct gs_run *run, enum gs_stage stage,
                                          enum gs_gpu_chunk_event begin,
                                          enum gs_gpu_chunk_event end, cudaEvent_t known,
                                          uint64_t known_ns, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint64_t i = 0; i < times->chunks && st == GS_OK; i++)
        st = account_between(run, stage, gs_gpu_chunk_event(times, i, begin),
                             gs_gpu_chunk_event(times, i, end), known, known_ns, err);
    return st;
}
