/* cost.c -- two straight lines, and the measurements that set them.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cost.h"

/* Uniform keys in memory, keys a second and thread; more than this many threads wait for memory.
 * (Two threads of a Zen 5 and sixteen of a Xeon server; see tests/bench.sh.) */
#define CPU_KEYS_PER_THREAD 80e6
#define CPU_THREADS_MAX     16

/* CUDA's start with the tear-down at exit (H200 server), and the way over the bus and back: upload
 * of registered memory at 20 GB/s, download at 50 GB/s, device sort at 40 Gkeys/s. */
#define GPU_START_SECONDS   0.5
#define GPU_SECONDS_PER_KEY (4 / 20e9 + 4 / 50e9 + 1 / 40e9)

double gs_cost_cpu_seconds(uint64_t count, unsigned threads)
{
    unsigned useful = threads < CPU_THREADS_MAX ? threads : CPU_THREADS_MAX;
    return (double)count / (CPU_KEYS_PER_THREAD * useful);
}

double gs_cost_gpu_seconds(uint64_t count)
{
    return GPU_START_SECONDS + (double)count * GPU_SECONDS_PER_KEY;
}
