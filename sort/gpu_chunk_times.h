/* gpu_chunk_times.h -- when the device did what with each chunk of the input, by its own clock.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_CHUNK_TIMES_H
#define GS_GPU_CHUNK_TIMES_H

#include "sort/stages.h"

#include <cuda_runtime_api.h>

/* The last two where keys are sorted in batches. */
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

/* Close also after a failure; leave: the process ends, its events may stay. */
enum gs_status gs_gpu_chunk_times_open(struct gs_gpu_chunk_times *times, uint64_t chunks,
                                       struct gs_error *err);
void gs_gpu_chunk_times_close(struct gs_gpu_chunk_times *times, bool leave);

/* The event of a chunk, to be recorded. */
static inline cudaEvent_t gs_gpu_chunk_event(const struct gs_gpu_chunk_times *times, uint64_t chunk,
                                             enum gs_gpu_chunk_event event)
{
    return times->events[chunk * GS_GPU_CHUNK_EVENTS + event];
}

/* Book in a row what passed between two events of every chunk. All are over; `known` is an event
 * that was at known_ns by gs_now_ns. */
enum gs_status gs_gpu_chunk_times_account(const struct gs_gpu_chunk_times *times,
                                          struct gs_run *run, enum gs_stage stage,
                                          enum gs_gpu_chunk_event begin,
                                          enum gs_gpu_chunk_event end, cudaEvent_t known,
                                          uint64_t known_ns, struct gs_error *err);

#endif
