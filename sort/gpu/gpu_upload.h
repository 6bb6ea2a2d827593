/* gpu_upload.h -- move the input to device memory, in the fastest way that the system allows.
 * SPDX-License-Identifier: MIT
 *
 * Several threads copy keys through pinned buffers; records that are not keys become keys there. If
 * there are few threads, large pieces of host memory (read-only mappings of files, too) are instead
 * registered with the driver, and the device fetches the keys from there. If the system refuses
 * that (old kernels, some file systems), which shows at the first piece, and for small pieces, keys
 * are copied after all. Registering 4 GiB ran at 20 GB/s on tmpfs and 47 on ext4, copying with 8
 * threads at 25 and 28 (H200 server, 16 cores); but registered memory must be unregistered again.
 */
#ifndef GS_GPU_UPLOAD_H
#define GS_GPU_UPLOAD_H

#include "sort/keys/tiles.h"

#include <cuda_runtime_api.h>

/* Parts of the staging memory: while half of them cross the bus, the other half is filled. */
#define GS_GPU_STAGING_PARTS 16

struct gs_gpu_range {
    void *start;
    size_t bytes;
};

struct gs_gpu_upload {
    cudaStream_t stream;
    bool registers;              /* registering is wanted and has not been refused yet */
    struct gs_gpu_range *ranges; /* the registered ranges */
    size_t range_count;
    size_t range_capacity;
    const struct gs_codec *codec; /* of the records that come, or NULL: they are keys */
    char *staging;                /* pinned; the caller owns it */
    size_t part_bytes;            /* size of each part of it */
    unsigned threads; /* that stage: a power of two; all have the same number of parts each */
    unsigned turns[GS_GPU_STAGING_PARTS];     /* pieces so far, per thread */
    cudaEvent_t staged[GS_GPU_STAGING_PARTS]; /* per part: its last content is on the device */
};

/* staging: pinned host memory of at least 4 bytes per part, in use until upload->stream is done.
 * Close waits for all copies, then frees all but staging; call it also after a failure. */
enum gs_status gs_gpu_upload_open(struct gs_gpu_upload *upload, void *staging, size_t bytes,
                                  unsigned threads, struct gs_error *err);
void gs_gpu_upload_close(struct gs_gpu_upload *upload);

/* Queue the copy of keys[first .. first + count) of the input to
 * device memory at `to`, on upload->stream. The input must not change until the stream is done. */
enum gs_status gs_gpu_upload_keys(struct gs_gpu_upload *upload, const struct gs_tiles *tiles,
                                  uint64_t first, uint64_t count, gs_key *to, struct gs_error *err);

#endif
