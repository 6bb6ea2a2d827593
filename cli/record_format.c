/* record_format.c -- what the files are arrays of: from options, or from the files' own headers.
 * SPDX-License-Identifier: MIT
 */
#include "cli/record_format.h"

#include "cli/combine.h"
#include "cli/npy_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Do keys begin at multiples of their size in all files? */
static bool are_aligned(const struct gs_command *command)
{
    const uint32_t bytes = command->format.element_bytes;
    if (bytes == 0) /* no element holds a record */
        return true;
    for (size_t i = 0; command->skips != NULL && (i == 0 || i < command->file_count); i++)
        if (command->skips[i] % bytes != 0)
            return false;
    return true;
}

/* The same number of bytes is in front of the records of each file. */
static enum gs_status skip_everywhere(struct gs_command *command, uint64_t skip,
                                      struct gs_error *err)
{
    size_t count = command->file_count > 0 ? command->file_count : 1;
    if (skip == 0)
        return GS_OK;
    command->skips = calloc(count, sizeof *command->skips);
    if (command->skips == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", count);
    for (size_t i = 0; i < count; i++)
        command->skips[i] = skip;
    return GS_OK;
}

/* What is to be combined of records of command->format; the sort then keeps all of them. */
static enum gs_status use_combine(struct gs_command *command, struct gs_error *err)
{
    if (command->combine == NULL || command->undecided)
        return GS_OK;
    const bool unique = command->sort.unique;
    command->sort.combine = command->combine;
    command->sort.unique = false;
    return gs_combine_prepare(command->combine, &command->format, unique,
                              command->npy != NULL ? &command->npy->head : NULL,
                              command->npy != NULL ? command->npy->name : NULL, err);
}

/* Prepare the sort for records of command->format. */
static enum gs_status use_format(struct gs_command *command, struct gs_error *err)
{
    gs_records_of(&command->sort, &command->format, command->stable, are_aligned(command),
                  &command->codec, &command->order);
    return use_combine(command, err);
}

/* Does -t say what the .npy file says itself? */
static enum gs_status check_type(const struct gs_command *command, struct gs_error *err)
{
    struct gs_format told;
    char own[GS_FORMAT_TEXT];
    char other[GS_FORMAT_TEXT];
    enum gs_status st = gs_format_parse(&told, &command->named, err);
    if (st != GS_OK)
        return st;
    gs_format_name(&command->format, own);
    gs_format_name(&told, other);
    if (strcmp(own, other) == 0)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "%s: drop -t %s: its header says %s",
                   command->file_count > 0 ? command->files[0] : "-", command->named.type, own);
}

enum gs_status gs_set_records(struct gs_command *command, uint64_t skip, struct gs_error *err)
{
    static const struct gs_format_options none = {.type = NULL};
    const struct gs_format_options *named = &command->named;
    enum gs_status st = GS_OK;
    if (!command->raw && named->record == NULL && skip == 0)
        GS_TRY(gs_npy_files_find(command->file_count > 0 ? command->files[0] : "-",
                                 command->file_count > 0 ? command->file_count : 1, named,
                                 &command->npy, &command->skips, &command->format,
                                 &command->undecided, err));
    command->undecided = command->undecided && !command->planned && named->type == NULL;
    if (command->npy != NULL && named->type != NULL)
        GS_TRY(check_type(command, err));
    if (command->npy == NULL) {
        GS_TRY(gs_format_parse(&command->format, command->undecided ? &none : named, err));
        GS_TRY(skip_everywhere(command, skip, err));
    }
    st = use_format(command, err);
cleanup:
    return st;
}

enum gs_status gs_open_records(const struct gs_command *command, struct gs_inputs *inputs,
                               struct gs_error *err)
{
    const bool named = command->named.type != NULL || command->named.record != NULL;
    const enum gs_looks looks = command->raw ? GS_LOOKS_NONE
                                : named      ? GS_LOOKS_FORMATS
                                             : GS_LOOKS_ALL;
    /* What is in front of the records is found when the inputs are open. */
    const bool told = command->undecided || command->npy != NULL;
    return gs_inputs_open(inputs, command->files, command->file_count,
                          told ? 0 : gs_record_bytes(&command->sort), told ? NULL : command->skips,
                          looks, err);
}

enum gs_status gs_decide_records(struct gs_command *command, struct gs_inputs *inputs,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (command->undecided) {
        GS_TRY(gs_npy_files_begin(inputs, &command->named, &command->npy, &command->skips,
                                  &command->format, err));
        if (command->npy == NULL)
            GS_TRY(gs_format_parse(&command->format, &command->named, err));
    }
    if (command->npy != NULL) {
        GS_TRY(gs_npy_files_follow(command->npy, inputs, command->skips, err));
        GS_TRY(use_format(command, err));
    }
    if (command->undecided) {
        command->undecided = false;
        GS_TRY(use_format(command, err));
        GS_TRY(gs_check_records(command, err));
        if (command->npy == NULL)
            st = gs_inputs_judge(inputs, gs_record_bytes(&command->sort), err);
    }
cleanup:
    return st;
}

enum gs_status gs_check_records(const struct gs_command *command, struct gs_error *err)
{
    struct gs_options options = command->sort;
    if (command->mode != GS_MODE_SORT)
        options.device = GS_DEVICE_AUTO; /* --device has no effect: these modes run on the CPU */
    return gs_width(&options)->check_options(&options, err);
}
