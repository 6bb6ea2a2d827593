/* fits.c -- the first binary table of a FITS file.
 * SPDX-License-Identifier: MIT
 *
 * A file is units in a row, each a header of cards of 80 characters and data, both filled up to
 * blocks of 2880 bytes. A binary table's data are its rows, then a heap, to which descriptors in
 * the rows point: these move with their rows. Numbers are big-endian; one that is stored with an
 * offset (TZERO, for unsigned integers) has the order of what is stored.
 */
#include "common/formats/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARD = 80, BLOCK = 2880, KEYWORD = 8, NAME_BYTES = 72, FIELDS_MAX = 999, AXES_MAX = 999 };

/* A unit's header: its cards, and where they end. */
struct unit {
    const char *cards;
    uint64_t count;
    uint64_t header_bytes;
    uint64_t data_bytes;
};

bool gs_fits_is(const void *bytes, size_t size)
{
    return size >= GS_TABLE_MAGIC_BYTES && memcmp(bytes, "SIMPLE  =", 9) == 0 &&
           ((const char *)bytes)[29] == 'T';
}

static enum gs_status damaged(const char *name, const char *what, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: damaged FITS header: %s", name, what);
}

/* The value of a keyword, with an index behind if that is not 0: its text, of 70 characters, or
 * NULL if there is none. */
static const char *find_card(const struct unit *unit, const char *keyword, unsigned index)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, index > 0 ? "%s%u" : "%s", keyword, index);
    snprintf(wanted + strlen(wanted), KEYWORD + 1, "%*s", (int)KEYWORD, "");
    for (uint64_t i = 0; i < unit->count; i++) {
        const char *card = unit->cards + i * CARD;
        if (memcmp(card, wanted, KEYWORD) == 0 && memcmp(card + KEYWORD, "= ", 2) == 0)
            return card + KEYWORD + 2;
    }
    return NULL;
}

/* An integer that is not negative; `absent` if there is none, UINT64_MAX if it is no such. */
static uint64_t find_number(const struct unit *unit, const char *keyword, unsigned index,
                            uint64_t absent)
{
    const char *text = find_card(unit, keyword, index);
    uint64_t value = 0;
    int at = 0;
    if (text == NULL)
        return absent;
    while (at < 20 && text[at] == ' ')
        at++;
    if (text[at] < '0' || text[at] > '9')
        return UINT64_MAX;
    for (; at < 70 && text[at] >= '0' && text[at] <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[at] - '0'), &value))
            return UINT64_MAX;
    return value;
}

/* A string between quotes, without blanks at its end: its length. */
static uint32_t find_string(const struct unit *unit, const char *keyword, unsigned index,
                            char text[NAME_BYTES])
{
    const char *from = find_card(unit, keyword, index);
    uint32_t used = 0;
    int at = 0;
    while (from != NULL && at < 69 && from[at] == ' ')
        at++;
    if (from == NULL || from[at] != '\'')
        return 0;
    for (at++; at < 70 && (from[at] != '\'' || (at < 69 && from[at + 1] == '\'')); at++) {
        text[used++] = from[at];
        at += from[at] == '\'';
    }
    while (used > 0 && text[used - 1] == ' ')
        used--;
    return used;
}

/* The bytes of a unit's data, without what fills the last block. */
static bool count_data(struct unit *unit)
{
    const char *pixel = find_card(unit, "BITPIX", 0);
    const uint64_t axes = find_number(unit, "NAXIS", 0, UINT64_MAX);
    const uint64_t extra = find_number(unit, "PCOUNT", 0, 0);
    uint64_t all = axes > 0 ? 1 : 0;
    long bits = 0;
    if (pixel == NULL || sscanf(pixel, "%ld", &bits) != 1 || axes > AXES_MAX)
        return false;
    bits = labs(bits);
    for (unsigned i = 1; i <= axes; i++)
        if (__builtin_mul_overflow(all, find_number(unit, "NAXIS", i, UINT64_MAX), &all))
            return false;
    return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && extra <= INT64_MAX &&
           !__builtin_add_overflow(all, axes > 0 ? extra : 0, &all) &&
           !__builtin_mul_overflow(all, (uint64_t)bits / 8, &all) &&
           !__builtin_mul_overflow(all, find_number(unit, "GCOUNT", 0, 1), &unit->data_bytes) &&
           unit->data_bytes < INT64_MAX - BLOCK;
}

/* The header of a unit that begins at `at`. *needed: so many bytes, at least, to know its end. */
static enum gs_status read_unit(struct unit *unit, const char *bytes, uint64_t at, size_t size,
                                uint64_t *needed, const char *name, struct gs_error *err)
{
    unit->cards = bytes + at;
    for (unit->count = 0; at + (unit->count + 1) * CARD <= size; unit->count++) {
        if (memcmp(unit->cards + unit->count * CARD, "END     ", KEYWORD) != 0)
            continue;
        unit->header_bytes = (unit->count * CARD / BLOCK + 1) * BLOCK;
        *needed = at + unit->header_bytes;
        return count_data(unit) ? GS_OK : damaged(name, "no size of its data", err);
    }
    *needed = at + (unit->count * CARD / BLOCK + 1) * BLOCK;
    return GS_OK;
}

