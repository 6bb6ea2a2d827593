/* choose_tags.c -- what of records goes to their tags.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/tags.h"
#include "sort/keys/sample_position.h"
#include "sort/tags/make_tags.h"
#include "sort/tags/steps.h"

#define LOOKS   1024       /* at records, for what their strings share */
#define GAP_MIN 2          /* bytes */
#define KNOWN   UINT32_MAX /* where a byte goes that is alike in all records */

/* May tags be made plainly? */
static bool are_plain(const struct gs_tags *tags)
{
    bool plain = tags->move_count > 0 && tags->move_count <= GS_PLAIN_MOVES_MAX && !tags->begins &&
                 tags->moved >= tags->prefix_bytes;
    for (uint32_t i = 0; i < tags->move_count; i++)
        plain = plain && tags->moves[i].how.plain;
    return plain;
}

uint32_t gs_tags_same_bytes(const struct gs_tags *tags, const void *a, const void *b, uint32_t from,
                            uint32_t most)
{
    for (uint32_t done = 0; done < most; done += GS_TAG_HEAD) {
        const struct gs_record_head of_a = gs_record_head_at(tags->order, a, from + done);
        const struct gs_record_head of_b = gs_record_head_at(tags->order, b, from + done);
        const uint32_t same = gs_record_head_same(of_a, of_b);
        if (same < GS_TAG_HEAD)
            return done + same < most ? done + same : most;
    }
    return most;
}

/* Add a gap, of what this record has there; the tag's byte for its side is `at`. */
static void add_gap(struct gs_tags *tags, const void *record, uint32_t from, uint32_t end,
                    uint32_t at)
{
    uint32_t heads = 0;
    if (tags->gap_count > 0) {
        const struct gs_tag_gap *last = &tags->gaps[tags->gap_count - 1];
        heads = last->alike + (last->end - last->from + GS_TAG_HEAD - 1) / GS_TAG_HEAD;
    }
    tags->gaps[tags->gap_count++] =
        (struct gs_tag_gap){.from = from, .end = end, .at = at, .alike = heads};
    for (; from < end; from += GS_TAG_HEAD)
        tags->alike[heads++] = gs_head_begin(gs_tags_head(tags, record, from), end - from);
    tags->tagger.tag = gs_tag_any;
}

/* Byte i of words that are a big-endian number, as a mask. */
static uint64_t byte_mask(uint32_t i)
{
    return UINT64_C(0xff) << (56 - 8 * (i % 8));
}

/* Let byte `at` of strings, behind what all share, become byte `to` of the tag; or, KNOWN, be what
 * it is in this record. False if no word has it. */
static bool add_move(struct gs_tags *tags, const void *record, uint32_t at, uint32_t to)
{
    struct gs_tag_move new = {.turn = 0};
    const uint32_t in_string = tags->from + at;
    if (in_string >= tags->order->string_bytes)
        return true; /* zeros behind its end */
    if (gs_record_word_at(tags->order, in_string, &new.how, &new.begin) == 0)
        return false;
    const uint32_t in_word = in_string - new.begin;
    const bool goes = to != KNOWN;
    if (goes) {
        new.turn = (8 * in_word - 8 * to) % 64;
        *(to < 8 ? &new.high : &new.low) = byte_mask(to);
    } else {
        new.is_known = byte_mask(in_word);
        new.known = gs_record_word_by(&new.how, record) & new.is_known;
    }
    struct gs_tag_move *move = &tags->moves[0];
    const struct gs_tag_move *end = move + tags->move_count;
    while (move < end && (move->begin != new.begin ||
                          (goes && (move->high | move->low) != 0 && move->turn != new.turn)))
        move++;
    if (move == end) {
        *move = new;
        tags->move_count++;
        return true;
    }
    if (goes)
        move->turn = new.turn;
    move->high |= new.high;
    move->low |= new.low;
    move->known |= new.known;
    move->is_known |= new.is_known;
    return true;
}

