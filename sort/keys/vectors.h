/* vectors.h -- the vector instructions that this build has code for; the choice is at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VECTORS_H
#define GS_VECTORS_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define GS_HAS_AVX2 1
#else
#define GS_HAS_AVX2 0
#endif

#ifndef GS_HAS_AVX512 /* -DGS_HAS_AVX512=0 builds without it, to measure AVX2 alone */
#define GS_HAS_AVX512 GS_HAS_AVX2
#endif

/* Attribute for a function that is a plain loop: the compiler generates one version for each
 * instruction set, and the dynamic linker chooses once at load time (an indirect function), so that
 * a processor never meets an instruction that it lacks. Where the compiler or the C library do not
 * support that, only the default version is built. */
#if GS_HAS_AVX2 && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#if GS_HAS_AVX512
#define GS_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define GS_CLONES __attribute__((target_clones("default", "avx2")))
#endif
#else
#define GS_CLONES
#endif

/* Is this one of AMD's processors? What is fastest there may not be on Intel's. */
static inline bool gs_is_amd(void)
{
#if GS_HAS_AVX2
    return __builtin_cpu_is("amd");
#else
    return false;
#endif
}

#endif
