/* vectors.h -- the vector instructions that this build has code for; chosen among at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VECTORS_H
#define GS_VECTORS_H

#if defined(__x86_64__) && defined(__GNUC__)
#define GS_HAS_AVX2 1
#else
#define GS_HAS_AVX2 0
#endif

#ifndef GS_HAS_AVX512 /* the compiler's command line may say 0: how fast is AVX2 alone? */
#define GS_HAS_AVX512 GS_HAS_AVX2
#endif

/* Before a plain loop, of which the compiler makes a version for each of some processors. The
 * choice is made once, by the dynamic linker (an indirect function); a processor never meets an
 * instruction that it lacks. Where compiler or C library cannot, one version is built. */
#if GS_HAS_AVX2 && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#if GS_HAS_AVX512
#define GS_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define GS_CLONES __attribute__((target_clones("default", "avx2")))
#endif
#else
#define GS_CLONES
#endif

#endif
