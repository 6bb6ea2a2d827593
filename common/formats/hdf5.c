/* hdf5.c -- the dataset of an HDF5 file, if its values are in one piece.
 * SPDX-License-Identifier: MIT
 *
 * libhdf5 is opened when there is such a file: it brings more libraries than gsort takes time to
 * start. It is asked where the values are and of what type; a contiguous dataset has neither
 * filters nor checksums, so that another order of its rows leaves the file sound.
 */
#include "common/formats/table.h"

#include <dlfcn.h>
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of the library: its header says which those of GS_HDF5_LIBRARY are. */
#define CALL(name) ((__typeof__(name) *)(uintptr_t)dlsym(h->library, #name))

enum { READ_ONLY = 0, NAME_BYTES = 256, LIST_BYTES = 512, FIELDS_MAX = 65536 };

/* The library, and what is open of the file: an identifier is not positive if it is not. */
struct hdf5 {
    void *library;
    const char *name;
    hid_t file, dataset, space, type, made;
};

static enum gs_status refuse(const char *name, const char *why, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: looks like an HDF5 file, not plain keys: %s; --format=raw insists", name,
                   why);
}

static void close_id(const struct hdf5 *h, hid_t id)
{
    if (id > 0)
        CALL(H5Idec_ref)(id);
}

static void close_all(const struct hdf5 *h)
{
    const hid_t ids[] = {h->made, h->type, h->space, h->dataset, h->file};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        close_id(h, ids[i]);
    dlclose(h->library);
}

/* Open the dataset of the root group, which has to be its only one: others may be other columns,
 * in the order of this one. */
static enum gs_status open_dataset(struct hdf5 *h, struct gs_error *err)
{
    H5G_info_t group;
    char name[NAME_BYTES];
    char list[LIST_BYTES] = "";
    size_t used = 0;
    unsigned found = 0;
    CALL(H5Eset_auto2)(H5E_DEFAULT, NULL, NULL); /* it prints nothing */
    h->file = CALL(H5Fopen)(h->name, READ_ONLY, H5P_DEFAULT);
    if (h->file < 0 || CALL(H5Gget_info)(h->file, &group) < 0)
        return refuse(h->name, "it is damaged or cut off, or a program has it open", err);
    for (hsize_t i = 0; i < group.nlinks && used < LIST_BYTES - 1; i++) {
        char target[1]; /* of a link to something in this file or another: not looked at */
        if (CALL(H5Lget_name_by_idx)(h->file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                                     H5P_DEFAULT) <= 0 ||
            CALL(H5Lget_val)(h->file, name, target, sizeof target, H5P_DEFAULT) >= 0)
            continue;
        const hid_t object = CALL(H5Oopen)(h->file, name, H5P_DEFAULT);
        if (object < 0 || CALL(H5Iget_type)(object) != H5I_DATASET) {
            close_id(h, object);
            continue;
        }
        close_id(h, h->dataset);
        h->dataset = object;
        used += (size_t)snprintf(list + used, LIST_BYTES - used, " %s", name);
        found++;
    }
    if (found == 1)
        return GS_OK;
    if (found == 0)
        return refuse(h->name, "its root group has no dataset", err);
    return gs_fail(
        err, GS_ERR_INPUT, 0,
        "%s: looks like an HDF5 file, not plain keys: its datasets are%s: h5copy -i FILE "
        "-s NAME -o NEW -d NAME makes a file of one; --format=raw insists",
        h->name, list);
}

/* The type of an integer or a floating-point number; why it has no order, or NULL. */
static const char *read_number(const struct hdf5 *h, hid_t id, struct gs_key_type *type)
{
    const H5T_order_t order = CALL(H5Tget_order)(id);
    const size_t bits = CALL(H5Tget_precision)(id);
    size_t sign, exponent, mantissa, exponent_bits = 0, mantissa_bits;
    type->bytes = (uint32_t)CALL(H5Tget_size)(id);
    type->big_endian = order == H5T_ORDER_BE;
    if (bits != (size_t)type->bytes * 8 || (order != H5T_ORDER_LE && order != H5T_ORDER_BE))
        return "not all bits of its numbers are used, or in an order of their own";
    if (CALL(H5Tget_class)(id) != H5T_FLOAT) {
        const bool is_signed =
            CALL(H5Tget_class)(id) == H5T_INTEGER && CALL(H5Tget_sign)(id) == H5T_SGN_2;
        type->kind = is_signed ? GS_TYPE_SIGNED : GS_TYPE_UNSIGNED;
        return bits == 8 || bits == 16 || bits == 32 || bits == 64
                   ? NULL
                   : "its integers have not 1, 2, 4 or 8 bytes";
    }
    CALL(H5Tget_fields)(id, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits);
    type->kind = bits == 16 && exponent_bits == 8 ? GS_TYPE_BFLOAT : GS_TYPE_FLOAT;
    const size_t wanted = bits == 16 ? exponent_bits == 8 ? 8 : 5 : bits == 32 ? 8 : 11;
    return bits <= 64 && exponent_bits == wanted && sign == bits - 1 &&
                   CALL(H5Tget_ebias)(id) == ((size_t)1 << (wanted - 1)) - 1
               ? NULL
               : "its floating-point numbers are not IEEE's of 2, 4 or 8 bytes";
}

