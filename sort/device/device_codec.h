/* device_codec.h -- make a codec for the device of one for the host, and a door of that.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEVICE_CODEC_H
#define GS_DEVICE_CODEC_H

#include "common/formats/codec.h"
#include "sort/device/kernels/gpu_codec.h"
#include "sort/device/kernels/gpu_door.h"

/* descending: the greater an element of `codec`, the lesser it is on the device. */
void gs_device_codec(struct gs_gpu_codec *on_device, const struct gs_codec *codec, bool descending);

/* The door that does the same. Returns false if none does: this codec takes passes. */
bool gs_device_door(struct gs_gpu_door *door, const struct gs_gpu_codec *codec);

#endif
