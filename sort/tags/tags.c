/* tags.c -- make tags of records.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/tags.h"
#include "sort/keys/sample_position.h"

#define LOOKS      1024 /* at records, for what their strings share */
#define HEAD       16   /* bytes of a string that are looked at at once */
#define PREFETCHED 2048 /* bytes ahead of the record whose tag is made */

/* The string's first bytes from `from` on, as a number's highest ones. */
static inline gs_key string_part(const struct gs_record_order *order, const void *record,
                                 uint32_t from)
{
    const struct gs_record_head head = gs_record_head_at(order, record, from);
    return gs_tag_of_words(head.high, head.low);
}

/* A tag of a prefix, given as a number's highest bytes. */
static inline gs_key make_tag(const struct gs_tags *tags, gs_key prefix, uint64_t index)
{
    const gs_key mask = gs_tags_index_mask(tags);
    return ((tags->reverse ? ~prefix : prefix) & ~mask) | index;
}

/* Tags of all first bytes of the strings. quick, as order->quick, is a constant at every call, so
 * that the loop for the most common keys has no call in it. */
static inline __attribute__((always_inline)) void tag_all(const struct gs_tags *tags,
                                                          const char *record, uint64_t first,
                                                          uint64_t count, gs_key *to, bool quick)
{
    const struct gs_record_order *order = tags->order;
    const size_t record_bytes = tags->tagger.record_bytes;
    const gs_key mask = gs_tags_index_mask(tags);
    const gs_key turned = tags->reverse ? GS_KEY_MAX : 0;
    for (uint64_t i = 0; i < count; i++, record += record_bytes) {
        __builtin_prefetch(record + PREFETCHED);
        const struct gs_record_head head =
            quick ? gs_record_head_quickly(order, record) : gs_record_head_at(order, record, 0);
        to[i] = ((gs_tag_of_words(head.high, head.low) ^ turned) & ~mask) | (first + i);
    }
}

static void tag_plain(const struct gs_tagger *tagger, const void *records, uint64_t first,
                      uint64_t count, gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    if (tags->order->quick)
        tag_all(tags, records, first, count, to, true);
    else
        tag_all(tags, records, first, count, to, false);
}

/* The first `bytes` bytes of a head, all if there are more; zeros behind them. */
static inline struct gs_record_head first_bytes(struct gs_record_head head, uint32_t bytes)
{
    const uint32_t unused = bytes < HEAD ? 8 * (HEAD - bytes) : 0;
    return gs_record_head_left(gs_record_head_right(head, unused), unused);
}

/* On which side of the beginning that is left out is a record: 0 below, 1 it has it, 2 above. */
static inline unsigned side_of(const struct gs_tags *tags, const void *record)
{
    for (uint32_t at = 0; at < tags->shared_bytes; at += HEAD) {
        const struct gs_record_head *shared = &tags->shared[at / HEAD];
        const struct gs_record_head head =
            first_bytes(gs_record_head_at(tags->order, record, at), tags->shared_bytes - at);
        if (head.high != shared->high)
            return head.high < shared->high ? 0 : 2;
        if (head.low != shared->low)
            return head.low < shared->low ? 0 : 2;
    }
    return 1;
}

static void tag_behind_shared(const struct gs_tagger *tagger, const void *records, uint64_t first,
                              uint64_t count, gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    const char *record = records;
    for (uint64_t i = 0; i < count; i++, record += tagger->record_bytes) {
        const unsigned side = side_of(tags, record);
        const gs_key part = string_part(tags->order, record, side == 1 ? tags->shared_bytes : 0);
        __builtin_prefetch(record + PREFETCHED);
        to[i] = make_tag(tags, (gs_key)side << (GS_KEY_BITS - 8) | part >> 8, first + i);
    }
}

