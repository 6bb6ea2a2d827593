/* combine.c -- what is made of sorted records: sets, and one of each key with counts and sums.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/combine.h"
#include "sort/files/key_rows.h"
#include "sort/files/set_match.h"

#include "common/formats/field_sum.h"
#include "common/formats/record_copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_BYTES ((size_t)256 << 10)

/* So many records of the same keys are looked at one by one. */
#define SHORT_RUN 4

struct gs_combiner {
    const struct gs_options *options;
    const struct gs_combine *how;
    const char *name;
    bool parts; /* come */
    bool quick; /* records come, and integers of at most 8 bytes are summed, if anything is */
    uint32_t bytes_in, bytes_out;
    gs_combined *put;
    void *context;
    struct gs_key_rows rows;
    struct gs_field_sum sums[GS_FORMAT_KEYS_MAX];
    struct gs_set_match set;
    uint64_t times;         /* of the last record in the room, so far; 0: there is none */
    uint64_t room, records; /* in records: the results that wait, the last one unfinished, */
    uint64_t written;       /* and those before */
    char bytes[];
};

struct gs_combiner *gs_combiner_new(const struct gs_options *options, const char *name, bool parts,
                                    gs_combined *put, void *context)
{
    const struct gs_combine *how = options->own.combine;
    const uint32_t bytes = how->output_bytes;
    const uint64_t room = ROOM_BYTES / bytes;
    struct gs_combiner *combiner = malloc(sizeof *combiner + room * bytes);
    if (combiner == NULL)
        return NULL;
    *combiner = (struct gs_combiner){.options = options,
                                     .how = how,
                                     .name = name,
                                     .parts = parts,
                                     .bytes_in = parts ? how->part_bytes : how->record_bytes,
                                     .bytes_out = bytes,
                                     .put = put,
                                     .context = context,
                                     .rows = gs_key_rows(&how->order.format),
                                     .quick = !parts,
                                     .room = room};
    combiner->set = (struct gs_set_match){.records = how->set.records,
                                          .count = how->set.count,
                                          .record_bytes = how->record_bytes,
                                          .order = &how->order,
                                          .rows = &combiner->rows,
                                          .reverse = options->reverse,
                                          .once = how->folds};
    for (uint32_t i = 0; i < how->field_count; i++)
        combiner->quick = combiner->quick && how->fields[i].fold == GS_COMBINE_SUM &&
                          gs_field_is_word(&how->fields[i].field.type);
    return combiner;
}

static char *last_record(struct gs_combiner *combiner)
{
    return combiner->bytes + (combiner->records - 1) * combiner->bytes_out;
}

/* A field in what comes, or in what is made of it. */
static inline const struct gs_key_field *field_of(const struct gs_combined_field *one, bool part)
{
    return part ? &one->part : &one->field;
}

static inline uint64_t times_of(const struct gs_combine *how, const char *part)
{
    return gs_row_half(part + how->record_bytes);
}

/* Is it said how many records were behind what comes? */
static inline bool counted(const struct gs_combiner *combiner)
{
    return combiner->parts && combiner->how->counts;
}

/* The next `count` records have the keys of the last one in the room. */
static void fold(struct gs_combiner *combiner, const char *records, uint64_t count)
{
    const struct gs_combine *how = combiner->how;
    char *last = last_record(combiner);
    for (uint32_t i = 0; i < how->field_count; i++) {
        const struct gs_combined_field *one = &how->fields[i];
        const struct gs_key_field *in = field_of(one, combiner->parts);
        const uint32_t at = in->offset - one->field.offset;
        if (one->fold == GS_COMBINE_SUM) {
            gs_field_sum_add(&combiner->sums[i], in, records, count, combiner->bytes_in);
            continue;
        }
        const char *record = records;
        for (uint64_t j = 0; j < count; j++, record += combiner->bytes_in) {
            const int sign = gs_record_compare_keys(&one->order, record + at, last);
            if (one->fold == GS_COMBINE_MIN ? sign < 0 : sign > 0)
                memcpy(last + one->field.offset, record + in->offset, in->type.bytes);
        }
    }
    for (uint64_t j = 0; counted(combiner) && j < count; j++)
        combiner->times += times_of(how, records + j * combiner->bytes_in);
    combiner->times += counted(combiner) ? 0 : count;
}

/* The same for one record, where combiner->quick. */
static inline void fold_quickly(struct gs_combiner *combiner, const char *record)
{
    for (uint32_t i = 0; i < combiner->how->field_count; i++)
        combiner->sums[i].integer += gs_field_wide(&combiner->how->fields[i].field, record);
    combiner->times++;
}

/* The last record in the room is that one so far. */
static void begin(struct gs_combiner *combiner, const char *record)
{
    const struct gs_combine *how = combiner->how;
    char *last = last_record(combiner);
    gs_record_copy(last, record, how->record_bytes);
    combiner->times = counted(combiner) ? times_of(how, record) : 1;
    for (uint32_t i = 0; i < how->field_count; i++) {
        const struct gs_combined_field *one = &how->fields[i];
        const struct gs_key_field *in = field_of(one, combiner->parts);
        if (one->fold == GS_COMBINE_SUM)
            gs_field_sum_begin(&combiner->sums[i], in, record);
        else if (combiner->parts)
            memcpy(last + one->field.offset, record + in->offset, in->type.bytes);
    }
}

