/* cost.c -- two straight lines, and the measurements that set them.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cost.h"

#include <stdlib.h>

/* Uniform keys, keys a second and thread: two threads of a Zen 5, in memory. More than so many
 * threads wait for memory and the page cache: fitted on an H200 server with 16 cores, files in the
 * page cache, new output: at 256 MiB the CPU was ahead of the GPU (1.2 times cp's time), at 1 GiB
 * behind (0.99). These put the break-even there at 560 MiB, and with two threads at 210 MiB.
 * tests/bench/FILES.md. */
#define CPU_KEYS_PER_THREAD 80e6
#define CPU_THREADS_MAX     5

/* The same server: CUDA's start 0.21 to 0.24 s, the process' end 0.1 s; upload by eight threads 25
 * GB/s (registered: 20 to 47), download 50 GB/s, device sort 40 Gkeys/s. */
#define GPU_START_SECONDS   (0.23 + 0.1)
#define GPU_SECONDS_PER_KEY (4 / 25e9 + 4 / 50e9 + 1 / 40e9)

double gs_cost_cpu_seconds(uint64_t count, unsigned threads)
{
    unsigned useful = threads < CPU_THREADS_MAX ? threads : CPU_THREADS_MAX;
    return (double)count / (CPU_KEYS_PER_THREAD * useful);
}

double gs_cost_gpu_seconds(uint64_t count)
{
#ifdef GS_DEBUG /* for tests: --device=auto takes the GPU for any input */
    if (getenv("GSORT_GPU_IS_FREE") != NULL)
        return (double)count * 1e-15;
#endif
    return GPU_START_SECONDS + (double)count * GPU_SECONDS_PER_KEY;
}
