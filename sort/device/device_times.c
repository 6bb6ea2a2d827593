/* device_times.c -- measure by events when each stage of the device sort ran.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_times.h"
#include "sort/device/gpu_call.h"

void gs_device_mark(struct gs_device_sorter *sorter, enum gs_device_stage stage)
{
    unsigned i = sorter->event_count;
    if (!sorter->timed)
        return;
    if (i == sizeof sorter->events / sizeof *sorter->events) {
        sorter->event_error = cudaErrorUnknown; /* no sort should have so many */
        return;
    }
    sorter->event_stage[i] = (unsigned char)stage;
    sorter->event_count = i + 1;
    cudaError_t error = gs_gpu_inject(cudaEventRecord(sorter->events[i], sorter->stream));
    if (sorter->event_error == cudaSuccess)
        sorter->event_error = error;
}

void gs_device_clear_marks(struct gs_device_sorter *sorter)
{
    sorter->event_count = 0;
    sorter->event_error = cudaSuccess;
}

cudaError_t gs_device_take_times(struct gs_device_sorter *sorter, struct gs_device_stats *stats)
{
    cudaError_t error = sorter->event_error;
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(sorter->stream);
    for (unsigned i = 1; i < sorter->event_count && error == cudaSuccess; i++) {
        float ms = 0;
        error = cudaEventElapsedTime(&ms, sorter->events[i - 1], sorter->events[i]);
        unsigned stage = sorter->event_stage[i];
        if (stats->end_ms[stage] <= 0)
            stats->begin_ms[stage] = stats->total_ms;
        stats->total_ms += ms;
        stats->end_ms[stage] = stats->total_ms;
        stats->ms[stage] += ms;
    }
    return error;
}