/* A result of the last record in the room has no room in its field: a sum, or the count. */
static enum gs_status no_room(const struct gs_combiner *combiner, const char *last,
                              const struct gs_combined_field *sum, struct gs_error *err)
{
    char key[GS_KEY_TEXT];
    gs_whole_key_print(&combiner->options->format->keys[0], last, key);
    if (sum != NULL)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: --sum=%s: the sum of key %s has no room in its field: make that wider",
                       combiner->name, sum->text, key);
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: key %s comes %" PRIu64 " times, which %s has no room for: --count=u64 has",
                   combiner->name, key, combiner->times, combiner->how->count_text);
}

/* No more of its keys will come: finish the last record in the room, or drop it. */
static enum gs_status finish(struct gs_combiner *combiner, struct gs_error *err)
{
    const struct gs_combine *how = combiner->how;
    if (combiner->times == 0)
        return GS_OK;
    char *last = last_record(combiner);
    if (combiner->times > 1 ? how->single : how->repeated) {
        combiner->records--;
        return GS_OK;
    }
    const bool changed = combiner->times > 1 || combiner->parts;
    for (uint32_t i = 0; changed && i < how->field_count; i++) {
        const struct gs_combined_field *one = &how->fields[i];
        if (one->fold == GS_COMBINE_SUM &&
            !gs_field_sum_store(&combiner->sums[i], &one->field, last))
            return no_room(combiner, last, one, err);
    }
    if (how->count_text != NULL &&
        !gs_field_put(&how->count, combiner->times, last + how->record_bytes))
        return no_room(combiner, last, NULL, err);
    return GS_OK;
}

static enum gs_status flush(struct gs_combiner *combiner, struct gs_error *err)
{
    const uint64_t count = combiner->records;
    combiner->records = 0;
    if (count == 0)
        return GS_OK;
    combiner->written += count;
    return combiner->put(combiner->context, combiner->bytes, count, combiner->written - count, err);
}

/* Records that are folded. */
static enum gs_status take(struct gs_combiner *combiner, const char *record, uint64_t count,
                           struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = combiner->bytes_in;
    for (uint64_t run; count > 0; count -= run, record += run * bytes) {
        run = 1; /* one by one: a second loop would end as unforeseen as this one */
        if (combiner->times > 0 && gs_keys_same(&combiner->rows, last_record(combiner), record)) {
            if (combiner->times > SHORT_RUN)
                run = gs_keys_run(&combiner->rows, last_record(combiner), record, bytes, count);
            if (combiner->quick && run == 1)
                fold_quickly(combiner, record);
            else
                fold(combiner, record, run);
            continue;
        }
        GS_TRY(finish(combiner, err));
        if (combiner->records == combiner->room)
            GS_TRY(flush(combiner, err));
        combiner->records++;
        begin(combiner, record);
    }
cleanup:
    return st;
}

/* Of a block, those that the set lets through. */
static enum gs_status take_kept(struct gs_combiner *combiner, const char *record, uint32_t count,
                                const bool *paired, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = combiner->bytes_in;
    uint32_t kept[GS_SET_BLOCK + 1], all = 0;
    for (uint32_t i = 0; i < count; i++) {
        kept[all] = i;
        all += paired[i] == combiner->how->set.kept;
    }
    if (combiner->how->folds && all == count)
        return take(combiner, record, count, err);
    for (uint32_t i = 0; i < all; i++) {
        const char *one = record + kept[i] * bytes;
        if (combiner->how->folds) {
            GS_TRY(take(combiner, one, 1, err));
            continue;
        }
        if (combiner->records == combiner->room)
            GS_TRY(flush(combiner, err));
        gs_record_copy(combiner->bytes + combiner->records++ * bytes, one, bytes);
    }
cleanup:
    return st;
}

enum gs_status gs_combiner_add(struct gs_combiner *combiner, const void *records, uint64_t count,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const char *record = records;
    const uint64_t bytes = combiner->bytes_in;
    bool paired[GS_SET_BLOCK];
    if (combiner->how->set.name == NULL)
        return take(combiner, record, count, err);
    for (uint32_t block; count > 0; count -= block, record += block * bytes) {
        block = gs_set_match(&combiner->set, record, bytes, count, paired);
        GS_TRY(take_kept(combiner, record, block, paired, err));
    }
cleanup:
    return st;
}

enum gs_status gs_combiner_end(struct gs_combiner *combiner, uint64_t *written,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_TRY(finish(combiner, err));
    combiner->times = 0;
    GS_TRY(flush(combiner, err));
    *written = combiner->written;
cleanup:
    return st;
}

void gs_combiner_free(struct gs_combiner *combiner)
{
    free(combiner);
}