/* The type of a column by TFORM, "rT" with a count r, of which *bytes are in a row. */
static const char *read_form(const char *form, uint32_t length, uint64_t *bytes,
                             struct gs_key_type *type)
{
    static const char letters[] = "LBIJKEDCMPQAX";
    static const uint32_t sizes[] = {1, 1, 2, 4, 8, 4, 8, 8, 16, 8, 16, 1, 1};
    uint64_t count = 0;
    uint32_t at = 0;
    for (; at < length && form[at] >= '0' && form[at] <= '9' && count <= GS_RECORD_BYTES_MAX; at++)
        count = count * 10 + (uint64_t)(form[at] - '0');
    count = at == 0 ? 1 : count;
    const char *letter = at < length ? memchr(letters, form[at], sizeof letters - 1) : NULL;
    *bytes = UINT64_MAX;
    if (letter == NULL)
        return "its type is unknown";
    const uint32_t each = sizes[letter - letters];
    *bytes = *letter == 'X' ? (count + 7) / 8 : count * each;
    type->big_endian = true;
    type->bytes = each;
    type->kind = strchr("IJK", *letter) != NULL    ? GS_TYPE_SIGNED
                 : strchr("EDCM", *letter) != NULL ? GS_TYPE_FLOAT
                                                   : GS_TYPE_UNSIGNED;
    if (strchr("AXPQ", *letter) != NULL) {
        type->kind = GS_TYPE_BYTES;
        type->bytes = (uint32_t)(*bytes <= GS_RECORD_BYTES_MAX ? *bytes : 0);
    }
    if (*letter == 'C' || *letter == 'M')
        type->bytes /= 2;
    return *bytes == 0                                  ? "it has no bytes"
           : *letter == 'C' || *letter == 'M'           ? "complex numbers have no order"
           : *letter == 'P' || *letter == 'Q'           ? "its values are in the heap"
           : count > 1 && strchr("AX", *letter) == NULL ? "it is an array"
                                                        : NULL;
}

/* The columns of a table. */
static enum gs_status read_columns(struct gs_npy_type *type, const struct unit *unit,
                                   const char *name, struct gs_error *err)
{
    const uint64_t count = find_number(unit, "TFIELDS", 0, UINT64_MAX);
    uint64_t offset = 0;
    char form[NAME_BYTES];
    if (count == 0 || count > FIELDS_MAX)
        return damaged(name, "TFIELDS is not 1 to 999", err);
    type->fields = calloc(count, sizeof *type->fields);
    type->column_names = calloc(count, NAME_BYTES);
    if (type->fields == NULL || type->column_names == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name);
    type->field_count = (uint32_t)count;
    type->structured = true;
    for (unsigned i = 0; i < count; i++) {
        struct gs_npy_field *field = &type->fields[i];
        char *called = type->column_names + (size_t)i * NAME_BYTES;
        uint64_t bytes;
        field->name = called;
        field->name_bytes = find_string(unit, "TTYPE", i + 1, called);
        if (field->name_bytes == 0)
            field->name_bytes = (uint32_t)snprintf(called, NAME_BYTES, "col%u", i + 1);
        field->no_key =
            read_form(form, find_string(unit, "TFORM", i + 1, form), &bytes, &field->type);
        const char *scale = find_card(unit, "TSCAL", i + 1);
        if (field->no_key == NULL && scale != NULL && memchr(scale, '-', 20) != NULL)
            field->no_key = "its TSCAL turns the order around";
        if (bytes > type->record_bytes - offset)
            return damaged(name, "columns do not fit into rows", err);
        field->offset = (uint32_t)offset;
        field->bytes = (uint32_t)bytes;
        offset += bytes;
    }
    return offset == type->record_bytes ? GS_OK : damaged(name, "columns do not fill rows", err);
}

enum gs_status gs_fits_parse(struct gs_npy *table, const void *bytes, size_t size, uint64_t *needed,
                             const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct unit unit = {.count = 0};
    uint64_t at = 0;
    char kind[NAME_BYTES];
    *table = (struct gs_npy){.table = true};
    *needed = 0;
    for (uint32_t length = 0; length != 8 || memcmp(kind, "BINTABLE", 8) != 0;) {
        if (*needed > 0)
            at += unit.header_bytes + (unit.data_bytes + BLOCK - 1) / BLOCK * BLOCK;
        GS_TRY(read_unit(&unit, bytes, at, size, needed, name, err));
        if (*needed > size)
            return GS_OK;
        length = find_string(&unit, "XTENSION", 0, kind);
        if (length == 0 && at > 0)
            return damaged(name, "no XTENSION", err);
    }
    const uint64_t row = find_number(&unit, "NAXIS1", 0, UINT64_MAX);
    if (row == 0 || row > GS_RECORD_BYTES_MAX)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: its table's rows have not 1 to %d bytes", name,
                       GS_RECORD_BYTES_MAX);
    if (row % 4 != 0 && find_card(&unit, "DATASUM", 0) != NULL)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: its DATASUM would be another one, as rows have %" PRIu64
                       " bytes: remove that first",
                       name, row);
    table->header_bytes = (uint32_t)(at + unit.header_bytes);
    table->type.record_bytes = (uint32_t)row;
    table->count = find_number(&unit, "NAXIS2", 0, UINT64_MAX);
    st = read_columns(&table->type, &unit, name, err);
cleanup:
    if (st != GS_OK)
        gs_npy_free(table);
    return st;
}
