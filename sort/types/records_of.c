/* records_of.c -- set options for records of a format: as elements, or as records with an order.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/records_of.h"

/* Have records other bytes than those of their keys? */
static bool has_payload(const struct gs_format *format)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < format->key_count; i++)
        bytes += format->keys[i].type.bytes;
    return bytes < format->record_bytes;
}

void gs_records_of(struct gs_options *options, struct gs_format *format, bool stable, bool aligned,
                   struct gs_codec *codec, struct gs_record_order *order)
{
    format->stable = options->index_bytes != 0 || (stable && has_payload(format));
    options->format = format;
    options->records = NULL;
    options->codec = NULL;
    if (format->element_bytes == 0 || format->stable) {
        gs_record_order_init(order, format);
        options->records = order;
        options->key_bytes = 16;
        return;
    }
    gs_codec_init(codec, format);
    options->key_bytes = format->element_bytes;
    /* Elements that are not aligned are copied like records. */
    if (!codec->identity || !aligned)
        options->codec = codec;
}
