/* make_tags.c -- the loops that make tags of records.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/make_tags.h"

#define PREFETCHED 2048 /* bytes ahead of the record whose tag is made */

/* On which side of a gap is a record: 0 below what is alike there, 1 it has that, 2 above. */
static inline unsigned side_of(const struct gs_tags *tags, const struct gs_tag_gap *gap,
                               const void *record)
{
    const struct gs_record_head *alike = &tags->alike[gap->alike];
    for (uint32_t from = gap->from; from < gap->end; from += GS_TAG_HEAD, alike++) {
        const struct gs_record_head head =
            gs_head_begin(gs_tags_head(tags, record, from), gap->end - from);
        if (head.high != alike->high)
            return head.high < alike->high ? 0 : 2;
        if (head.low != alike->low)
            return head.low < alike->low ? 0 : 2;
    }
    return 1;
}

/* The prefix of any record. */
static struct gs_record_head prefix_of(const struct gs_tags *tags, const void *record)
{
    struct gs_record_head prefix = {0, 0};
    uint32_t from = 0;
    uint32_t at = 0;
    unsigned side = 1;
    for (uint32_t i = 0; i < tags->gap_count && side == 1; i++) {
        const struct gs_tag_gap *gap = &tags->gaps[i];
        if (gap->from > from)
            gs_head_put(&prefix, gs_head_begin(gs_tags_head(tags, record, from), gap->from - from),
                        at);
        side = side_of(tags, gap, record);
        gs_head_put(&prefix, (struct gs_record_head){(uint64_t)side << 56, 0}, gap->at);
        from = side == 1 ? gap->end : gap->from;
        at = gap->at + 1;
    }
    gs_head_put(&prefix, gs_tags_head(tags, record, from), at);
    return prefix;
}

/* The same, quickly if the record has what is alike. */
static inline struct gs_record_head prefix_by_moves(const struct gs_tags *tags, const void *record)
{
    struct gs_record_head prefix = tags->sides;
    uint64_t unlike = 0;
    for (uint32_t i = 0; i < tags->move_count; i++) {
        const struct gs_tag_move *move = &tags->moves[i];
        const uint64_t word = gs_record_word_by(&move->how, record);
        unlike |= (word ^ move->known) & move->is_known;
        const uint64_t turned = word << move->turn | word >> (-move->turn & 63);
        prefix.high |= turned & move->high;
        prefix.low |= turned & move->low;
    }
    if (unlike != 0 || (tags->begins && side_of(tags, &tags->gaps[0], record) != 1))
        return prefix_of(tags, record);
    if (tags->moved < tags->prefix_bytes)
        gs_head_put(&prefix, gs_tags_head(tags, record, tags->window_at + GS_TAG_WINDOW),
                    tags->moved);
    return prefix;
}

void gs_tag_any(const struct gs_tagger *tagger, const void *records, uint64_t first, uint64_t count,
                gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    const char *record = records;
    for (uint64_t i = 0; i < count; i++, record += tagger->record_bytes) {
        __builtin_prefetch(record + PREFETCHED);
        const struct gs_record_head prefix =
            tags->move_count > 0 ? prefix_by_moves(tags, record) : prefix_of(tags, record);
        to[i] = gs_make_tag(tags, gs_tag_of_words(prefix.high, prefix.low), first + i);
    }
}

/* The same where every move is of a plain word, and nothing else has a part in tags.
 * moves is a constant at every call. */
static inline __attribute__((always_inline)) void tag_plainly(const struct gs_tags *tags,
                                                              const char *record, uint64_t first,
                                                              uint64_t count, gs_key *to,
                                                              uint32_t moves)
{
    const uint32_t record_bytes = tags->tagger.record_bytes;
    const struct gs_record_head sides = tags->sides;
    const gs_key mask = gs_tags_index_mask(tags);
    const gs_key turned = tags->reverse ? GS_KEY_MAX : 0;
    struct gs_tag_move own[GS_PLAIN_MOVES_MAX]; /* which no tag that is written changes */
    memcpy(own, tags->moves, moves * sizeof *own);
    for (uint64_t i = 0; i < count; i++, record += record_bytes) {
        uint64_t high = sides.high, low = sides.low, unlike = 0, word;
        __builtin_prefetch(record + PREFETCHED);
        for (uint32_t m = 0; m < moves; m++) {
            const struct gs_tag_move *move = &own[m];
            word = gs_record_word_plain(&move->how, record);
            unlike |= (word ^ move->known) & move->is_known;
            word = word << move->turn | word >> (-move->turn & 63);
            high |= word & move->high;
            low |= word & move->low;
        }
        if (unlike != 0) {
            const struct gs_record_head prefix = prefix_of(tags, record);
            high = prefix.high;
            low = prefix.low;
        }
        to[i] = ((gs_tag_of_words(high, low) ^ turned) & ~mask) | (first + i);
    }
}

void gs_tag_plain(const struct gs_tagger *tagger, const void *records, uint64_t first,
                  uint64_t count, gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    if (tags->move_count == 1)
        tag_plainly(tags, records, first, count, to, 1);
    else if (tags->move_count == 2)
        tag_plainly(tags, records, first, count, to, 2);
    else if (tags->move_count == 3)
        tag_plainly(tags, records, first, count, to, 3);
    else
        tag_plainly(tags, records, first, count, to, GS_PLAIN_MOVES_MAX);
}

/* Steps of words that are the prefix of a record. words is a constant at every call. */
static inline __attribute__((always_inline)) uint64_t steps_of(const struct gs_tag_steps *steps,
                                                               const char *record, uint32_t words)
{
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < words; i++, steps++) {
        const uint64_t word = gs_record_word_by(&steps->word, record);
        const uint64_t above = word - steps->least;
        if (above > steps->range) /* below or above: then what is behind tells nothing */
            return word < steps->least ? prefix : prefix | steps->last;
        prefix |= above >> steps->shift << steps->place;
    }
    return prefix;
}

static inline __attribute__((always_inline)) void tag_by_steps(const struct gs_tags *tags,
                                                               const char *record, uint64_t first,
                                                               uint64_t count, gs_key *to,
                                                               uint32_t words)
{
    struct gs_tag_steps own[GS_TAG_STEPS_MAX]; /* which no tag that is written changes */
    memcpy(own, tags->steps, words * sizeof *own);
    const size_t record_bytes = tags->tagger.record_bytes;
    const unsigned index_bits = tags->index_bits;
    const gs_key turned = tags->reverse ? ~gs_tags_index_mask(tags) : 0;
    for (uint64_t i = 0; i < count; i++, record += record_bytes) {
        __builtin_prefetch(record + PREFETCHED);
        to[i] = ((gs_key)steps_of(own, record, words) << index_bits ^ turned) | (first + i);
    }
}

void gs_tag_by_steps(const struct gs_tagger *tagger, const void *records, uint64_t first,
                     uint64_t count, gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    if (tags->stepped == 1)
        tag_by_steps(tags, records, first, count, to, 1);
    else if (tags->stepped == 2)
        tag_by_steps(tags, records, first, count, to, 2);
    else
        tag_by_steps(tags, records, first, count, to, GS_TAG_STEPS_MAX);
}
