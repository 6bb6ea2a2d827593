/* keys.h -- the key type, in one place.
 * SPDX-License-Identifier: MIT
 *
 * A file is an array of little-endian keys without a header. A key carries no payload: equal keys
 * are indistinguishable, so every correct sort gives the same bytes.
 */
#ifndef GS_KEYS_H
#define GS_KEYS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t gs_key;

#define GS_KEY_MAX   UINT32_MAX
#define GS_KEY_BITS  32
#define GS_KEY_BYTES 4
#define PRI_GS_KEY   PRIu32

/* Keys in a cache line of 64 bytes. */
#define GS_LINE_KEYS 16

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

#endif
