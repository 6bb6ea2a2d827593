/* clones.h -- let the compiler make a plain loop for several processors, chosen at run time.
 * SPDX-License-Identifier: MIT
 *
 * The choice is made once, by the dynamic linker (an indirect function); a processor never meets an
 * instruction that it lacks. Where compiler, processor or C library cannot, one version is built.
 */
#ifndef GS_CLONES_H
#define GS_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_THREAD__)
#define GS_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define GS_CLONES
#endif

#endif
