/* keys.h -- the element that is sorted: an unsigned integer of GS_BITS bits.
 * SPDX-License-Identifier: MIT
 *
 * The library is compiled once for each width, 32, 64 and 128 bits. A key carries no payload: equal
 * keys are indistinguishable, so every correct sort gives the same bytes. In files and in memory
 * keys are little-endian.
 */
#ifndef GS_KEYS_H
#define GS_KEYS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef GS_BITS
#define GS_BITS 32
#endif

#if GS_BITS == 32
typedef uint32_t gs_key;
#elif GS_BITS == 64
typedef uint64_t gs_key;
#else
__extension__ typedef unsigned __int128 gs_key;
#endif

#define GS_KEY_MAX   ((gs_key) ~(gs_key)0)
#define GS_KEY_BITS  GS_BITS
#define GS_KEY_BYTES (GS_BITS / 8)

/* Keys in a cache line of 64 bytes. */
#define GS_LINE_KEYS (64 / GS_KEY_BYTES)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "gsort reads and writes keys in little-endian order and runs on little-endian machines only"
#endif

/* Another process may change the keys of a mapped file at any time. So copy them with these before
 * use: each key is read exactly once. Otherwise the compiler may load a key again instead of using
 * the copy, and get a different value. */
static inline gs_key gs_read_once(const gs_key *key)
{
    return *(const volatile gs_key *)key;
}

static inline void gs_copy_once(gs_key *to, const gs_key *keys, size_t count)
{
    memcpy(to, keys, count * sizeof *keys);
    __asm__ volatile("" : : : "memory");
}

/* Zeros above the highest set bit of a key that is not 0. */
static inline unsigned gs_key_clz(gs_key key)
{
#if GS_BITS == 32
    return (unsigned)__builtin_clz(key);
#elif GS_BITS == 64
    return (unsigned)__builtin_clzll(key);
#else
    const uint64_t high = (uint64_t)(key >> 64);
    return high != 0 ? (unsigned)__builtin_clzll(high)
                     : 64 + (unsigned)__builtin_clzll((uint64_t)key);
#endif
}

#endif