/* The type of a value as a key; why it is none, or NULL. */
static const char *read_type(const struct hdf5 *h, hid_t id, struct gs_key_type *type)
{
    const H5T_class_t kind = CALL(H5Tget_class)(id);
    switch (kind) {
    case H5T_ENUM: {
        const hid_t base = CALL(H5Tget_super)(id);
        const char *why = read_number(h, base, type);
        close_id(h, base);
        return why;
    }
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
        return read_number(h, id, type);
    case H5T_STRING:
        *type = (struct gs_key_type){
            .kind = GS_TYPE_BYTES, .bytes = (uint32_t)CALL(H5Tget_size)(id), .big_endian = true};
        return CALL(H5Tis_variable_str)(id) > 0 ? "its strings are of variable length" : NULL;
    default:
        return kind == H5T_COMPOUND ? "it is a structure"
               : kind == H5T_ARRAY  ? "it is an array"
               : kind == H5T_VLEN   ? "its values are of variable length"
                                    : "its type has no order";
    }
}

static enum gs_status read_members(const struct hdf5 *h, struct gs_npy_type *type,
                                   struct gs_error *err)
{
    const int count = CALL(H5Tget_nmembers)(h->type);
    type->structured = true;
    if (count <= 0 || count > FIELDS_MAX)
        return refuse(h->name, "its rows have no fields, or more than 65536", err);
    type->fields = calloc((size_t)count, sizeof *type->fields);
    type->column_names = calloc((size_t)count, NAME_BYTES);
    if (type->fields == NULL || type->column_names == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", h->name);
    for (unsigned i = 0; i < (unsigned)count; i++) {
        struct gs_npy_field *field = &type->fields[type->field_count++];
        char *own = type->column_names + (size_t)i * NAME_BYTES;
        char *called = CALL(H5Tget_member_name)(h->type, i);
        const hid_t member = CALL(H5Tget_member_type)(h->type, i);
        snprintf(own, NAME_BYTES, "%s", called != NULL ? called : "");
        if (called != NULL)
            CALL(H5free_memory)(called);
        field->name = own;
        field->name_bytes = (uint32_t)strlen(own);
        field->offset = (uint32_t)CALL(H5Tget_member_offset)(h->type, i);
        field->bytes = (uint32_t)CALL(H5Tget_size)(member);
        field->no_key = read_type(h, member, &field->type);
        close_id(h, member);
    }
    return GS_OK;
}

/* What the rows are: structures, values, or as many values as there are columns. */
static enum gs_status read_rows(const struct hdf5 *h, struct gs_npy_type *type, uint64_t columns,
                                struct gs_error *err)
{
    const size_t bytes = CALL(H5Tget_size)(h->type);
    if (bytes == 0 || columns == 0 || columns > GS_RECORD_BYTES_MAX / bytes)
        return refuse(h->name, "its rows have not 1 to 65536 bytes", err);
    type->record_bytes = (uint32_t)bytes;
    if (CALL(H5Tget_class)(h->type) == H5T_COMPOUND)
        return read_members(h, type, err);
    type->fields = calloc(1, sizeof *type->fields);
    if (type->fields == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", h->name);
    type->field_count = 1;
    type->fields[0].bytes = (uint32_t)bytes;
    type->fields[0].no_key = read_type(h, h->type, &type->fields[0].type);
    return GS_OK;
}

static enum gs_status read_dataset(struct hdf5 *h, struct gs_npy *table, uint64_t *needed,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    hsize_t shape[2] = {0, 1};
    h->space = CALL(H5Dget_space)(h->dataset);
    h->type = CALL(H5Dget_type)(h->dataset);
    h->made = CALL(H5Dget_create_plist)(h->dataset);
    const int axes = CALL(H5Sget_simple_extent_ndims)(h->space);
    if (CALL(H5Pget_layout)(h->made) != H5D_CONTIGUOUS)
        return refuse(h->name,
                      "its dataset is in chunks or its header; h5repack -l CONTI -f NONE FILE NEW "
                      "makes it contiguous",
                      err);
    if (axes < 1 || axes > (CALL(H5Tget_class)(h->type) == H5T_COMPOUND ? 1 : 2) ||
        CALL(H5Sget_simple_extent_dims)(h->space, shape, NULL) < 0)
        return refuse(h->name, "its dataset has not one dimension, or two of numbers", err);
    GS_TRY(read_rows(h, &table->type, shape[1], err));
    if (axes == 2)
        GS_TRY(gs_npy_rows_make(&table->type, shape[1], false, h->name, err));
    const haddr_t offset = CALL(H5Dget_offset)(h->dataset);
    uint64_t bytes;
    table->count = shape[0];
    if (__builtin_mul_overflow(shape[0], table->type.record_bytes, &bytes) ||
        (bytes > 0 && (offset == HADDR_UNDEF || offset > INT64_MAX)))
        return refuse(h->name, "its values are not in it", err);
    if (bytes > 0 && CALL(H5Dget_storage_size)(h->dataset) != bytes)
        return refuse(h->name, "its values are of variable length", err);
    *needed = bytes > 0 ? offset : 0;
    table->header_bytes = (uint32_t)*needed;
cleanup:
    return st;
}

enum gs_status gs_hdf5_find(struct gs_npy *table, uint64_t *needed, const char *name,
                            struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct hdf5 h = {.name = name};
    *table = (struct gs_npy){.table = true};
    h.library = dlopen(GS_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (h.library == NULL)
        return refuse(name, "there is no " GS_HDF5_LIBRARY ": install libhdf5", err);
    GS_TRY(open_dataset(&h, err));
    st = read_dataset(&h, table, needed, err);
cleanup:
    close_all(&h);
    if (st != GS_OK)
        gs_npy_free(table);
    return st;
}
