/* record_fingerprint.h -- a number for a multiset of records.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_FINGERPRINT_H
#define GS_RECORD_FINGERPRINT_H

#include <stdint.h>
#include <string.h>

/* Two words into one: the halves of their product, folded. */
static inline uint64_t gs_fold(uint64_t a, uint64_t b)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)(product ^ product >> 64);
}

static inline uint64_t gs_word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Hash one record: pairs of words are multiplied, so that no byte can change unnoticed but by
 * chance. */
static inline __attribute__((always_inline)) uint64_t gs_record_hash(const char *record,
                                                                     uint64_t bytes)
{
    uint64_t sum = 0x9E3779B97F4A7C15U ^ bytes;
    uint64_t at = 0;
    uint64_t rest[2] = {0, 0};
    for (; at + 16 <= bytes; at += 16)
        sum = gs_fold(sum ^ gs_word_at(record + at),
                      0xD6E8FEB86659FD93U ^ gs_word_at(record + at + 8)) +
              at;
    if (bytes - at == 8) /* so often that the copy of any size is worth avoiding */
        rest[0] = gs_word_at(record + at);
    else if (bytes > at)
        memcpy(rest, record + at, bytes - at);
    sum = gs_fold(sum ^ rest[0], 0xA0761D6478BD642FU ^ rest[1]);
    return gs_fold(sum, 0xE7037ED1A0B428DBU);
}

/* The sum, modulo 2^64, of a hash of each record. */
uint64_t gs_records_fingerprint(const void *records, uint64_t record_bytes, uint64_t count);

#endif
