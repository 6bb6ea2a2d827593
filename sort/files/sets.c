/* sets.c -- --minus and --common: the file whose keys are left out of the output, or kept.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/sets.h"

#include "sort/check/check_records.h"
#include "sort/files/combine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void tell_nobody(void *context, uint64_t bytes)
{
    (void)context;
    (void)bytes;
}

static enum gs_status check_order(const struct gs_options *options, const struct gs_set *set,
                                  struct gs_error *err)
{
    char key[GS_KEY_TEXT];
    const struct gs_record_order *order = &options->own.combine->order;
    const unsigned bytes = options->own.combine->record_bytes;
    for (uint64_t i = 1; i < set->count; i++) {
        i = gs_records_rise(order, set->records, bytes, i, set->count, options->reverse);
        const char *record = (const char *)set->records + i * bytes;
        if (i == set->count ||
            gs_record_follows(order, record - bytes, record, options->reverse, false))
            continue;
        gs_whole_key_print(&options->format->keys[0], record, key);
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s:%" PRIu64 ": disorder: %s: %s needs a file that is sorted as the output "
                       "will be: gsort %s -o %s with the same -t, -R, -k, -r and -s",
                       set->name, i, key, set->option, set->name, set->name);
    }
    return GS_OK;
}

enum gs_status gs_set_open(const struct gs_task *task, struct gs_inputs *inputs,
                           const struct gs_output *output, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t temporary_bytes;
    if (task->combine == NULL || task->combine->set.name == NULL)
        return GS_OK;
    const unsigned bytes = gs_record_bytes(&task->sort);
    struct gs_set *set = &task->combine->set;
    struct gs_inputs alone = {.list = &inputs->list[--inputs->count], .count = 1};
    const struct gs_input *input = &alone.list[0];
    /* Nothing of it in memory: that is the sort's. */
    GS_TRY(gs_inputs_spool(&alone, bytes, 0, task->found.directories, task->found.directory_count,
                           tell_nobody, NULL, &temporary_bytes, err));
    if (output->kind == GS_OUTPUT_POSITIONED && input->mapping != NULL &&
        input->device == output->device && input->inode == output->inode)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: is written over while it is read: -o can",
                       set->name);
    set->records = input->bytes;
    set->count = input->size / bytes;
    gs_inputs_advise(&alone, input->bytes, input->size, MADV_SEQUENTIAL);
    st = check_order(&task->sort, set, err);
cleanup:
    return st;
}
