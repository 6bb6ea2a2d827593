/* limits.h -- the largest values that options may have, and the default of threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LIMITS_H
#define GS_LIMITS_H

#define GS_OPTION_BINS_MAX    4096
#define GS_OPTION_SAMPLES_MAX (1 << 24)
#define GS_OPTION_LISTS_MAX   256
#define GS_OPTION_THREADS_MAX 1024

/* The most threads unless options ask for more. More threads wait in the kernel, for page faults
 * and TLB shootdowns, and gain little where memory bandwidth is the limit. On 64 processors,
 * writing to ext4, with 64, 32 and 16 threads: 2^24 keys take 21, 14 and 14 ms, 2^26 keys 53, 45
 * and 38 ms, 2^28 keys 209, 135 and 133 ms. */
#define GS_THREADS_DEFAULT 32

#endif
