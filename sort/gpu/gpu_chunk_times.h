/* gpu_chunk_times.h -- when the device did what with each chunk of the input, by its own clock.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_CHUNK_TIMES_H
#define GS_GPU_CHUNK_TIMES_H

#include "sort/run/stages.h"

#include <cuda_runtime_api.h>

/* The last two only if keys are sorted in batches. */
enum gs_gpu_chunk_event {
    GS_GPU_UPLOAD_BEGUN,
    GS_GPU_UPLOAD_DONE,
    GS_GPU_COUNT_BEGUN,
    GS_GPU_COUNT_DONE,
    GS_GPU_PLACED,
    GS_GPU_SCATTERED,
    GS_GPU_CHUNK_EVENTS
};

struct gs_gpu_chunk_times {
    uint64_t chunks;
    cudaEvent_t *events; /* [chunk][GS_GPU_CHUNK_EVENTS] */
};

/* Close it also after a failure. leave: leave the events to the end of the process. */
enum gs_status gs_gpu_chunk_times_open(struct gs_gpu_chunk_times *times, uint64_t chunks,
                                       struct gs_error *err);
void gs_gpu_chunk_times_close(struct gs_gpu_chunk_times *times, bool leave);

/* The event of a chunk, for the caller to record. */
static inline cudaEvent_t gs_gpu_chunk_event(const struct gs_gpu_chunk_times *times, uint64_t chunk,
                                             enum gs_gpu_chunk_event event)
{
    return times->events[chunk * GS_GPU_CHUNK_EVENTS + event];
}

/* Account in row `stage` for the time between two events of every chunk, all of which are over.
 * `known` is an event that happened at known_ns by gs_now_ns. */
enum gs_status gs_gpu_chunk_times_account(const struct gs_gpu_chunk_times *times,
                                          struct gs_run *run, enum gs_stage stage,
                                          enum gs_gpu_chunk_event begin,
                                          enum gs_gpu_chunk_event end, cudaEvent_t known,
                                          uint64_t known_ns, struct gs_error *err);

#endif
