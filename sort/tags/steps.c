/* steps.c -- prefixes of tags that are steps of words.
 * SPDX-License-Identifier: MIT
 *
 * Numbers that are small, or close to each other, leave most of their bits unused: predicates, say,
 * 7 of 64. A sample tells which words are expected, and tags have room for these alone: for all of
 * the first words, and the upper bits of the last one.
 *
 * A record with a word that is not expected has the lowest steps from there on, or the greatest:
 * so it may share its tag with records that are expected, and the order of such ties is told by
 * all of their words.
 */
#include "sort/tags/steps.h"
#include "sort/keys/sample_position.h"
#include "sort/tags/make_tags.h"

#define WORDS 256 /* at records, for the least and the greatest word */

/* The bits of a number, at least one. */
static unsigned bits_of(uint64_t number)
{
    return 64 - (unsigned)__builtin_clzll(number | 1);
}

/* Find which words are expected. Those of records that are not looked at may be as far again on
 * both sides. */
static void find_range(struct gs_tag_steps *steps, const struct gs_tiles *tiles)
{
    const uint64_t count = gs_tiles_keys(tiles);
    const uint64_t looks = count < WORDS ? count : WORDS;
    uint64_t least = UINT64_MAX, greatest = 0;
    for (uint64_t i = 0; i < looks; i++) {
        const uint64_t position = gs_sample_position(i, looks, count, 0);
        const uint64_t word =
            gs_record_word_by(&steps->word, gs_tiles_part(tiles, position, 1).records);
        least = word < least ? word : least;
        greatest = word > greatest ? word : greatest;
    }
    const uint64_t margin = greatest - least + 1; /* or 0: there are no others */
    steps->least = least > margin ? least - margin : 0;
    steps->range = (UINT64_MAX - greatest > margin ? greatest + margin : UINT64_MAX) - steps->least;
}

/* Give words their places from the top of a prefix down, which has room for so many bits, and the
 * last one what is left. */
static void place(struct gs_tag_steps *steps, uint32_t words, unsigned room)
{
    for (uint32_t i = 0; i < words; i++) {
        const unsigned bits = bits_of(steps[i].range);
        steps[i].shift = bits > room ? bits - room : 0;
        room -= bits - steps[i].shift;
        steps[i].place = room;
    }
    uint64_t last = 0;
    for (uint32_t i = words; i-- > 0;)
        last = steps[i].last = last | steps[i].range >> steps[i].shift << steps[i].place;
}

void gs_tags_choose_steps(struct gs_tags *tags, const struct gs_tiles *tiles, uint32_t most)
{
    const unsigned index_bits = bits_of(gs_tiles_keys(tiles)); /* no index is the mask */
    const unsigned room = 64 - index_bits;
    const uint32_t end = tags->from + most;
    uint32_t at = tags->from;
    uint32_t words = 0;
    unsigned bits = 0;
    while (words < GS_TAG_STEPS_MAX && bits < room && at < end) {
        struct gs_tag_steps *steps = &tags->steps[words];
        uint32_t begin;
        if (gs_record_word_at(tags->order, at, &steps->word, &begin) < sizeof(uint64_t) ||
            begin + sizeof(uint64_t) > end)
            break;
        find_range(steps, tiles);
        bits += bits_of(steps->range);
        at = begin + (uint32_t)sizeof(uint64_t);
        words++;
    }
    if (words == 0 || (at < end && bits < 8 * tags->prefix_bytes))
        return;
    place(tags->steps, words, room);
    tags->steps_tell = at;
    if (bits > room) /* the steps of the last word are many words each */
        tags->steps_tell = words > 1 ? at - (uint32_t)sizeof(uint64_t) : tags->from;
    tags->index_bits = index_bits;
    tags->prefix_bytes = room / 8;
    tags->stepped = words;
    tags->gap_count = 0;
    tags->tagger.tag = gs_tag_by_steps;
}

uint32_t gs_tags_next_behind_steps(const struct gs_tags *tags, gs_key tag)
{
    uint64_t rest = (uint64_t)((tags->reverse ? ~tag : tag) >> tags->index_bits);
    for (uint32_t i = 0; i < tags->stepped; i++) {
        const struct gs_tag_steps *steps = &tags->steps[i];
        const bool any_below = rest == 0 && steps->least > 0;
        const bool any_above = rest == steps->last && steps->least + steps->range < UINT64_MAX;
        if (any_below || any_above)
            return tags->from;
        rest &= ((uint64_t)1 << steps->place) - 1;
    }
    return tags->steps_tell;
}
