/* gpu_upload.h -- move the input to device memory, by the fastest way that the system allows.
 * SPDX-License-Identifier: MIT
 *
 * Keys are copied through pinned buffers, by several threads. Where there are few threads, keys in
 * a large piece of host memory are registered with the driver, a read-only mapping of a file too,
 * and the device fetches them from there. Where that is refused (old kernels, some file systems),
 * and for small pieces, they are copied all the same; it shows at the first piece. Registering 4
 * GiB ran at 20 GB/s on tmpfs and 47 on ext4, copying with 8 threads at 25 and 28 (H200 server, 16
 * cores); but what is registered has to be given back.
 */
#ifndef GS_GPU_UPLOAD_H
#define GS_GPU_UPLOAD_H

#include "sort/tiles.h"

#include <cuda_runtime_api.h>

/* Parts of the staging memory: while half of them cross the bus the other half is filled. */
#define GS_GPU_STAGING_PARTS 16

struct gs_gpu_range {
    void *start;
    size_t bytes;
};

struct gs_gpu_upload {
    cudaStream_t stream;
    bool registers;              /* registering has not been refused yet */
    struct gs_gpu_range *ranges; /* what is registered */
    size_t range_count;
    size_t range_capacity;
    char *staging;     /* pinned, the caller's */
    size_t part_bytes; /* of each of its parts */
    unsigned threads;  /* that stage: a power of two; each has as many parts of its own */
    unsigned turns[GS_GPU_STAGING_PARTS];     /* of each thread: pieces so far */
    cudaEvent_t staged[GS_GPU_STAGING_PARTS]; /* what was in a part last is on the device */
};

/* staging: pinned host memory, 4 bytes for each part or more, which is used until upload->stream is
 * done. On failure, too, gs_gpu_upload_close gives everything back: after all copies are done. */
enum gs_status gs_gpu_upload_open(struct gs_gpu_upload *upload, void *staging, size_t bytes,
                                  unsigned threads, struct gs_error *err);
void gs_gpu_upload_close(struct gs_gpu_upload *upload);

/* Queue keys[first .. first + count) of the input for device memory at `to`, on upload->stream. The
 * input must stay as it is until the stream is done. */
enum gs_status gs_gpu_upload_keys(struct gs_gpu_upload *upload, const struct gs_tiles *tiles,
                                  uint64_t first, uint64_t count, gs_key *to, struct gs_error *err);

#endif
