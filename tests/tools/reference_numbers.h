/* reference_numbers.h -- numbers of all types as the reference reads and compares them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_REFERENCE_NUMBERS_H
#define GS_REFERENCE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 reference_bits;

struct reference_key {
    size_t offset;
    size_t width;
    char letter; /* u, i, f, B (bf16), M (dates, and what numpy calls m8), b */
    int big;
    int down;
    size_t woven; /* of zorder(): so many from this one on are one key */
};

/* Read "u32ber": one letter (two for bf16), a number, a unit of dates, be, r. */
struct reference_key reference_read_type(const char *text);

/* The number in the bytes, as it is in its memory; a signed one has all bits of its sign. */
reference_bits reference_number_at(const struct reference_key *key, const unsigned char *at);

/* Less than 0, 0 or more, as memcmp. */
int reference_compare(const struct reference_key *key, reference_bits x, reference_bits y);

/* How many numbers of the type, of at most 8 bytes, come before this one. */
uint64_t reference_place(const struct reference_key *key, reference_bits number);

#endif
