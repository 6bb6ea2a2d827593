/* codec.h -- the two doors: records of a file to elements, which the sort knows, and back.
 * SPDX-License-Identifier: MIT
 *
 * Records of up to 16 bytes and their elements correspond one to one, in the same order: keys are
 * the top bits of the element, the first key on top, each as an unsigned number in its own order;
 * (those of zorder() woven); below them come the record's other bytes, first to last, and zeros
 * where the element is wider. So
 * equal elements are equal records, and the sort may count an element instead of moving it.
 *
 * Reversed orders need no other element: the sort writes its elements in descending order.
 */
#ifndef GS_CODEC_H
#define GS_CODEC_H

#include "common/formats/format.h"

#include <stddef.h>

#define GS_CODEC_BLOCK 16 /* bytes of elements that are permuted as one */
#define GS_CODEC_MIXED 1  /* float_bytes of floats of several sizes */

#if defined(__x86_64__) && defined(__GNUC__)
#define GS_CODEC_VECTORS 1
#else
#define GS_CODEC_VECTORS 0
#endif

/* What both directions need, for a block: GS_CODEC_BLOCK / element_bytes elements. Where keys are
 * floats, a block is put together in another order first, in which they are aligned. */
struct gs_codec {
    _Alignas(GS_CODEC_BLOCK) uint8_t from_records[GS_CODEC_BLOCK]; /* which byte of the records;
                                                                     128: zero */
    uint8_t to_records[GS_CODEC_BLOCK];
    uint8_t from_aligned[GS_CODEC_BLOCK]; /* which byte of the aligned block, for the element */
    uint8_t to_aligned[GS_CODEC_BLOCK];
    uint8_t flips[GS_CODEC_BLOCK]; /* bits of the elements that are inverted */
    /* For floats of 2, 4 and 8 bytes in an aligned block: the bits that are inverted if the number
     * is negative, all of such lanes; their sign bits, which are inverted else; what to subtract so
     * that NaNs with a sign come last. Of dates, the sign is inverted in any case, and NaT comes
     * last. */
    struct gs_codec_floats {
        uint8_t lanes[GS_CODEC_BLOCK];
        uint8_t signs[GS_CODEC_BLOCK];
        uint8_t below[GS_CODEC_BLOCK]; /* how many patterns are below -inf: NaNs with a sign */
    } floats[3];
    /* Keys of zorder() in an element: above so many bits, so many numbers of so many bits. */
    struct gs_codec_weave {
        uint8_t below;
        uint8_t count;
        uint32_t bits;
    } weaves[GS_CODEC_BLOCK / 2];
    uint32_t weave_count;
    uint32_t record_bytes;
    uint32_t element_bytes;
    uint32_t step;         /* bytes of records that make a block */
    uint32_t payload_bits; /* elements have the same keys if they agree above these lowest bits */
    uint8_t float_bytes;   /* 0: no floats or dates; 2, 4, 8: only such; GS_CODEC_MIXED */
    bool identity;         /* the bytes of an element are those of the record */
    bool vectors;          /* this processor has the vector instructions */
};

/* The codec of a format with records of at most 16 bytes. */
void gs_codec_init(struct gs_codec *codec, const struct gs_format *format);

/* Load `count` elements from records, or store them to records. Each byte is read once. Both may be
 * the same array if record_bytes == element_bytes; else they may not overlap. No alignment is
 * needed. */
void gs_codec_load(const struct gs_codec *codec, const void *records, void *elements, size_t count);
void gs_codec_store(const struct gs_codec *codec, const void *elements, void *records,
                    size_t count);

/* What gs_codec_init, _load and _store do for keys of zorder() (codec_weave.c): find them; weave
 * the numbers of elements, which stand there one after the other; take them apart. */
void gs_codec_weave_init(struct gs_codec *codec, const struct gs_format *format);
void gs_codec_weave(const struct gs_codec *codec, void *elements, size_t count);
void gs_codec_part(const struct gs_codec *codec, void *elements, size_t count);

/* Can codec_line.h store it? */
static inline bool gs_codec_has_line(const struct gs_codec *codec)
{
    return codec->record_bytes == 4 && codec->element_bytes == 4 && codec->weave_count == 0 &&
           (codec->float_bytes == 0 || codec->float_bytes == 4);
}

#endif
