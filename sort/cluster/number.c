/* number.c -- records with a number in front, by which those of equal keys are told apart.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cluster/number.h"

void gs_numbered_init(struct gs_numbered *numbered, const struct gs_options *options)
{
    struct gs_format format = *options->format;
    format.record_bytes += GS_NUMBER_BYTES;
    format.element_bytes = 0;
    format.stable = false;
    for (uint32_t i = 0; i < format.key_count; i++)
        format.keys[i].offset += GS_NUMBER_BYTES;
    gs_record_order_init(&numbered->order, &format);
    numbered->options = *options;
    numbered->options.index_bytes = 0;
    numbered->options.format = &numbered->order.format;
    numbered->options.records = &numbered->order;
}

void gs_number_strip(const struct gs_options *options, const char *numbered, uint64_t count,
                     char *to)
{
    const size_t bytes = gs_record_bytes(options);
    for (uint64_t i = 0; i < count; i++, numbered += GS_NUMBER_BYTES + bytes) {
        if (options->index_bytes == 0) {
            memcpy(to + i * bytes, numbered + GS_NUMBER_BYTES, bytes);
            continue;
        }
        uint64_t number;
        memcpy(&number, numbered, sizeof number);
        number = be64toh(number);
        number = htole64(options->reverse ? ~number : number);
        memcpy(to + i * options->index_bytes, &number, options->index_bytes);
    }
}
