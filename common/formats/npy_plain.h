/* npy_plain.h -- a plain type as numpy writes it: "<f8", "|S10", "<M8[ns]".
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_NPY_PLAIN_H
#define GS_NPY_PLAIN_H

#include "common/formats/format.h"

struct gs_npy_plain {
    char kind;     /* as numpy has it; '\0': there is no such type */
    uint32_t size; /* as it is written: of U, a count of characters */
    bool big_endian;
    struct gs_key_type date; /* of dates and durations: their unit */
};

/* Read one. What it has no use for in a type (an order of single bytes) is not told. */
struct gs_npy_plain gs_npy_plain_read(const char *text);

/* How long it is, which key it would be, or, of a complex number, each half of
 * it, and why it can be none, or NULL. */
uint64_t gs_npy_plain_bytes(const struct gs_npy_plain *plain);
struct gs_key_type gs_npy_plain_key(const struct gs_npy_plain *plain);
const char *gs_npy_plain_no_key(const struct gs_npy_plain *plain);

#endif
