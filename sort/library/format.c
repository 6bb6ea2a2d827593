/* format.c -- formats: parsed from the words of the command line, and described by them.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/library.h"

#include <stdio.h>
#include <stdlib.h>

/* Prepare the records, or with index_bytes their positions. */
static void prepare(struct gs_kind *kind, const struct gs_format *format, unsigned index_bytes)
{
    kind->format = *format;
    kind->options = (struct gs_options){
        .reverse = format->reverse, .index_bytes = index_bytes, .device = GS_DEVICE_CPU};
    gs_records_of(&kind->options, &kind->format, format->stable, true, &kind->codec, &kind->order);
}

struct gsort_format *gsort_format_parse(const char *text, struct gsort_error *error)
{
    enum gs_status st = GS_OK;
    struct gs_error err = {.status = GS_OK};
    struct gs_format parsed;
    struct gsort_format *format = calloc(1, sizeof *format);
    if (format == NULL) {
        st = gs_fail(&err, GS_ERR_MEMORY, 0, "not enough memory for a format");
        goto cleanup;
    }
    GS_TRY(gs_format_parse_words(&parsed, text, &err));
    prepare(&format->records, &parsed, 0);
    prepare(&format->indices, &parsed, 8);
cleanup:
    if (st != GS_OK) {
        free(format);
        format = NULL;
    }
    gs_tell_error(error, st, &err);
    return format;
}

void gsort_format_free(struct gsort_format *format)
{
    free(format);
}

uint32_t gsort_format_record_bytes(const struct gsort_format *format)
{
    return format->records.format.record_bytes;
}

size_t gsort_format_describe(const struct gsort_format *format, char *text, size_t room)
{
    char words[GS_FORMAT_WORDS];
    gs_format_words(&format->records.format, words);
    return (size_t)snprintf(text, room, "%s", words);
}
