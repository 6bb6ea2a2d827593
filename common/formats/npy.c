/* npy.c -- parse the header of a .npy file, and write one for another count of records.
 * SPDX-License-Identifier: MIT
 *
 * A header is the literal of a Python dictionary with three entries in any order:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }
 * filled with spaces and ended by a newline.
 */
#include "common/formats/npy.h"

#include "common/formats/npy_literal.h"
#include "common/human.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A header's length in front of its text, of version 1 and of others; numpy aligns the whole. */
enum { PREFIX_1 = 10, PREFIX_2 = 12, ALIGNMENT = 64 };

static const char magic[] = "\x93NUMPY";

/* The values of the three entries: indices of literals. */
struct entries {
    uint32_t descr;
    uint32_t order;
    uint32_t shape;
};

static enum gs_status damaged(const char *name, uint32_t at, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: damaged .npy header at byte %u", name, (unsigned)at);
}

/* The three entries; of one that is there twice, the last counts, as in Python. */
static enum gs_status find_entries(const struct gs_literals *literals, struct entries *entries,
                                   const char *name, struct gs_error *err)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    uint32_t *const values[] = {&entries->descr, &entries->order, &entries->shape};
    const struct gs_literal *list = literals->list;
    const struct gs_literal *whole = &list[literals->root];
    if (whole->kind != GS_LITERAL_DICTIONARY)
        return damaged(name, whole->begin, err);
    for (uint32_t key = whole->first; key != 0; key = list[list[key].next].next) {
        int i = 0;
        while (i < 3 && !gs_literal_is(literals, &list[key], keys[i]))
            i++;
        if (i == 3)
            return damaged(name, list[key].begin, err);
        *values[i] = list[key].next;
    }
    if (entries->descr == 0 || entries->order == 0 || entries->shape == 0)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: damaged .npy header: one of its entries is missing", name);
    return list[entries->order].kind == GS_LITERAL_TRUTH
               ? GS_OK
               : damaged(name, list[entries->order].begin, err);
}

/* The shape, of two dimensions or fewer, and what records it means. */
static enum gs_status read_shape(struct gs_npy *npy, const struct gs_literals *literals,
                                 uint32_t index, bool fortran, const char *name,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t bytes;
    uint64_t lengths[2] = {1, 1};
    uint32_t dimension = 0;
    const struct gs_literal *shape = &literals->list[index];
    npy->count = 1;
    npy->shape = shape->begin;
    npy->shape_end = shape->end;
    if (shape->kind != GS_LITERAL_TUPLE)
        return damaged(name, shape->begin, err);
    for (uint32_t i = shape->first; i != 0; i = literals->list[i].next) {
        const struct gs_literal *length = &literals->list[i];
        if (length->kind != GS_LITERAL_INTEGER || (length->negative && length->value != 0))
            return damaged(name, length->begin, err);
        lengths[dimension] = length->value;
        dimension = 1;
    }
    if (shape->count > 2)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: a .npy file that cannot be sorted: it has more than two dimensions; "
                       "numpy's x.reshape(len(x), -1) has rows",
                       name);
    npy->count = lengths[0];
    if (shape->count == 2)
        GS_TRY(gs_npy_rows_make(&npy->type, lengths[1], fortran, name, err));
    if (__builtin_mul_overflow(npy->count, npy->type.record_bytes, &bytes) ||
        bytes > (uint64_t)INT64_MAX - npy->header_bytes)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: no file has as many records as its .npy header says", name);
cleanup:
    return st;
}

bool gs_npy_is(const void *bytes, size_t size)
{
    return size >= GS_NPY_MAGIC_BYTES && memcmp(bytes, magic, GS_NPY_MAGIC_BYTES) == 0;
}

enum gs_status gs_npy_header_bytes(const void *bytes, size_t size, const char *name,
                                   uint32_t *header_bytes, struct gs_error *err)
{
    const unsigned char *b = bytes;
    if (size < GS_NPY_PREFIX_BYTES || !gs_npy_is(bytes, size))
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: ends within its .npy header", name);
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: .npy version %u.%u is unknown", name, b[6], b[7]);
    uint64_t length = (uint64_t)b[8] | (uint64_t)b[9] << 8;
    if (b[6] > 1)
        length |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    length += b[6] > 1 ? PREFIX_2 : PREFIX_1;
    if (length < GS_NPY_PREFIX_BYTES || length > GS_NPY_HEADER_MAX)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: its .npy header has %" PRIu64 " bytes: not %d to %" PRIu32, name,
                       length, GS_NPY_PREFIX_BYTES, GS_NPY_HEADER_MAX);
    *header_bytes = (uint32_t)length;
    return GS_OK;
}

/* Where the text of a header begins. */
static uint32_t text_begin(const void *header)
{
    return ((const unsigned char *)header)[6] > 1 ? PREFIX_2 : PREFIX_1;
}

