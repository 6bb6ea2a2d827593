/* typed.h -- keys of any type from the 32-bit keys of a distribution, and records around them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TYPED_H
#define GS_TYPED_H

#include "common/formats/format.h"
#include "common/formats/keys.h"

#include <stddef.h>

/* Write the key of this type that stands for a 32-bit key: in the same order as that, equal if that
 * is equal. A wider type has more random bits below, a narrower one only the upper bits. */
void gs_typed_key(const struct gs_key_type *type, uint64_t seed, gs_key key, unsigned char *to);

/* For one position in eight, replace the key by a special value of its type: zeros, infinities,
 * NaNs, and the ends of all ranges. */
void gs_typed_special(const struct gs_key_type *type, uint64_t seed, uint64_t i, unsigned char *to);

/* The bytes of record i behind its key: the position, little-endian, as far as there is room. */
void gs_typed_payload(uint64_t i, unsigned char *to, size_t bytes);

/* Record i of the sort benchmark's kind: a random key of 10 bytes, then its number in 32
 * hexadecimal digits among constant bytes and random filling. */
#define GS_GRAY_BYTES 100
void gs_gray_record(uint64_t seed, uint64_t i, unsigned char to[GS_GRAY_BYTES]);

/* Record i whose key is a path of 88 bytes, padded with zeros: most begin with the same 33.
 * Then its number, little-endian. */
#define GS_PATHS_BYTES 96
void gs_paths_record(uint64_t seed, uint64_t i, unsigned char to[GS_PATHS_BYTES]);

/* Record i of n, of any size: its bytes are mostly the same in all, others are random or of few
 * values, as the seed says; and up to 100 outliers have another byte or a few somewhere. */
void gs_alike_record(uint64_t seed, uint64_t n, uint64_t i, unsigned char *to, size_t bytes);

#endif
