/* gpu_launch.cuh -- launch a kernel so that it is set up while the one before it ends.
 * SPDX-License-Identifier: MIT
 *
 * Of few keys each stage takes a few microseconds, and as many would pass between two kernels: the
 * last blocks leave, memory is brought up to date, a grid is set up, its first blocks load code and
 * arguments. From compute capability 9.0 on a grid may begin that before the one ahead of it in the
 * stream is done (CUDA Programming Guide, "Programmatic Dependent Launch"): gs_launch_next allows
 * it, and after_previous, the first thing that the kernel does, waits for the rest. Blocks get in
 * when all blocks of the grid ahead have done their work: to let them in when all of these have
 * begun was as good with few keys, and slower with many. (heavy_keys_gpu.cu, which has work of its
 * own meanwhile, is faster so.) As each kernel launched so waits in every block, what is behind a
 * kernel is behind all that went before it.
 */
#ifndef GS_GPU_LAUNCH_CUH
#define GS_GPU_LAUNCH_CUH

#include <cuda_runtime.h>

/* Whether kernels of this build wait on this device by after_previous: they are compiled for 9.0 or
 * later, not for an older one whose code the driver has translated. */
bool gs_launches_early(void);

/* First in a kernel launched by gs_launch_next, for all threads: nothing before it may touch
 * memory that another kernel writes or reads. (heavy_keys_gpu.cu and sort_bins_gpu.cu say why they
 * may.) */
static __device__ __forceinline__ void after_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* Let the blocks of the next kernel in once all blocks of this one have done this. */
static __device__ __forceinline__ void let_next_in()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* kernel<<<blocks, threads, shared, stream>>>(arguments...) */
template <typename... PARAMETERS, typename... ARGUMENTS>
static cudaError_t gs_launch_next(void (*kernel)(PARAMETERS...), unsigned blocks, unsigned threads,
                                  size_t shared, cudaStream_t stream, ARGUMENTS... arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = gs_launches_early() ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