uint32_t gs_tags_same_bytes(const struct gs_tags *tags, const void *a, const void *b, uint32_t from,
                            uint32_t most)
{
    for (uint32_t done = 0; done < most; done += HEAD) {
        const struct gs_record_head of_a = gs_record_head_at(tags->order, a, from + done);
        const struct gs_record_head of_b = gs_record_head_at(tags->order, b, from + done);
        const uint64_t high = of_a.high ^ of_b.high;
        const uint64_t low = of_a.low ^ of_b.low;
        if ((high | low) == 0)
            continue;
        const int bits = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
        const uint32_t same = done + (uint32_t)bits / 8;
        return same < most ? same : most;
    }
    return most;
}

/* Find how many bytes of their strings some records share, at the beginning. */
static void find_shared(struct gs_tags *tags, const struct gs_tiles *tiles)
{
    const uint64_t count = gs_tiles_keys(tiles);
    const uint64_t looks = count < LOOKS ? count : LOOKS;
    if (count == 0)
        return;
    const void *first = gs_tiles_part(tiles, 0, 1).records;
    uint32_t shared =
        tags->string_bytes < GS_TAG_SHARED_MAX ? tags->string_bytes : GS_TAG_SHARED_MAX;
    for (uint64_t i = 1; i < looks && shared > 0; i++) {
        const uint64_t position = gs_sample_position(i, looks, count, 0);
        shared =
            gs_tags_same_bytes(tags, first, gs_tiles_part(tiles, position, 1).records, 0, shared);
    }
    if (shared < 2)
        return;
    tags->shared_bytes = shared;
    tags->tagger.tag = tag_behind_shared;
    for (uint32_t at = 0; at < shared; at += HEAD)
        tags->shared[at / HEAD] =
            first_bytes(gs_record_head_at(tags->order, first, at), shared - at);
}

void gs_tags_init(struct gs_tags *tags, const struct gs_options *options,
                  const struct gs_span *spans, size_t span_count)
{
    struct gs_tiles tiles;
    const struct gs_format *format = options->format;
    *tags = (struct gs_tags){.tagger = {.record_bytes = format->record_bytes, .tag = tag_plain},
                             .order = options->records,
                             .reverse = options->reverse,
                             .index_bytes = 4,
                             .string_bytes = options->records->string_bytes};
    uint64_t count = 0;
    for (size_t i = 0; i < span_count; i++)
        count += spans[i].count;
    while (count >> (8 * tags->index_bytes - 1) != 0) /* one bit more: no index is the mask */
        tags->index_bytes++;
    tags->prefix_bytes = GS_KEY_BYTES - tags->index_bytes;
    if (gs_tiles_tag(&tiles, &tags->tagger, spans, span_count, NULL) != GS_OK)
        return; /* not an error: prefixes only tell less */
    find_shared(tags, &tiles);
    gs_tiles_free(&tiles);
}

unsigned gs_tags_loose_bits(const struct gs_tags *tags, bool unique)
{
    const uint32_t keys = tags->order->key_bytes;
    uint32_t told = tags->prefix_bytes; /* bytes of the tag that tell records apart for sure */
    if (unique && tags->shared_bytes == 0 && keys < told)
        told = keys;
    else if (unique && tags->shared_bytes > 0 && keys <= tags->shared_bytes)
        told = 1;
    else if (unique && tags->shared_bytes > 0 && keys - tags->shared_bytes + 1 < told)
        told = keys - tags->shared_bytes + 1;
    return GS_KEY_BITS - 8 * told;
}

uint32_t gs_tag_next(const struct gs_tags *tags, gs_key tag)
{
    if (tags->shared_bytes == 0)
        return tags->prefix_bytes;
    gs_key side = (tags->reverse ? ~tag : tag) >> (GS_KEY_BITS - 8);
    return tags->prefix_bytes - 1 + (side == 1 ? tags->shared_bytes : 0);
}

gs_key gs_tag_again(const struct gs_tags *tags, const void *record, uint32_t from, gs_key tag)
{
    return make_tag(tags, string_part(tags->order, record, from), gs_tag_index(tags, tag));
}
