/* whole_tags.h -- tags that have all of a short record, so that none is fetched.
 * SPDX-License-Identifier: MIT
 *
 *   tag   | keys | index | the record's other bytes | zeros     from the top bit down
 *
 * The record comes through the two doors of elements (common/formats/codec.h): keys and other bytes
 * are those of its element, with the index in between.
 */
#ifndef GS_WHOLE_TAGS_H
#define GS_WHOLE_TAGS_H

#include "sort/tags/tags.h"

/* Do tags of tag_bytes with an index of so many hold all of a record? Only where equal keys stay in
 * input order: else the other bytes have their part in the order. */
bool gs_whole_tags_fit(const struct gs_options *options, uint32_t index_bytes, uint32_t tag_bytes);

/* As gs_tags_init, where those of GS_KEY_BYTES do. index_bytes 0: nobody asks for an index, or
 * sorts by it. */
void gs_whole_tags_init(struct gs_tags *tags, const struct gs_options *options,
                        uint32_t index_bytes);

/* The records of tags, one after the other. */
void gs_whole_tags_restore(const struct gs_tags *tags, const gs_key *from, uint64_t count,
                           char *records);

#endif
