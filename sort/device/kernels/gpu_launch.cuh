/* gpu_launch.cuh -- launch a kernel so that its setup overlaps the end of the kernel before it.
 * SPDX-License-Identifier: MIT
 *
 * With few keys each stage takes a few microseconds, and as many would pass between two kernels:
 * the last blocks leave, memory is synchronized, a grid is set up, its first blocks load code and
 * arguments. From compute capability 9.0 on a grid may start on that before the grid ahead of it in
 * the stream is done (CUDA Programming Guide, "Programmatic Dependent Launch"). gs_launch_next
 * allows it; the kernel's first statement, after_previous, waits for the grid ahead to end. Blocks
 * are let in when all blocks of the grid ahead have done their work: letting them in when all of
 * those have begun was as good with few keys and slower with many. (heavy_keys_gpu.cu, which has
 * work of its own to do meanwhile, is faster that way.) As every block of such a kernel waits, a
 * kernel comes after all the kernels before it, not just after the last one.
 */
#ifndef GS_GPU_LAUNCH_CUH
#define GS_GPU_LAUNCH_CUH

#include <cuda_runtime.h>

/* Whether kernels of this build really wait in after_previous on this device: they do if compiled
 * for 9.0 or later, not if the driver has translated code for an older architecture. */
bool gs_launches_early(void);

/* The first statement of a kernel launched by gs_launch_next, for all threads: nothing before it
 * may touch memory that another kernel writes or reads. (heavy_keys_gpu.cu and sort_bins_gpu.cu say
 * why they may.) */
static __device__ __forceinline__ void after_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* Let the blocks of the next kernel start once all blocks of this one have called this. */
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
