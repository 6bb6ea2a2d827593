/* gpu_launch.cu -- may kernels be launched early? This build's code must be compiled for that.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/kernels/gpu_launch.cuh"

static __global__ void any_kernel()
{
}

bool gs_launches_early(void)
{
    enum { DEVICES = 64 };
    static signed char early[DEVICES]; /* 0: unknown; several threads may find out at once */
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= DEVICES)
        return false;
    int known = __atomic_load_n(&early[device], __ATOMIC_RELAXED);
    if (known == 0) {
        cudaFuncAttributes attributes;
        /* All kernels are compiled for the same architectures, so any one tells. */
        known = cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess &&
                        attributes.ptxVersion >= 90
                    ? 1
                    : -1;
        __atomic_store_n(&early[device], (signed char)known, __ATOMIC_RELAXED);
    }
    return known > 0;
}