enum gs_status gs_npy_parse(struct gs_npy *npy, const void *bytes, size_t size, const char *name,
                            struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint32_t bad;
    struct gs_literals literals = {.count = 0};
    struct entries entries = {0};
    *npy = (struct gs_npy){.count = 0};
    GS_TRY(gs_npy_header_bytes(bytes, size, name, &npy->header_bytes, err));
    if (size < npy->header_bytes)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: ends within its .npy header", name);
    const bool good = gs_literals_read(
        &literals, bytes, text_begin(bytes), npy->header_bytes,
        ((const char *)bytes)[6] < 3 ? GS_LITERAL_PYTHON2 : GS_LITERAL_PYTHON3, &bad);
    if (!good)
        st = literals.no_memory ? gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name)
                                : damaged(name, bad, err);
    if (good)
        st = find_entries(&literals, &entries, name, err);
    if (st == GS_OK)
        st = gs_npy_type_read(&npy->type, &literals, entries.descr, name, err);
    if (st == GS_OK)
        st = read_shape(npy, &literals, entries.shape, literals.list[entries.order].value != 0,
                        name, err);
    npy->descr = good ? literals.list[entries.descr].begin : 0;
    npy->descr_end = good ? literals.list[entries.descr].end : 0;
    npy->text_end = literals.end;
    npy->newline = ((const char *)bytes)[npy->header_bytes - 1] == '\n';
    npy->strings = literals.strings;
    literals.strings = NULL;
cleanup:
    gs_literals_free(&literals);
    if (st != GS_OK)
        gs_npy_free(npy);
    return st;
}

void gs_npy_free(struct gs_npy *npy)
{
    gs_npy_type_free(&npy->type);
    free(npy->strings);
    npy->strings = NULL;
}

bool gs_npy_agree(const struct gs_npy *a, const struct gs_npy *b)
{
    return a->type.text_bytes == b->type.text_bytes &&
           memcmp(a->type.text, b->type.text, a->type.text_bytes) == 0;
}

enum gs_status gs_npy_check_size(const struct gs_npy *npy, uint64_t file_bytes, const char *name,
                                 struct gs_error *err)
{
    if (npy->count * npy->type.record_bytes + npy->header_bytes ==
        file_bytes) /* no more than 2^63 */
        return GS_OK;
    char text[GS_HUMAN_TEXT];
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: has %s, but its .npy header says %u and %" PRIu64 " records of %u", name,
                   gs_human_exact(file_bytes, text), (unsigned)npy->header_bytes, npy->count,
                   (unsigned)npy->type.record_bytes);
}

/* The text of a shape. */
enum { SHAPE_TEXT = 40 };
static uint32_t shape_text(const struct gs_npy *npy, uint64_t count, char text[SHAPE_TEXT])
{
    if (npy->type.columns > 0)
        return (uint32_t)snprintf(text, SHAPE_TEXT, "(%" PRIu64 ", %u)", count,
                                  (unsigned)npy->type.columns);
    return (uint32_t)snprintf(text, SHAPE_TEXT, "(%" PRIu64 ",)", count);
}

uint32_t gs_npy_room(const struct gs_npy *npy, uint64_t most)
{
    char shape[SHAPE_TEXT];
    const uint32_t bytes =
        npy->text_end - (npy->shape_end - npy->shape) + shape_text(npy, most, shape);
    if (bytes + npy->newline <= npy->header_bytes)
        return npy->header_bytes;
    /* One of version 1 may become one of version 2. */
    return (bytes + 1 + PREFIX_2 - PREFIX_1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void gs_npy_write(const struct gs_npy *npy, const void *header, uint64_t count, void *to,
                  uint32_t bytes)
{
    char shape[SHAPE_TEXT];
    const char *text = header;
    char *out = to;
    const uint32_t begin = text_begin(header);
    if (count == npy->count && bytes == npy->header_bytes) {
        memcpy(to, header, bytes);
        return;
    }
    const bool widened = bytes - begin > UINT16_MAX;
    const uint32_t prefix = widened ? PREFIX_2 : begin;
    memcpy(out, text, PREFIX_1); /* magic and version */
    if (widened && begin == PREFIX_1)
        out[6] = 2;
    for (uint32_t i = 8; i < prefix; i++)
        out[i] = (char)((bytes - prefix) >> (8 * (i - 8)));
    out += prefix;
    const uint32_t parts[] = {npy->shape - begin, shape_text(npy, count, shape),
                              npy->text_end - npy->shape_end};
    const char *const from[] = {text + begin, shape, text + npy->shape_end};
    for (int i = 0; i < 3; out += parts[i++])
        memcpy(out, from[i], parts[i]);
    const uint32_t rest = bytes - (uint32_t)(out - (char *)to);
    memset(out, ' ', rest);
    if (rest > 0)
        out[rest - 1] = '\n';
}

void gs_npy_write_integers(void *to, unsigned integer_bytes, uint64_t count)
{
    char *out = to;
    memset(out, ' ', GS_NPY_INTEGERS_HEAD);
    memcpy(out, magic, GS_NPY_MAGIC_BYTES);
    memcpy(out + GS_NPY_MAGIC_BYTES, "\1\0", 2);
    out[8] = (char)(GS_NPY_INTEGERS_HEAD - PREFIX_1);
    out[9] = 0;
    const int length =
        snprintf(out + PREFIX_1, GS_NPY_INTEGERS_HEAD - PREFIX_1,
                 "{'descr': '<u%u', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                 integer_bytes, count);
    out[PREFIX_1 + length] = ' ';
    out[GS_NPY_INTEGERS_HEAD - 1] = '\n';
}
