/* look_at_keys_gpu.cu -- the fingerprint of keys, and whether they are in order.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/keys/fingerprint_term.h"

enum { LOOK_THREADS = 256, LOOK_BLOCKS = 8 /* of each processor */ };

/* Every warp adds what its keys come to. */
static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_keys_kernel(const gs_key *keys, uint64_t n, struct gs_gpu_look *look)
{
    const uint64_t stride = (uint64_t)gridDim.x * LOOK_THREADS;
    unsigned long long fingerprint = 0, falls = 0;
#pragma unroll 4
    for (uint64_t i = blockIdx.x * (uint64_t)LOOK_THREADS + threadIdx.x; i < n; i += stride) {
        const gs_key key = keys[i];
        fingerprint += gs_term(key);
        falls += i > 0 && keys[i - 1] > key;
    }
    for (unsigned step = 16; step > 0; step /= 2) {
        fingerprint += __shfl_xor_sync(~0U, fingerprint, step);
        falls += __shfl_xor_sync(~0U, falls, step);
    }
    if (threadIdx.x % 32 != 0)
        return;
    atomicAdd(&look->fingerprint, fingerprint);
    if (falls > 0)
        atomicAdd(&look->falls, falls);
}

cudaError_t gs_look_at_keys_gpu(const gs_key *keys, uint64_t n, struct gs_gpu_look *look,
                                unsigned processors, cudaStream_t stream)
{
    look_at_keys_kernel<<<processors * LOOK_BLOCKS, LOOK_THREADS, 0, stream>>>(keys, n, look);
    return cudaGetLastError();
}
