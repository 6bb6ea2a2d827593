/* sift.c -- which records may be among the first or the last ones of the output?
 * SPDX-License-Identifier: MIT
 *
 * Few are, so keys are compared with the bound by groups, in a loop that compilers vectorize.
 */
#include "sort/keys/sift.h"
#include "sort/keys/typed.h"
#include "sort/keys/vectors.h"

/* Records that become keys at once: few enough to stay in the first-level cache. */
#define SIFT_KEYS 1024

/* Keys of a group: so many that most groups have none to be kept, where one in a hundred is. */
#define GROUP_KEYS 16

/* Note the keys below the bound, where both were flipped, from keys[0] on, record `first`. */
GS_CLONES static uint64_t note_below(const gs_key *keys, uint64_t count, gs_key flip, gs_key bound,
                                     uint64_t first, uint32_t *kept)
{
    uint64_t used = 0, i = 0;
    for (; i + GROUP_KEYS <= count; i += GROUP_KEYS) {
        unsigned below = 0;
        for (unsigned k = 0; k < GROUP_KEYS; k++)
            below |= (keys[i + k] ^ flip) < bound;
        for (unsigned k = 0; below != 0 && k < GROUP_KEYS; k++) {
            kept[used] = (uint32_t)(first + i + k);
            used += (keys[i + k] ^ flip) < bound;
        }
    }
    for (; i < count; i++) {
        kept[used] = (uint32_t)(first + i);
        used += (keys[i] ^ flip) < bound;
    }
    return used;
}

static uint64_t note_all(uint64_t count, uint32_t *kept)
{
    for (uint64_t i = 0; i < count; i++)
        kept[i] = (uint32_t)i;
    return count;
}

/* Equal elements are equal records: without -u, one that equals the bound is as good as that. With
 * it, and with bytes outside the keys, one of the same key may be the first of them. */
uint64_t gs_keys_sift(const struct gs_options *options, enum gs_wanted_end end, const void *bound,
                      const void *records, uint64_t count, uint32_t *kept)
{
    const struct gs_codec *codec = options->codec;
    const struct gs_span span = {.keys = records, .count = count};
    const unsigned payload = options->unique ? gs_payload_bits(options) : 0;
    const gs_key flip = options->reverse == (end == GS_WANTED_TAIL) ? 0 : (gs_key) ~(gs_key)0;
    gs_key block[SIFT_KEYS];
    uint64_t used = 0;
    gs_key limit = flip ^ gs_span_key(&(struct gs_span){.keys = bound, .count = 1}, codec, 0);
    if (payload > 0) {
        limit = payload < GS_KEY_BITS ? (gs_key)((limit >> payload) + 1) << payload : 0;
        if (limit == 0)
            return note_all(count, kept);
    }
    for (uint64_t done = 0, here; done < count; done += here) {
        here = count - done < SIFT_KEYS ? count - done : SIFT_KEYS;
        const gs_key *keys = gs_span_keys(&span) + done;
        if (codec != NULL) {
            gs_codec_load(codec, gs_span_at(&span, codec, done), block, here);
            keys = block;
        }
        used += note_below(keys, here, flip, limit, done, kept + used);
    }
    return used;
}
