/* external_keys.h -- keys that go through temporary files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_KEYS_H
#define GS_EXTERNAL_KEYS_H

#include "sort/external/external_entries.h"

/* Keys, whose sort needs no more than options. */
struct gs_key_entries {
    struct gs_entries entries; /* the first member */
    const struct gs_options *options;
};

/* Turn `count` records, at `keys`, into as many keys, which take more memory. */
void gs_keys_decode_in_place(const struct gs_codec *codec, gs_key *keys, uint64_t count);

/* The reverse: they take no more than that. */
void gs_keys_encode_in_place(const struct gs_codec *codec, gs_key *keys, uint64_t count);

struct gs_key_entries gs_key_entries(const struct gs_options *options);

#endif
