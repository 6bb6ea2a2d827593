/* offsets.c -- --offsets: a second file, which says where each value of the first key begins.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/offsets.h"

#include "common/formats/npy.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WAITING 8192 /* positions, before they are written */

static_assert(sizeof((struct gs_offsets *)0)->head == GS_NPY_INTEGERS_HEAD, "a header's size");

enum gs_status gs_offsets_new(struct gs_offsets **offsets, struct gs_error *err)
{
    if (*offsets != NULL)
        return GS_OK;
    *offsets = calloc(1, sizeof **offsets);
    if (*offsets == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--offsets");
    (*offsets)->max = GS_OFFSETS_MAX;
    return GS_OK;
}

enum gs_status gs_offsets_prepare(struct gs_offsets *offsets, const struct gs_format *format,
                                  unsigned record_bytes, struct gs_error *err)
{
    char type[GS_KEY_TYPE_TEXT];
    if (offsets == NULL)
        return GS_OK;
    offsets->key = format->keys[0];
    offsets->record_bytes = record_bytes;
    gs_key_type_name(&offsets->key.type, type);
    if (offsets->key.woven > 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "--offsets counts values from 0, not those of zorder");
    if (offsets->key.type.kind != GS_TYPE_UNSIGNED)
        return gs_fail(
            err, GS_ERR_USAGE, 0,
            "--offsets counts values from 0: the first key is %s, and has to be u8, u16, "
            "u32, u64 or u128",
            type);
    if (offsets->key.descending)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--offsets counts values from 0: the first key is descending");
    return GS_OK;
}

/* Would two outputs get the same name, or are they one file already? */
static bool are_one(const struct gs_output *a, const struct gs_output *b)
{
    struct stat of_a, of_b;
    if (a->kind != GS_OUTPUT_TEMPORARY || b->kind != GS_OUTPUT_TEMPORARY)
        return a->kind != GS_OUTPUT_STREAM && a->device == b->device && a->inode == b->inode;
    return strcmp(a->target.base, b->target.base) == 0 && fstat(a->target.dirfd, &of_a) == 0 &&
           fstat(b->target.dirfd, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

enum gs_status gs_offsets_open(struct gs_offsets *offsets, const struct gs_output *output,
                               struct gs_error *err)
{
    if (offsets == NULL)
        return GS_OK;
    offsets->waiting = calloc(WAITING, sizeof *offsets->waiting);
    if (offsets->waiting == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", offsets->name);
    enum gs_status st = gs_output_open(&offsets->output, offsets->name, err);
    if (st != GS_OK)
        return st;
    offsets->opened = true;
    if (are_one(&offsets->output, output))
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: --offsets and the output are one file",
                       offsets->name);
    const size_t length = strlen(offsets->name);
    if (offsets->output.kind == GS_OUTPUT_TEMPORARY && length > 4 &&
        strcmp(offsets->name + length - 4, ".npy") == 0)
        gs_output_set_head(&offsets->output, offsets->head, sizeof offsets->head);
    return GS_OK;
}

static enum gs_status flush(struct gs_offsets *offsets, struct gs_error *err)
{
    const size_t count = offsets->count;
    const uint64_t first = offsets->written;
    offsets->count = 0;
    offsets->written += count;
    return gs_output_write(&offsets->output, offsets->waiting, count * sizeof *offsets->waiting,
                           first * sizeof *offsets->waiting, err);
}

/* The position of values up to `value` that have not come yet. */
static enum gs_status put(struct gs_offsets *offsets, uint64_t value, uint64_t position,
                          struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (; offsets->next <= value; offsets->next++) {
        if (offsets->count == WAITING)
            GS_TRY(flush(offsets, err));
        offsets->waiting[offsets->count++] = position;
    }
cleanup:
    return st;
}

/* A record's value; UINT64_MAX if it is more than that. */
static uint64_t value_of(const struct gs_key_field *key, const unsigned char *record)
{
    const unsigned char *bytes = record + key->offset;
    uint64_t value = 0;
    for (uint32_t i = 0; i < key->type.bytes; i++) {
        if (value >> 56 != 0)
            return UINT64_MAX;
        value = value << 8 | bytes[key->type.big_endian ? i : key->type.bytes - 1 - i];
    }
    return value;
}

static enum gs_status refuse(const struct gs_offsets *offsets, uint64_t value, struct gs_error *err)
{
    if (offsets->fixed)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "--offsets: the first key of a record is %" PRIu64
                       ", which is more than --offsets-max=%" PRIu64,
                       value, offsets->max);
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "--offsets: the first key of a record is %" PRIu64
                   ": %s would have a position for each number up to that; --offsets-max=%" PRIu64
                   " insists",
                   value, offsets->name, value);
}

enum gs_status gs_offsets_add(struct gs_offsets *offsets, const void *records, uint64_t count,
                              uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_key_field key = offsets->key;
    const unsigned char *record = records;
    const bool quick = key.type.bytes == sizeof(uint32_t) && !key.type.big_endian;
    for (uint64_t i = 0; i < count; i++, record += offsets->record_bytes) {
        uint32_t word = 0;
        if (quick)
            memcpy(&word, record + key.offset, sizeof word);
        const uint64_t value = quick ? word : value_of(&key, record);
        if (value < offsets->next)
            continue;
        if (value > offsets->max)
            return refuse(offsets, value, err);
        GS_TRY(put(offsets, value, position + i, err));
    }
cleanup:
    return st;
}

enum gs_status gs_offsets_publish(struct gs_offsets *offsets, uint64_t total, bool synced,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (offsets == NULL)
        return GS_OK;
    /* and the end, as if it were that of the value behind them */
    GS_TRY(put(offsets, offsets->fixed ? offsets->max + 1 : offsets->next, total, err));
    GS_TRY(flush(offsets, err));
    if (offsets->output.head_bytes > 0)
        gs_npy_write_integers(offsets->head, sizeof *offsets->waiting, offsets->written);
    GS_TRY(gs_output_write_head(&offsets->output, err));
    if (synced)
        gs_output_sync(&offsets->output);
    st = gs_output_publish(&offsets->output, offsets->written * sizeof *offsets->waiting, err);
cleanup:
    return st;
}

void gs_offsets_discard(struct gs_offsets *offsets)
{
    if (offsets == NULL)
        return;
    if (offsets->opened)
        gs_output_discard(&offsets->output);
    offsets->opened = false;
    free(offsets->waiting);
    offsets->waiting = NULL;
}
