/* dealing.h -- deal records, or their positions, to bins; let those of a bin change places.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEALING_H
#define GS_DEALING_H

#include "sort/check/record_fingerprint.h"
#include "sort/shuffle/draw.h"
#include "sort/types/types.h"

/* The records of all spans, one after the other. */
struct gs_shuffle_input {
    const struct gs_span *spans;
    size_t span_count;
    uint64_t *firsts; /* [span_count + 1]: positions of the first records of each */
    uint64_t from;    /* of the first record that is dealt next */
    unsigned record_bytes;
};

enum gs_status gs_shuffle_input_open(struct gs_shuffle_input *input,
                                     const struct gs_options *options, const struct gs_span *spans,
                                     size_t span_count, struct gs_error *err);
void gs_shuffle_input_close(struct gs_shuffle_input *input);

/* The record at a position; *count of them follow each other there, that one included. */
const char *gs_shuffle_record(const struct gs_shuffle_input *input, uint64_t position,
                              uint64_t *count);

static inline uint64_t gs_shuffle_count(const struct gs_shuffle_input *input)
{
    return input->firsts[input->span_count];
}

/* The fingerprint of `count` of them from input->from on. */
uint64_t gs_shuffle_sum(const struct gs_shuffle_input *input, uint64_t count, unsigned threads);

/* Records [first, first + count) of a node, being dealt by so many threads. */
struct gs_dealing {
    uint64_t node;
    uint64_t first, count;
    unsigned threads;
    uint64_t *next;                       /* [threads][bins]: where a thread's next record goes */
    uint64_t starts[GS_SHUFFLE_BINS + 1]; /* of the bins, in what is dealt */
};

/* Bytes that it takes. */
static inline uint64_t gs_dealing_bytes(unsigned threads)
{
    return sizeof(struct gs_dealing) + threads * (GS_SHUFFLE_BINS * sizeof(uint64_t));
}

/* Room for a deal; NULL: there is no memory. Free it. */
struct gs_dealing *gs_dealing_new(unsigned threads);

/* For each thread, what gs_shuffle_mix needs for bins of up to `most` records: a deal, or NULL if
 * none is dealt again. NULL: there is no memory. */
struct gs_dealing **gs_dealings_new(unsigned threads, uint64_t most);
void gs_dealings_free(struct gs_dealing **deals, unsigned threads);

/* Find deal->starts for some records of a node, by deal->threads. */
void gs_dealing_count(struct gs_dealing *deal, uint64_t node, uint64_t first, uint64_t count);

/* The records of the largest bin. */
uint64_t gs_dealing_largest(const struct gs_dealing *deal);

/* Then copy the records from input->from on to `to`: by bin, and in each as they come. */
void gs_dealing_records(struct gs_dealing *deal, const struct gs_shuffle_input *input, char *to);

/* The checksum of what that would copy, by gs_dealing_checksum, instead of it. */
uint64_t gs_dealing_sum(struct gs_dealing *deal, const struct gs_shuffle_input *input);

/* That of the record at a place of what is dealt: those of all add up. Of a size that the compiler
 * knows, it takes a fifth of the time. */
static inline __attribute__((always_inline)) uint64_t
gs_dealing_checksum(const char *record, unsigned bytes, uint64_t place)
{
    uint32_t word;
    if (bytes == sizeof(uint64_t))
        return gs_random(gs_word_at(record), place);
    if (bytes != sizeof word)
        return gs_random(gs_record_hash(record, bytes), place);
    memcpy(&word, record, sizeof word);
    return gs_random(word, place);
}

/* The same as gs_dealing_records for elements of so many bytes that are the positions of records,
 * those of bins [bin, end) alone: once for each bin. */
void gs_dealing_positions(struct gs_dealing *deal, uint32_t bin, uint32_t end, unsigned bytes,
                          char *to);

/* The bytes that such an element needs, of so many. */
static inline unsigned gs_position_bytes(uint64_t count)
{
    return count <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
}

/* Element i of an array of them. */
static inline uint64_t gs_position_at(const char *positions, unsigned bytes, uint64_t i)
{
    return bytes == sizeof(uint32_t) ? ((const uint32_t *)(const void *)positions)[i]
                                     : ((const uint64_t *)(const void *)positions)[i];
}

/* More records than any bin has, of so many in all, but for one seed in millions. */
uint64_t gs_shuffle_most(uint64_t count);

/* Can records of this size change places themselves? */
static inline bool gs_shuffle_swaps(unsigned bytes)
{
    return bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

/* Put the `count` records of a node, all there are, into its random order. Returns where they are
 * then: `other` has as much room. deal: of one thread; swaps: of their size. */
char *gs_shuffle_mix(uint64_t node, char *records, uint64_t count, unsigned bytes, char *other,
                     struct gs_dealing *deal);

#endif
