/* device_codec.h -- make a codec for the device of one for the host.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEVICE_CODEC_H
#define GS_DEVICE_CODEC_H

#include "common/formats/codec.h"
#include "sort/device/kernels/gpu_codec.h"

/* descending: the greater an element of `codec`, the lesser it is on the device. */
void gs_device_codec(struct gs_gpu_codec *on_device, const struct gs_codec *codec, bool descending);

#endif
