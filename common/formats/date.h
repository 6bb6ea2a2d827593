/* date.h -- dates and durations as numpy stores them: i64 counts of a unit, dates from 1970 on.
 * SPDX-License-Identifier: MIT
 *
 * The least number is NaT, "not a time": it comes behind all others, as NaN does among floats.
 */
#ifndef GS_DATE_H
#define GS_DATE_H

#include "common/formats/format.h"

/* Room for a unit, with its end: "[2147483647ns]". */
#define GS_DATE_UNIT_TEXT 16

/* Read the unit behind M8 or m8, "[ns]" or "[25us]"; nothing, and "[generic]", mean none. The rest
 * of the text, or NULL if that is no unit. */
const char *gs_date_unit_read(const char *text, struct gs_key_type *type);

/* Write it, without a factor of 1; nothing, if there is none. */
void gs_date_unit_name(const struct gs_key_type *type, char text[GS_DATE_UNIT_TEXT]);

/* A date as numpy writes it, "2024-02-29T12:00"; a duration, or a date without a unit, is a number.
 */
void gs_date_print(const struct gs_key_type *type, int64_t value, char text[GS_KEY_TEXT]);

#endif
