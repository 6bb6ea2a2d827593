/* limits.h -- the largest values that options may have.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LIMITS_H
#define GS_LIMITS_H

#define GS_OPTION_BINS_MAX    4096
#define GS_OPTION_SAMPLES_MAX (1 << 24)
#define GS_OPTION_LISTS_MAX   256
#define GS_OPTION_THREADS_MAX 1024

#endif
