/* bin_output.h -- where a sorted bin goes, and as what.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BIN_OUTPUT_H
#define GS_BIN_OUTPUT_H

#include "common/formats/codec.h"
#include "common/formats/keys.h"

struct gs_bin_output {
    gs_key *to;
    const struct gs_codec *codec; /* keys become records, of as many bytes; NULL: they stay keys */
    bool past_cache;              /* by non-temporal stores, where the method can */
};

#endif