/* Know the end of the gap in front of the window, as far as it is in the same word as that. */
static bool know_begin(struct gs_tags *tags, const void *record)
{
    struct gs_record_word how;
    uint32_t begin;
    uint32_t at = tags->from + tags->window_at;
    if (at >= tags->order->string_bytes || gs_record_word_at(tags->order, at, &how, &begin) == 0)
        return false;
    at = begin > tags->from ? begin - tags->from : 0;
    tags->begins = at > 0;
    while (at < tags->window_at)
        add_move(tags, record, at++, KNOWN);
    return true;
}

/* A move takes no more of a word than its mask keeps. So it may turn it by what the word would be
 * shifted: then most words are plain. */
static void make_plain(struct gs_tag_move *move)
{
    struct gs_record_word *how = &move->how;
    const uint32_t shift = how->shift, back = -shift & 63;
    if (how->bytes < sizeof(uint64_t) || how->is_folded)
        return;
    how->flip = how->flip >> shift | how->flip << back;
    move->known = move->known >> shift | move->known << back;
    move->is_known = move->is_known >> shift | move->is_known << back;
    move->turn = (move->turn + shift) % 64;
    how->shift = 0;
    how->mask = UINT64_MAX;
    how->plain = true;
}

/* Find gaps in the window, of which `varies` says what is not the same in all records, and how tags
 * are made then. Strings count up to byte `most`. */
static void find_gaps(struct gs_tags *tags, const void *record, const uint64_t *varies,
                      uint32_t most)
{
    const uint32_t start = tags->window_at;
    const uint32_t end = most - start < GS_TAG_WINDOW ? most - start : GS_TAG_WINDOW; /* of gaps */
    uint32_t to = tags->gap_count;
    bool found = know_begin(tags, record);
    for (uint32_t at = 0; at < GS_TAG_WINDOW && to < tags->prefix_bytes; to++) {
        uint32_t same = 0;
        while (at + same < end && (varies[(at + same) / 8] & byte_mask(at + same)) == 0)
            same++;
        if (same >= GAP_MIN && at + same < end && tags->gap_count < GS_TAG_GAPS_MAX) {
            add_gap(tags, record, start + at, start + at + same, to);
            for (; same > 0; same--)
                found = found && add_move(tags, record, start + at++, KNOWN);
        } else {
            found = found && add_move(tags, record, start + at++, to);
        }
    }
    tags->moved = to;
    for (uint32_t i = 0; i < tags->gap_count; i++)
        gs_head_put(&tags->sides, (struct gs_record_head){(uint64_t)1 << 56, 0}, tags->gaps[i].at);
    if (!found)
        tags->move_count = 0;
    for (uint32_t i = 0; i < tags->move_count; i++)
        make_plain(&tags->moves[i]);
    if (are_plain(tags))
        tags->tagger.tag = gs_tag_plain;
}

/* Look at some records for what their strings, which count up to byte `most` behind what all share,
 * have alike. */
static void look(struct gs_tags *tags, const struct gs_tiles *tiles, uint32_t most)
{
    const uint64_t count = gs_tiles_keys(tiles);
    const uint64_t looks = count < LOOKS ? count : LOOKS;
    if (count == 0)
        return;
    const void *first = gs_tiles_part(tiles, 0, 1).records;
    uint32_t shared = most < GS_TAG_SHARED_MAX ? most : GS_TAG_SHARED_MAX;
    for (uint64_t i = 1; i < looks && shared > 0; i++) {
        const uint64_t position = gs_sample_position(i, looks, count, 0);
        shared = gs_tags_same_bytes(tags, first, gs_tiles_part(tiles, position, 1).records,
                                    tags->from, shared);
    }
    if (shared >= GAP_MIN) {
        add_gap(tags, first, 0, shared, 0);
        tags->window_at = shared;
    }
    uint64_t varies[4] = {0};
    for (uint64_t i = 1; i < looks; i++) {
        const uint64_t position = gs_sample_position(i, looks, count, 0);
        const void *record = gs_tiles_part(tiles, position, 1).records;
        for (unsigned h = 0; h < 2; h++) {
            const uint32_t from = tags->window_at + h * GS_TAG_HEAD;
            const struct gs_record_head a = gs_tags_head(tags, first, from);
            const struct gs_record_head b = gs_tags_head(tags, record, from);
            varies[2 * h] |= a.high ^ b.high;
            varies[2 * h + 1] |= a.low ^ b.low;
        }
    }
    find_gaps(tags, first, varies, most);
    if (GS_KEY_BITS == 64)
        gs_tags_choose_steps(tags, tiles, most);
}

