/* gpu_call.h -- a CUDA call that fails becomes a status.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_CALL_H
#define GS_GPU_CALL_H

#include "common/status.h"

#include <cuda_runtime_api.h>

/* Times between two events are in milliseconds. */
static inline uint64_t gs_gpu_ns(float ms)
{
    return (uint64_t)((double)ms * 1e6);
}

#ifdef GS_DEBUG
/* Debug builds fail call number GSORT_FAIL_GPU of the environment, and with GSORT_FAIL_GPU_LOST
 * every later one; as if there were no memory with GSORT_FAIL_GPU_MEMORY. GSORT_FAIL_GPU_LOG names
 * a file that grows by a byte a call. tests/inject_gpu.sh walks through every one. */
cudaError_t gs_gpu_inject(cudaError_t error);
#else
#define gs_gpu_inject(error) (error)
#endif

/* Wants `st`, `err` and a `cleanup:` label in scope. A failed call must not be found again by the
 * next one that asks for the last error, hence the cudaGetLastError. */
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
