/* tags.c -- make tags of records.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/tags.h"
#include "sort/keys/sample_position.h"

#define LOOKS      1024 /* at records, for what their strings share */
#define PREFETCHED 2048 /* bytes ahead of the record whose tag is made */

/* The bytes of a key as a big-endian number. */
static inline gs_key load_head(const void *bytes)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, bytes, sizeof(gs_key));
    return gs_tag_of_words(__builtin_bswap64(words[0]), __builtin_bswap64(words[1]));
}

/* The string's bytes [from, from + count), at most a key's, as a number's highest ones. */
static inline gs_key string_part(const struct gs_record_order *order, const void *record,
                                 uint32_t from, uint32_t count)
{
    uint8_t bytes[16] = {0};
    gs_record_string(order, record, from, count, bytes);
    return load_head(bytes);
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
            quick ? gs_record_head_quickly(order, record) : gs_record_head_slowly(order, record);
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

/* The prefix where a beginning is left out. */
static gs_key prefix_behind_shared(const struct gs_tags *tags, const void *record)
{
    uint8_t start[GS_TAG_SHARED_MAX];
    gs_record_string(tags->order, record, 0, tags->shared_bytes, start);
    int order = memcmp(start, tags->shared, tags->shared_bytes);
    uint32_t from = order == 0 ? tags->shared_bytes : 0;
    gs_key side = order < 0 ? 0 : order == 0 ? 1 : 2;
    return side << (GS_KEY_BITS - 8) |
           string_part(tags->order, record, from, tags->prefix_bytes - 1) >> 8;
}

static void tag_behind_shared(const struct gs_tagger *tagger, const void *records, uint64_t first,
                              uint64_t count, gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    const char *record = records;
    for (uint64_t i = 0; i < count; i++, record += tagger->record_bytes)
        to[i] = make_tag(tags, prefix_behind_shared(tags, record), first + i);
}

/* How many bytes of their strings some records share, at the beginning. */
static uint32_t find_shared(struct gs_tags *tags, const struct gs_tiles *tiles)
{
    const uint64_t count = gs_tiles_keys(tiles);
    const uint64_t looks = count < LOOKS ? count : LOOKS;
    uint32_t shared =
        tags->string_bytes < GS_TAG_SHARED_MAX ? tags->string_bytes : GS_TAG_SHARED_MAX;
    if (count == 0)
        return 0;
    gs_record_string(tags->order, gs_tiles_part(tiles, 0, 1).records, 0, shared, tags->shared);
    for (uint64_t i = 1; i < looks && shared > 0; i++) {
        uint8_t start[GS_TAG_SHARED_MAX];
        uint64_t position = gs_sample_position(i, looks, count, 0);
        gs_record_string(tags->order, gs_tiles_part(tiles, position, 1).records, 0, shared, start);
        uint32_t same = 0;
        while (same < shared && start[same] == tags->shared[same])
            same++;
        shared = same;
    }
    return shared;
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
    tags->shared_bytes = find_shared(tags, &tiles);
    if (tags->shared_bytes >= 2)
        tags->tagger.tag = tag_behind_shared;
    else
        tags->shared_bytes = 0;
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
    return make_tag(tags, string_part(tags->order, record, from, tags->prefix_bytes),
                    gs_tag_index(tags, tag));
}
