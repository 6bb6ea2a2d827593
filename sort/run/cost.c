/* cost.c -- two linear cost models, flat where more threads do not help, and their measurements.
 * SPDX-License-Identifier: MIT
 *
 * Times are of whole processes, from a file in the page cache to a new file on ext4, as `make
 * bench-files` measures them: columns cpu and gpu of its table, which shows these estimates beside
 * them. To fit the constants to another machine, run there `make bench-files BENCH="-P none 64M
 * 256M 1G 4G"` (256 MiB to 16 GiB), and compute:
 *
 *   CPU_LEAST   (cpu at the largest size, with all cores, less CPU_START) / number of keys, and as
 *               all constants a key divided by its bytes, 4
 *   CPU_THREAD  the same with --parallel=4, times 4; _FEW with --parallel=2, times 2
 *   CPU_WIDE    for --type=u64, the time that 4 bytes' constants are exceeded by
 *   GPU_KEY     difference of gpu at the two largest sizes / difference of their numbers of keys
 *   GPU_THREAD  the same with --parallel=2, times 2
 *   GPU_START   gpu at the largest size, less number of keys times GPU_KEY, less GPU_END
 *
 * A tmpfs takes about the same. The time to read a pipe is left out: both devices wait for it.
 */
#include "sort/run/cost.h"
#include "sort/keys/params.h"

#include <stdlib.h>

/* Seconds a key for one thread, for more keys than fit its cache. 2^27 and 2^28 random keys take 2
 * threads 0.32 to 0.39 and 0.64 to 0.67 s, 4 threads 0.25 and 0.50 s, 8 threads 0.17 and 0.26 s
 * (cores of an H200 server). Fewer than four threads (_FEW) create the output's pages before they
 * sort, four or more meanwhile. Keys that are not random take a quarter more. */
#define CPU_THREAD     (1.75e-9 * GS_KEY_BYTES * CPU_WIDE)
#define CPU_THREAD_FEW (1.25e-9 * GS_KEY_BYTES * CPU_WIDE_FEW)

/* The least seconds a key with any number of threads, or from MANY threads on: they wait for the
 * output's pages. (cp takes 1.1 to 1.6 ns a key.) 16 cores of an H200 server, ext4 and tmpfs: 2^29
 * keys take 0.31 to 0.36 s, 1.25 times as many 0.42 to 0.45, 1.5 times as many 0.50, 2^30 0.62 to
 * 0.66. 32 of 64 cores: 2^29, 2^30 and 2^31 keys take 0.27, 0.56 and 1.09 s on ext4, and 0.19, 0.39
 * and 0.81 on tmpfs; the GPU there 0.44, 0.67 and 0.98 on ext4, 0.47, 0.62 and 1.68 on tmpfs. */
#define CPU_LEAST      (0.1525e-9 * GS_KEY_BYTES * CPU_WIDE)
#define CPU_LEAST_MANY (0.12e-9 * GS_KEY_BYTES * CPU_WIDE)
#define MANY           24

/* A byte of a wider key takes that many times as long. 2 GiB of keys of 8 bytes take 2, 4 and 16
 * cores 2.0, 1.2 and 0.42 s, of 16 bytes 2.0, 0.90 and 0.34 s; the GPU takes 0.75, 0.43 and 0.39 s,
 * whatever their width (H200 server, tmpfs). */
#define CPU_WIDE     (GS_BITS == 64 ? 1.28 : 1)
#define CPU_WIDE_FEW (GS_BITS == 32 ? 1 : 1.5)

/* Seconds to start threads, to map memory and to end the process. */
#define CPU_START 0.01

/* The GPU takes as long for the same bytes, whatever the width of a key: it waits for the bus.
 * Measured on several H200 servers, with keys of 4 bytes: CUDA's start takes 0.15 to 0.17 s, the
 * end of the process 0.07 s; 2^28 keys take 0.30 to 0.35 s, 2^29 0.37 to 0.42, 1.25 times as many
 * 0.40 to 0.47, 1.5 times as many 0.47 to 0.51, 2^30 0.51 to 0.66. GPU_THREAD is the copying by few
 * threads: 2^27 and 2^28 keys take 2 threads 0.35 to 0.41 and 0.48 to 0.54 s, 4 threads 0.31 and
 * 0.40, 8 threads 0.29 and 0.32. CPU and GPU break even at 2.9 GiB with 16 cores, 660 MiB with 4
 * and 540 MiB with 2. */
#define GPU_START  0.16
#define GPU_END    0.07
#define GPU_KEY    (0.0825e-9 * GS_KEY_BYTES)
#define GPU_THREAD (0.475e-9 * GS_KEY_BYTES)

/* Seconds for count keys: `thread` a key shared by all threads, but at least `least` a key. */
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

/* The CPU then distributes the keys, and still waits for the bus. 2 GiB in pieces of 1.4 GiB take 2
 * threads 2.0 s whatever the width, and without a GPU 1.7 to 1.8, 2.3 to 2.5 and 2.6 s for keys of
 * 4, 8 and 16 bytes; 16 threads 0.8 to 0.9 s, and 0.33 to 0.38 (H200 server, tmpfs). */
#define PIECES_THREADS 2

bool gs_cost_pieces_pay(unsigned threads)
{
    return GS_BITS > 32 && threads <= PIECES_THREADS;
}
