/* records_of.h -- set options for records of a format: as elements, or as records with an order.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORDS_OF_H
#define GS_RECORDS_OF_H

#include "sort/types/record_order.h"
#include "sort/types/types.h"

/* Set what options say of records: format, key_bytes, and codec or records, which point to what the
 * caller keeps; format->stable, too, from whether equal keys stay in input order, and from
 * options->index_bytes. aligned: in memory, elements begin at multiples of their size. */
void gs_records_of(struct gs_options *options, struct gs_format *format, bool stable, bool aligned,
                   struct gs_codec *codec, struct gs_record_order *order);

#endif
