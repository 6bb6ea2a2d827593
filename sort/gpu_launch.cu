/* gpu_launch.cu -- whether kernels may be set up early: what this build's code is compiled for.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu_launch.cuh"

static __global__ void any_kernel()
{
}

bool gs_launches_early(void)
{
    static int early = -1; /* not known; more than one thread may find it out */
    int known = __atomic_load_n(&early, __ATOMIC_RELAXED);
    if (known < 0) {
        cudaFuncAttributes attributes;
        /* All kernels are compiled alike, so one tells. */
        known = cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess &&
                attributes.ptxVersion >= 90;
        __atomic_store_n(&early, known, __ATOMIC_RELAXED);
    }
    return known != 0;
}
