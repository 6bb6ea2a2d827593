/* key_type.h -- pieces of types, sizes and keys on the command line.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_TYPE_H
#define GS_KEY_TYPE_H

#include "common/formats/format.h"

/* Read a number up to GS_RECORD_BYTES_MAX, decimal or with 0x; the rest of the text, or NULL if
 * there is none or it is greater. */
const char *gs_key_number_read(const char *text, uint32_t *value);

/* Read a type at the start of the text; the rest, or NULL if there is none. */
const char *gs_key_type_read(const char *text, struct gs_key_type *type);

/* Say which types there are, and which was meant. `wrong`: where in the text the type begins that
 * is none. */
enum gs_status gs_key_type_refuse(const char *option, const char *text, const char *wrong,
                                  struct gs_error *err);

#endif
