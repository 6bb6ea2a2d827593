/* device_codec.c -- make a codec for the device of one for the host, and a door of that.
 * SPDX-License-Identifier: MIT
 *
 * The elements of a block are all alike: the first one is taken.
 */
#include "sort/device/device_codec.h"

#include <assert.h>
#include <string.h>

static_assert(GS_GPU_WEAVES_MAX ==
                  sizeof((struct gs_codec *)0)->weaves / sizeof(struct gs_codec_weave),
              "as many keys of zorder()");

/* The bytes that `from` takes for the first `bytes` of a block; others are 0. */
static struct gs_gpu_picks pick(const uint8_t *from, uint32_t bytes)
{
    struct gs_gpu_picks picks;
    memset(&picks, 0, sizeof picks);
    for (uint32_t i = 0; i < bytes; i++) {
        const uint32_t word = i / 4;
        const uint32_t mask = 0xffU << 8 * (i % 4);
        const uint32_t which = (from[i] % 8U) << 4 * (i % 4);
        if (from[i] < 8) {
            picks.first[word] |= which;
            picks.first_mask[word] |= mask;
        } else if (from[i] < GS_CODEC_BLOCK) {
            picks.last[word] |= which;
            picks.last_mask[word] |= mask;
        }
    }
    return picks;
}

static struct gs_gpu_floats find_floats(const struct gs_codec_floats *floats)
{
    struct gs_gpu_floats found = {.there = 0};
    memcpy(found.lanes, floats->lanes, sizeof found.lanes);
    memcpy(found.signs, floats->signs, sizeof found.signs);
    memcpy(found.below, floats->below, sizeof found.below);
    for (int i = 0; i < GS_GPU_WORDS; i++)
        found.there |= found.signs[i] != 0;
    return found;
}

void gs_device_codec(struct gs_gpu_codec *on_device, const struct gs_codec *codec, bool descending)
{
    memset(on_device, 0, sizeof *on_device);
    on_device->record_bytes = codec->record_bytes;
    on_device->from_records = pick(codec->from_records, GS_KEY_BYTES);
    on_device->to_records = pick(codec->to_records, codec->record_bytes);
    on_device->from_aligned = pick(codec->from_aligned, GS_KEY_BYTES);
    on_device->to_aligned = pick(codec->to_aligned, GS_KEY_BYTES);
    for (int size = 0; size < 3; size++)
        on_device->floats[size] = find_floats(&codec->floats[size]);
    memcpy(on_device->flips, codec->flips, sizeof on_device->flips);
    for (int i = 0; i < GS_GPU_WORDS; i++)
        on_device->flips[i] ^= descending ? UINT32_MAX : 0;
    on_device->weave_count = codec->weave_count;
    for (uint32_t i = 0; i < codec->weave_count; i++)
        on_device->weaves[i] = (struct gs_gpu_weave){codec->weaves[i].below, codec->weaves[i].count,
                                                     codec->weaves[i].bits};
}

#if GS_BITS == 64
static uint64_t join(const uint32_t words[GS_GPU_WORDS])
{
    return (uint64_t)words[1] << 32 | words[0];
}

bool gs_device_door(struct gs_gpu_door *door, const struct gs_gpu_codec *codec)
{
    static const uint32_t in_place[GS_GPU_WORDS] = {0x3210, 0x7654};
    const size_t bytes = sizeof in_place;
    const struct gs_gpu_floats *floats = &codec->floats[2];
    const uint64_t lanes = join(floats->lanes), sign = join(floats->signs);
    const uint64_t below = join(floats->below), flips = join(codec->flips);
    memset(door, 0, sizeof *door);
    if (codec->record_bytes != GS_KEY_BYTES || codec->weave_count != 0 || codec->floats[0].there ||
        codec->floats[1].there || memcmp(codec->from_aligned.first, in_place, bytes) != 0)
        return false;
    door->there = 1;
    door->picks = memcmp(codec->from_records.first, in_place, bytes) != 0;
    memcpy(door->load, codec->from_records.first, bytes);
    memcpy(door->store, codec->to_records.first, bytes);
    door->signs = floats->there;
    door->flips = flips ^ sign;
    if (floats->there) { /* ~(x - below) is ~x + below: flips are all bits or none */
        door->if_negative = lanes ^ sign;
        door->add = flips == 0 ? 0 - below : below;
    }
    return !floats->there || flips == 0 || ~flips == 0;
}
#else
bool gs_device_door(struct gs_gpu_door *door, const struct gs_gpu_codec *codec)
{
    (void)codec;
    memset(door, 0, sizeof *door);
    return false;
}
#endif
