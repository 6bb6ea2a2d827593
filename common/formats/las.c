/* las.c -- the points of a LAS file, versions 1.0 to 1.4, formats 0 to 10.
 * SPDX-License-Identifier: MIT
 *
 * In front of the points are the header and records of variable length, behind them there may be
 * longer ones. Of a point, the fields have laspy's names; bytes that a file adds to them are one.
 */
#include "common/formats/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 227, HEADER_BYTES_4 = 375, FORMATS = 11, FIELDS_MAX = 32 };

static const struct field {
    const char *name;
    struct gs_key_type type;
    unsigned formats; /* a bit for each that has it */
} fields[] = {
#define TYPE(k, n)                                                                                 \
    {                                                                                              \
        .kind = GS_TYPE_##k, .bytes = (n)                                                          \
    }
    {"X", TYPE(SIGNED, 4), 0x7ff},
    {"Y", TYPE(SIGNED, 4), 0x7ff},
    {"Z", TYPE(SIGNED, 4), 0x7ff},
    {"intensity", TYPE(UNSIGNED, 2), 0x7ff},
    {"bit_fields", TYPE(UNSIGNED, 1), 0x7ff},
    {"classification_flags", TYPE(UNSIGNED, 1), 0x7c0},
    {"raw_classification", TYPE(UNSIGNED, 1), 0x03f},
    {"classification", TYPE(UNSIGNED, 1), 0x7c0},
    {"scan_angle_rank", TYPE(SIGNED, 1), 0x03f},
    {"user_data", TYPE(UNSIGNED, 1), 0x7ff},
    {"scan_angle", TYPE(SIGNED, 2), 0x7c0},
    {"point_source_id", TYPE(UNSIGNED, 2), 0x7ff},
    {"gps_time", TYPE(FLOAT, 8), 0x7fa},
    {"red", TYPE(UNSIGNED, 2), 0x5ac},
    {"green", TYPE(UNSIGNED, 2), 0x5ac},
    {"blue", TYPE(UNSIGNED, 2), 0x5ac},
    {"nir", TYPE(UNSIGNED, 2), 0x500},
    {"wavepacket_index", TYPE(UNSIGNED, 1), 0x630},
    {"wavepacket_offset", TYPE(UNSIGNED, 8), 0x630},
    {"wavepacket_size", TYPE(UNSIGNED, 4), 0x630},
    {"return_point_wave_location", TYPE(FLOAT, 4), 0x630},
    {"x_t", TYPE(FLOAT, 4), 0x630},
    {"y_t", TYPE(FLOAT, 4), 0x630},
    {"z_t", TYPE(FLOAT, 4), 0x630},
    {"extra_bytes", {.kind = GS_TYPE_BYTES, .big_endian = true}, 0x7ff},
#undef TYPE
};

bool gs_las_is(const void *bytes, size_t size)
{
    return size >= GS_TABLE_MAGIC_BYTES && memcmp(bytes, "LASF", 4) == 0 &&
           ((const char *)bytes)[24] == 1 && (unsigned char)((const char *)bytes)[25] <= 4;
}

static uint64_t read_le(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

static enum gs_status refuse(const char *name, const char *why, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: a LAS file that cannot be sorted: %s", name, why);
}

static enum gs_status make_fields(struct gs_npy_type *type, unsigned format, const char *name,
                                  struct gs_error *err)
{
    uint32_t offset = 0;
    type->structured = true;
    type->fields = calloc(FIELDS_MAX, sizeof *type->fields);
    if (type->fields == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct gs_key_type one = fields[i].type;
        if (one.bytes == 0 && offset < type->record_bytes)
            one.bytes = type->record_bytes - offset;
        if ((fields[i].formats >> format & 1) == 0 || one.bytes == 0)
            continue;
        type->fields[type->field_count++] =
            (struct gs_npy_field){.name = fields[i].name,
                                  .name_bytes = (uint32_t)strlen(fields[i].name),
                                  .offset = offset,
                                  .bytes = one.bytes,
                                  .type = one};
        offset += one.bytes;
    }
    return offset == type->record_bytes
               ? GS_OK
               : refuse(name, "its points are shorter than their format", err);
}

enum gs_status gs_las_parse(struct gs_npy *table, const void *bytes, size_t size, uint64_t *needed,
                            const char *name, struct gs_error *err)
{
    const unsigned char *b = bytes;
    *table = (struct gs_npy){.table = true};
    *needed = size < HEADER_BYTES ? HEADER_BYTES : b[25] >= 4 ? HEADER_BYTES_4 : HEADER_BYTES;
    if (*needed > size)
        return GS_OK;
    const uint64_t begin = read_le(b + 96, 4);
    const unsigned format = b[104];
    if (begin < *needed)
        return refuse(name, "its points begin within its header", err);
    if ((format & 0xc0) != 0)
        return refuse(name, "it is compressed; laszip -i FILE.laz -o FILE.las unpacks it", err);
    if (format >= FORMATS)
        return refuse(name, "its point format is unknown", err);
    *needed = begin;
    if (*needed > size)
        return GS_OK;
    table->header_bytes = (uint32_t)begin;
    table->type.record_bytes = (uint32_t)read_le(b + 105, 2);
    table->count = b[25] >= 4 ? read_le(b + 247, 8) : 0;
    if (table->count == 0)
        table->count = read_le(b + 107, 4);
    enum gs_status st = make_fields(&table->type, format, name, err);
    if (st != GS_OK)
        gs_npy_free(table);
    return st;
}
