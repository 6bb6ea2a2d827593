/* gpu_upload.h -- move the input to device memory, by the fastest way that the system allows.
 * SPDX-License-Identifier: MIT
 *
 * Keys in a large piece of host memory are registered with the driver, a read-only mapping of a
 * file too, and the device fetches them from there. Where that is refused (old kernels, some file
 * systems), and for small pieces, they are copied through pinned buffers. Which it is shows at the
 * first piece.
 */
#ifndef GS_GPU_UPLOAD_H
#define GS_GPU_UPLOAD_H

#include "sort/tiles.h"

#include <cuda_runtime_api.h>

#define GS_GPU_STAGING_BUFFERS 2

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
    char *staging[GS_GPU_STAGING_BUFFERS]; /* pinned; NULL until needed */
    cudaEvent_t staged[GS_GPU_STAGING_BUFFERS];
    unsigned next_staging;
    unsigned threads; /* CPU threads that register and copy */
};

/* On failure, too, gs_gpu_upload_close gives everything back: after all copies are done. */
enum gs_status gs_gpu_upload_open(struct gs_gpu_upload *upload, unsigned threads,
                                  struct gs_error *err);
void gs_gpu_upload_close(struct gs_gpu_upload *upload);

/* Queue keys[first .. first + count) of the input for device memory at `to`, on upload->stream. The
 * input must stay as it is until the stream is done. */
enum gs_status gs_gpu_upload_keys(struct gs_gpu_upload *upload, const struct gs_tiles *tiles,
                                  uint64_t first, uint64_t count, gs_key *to, struct gs_error *err);

#endif
