/* gpu_buffers.h -- device memory for a sort, and the way back from it to the output.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_BUFFERS_H
#define GS_GPU_BUFFERS_H

#include "sort/device/device_sort.h"
#include "sort/gpu/gpu_capacity.h"
#include "sort/gpu/gpu_start.h"
#include "sort/run/run.h"

#include <pthread.h>

/* Measures the time in which at least one fetch is going on. */
struct gs_gpu_bus {
    pthread_mutex_t mutex;
    unsigned fetches; /* going on */
    uint64_t since_ns;
    uint64_t ns;
};

struct gs_gpu_buffers {
    uint64_t capacity;              /* keys */
    struct gs_device_sorter sorter; /* works on `compute`, and is timed */
    cudaStream_t compute;
    cudaStream_t fetches[GS_GPU_WRITERS_MAX]; /* one for each writer */
    gs_key *keys;  /* device: the keys to be sorted, finally the sorted keys */
    gs_key *other; /* device: a second buffer of the same size */
    gs_key *host;  /* first stages keys on their way to the device, then holds the writers' keys */
    bool pinned;   /* whether host is registered with the device */
    struct gs_gpu_bus bus;
    /* Keys that are not sorted yet: a writer calls this before it fetches keys[first .. first +
     * count), and goes on when they are. NULL: all are sorted. */
    enum gs_status (*await)(void *context, uint64_t first, uint64_t count, struct gs_error *err);
    void *await_context;
};

/* Allocate the host memory (gs_gpu_host_bytes), and touch its pages; CUDA may still be starting. */
enum gs_status gs_gpu_buffers_reserve(struct gs_gpu_buffers *buffers, uint64_t capacity,
                                      struct gs_error *err);

/* Then allocate all else for that capacity. Close it also after a failure; that waits until the
 * device is done. */
enum gs_status gs_gpu_buffers_open(struct gs_gpu_buffers *buffers, struct gs_error *err);
void gs_gpu_buffers_close(struct gs_gpu_buffers *buffers);

/* Note in run's statistics which device it is and how long its start took. */
void gs_gpu_describe(struct gs_run *run, const struct gs_gpu_device *device);

/* Wait until all keys are sorted, or ask ->await for them, and hand them to run's emitter. */
enum gs_status gs_gpu_buffers_emit(struct gs_gpu_buffers *buffers, struct gs_run *run,
                                   struct gs_error *err);

/* Account for one device sort of n keys that has just ended, from the scatter on. Returns when it
 * began, by gs_now_ns. */
uint64_t gs_gpu_account_sort(struct gs_run *run, const struct gs_device_stats *stats, uint64_t n);

#endif
