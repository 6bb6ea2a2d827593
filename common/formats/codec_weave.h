/* codec_weave.h -- keys of zorder() within elements.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CODEC_WEAVE_H
#define GS_CODEC_WEAVE_H

#include "common/formats/codec.h"

/* Find the woven keys of the format in the codec's elements. */
void gs_codec_weave_init(struct gs_codec *codec, const struct gs_format *format);

/* Weave the numbers of elements, which stand there one after the other; or take them apart. */
void gs_codec_weave(const struct gs_codec *codec, void *elements, size_t count);
void gs_codec_part(const struct gs_codec *codec, void *elements, size_t count);

#endif
