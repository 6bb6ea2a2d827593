/* whole_tags.c -- tags that have all of a short record.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/whole_tags.h"

#define BLOCK 128 /* records that are converted at once, in the first-level cache */

/* Elements of a block: of 4, 8 or 16 bytes, as the codec has them. */
union elements {
    uint32_t of_4[BLOCK];
    uint64_t of_8[BLOCK];
    gs_key keys[BLOCK];
};

/* The tag's bits that are keys. */
static inline gs_key keys_mask(const struct gs_tags *tags)
{
    return GS_KEY_MAX << (GS_KEY_BITS - 8 * tags->prefix_bytes);
}

bool gs_whole_tags_fit(const struct gs_options *options, uint32_t index_bytes, uint32_t tag_bytes)
{
    const struct gs_format *format = options->format;
    return format->stable && format->element_bytes != 0 && options->index_bytes == 0 &&
           format->record_bytes + index_bytes <= tag_bytes;
}

/* An element of a block at the top of a key, and back. */
static inline gs_key get_top(const union elements *elements, uint64_t i, uint32_t element_bytes)
{
    const gs_key element = element_bytes == 4   ? elements->of_4[i]
                           : element_bytes == 8 ? elements->of_8[i]
                                                : elements->keys[i];
    return element << (GS_KEY_BITS - 8 * element_bytes);
}

static inline void put_top(union elements *elements, uint64_t i, uint32_t element_bytes, gs_key top)
{
    const gs_key element = top >> (GS_KEY_BITS - 8 * element_bytes);
    if (element_bytes == 4)
        elements->of_4[i] = (uint32_t)element;
    else if (element_bytes == 8)
        elements->of_8[i] = (uint64_t)element;
    else
        elements->keys[i] = element;
}

/* Tags of elements. element_bytes is a constant at every call. */
static inline __attribute__((always_inline)) void make_tags(const struct gs_tags *tags,
                                                            const union elements *elements,
                                                            uint64_t first, uint64_t count,
                                                            gs_key *to, uint32_t element_bytes)
{
    const gs_key mask = keys_mask(tags);
    const gs_key turned = tags->reverse ? mask : 0;
    const unsigned index_shift = tags->index_shift;
    const unsigned index_bits = tags->index_bits;
    for (uint64_t i = 0; i < count && index_bits == 0; i++)
        to[i] = get_top(elements, i, element_bytes) ^ turned;
    for (uint64_t i = 0; i < count && index_bits > 0; i++) {
        const gs_key top = get_top(elements, i, element_bytes);
        to[i] = ((top & mask) ^ turned) | (gs_key)(first + i) << index_shift |
                (top & ~mask) >> index_bits;
    }
}

static void tag_whole(const struct gs_tagger *tagger, const void *records, uint64_t first,
                      uint64_t count, gs_key *to)
{
    const struct gs_tags *tags = (const struct gs_tags *)tagger;
    const char *record = records;
    union elements elements;
    for (uint64_t done = 0, here; done < count; done += here) {
        here = count - done < BLOCK ? count - done : BLOCK;
        gs_codec_load(&tags->codec, record + done * tagger->record_bytes, &elements, here);
        if (tags->codec.element_bytes == 4)
            make_tags(tags, &elements, first + done, here, to + done, 4);
        else if (tags->codec.element_bytes == 8)
            make_tags(tags, &elements, first + done, here, to + done, 8);
        else
            make_tags(tags, &elements, first + done, here, to + done, GS_KEY_BYTES);
    }
}

void gs_whole_tags_init(struct gs_tags *tags, const struct gs_options *options,
                        uint32_t index_bytes)
{
    *tags = (struct gs_tags){
        .tagger = {.record_bytes = options->format->record_bytes, .tag = tag_whole},
        .order = options->records,
        .reverse = options->reverse,
        .index_bits = 8 * index_bytes,
        .prefix_bytes = options->records->key_bytes,
        .string_bytes = options->records->string_bytes,
        .whole = true};
    tags->index_shift = GS_KEY_BITS - 8 * tags->prefix_bytes - tags->index_bits;
    gs_codec_init(&tags->codec, options->format);
}

static inline __attribute__((always_inline)) void make_elements(const struct gs_tags *tags,
                                                                const gs_key *from, uint64_t count,
                                                                union elements *elements,
                                                                uint32_t element_bytes)
{
    const gs_key mask = keys_mask(tags);
    const gs_key turned = tags->reverse ? mask : 0;
    const unsigned index_bits = tags->index_bits;
    for (uint64_t i = 0; i < count && index_bits == 0; i++)
        put_top(elements, i, element_bytes, from[i] ^ turned);
    for (uint64_t i = 0; i < count && index_bits > 0; i++)
        put_top(elements, i, element_bytes,
                ((from[i] & mask) ^ turned) | (from[i] << index_bits & ~mask));
}

void gs_whole_tags_restore(const struct gs_tags *tags, const gs_key *from, uint64_t count,
                           char *records)
{
    union elements elements;
    for (uint64_t done = 0, here; done < count; done += here) {
        here = count - done < BLOCK ? count - done : BLOCK;
        if (tags->codec.element_bytes == 4)
            make_elements(tags, from + done, here, &elements, 4);
        else if (tags->codec.element_bytes == 8)
            make_elements(tags, from + done, here, &elements, 8);
        else
            make_elements(tags, from + done, here, &elements, GS_KEY_BYTES);
        gs_codec_store(&tags->codec, &elements, records + done * tags->tagger.record_bytes, here);
    }
}