uint32_t gs_tags_index_bytes(const struct gs_span *spans, size_t span_count)
{
    uint64_t count = 0;
    uint32_t bytes = 4;
    for (size_t i = 0; i < span_count; i++)
        count += spans[i].count;
    while (count >> (8 * bytes - 1) != 0) /* one bit more: no index is the mask */
        bytes++;
    return bytes;
}

void gs_tags_init(struct gs_tags *tags, const struct gs_options *options, uint32_t from,
                  const struct gs_span *spans, size_t span_count)
{
    struct gs_tiles tiles;
    const struct gs_format *format = options->format;
    *tags = (struct gs_tags){.tagger = {.record_bytes = format->record_bytes, .tag = gs_tag_any},
                             .order = options->records,
                             .reverse = options->reverse,
                             .string_bytes = options->records->string_bytes,
                             .from = from};
    tags->index_bits = 8 * gs_tags_index_bytes(spans, span_count);
    tags->prefix_bytes = (GS_KEY_BITS - tags->index_bits) / 8;
    if (gs_tiles_tag(&tiles, &tags->tagger, spans, span_count, NULL) != GS_OK)
        return; /* not an error: prefixes only tell less */
    /* Under unique, records with the same keys get tags that agree in all that is told by keys. */
    look(tags, &tiles, (options->unique ? tags->order->key_bytes : tags->string_bytes) - from);
    gs_tiles_free(&tiles);
}

unsigned gs_tags_loose_bits(const struct gs_tags *tags, bool unique)
{
    const uint32_t keys = tags->order->key_bytes - (unique ? tags->from : 0);
    if (tags->whole && !unique)
        return 0;
    if (tags->stepped)
        return tags->index_bits;
    uint32_t told = keys; /* bytes of the tag that tell records apart for sure */
    for (uint32_t i = 0; i < tags->gap_count; i++)
        told = tags->gaps[i].at + 1 + keys - tags->gaps[i].end;
    if (!unique || told > tags->prefix_bytes)
        told = tags->prefix_bytes;
    return GS_KEY_BITS - 8 * told;
}

/* Does a tag say that its record has what is alike in a gap? */
static bool has_alike(const struct gs_tags *tags, const struct gs_tag_gap *gap, gs_key tag)
{
    const gs_key bytes = (tags->reverse ? ~tag : tag) >> (GS_KEY_BITS - 8 - 8 * gap->at);
    return (uint8_t)bytes == 1;
}

/* Where in the strings the part behind a tag's first bytes begins; sides are among these. */
static uint32_t next_behind(const struct gs_tags *tags, gs_key tag, uint32_t bytes)
{
    uint32_t next = bytes;
    if (tags->stepped)
        return gs_tags_next_behind_steps(tags, tag);
    for (uint32_t i = 0; i < tags->gap_count; i++) {
        const struct gs_tag_gap *gap = &tags->gaps[i];
        const bool has = has_alike(tags, gap, tag);
        next = bytes - gap->at - 1 + (has ? gap->end : gap->from);
        if (!has)
            break;
    }
    return tags->from + next;
}

uint32_t gs_tag_next(const struct gs_tags *tags, gs_key tag)
{
    return next_behind(tags, tag, tags->prefix_bytes);
}

uint32_t gs_tag_shared(const struct gs_tags *tags, gs_key tag, unsigned loose_bits)
{
    return next_behind(tags, tag, (GS_KEY_BITS - loose_bits) / 8);
}

bool gs_tag_tells_keys(const struct gs_tags *tags, gs_key tag)
{
    for (uint32_t i = 0; i < tags->gap_count; i++)
        if (!has_alike(tags, &tags->gaps[i], tag))
            return false;
    return gs_tag_next(tags, tag) >= tags->order->key_bytes;
}

gs_key gs_tag_again(const struct gs_tags *tags, const void *record, uint32_t from, gs_key tag)
{
    const struct gs_record_head head = gs_record_head_at(tags->order, record, from);
    return gs_make_tag(tags, gs_tag_of_words(head.high, head.low), gs_tag_index(tags, tag));
}
