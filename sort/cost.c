/* cost.c -- two straight lines, bent where more threads do not help, and what set them.
 * SPDX-License-Identifier: MIT
 *
 * Whole processes, a file in the page cache to a new file on ext4, as `make bench-files` measures:
 * the columns cpu and gpu of its table, with these estimates beside them. To fit them anew for a
 * machine, `make bench-files BENCH="-P none 64M 256M 1G 4G"` (256 MiB to 16 GiB) there, and:
 *
 *   CPU_LEAST   cpu at the largest size, with all cores, less CPU_START, by its keys
 *   CPU_THREAD  the same with --parallel=4, times 4; _FEW with 2, times 2
 *   GPU_KEY     the difference of gpu at the two largest sizes by that of their keys
 *   GPU_THREAD  the same with --parallel=2, times 2
 *   GPU_START   gpu at the largest size less its keys times GPU_KEY, and less GPU_END
 *
 * A tmpfs is about the same. What a pipe takes to be read is left out: it is the same for both.
 */
#include "sort/cost.h"
#include "sort/params.h"

#include <stdlib.h>

/* Seconds a key of one thread, when the keys are more than it has cache. Of 2^27 and 2^28 random
 * keys 2 threads took 0.32 to 0.39 and 0.64 to 0.67 s, 4 0.25 and 0.50, 8 0.17 and 0.26 (cores of
 * an H200 server): four and more make the output's pages while they sort, fewer before that. Keys
 * that are not random take a quarter more. */
#define CPU_THREAD     7.0e-9
#define CPU_THREAD_FEW 5.0e-9

/* And with any number of them: they wait for the output's pages. cp takes 1.1 to 1.6. 2^29 keys in
 * 0.31 to 0.36 s, 1.25 times as many in 0.42 to 0.45, 1.5 times in 0.50, 2^30 in 0.62 to 0.66 (16
 * cores of an H200 server, ext4 and tmpfs). With 32 of 64 cores 2^29, 2^30 and 2^31 keys in 0.27,
 * 0.56 and 1.09 s on ext4, 0.19, 0.39 and 0.81 on tmpfs, where the GPU took 0.44, 0.67 and 0.98,
 * and 0.47, 0.62 and 1.68. */
#define CPU_LEAST      0.61e-9
#define CPU_LEAST_MANY 0.48e-9
#define MANY           24

/* Threads, mappings, the process' end. */
#define CPU_START 0.01

/* Several of them: CUDA's start 0.15 to 0.17 s, the process' end 0.07 s; 2^28 keys in 0.30 to 0.35
 * s, 2^29 in 0.37 to 0.42, 1.25 times as many in 0.40 to 0.47, 1.5 times in 0.47 to 0.51, 2^30 in
 * 0.51 to 0.66. What few threads need to copy: 2^27 and 2^28 keys, 2 threads 0.35 to 0.41 and 0.48
 * to 0.54, 4 0.31 and 0.40, 8 0.29 and 0.32. Break-even with 16 cores is at 2.9 GiB, with 4 of them
 * at 660 MiB, with 2 at 540 MiB. */
#define GPU_START  0.16
#define GPU_END    0.07
#define GPU_KEY    0.33e-9
#define GPU_THREAD 1.9e-9

/* Of so many keys, by what one takes a thread, and any number of threads at least. */
static double seconds_of(uint64_t count, unsigned threads, double thread, double least)
{
    double key = thread / threads;
    return (double)count * (key > least ? key : least);
}

double gs_cost_cpu_seconds(uint64_t count, unsigned threads)
{
    double thread = threads < GS_THREADS_TO_SPARE ? CPU_THREAD_FEW : CPU_THREAD;
    double least = threads < MANY ? CPU_LEAST : CPU_LEAST_MANY;
    return CPU_START + seconds_of(count, threads, thread, least);
}

double gs_cost_gpu_seconds(uint64_t count, unsigned threads, bool started)
{
#ifdef GS_DEBUG /* for tests: --device=auto takes the GPU for any input */
    if (getenv("GSORT_GPU_IS_FREE") != NULL)
        return (double)count * 1e-15;
#endif
    return (started ? 0 : GPU_START) + seconds_of(count, threads, GPU_THREAD, GPU_KEY) + GPU_END;
}
