/* combine_options.c -- what is to be combined: from options, and the records' format.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/combine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"--count", "--repeated", "--single", "--sum",
                                    "--min",   "--max",      "--minus",  "--common"};

static enum gs_status set_count(struct gs_combine *combine, const char *arg, struct gs_error *err)
{
    combine->count_text = arg;
    if (gs_key_type_parse("--count", arg, &combine->count, NULL) == GS_OK &&
        combine->count.kind == GS_TYPE_UNSIGNED && combine->count.bytes <= 8)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0,
                   "invalid --count argument '%s': it is u8, u16, u32 or u64; with 'be' behind, "
                   "big-endian",
                   arg);
}

enum gs_status gs_combine_add(struct gs_combine **combine, enum gs_combine_option option,
                              const char *arg, struct gs_error *err)
{
    if (*combine == NULL)
        *combine = calloc(1, sizeof **combine);
    struct gs_combine *all = *combine;
    if (all == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "command line");
    if (all->option == NULL)
        all->option = names[option];
    if (option == GS_COMBINE_COUNT)
        return set_count(all, arg, err);
    all->repeated = all->repeated || option == GS_COMBINE_REPEATED;
    all->single = all->single || option == GS_COMBINE_SINGLE;
    if (all->repeated && all->single)
        return gs_fail(
            err, GS_ERR_USAGE, 0,
            "options '--repeated' and '--single' are incompatible: -u alone writes both");
    if (option <= GS_COMBINE_SINGLE)
        return GS_OK;
    if (option >= GS_COMBINE_MINUS) {
        if (all->set.name != NULL)
            return gs_fail(err, GS_ERR_USAGE, 0, "%s: only one file is compared, and that is %s",
                           names[option], all->set.name);
        all->set = (struct gs_set){names[option], arg, option == GS_COMBINE_COMMON, NULL, 0};
        return GS_OK;
    }
    if (all->field_count == GS_FORMAT_KEYS_MAX)
        return gs_fail(err, GS_ERR_USAGE, 0, "more than %d fields: %s %s", GS_FORMAT_KEYS_MAX,
                       names[option], arg);
    all->fields[all->field_count++] = (struct gs_combined_field){.fold = option, .text = arg};
    return GS_OK;
}

/* One field of the records: by its name in a .npy file, else by offset and type. */
static enum gs_status find_field(struct gs_combined_field *one, uint32_t record_bytes,
                                 const struct gs_npy *npy, const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_format format = {.record_bytes = record_bytes, .key_count = 1};
    if (npy != NULL) {
        GS_TRY(gs_npy_format(&format, npy, &one->text, 1, name, err));
    } else {
        GS_TRY(gs_key_field_parse(names[one->fold], one->text, &format.keys[0], err));
        GS_TRY(gs_format_finish(&format, err));
    }
    one->field = format.keys[0];
    if (one->field.descending || format.key_count > 1)
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid %s argument '%s': it is one field, without r",
                       names[one->fold], one->text);
    if (one->fold == GS_COMBINE_SUM &&
        (one->field.type.kind == GS_TYPE_BYTES || gs_key_is_date(&one->field.type)))
        return gs_fail(err, GS_ERR_USAGE, 0, "--sum=%s: %s have no sum, numbers do", one->text,
                       one->field.type.kind == GS_TYPE_BYTES ? "bytes" : "dates");
    gs_record_order_init(&one->order, &format);
cleanup:
    return st;
}

static bool are_apart(const struct gs_key_field *a, const struct gs_key_field *b)
{
    return a->offset + a->type.bytes <= b->offset || b->offset + b->type.bytes <= a->offset;
}

/* Of a record that has keys and combined fields only, no field is needed beside what becomes of it:
 * that may take its place, if it is as wide, or if nothing is behind it in the part, which ends at
 * `end` so far. */
static bool takes_place(const struct gs_combine *combine, const struct gs_combined_field *one,
                        uint32_t end)
{
    return combine->alike && (one->part.type.bytes == one->field.type.bytes ||
                              one->field.offset + one->field.type.bytes == end);
}

/* Where the fields are in a part. A sum of floats depends on the order of all summands, and one of
 * 16 bytes may take more. 8 have room for 2^32 summands of 4. */
static void lay_out_part(struct gs_combine *combine)
{
    combine->counts = combine->count_text != NULL || combine->repeated || combine->single;
    uint32_t end = combine->record_bytes + (combine->counts ? GS_TIMES_BYTES : 0);
    uint32_t known = combine->order.key_bytes; /* of a record, keys or combined */
    bool fits = combine->folds && combine->order.format.key_count < GS_FORMAT_KEYS_MAX;
    for (uint32_t i = 0; i < combine->field_count; i++)
        known += combine->fields[i].field.type.bytes;
    combine->alike = known == combine->record_bytes;
    for (uint32_t i = 0; i < combine->field_count; i++) {
        struct gs_combined_field *one = &combine->fields[i];
        const struct gs_key_type *type = &one->field.type;
        one->part = one->field;
        if (one->fold == GS_COMBINE_SUM) {
            one->part.type =
                (struct gs_key_type){.kind = type->kind, .bytes = type->bytes <= 4 ? 8 : 16};
            fits = fits && type->bytes <= 8 &&
                   (type->kind == GS_TYPE_UNSIGNED || type->kind == GS_TYPE_SIGNED);
        }
        if (!takes_place(combine, one, end))
            one->part.offset = end;
        end = one->part.offset + one->part.type.bytes > end
                  ? one->part.offset + one->part.type.bytes
                  : end;
    }
    combine->part_bytes = fits && end <= GS_RECORD_BYTES_MAX ? end : 0;
}

enum gs_status gs_combine_prepare(struct gs_combine *combine, const struct gs_format *format,
                                  bool unique, const struct gs_npy *npy, const char *name,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    combine->folds = combine->folds || unique || combine->count_text != NULL || combine->single ||
                     combine->repeated || combine->field_count > 0;
    gs_record_order_init(&combine->order, format);
    combine->record_bytes = format->record_bytes;
    combine->output_bytes = format->record_bytes + combine->count.bytes;
    for (uint32_t i = 0; i < combine->field_count; i++) {
        struct gs_combined_field *one = &combine->fields[i];
        GS_TRY(find_field(one, format->record_bytes, npy, name, err));
        for (uint32_t j = 0; j < format->key_count; j++)
            if (!are_apart(&one->field, &format->keys[j]))
                return gs_fail(err, GS_ERR_USAGE, 0,
                               "%s=%s: is part of a key: -k names the keys, other bytes can be "
                               "combined",
                               names[one->fold], one->text);
        for (uint32_t j = 0; j < i; j++)
            if (!are_apart(&one->field, &combine->fields[j].field))
                return gs_fail(err, GS_ERR_USAGE, 0, "%s=%s and %s=%s overlap", names[one->fold],
                               one->text, names[combine->fields[j].fold], combine->fields[j].text);
    }
    lay_out_part(combine);
cleanup:
    return st;
}
