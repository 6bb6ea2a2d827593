/* record_format.c -- what the files are arrays of: from options, or from the files' own headers.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/record_format.h"

#include "sort/files/combine.h"
#include "sort/files/npy_files.h"
#include "sort/files/offsets.h"
#include "sort/files/table_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Do keys begin at multiples of their size in all files? */
static bool are_aligned(const struct gs_task *task)
{
    const uint32_t bytes = task->found.format.element_bytes;
    if (bytes == 0) /* no element holds a record */
        return true;
    for (size_t i = 0; task->found.skips != NULL && (i == 0 || i < task->found.file_count); i++)
        if (task->found.skips[i] % bytes != 0)
            return false;
    return true;
}

/* The same number of bytes is in front of the records of each file. */
static enum gs_status skip_everywhere(struct gs_task *task, uint64_t skip, struct gs_error *err)
{
    size_t count = task->found.file_count > 0 ? task->found.file_count : 1;
    if (skip == 0)
        return GS_OK;
    task->found.skips = calloc(count, sizeof *task->found.skips);
    if (task->found.skips == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", count);
    for (size_t i = 0; i < count; i++)
        task->found.skips[i] = skip;
    return GS_OK;
}

/* What is to be combined of records of task->found.format; the sort then keeps all of them. */
static enum gs_status use_combine(struct gs_task *task, struct gs_error *err)
{
    if (task->combine == NULL || task->found.undecided)
        return GS_OK;
    const bool unique = task->sort.unique;
    task->sort.own.combine = task->combine;
    task->sort.unique = false;
    return gs_combine_prepare(task->combine, &task->found.format, unique,
                              task->found.npy != NULL ? &task->found.npy->head : NULL,
                              task->found.npy != NULL ? task->found.npy->name : NULL, err);
}

/* Prepare the sort for records of task->found.format. */
static enum gs_status use_format(struct gs_task *task, struct gs_error *err)
{
    gs_records_of(&task->sort, &task->found.format, task->stable, are_aligned(task),
                  &task->found.codec, &task->found.order);
    const enum gs_status st = use_combine(task, err);
    task->sort.own.offsets = task->offsets;
    if (st != GS_OK || task->found.undecided)
        return st;
    return gs_offsets_prepare(task->offsets, &task->found.format, gs_written_bytes(&task->sort),
                              err);
}

/* Does -t say what the .npy file says itself? */
static enum gs_status check_type(const struct gs_task *task, struct gs_error *err)
{
    struct gs_format told;
    char own[GS_FORMAT_TEXT];
    char other[GS_FORMAT_TEXT];
    enum gs_status st = gs_format_parse(&told, &task->named, err);
    if (st != GS_OK)
        return st;
    gs_format_name(&task->found.format, own);
    gs_format_name(&told, other);
    if (strcmp(own, other) == 0)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "%s: drop -t %s: its header says %s",
                   task->found.file_count > 0 ? task->found.files[0] : "-", task->named.type, own);
}

enum gs_status gs_set_records(struct gs_task *task, bool waits, struct gs_error *err)
{
    static const struct gs_format_options none = {.type = NULL};
    const struct gs_format_options *named = &task->named;
    enum gs_status st = GS_OK;
    if (!task->raw && named->record == NULL && task->skip == 0)
        GS_TRY(gs_npy_files_find(task->found.file_count > 0 ? task->found.files[0] : "-",
                                 task->found.file_count > 0 ? task->found.file_count : 1, named,
                                 &task->found.npy, &task->found.skips, &task->found.format,
                                 &task->found.undecided, err));
    if (!task->raw && named->record == NULL && task->skip == 0 && task->found.npy == NULL)
        GS_TRY(gs_table_find(task, err));
    task->found.undecided = task->found.undecided && waits && named->type == NULL;
    if (task->found.npy != NULL && named->type != NULL)
        GS_TRY(check_type(task, err));
    if (task->found.npy == NULL) {
        GS_TRY(gs_format_parse(&task->found.format, task->found.undecided ? &none : named, err));
        GS_TRY(skip_everywhere(task, task->skip, err));
    }
    st = use_format(task, err);
cleanup:
    return st;
}

enum gs_status gs_open_records(const struct gs_task *task, struct gs_inputs *inputs,
                               struct gs_error *err)
{
    const bool named = task->named.type != NULL || task->named.record != NULL;
    const enum gs_looks looks = task->raw ? GS_LOOKS_NONE : named ? GS_LOOKS_FORMATS : GS_LOOKS_ALL;
    /* What is in front of the records is found when the inputs are open. */
    const bool told = task->found.undecided || task->found.npy != NULL;
    enum gs_status st = gs_inputs_open(inputs, task->found.files, task->found.file_count,
                                       told ? 0 : gs_record_bytes(&task->sort),
                                       told ? NULL : task->found.skips, looks, err);
    if (st == GS_OK && task->reads)
        gs_inputs_unmap(inputs);
    return st;
}

enum gs_status gs_decide_records(struct gs_task *task, struct gs_inputs *inputs,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (task->found.undecided) {
        GS_TRY(gs_npy_files_begin(inputs, &task->named, &task->found.npy, &task->found.skips,
                                  &task->found.format, err));
        if (task->found.npy == NULL)
            GS_TRY(gs_format_parse(&task->found.format, &task->named, err));
    }
    if (task->found.npy != NULL) {
        if (task->found.npy->head.table)
            GS_TRY(gs_table_follow(task->found.npy, &inputs->list[0], err));
        else
            GS_TRY(gs_npy_files_follow(task->found.npy, inputs, task->found.skips, err));
        GS_TRY(use_format(task, err));
    }
    if (task->found.undecided) {
        task->found.undecided = false;
        GS_TRY(use_format(task, err));
        GS_TRY(gs_check_records(task, err));
        if (task->found.npy == NULL)
            st = gs_inputs_judge(inputs, gs_record_bytes(&task->sort), err);
    }
cleanup:
    return st;
}

enum gs_status gs_check_records(const struct gs_task *task, struct gs_error *err)
{
    return gs_width(&task->sort)->check_options(&task->sort, err);
}
