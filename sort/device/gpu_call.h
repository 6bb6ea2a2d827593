/* gpu_call.h -- turn a failed CUDA call into a status.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_CALL_H
#define GS_GPU_CALL_H

#include "common/status.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

/* CUDA measures the time between two events in milliseconds. */
static inline uint64_t gs_gpu_ns(float ms)
{
    return (uint64_t)((double)ms * 1e6);
}

#ifdef GS_DEBUG
/* Debug builds fail call number GSORT_FAIL_GPU of the environment, and with GSORT_FAIL_GPU_LOST all
 * later ones as well; with GSORT_FAIL_GPU_MEMORY as if memory were short. GSORT_FAIL_GPU_LOG names
 * a file that grows by one byte per call. tests/gpu/inject_gpu.sh walks through all calls. */
cudaError_t gs_gpu_inject(cudaError_t error);

/* And, if GSORT_FLIP_GPU is this word, change a bit in the middle of device memory, once what is
 * queued on the stream is done. */
void gs_gpu_flip(const char *word, const void *memory, size_t bytes, cudaStream_t stream);
#else
#define gs_gpu_inject(error)                     (error)
#define gs_gpu_flip(word, memory, bytes, stream) ((void)0)
#endif

/* Needs `st`, `err` and a `cleanup:` label in scope. Calls cudaGetLastError so that the next caller
 * that asks for the last error does not find this one again. */
#define GS_CUDA_TRY(call)                                                                          \
    do {                                                                                           \
        cudaError_t cuda_error_ = gs_gpu_inject(call);                                             \
        if (cuda_error_ != cudaSuccess) {                                                          \
            (void)cudaGetLastError();                                                              \
            st = gs_fail(err,                                                                      \
                         cuda_error_ == cudaErrorMemoryAllocation ? GS_ERR_DEVICE_MEMORY           \
                                                                  : GS_ERR_DEVICE,                 \
                         0, "GPU: %s", cudaGetErrorString(cuda_error_));                           \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#endif
