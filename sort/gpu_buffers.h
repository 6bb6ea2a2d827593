/* gpu_buffers.h -- device memory for a sort, and the way back from it to the output.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_BUFFERS_H
#define GS_GPU_BUFFERS_H

#include "sort/device_sort.h"
#include "sort/gpu.h"

#include <pthread.h>

/* Threads that fetch and write sorted keys: while some write, others have the bus. One copies 3
 * GB/s or so into pages that are made already. With 16 of 2 MiB each 4 GiB took 0.98 of the time of
 * 8 of 4 MiB. */
#define GS_GPU_WRITERS_MAX 16

struct gs_gpu_batches;

/* The time in which anything comes back. */
struct gs_gpu_bus {
    pthread_mutex_t mutex;
    unsigned fetches; /* that are going on */
    uint64_t since_ns;
    uint64_t ns;
};

struct gs_gpu_buffers {
    uint64_t capacity;              /* keys */
    struct gs_device_sorter sorter; /* works on `compute`, and takes times */
    cudaStream_t compute;
    cudaStream_t fetches[GS_GPU_WRITERS_MAX]; /* one for each writer */
    gs_key *keys;                             /* device: what is to be sorted, at last sorted */
    gs_key *other;                            /* device: room for as many */
    gs_key *host;                             /* host memory: first keys are staged in it on
                                               * their way to the device, then the writers' */
    bool pinned;                              /* the device can reach that */
    struct gs_gpu_bus bus;
    struct gs_gpu_batches *batches; /* that sort keys when they are fetched, or NULL */
};

/* The most keys that can be on the device at once, within options->device_memory_bytes. */
uint64_t gs_gpu_capacity(const struct gs_options *options, const struct gs_gpu_device *device);

/* Host memory for up to capacity keys. */
uint64_t gs_gpu_buffers_host_bytes(uint64_t capacity);

/* That host memory, with its pages; CUDA may still be starting. */
enum gs_status gs_gpu_buffers_reserve(struct gs_gpu_buffers *buffers, uint64_t capacity,
                                      struct gs_error *err);

/* Then all else for as many keys. Close, also after a failure, waits until the device is done. */
enum gs_status gs_gpu_buffers_open(struct gs_gpu_buffers *buffers, struct gs_error *err);
void gs_gpu_buffers_close(struct gs_gpu_buffers *buffers);

/* Note which device it is and what its start took. */
void gs_gpu_describe(struct gs_run *run, const struct gs_gpu_device *device);

/* Wait until keys[0 .. count) are sorted, or have ->batches sort them, and hand them to run's
 * emitter: from output position `offset` on, in pieces numbered from *first_piece on, which is then
 * behind the last. */
enum gs_status gs_gpu_buffers_emit(struct gs_gpu_buffers *buffers, struct gs_run *run,
                                   uint64_t count, uint64_t offset, uint64_t *first_piece,
                                   struct gs_error *err);

/* Book the times of one device sort of n keys that has just ended, from the scatter on. Returns
 * when it began, by gs_now_ns. */
uint64_t gs_gpu_account_sort(struct gs_run *run, const struct gs_device_stats *stats, uint64_t n);

#endif
