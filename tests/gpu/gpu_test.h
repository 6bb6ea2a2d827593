/* gpu_test.h -- helpers of the GPU tests: require a GPU, check CUDA errors, copy device memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_TEST_H
#define GS_GPU_TEST_H

#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Without a GPU, report that and exit with 77. */
static inline void require_gpu(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "%s: no GPU\n", program_invocation_short_name);
        exit(77);
    }
}

/* Exit with 2 on a CUDA error. */
static inline void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, cudaGetErrorString(error));
        exit(2);
    }
}

/* A copy of device memory, made once everything queued before is done. The caller frees it. */
static inline void *get(const void *device, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    if (copy == NULL)
        abort();
    must(cudaMemcpy(copy, device, bytes, cudaMemcpyDeviceToHost));
    return copy;
}

#endif
