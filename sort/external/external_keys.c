/* external_keys.c -- keys that go through temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_keys.h"
#include "sort/external/external_group.h"
#include "sort/external/external_level.h"
#include "sort/keys/look_keys.h"
#include "sort/keys/params.h"
#include "sort/split/sort_samples.h"

#include <string.h>

static void plan_keys(const struct gs_entries *entries, uint64_t count, struct gs_plan *plan)
{
    gs_plan_make(plan, ((const struct gs_key_entries *)entries)->options, count);
}

static enum gs_status choose(const struct gs_entries *entries, struct gs_level *level,
                             const struct gs_level_sample *sample, struct gs_error *err)
{
    gs_key *keys = sample->entries;
    const uint32_t count = sample->count + sample->even;
    (void)entries, (void)err;
    for (uint32_t i = 0; i < sample->even; i++)
        keys[sample->count + i] = GS_KEY_MAX / sample->even * i + GS_KEY_MAX / sample->even / 2;
    gs_sort_samples(keys, count);
    gs_splitters_choose(&level->splitters, keys, count, sample->bins, 0);
    gs_splitters_snap(&level->splitters, keys, count, sample->bins, 0);
    return GS_OK;
}

/* From the last one on. */
void gs_keys_decode_in_place(const struct gs_codec *codec, gs_key *keys, uint64_t count)
{
    gs_key block[GS_ROOMS_BLOCK];
    for (uint64_t first = count, here; first > 0;) {
        here = first < GS_ROOMS_BLOCK ? first : GS_ROOMS_BLOCK;
        first -= here;
        gs_codec_load(codec, (const char *)keys + first * codec->record_bytes, block, here);
        memcpy(keys + first, block, here * sizeof *keys);
    }
}

void gs_keys_encode_in_place(const struct gs_codec *codec, gs_key *keys, uint64_t count)
{
    gs_key block[GS_ROOMS_BLOCK];
    for (uint64_t first = 0, here; first < count; first += here) {
        here = count - first < GS_ROOMS_BLOCK ? count - first : GS_ROOMS_BLOCK;
        memcpy(block, keys + first, here * sizeof *keys);
        gs_codec_store(codec, block, (char *)keys + first * codec->record_bytes, here);
    }
}

struct gs_key_entries gs_key_entries(const struct gs_options *options)
{
    return (struct gs_key_entries){.entries = {.bytes = GS_KEY_BYTES,
                                               .input_bytes = gs_record_bytes(options),
                                               .look = gs_keys_look,
                                               .plan = plan_keys,
                                               .choose = choose,
                                               .sort = gs_external_sort_group},
                                   .options = options};
}
