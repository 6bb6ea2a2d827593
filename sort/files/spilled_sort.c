/* spilled_sort.c -- sort inputs that do not fit in memory: the external sort over open files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/spilled_sort.h"
#include "sort/files/memory_limit.h"

#include "sort/files/ahead.h"
#include "sort/files/combine_early.h"
#include "common/human.h"
#include "sort/files/output_sink.h"
#include "sort/files/partial_output.h"
#include "sort/files/work.h"
#include "common/files/space.h"
#include "sort/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* With less than this there is no external sort. */
#define LEAST_BYTES ((uint64_t)2 << 20)

/* Of what is announced in one call, the kernel reads no more than this ahead by default. */
#define SOON_BYTES ((uint64_t)128 << 10)

/* The context of the external sort's callbacks. */
struct source {
    struct gs_inputs *inputs;
    struct gs_output *output;
    struct gs_output_sink *to; /* that is on top of it */
    const struct gs_options *options;
    uint64_t keys; /* known so far: mapped, in memory, or read since */
    size_t next;   /* if inputs are read in turn: this one is next, */
    size_t copied; /* and so much of it was, if it is mapped */
    unsigned record_bytes;
    unsigned output_bytes; /* of what the output has for each record */
    bool advanced;         /* keys were read or given back */
    bool cold;             /* most of the inputs was not in memory */
};

/* Keys that will not be read again. The page cache need not keep what nobody had there before: its
 * pages serve what is read next, where fresh ones may come slowly. */
static void let_go(struct source *source, const void *keys, uint64_t bytes)
{
    source->advanced = true;
#ifdef MADV_PAGEOUT
    if (source->cold)
        gs_inputs_advise(source->inputs, keys, bytes, MADV_PAGEOUT);
#endif
    gs_inputs_release(source->inputs, keys, bytes);
}

static bool are_cold(const struct gs_inputs *inputs)
{
    uint64_t cold = 0;
    for (size_t i = 0; i < inputs->count; i++)
        cold += gs_input_is_cold(&inputs->list[i]) ? inputs->list[i].size : 0;
    return cold > gs_inputs_bytes(inputs) / 2;
}

/* Have the disk read what will be needed next. */
static void announce(struct gs_inputs *inputs, const char *bytes, uint64_t size)
{
    for (uint64_t at = 0, step; at < size; at += step) {
        step = SOON_BYTES - ((uintptr_t)bytes + at) % SOON_BYTES; /* whole pages */
        step = step < size - at ? step : size - at;
        gs_inputs_advise(inputs, bytes + at, step, MADV_WILLNEED);
    }
}

static void advise_keys(void *context, enum gs_use use, const void *keys, uint64_t count)
{
    static const int advice[] = {[GS_USE_RANDOM] = MADV_RANDOM,
                                 [GS_USE_LATER] = MADV_DONTNEED,
                                 [GS_USE_IN_ORDER] = MADV_SEQUENTIAL};
    struct source *source = context;
    const uint64_t bytes = count * source->record_bytes;
    if (use == GS_USE_DONE)
        let_go(source, keys, bytes);
    else if (use == GS_USE_SOON)
        announce(source->inputs, keys, bytes);
    else
        gs_inputs_advise(source->inputs, keys, bytes, advice[use]);
}

/* Read mapped input on. */
static size_t copy_mapped(struct source *source, const struct gs_input *input, void *to,
                          size_t room)
{
    const char *from = (const char *)input->bytes + source->copied;
    const size_t left = (size_t)input->size - source->copied;
    const size_t here = left < room ? left : room;
    if (here > 0) {
        memcpy(to, from, here);
        source->copied += here;
        let_go(source, from, here);
    }
    return here;
}

/* Read one input after the other, those that are mapped, too. */
static enum gs_status read_in_turn(struct source *source, void *to, size_t room, size_t *got,
                                   struct gs_error *err)
{
    for (; source->next < source->inputs->count; source->next++, source->copied = 0) {
        struct gs_input *input = &source->inputs->list[source->next];
        struct gs_inputs alone = {.list = input, .count = 1};
        enum gs_status st = GS_OK;
        if (input->pending)
            st = gs_inputs_read_on(&alone, source->record_bytes, to, room, got, err);
        else
            *got = copy_mapped(source, input, to, room);
        if (st != GS_OK || *got > 0)
            return st;
    }
    return GS_OK;
}

static enum gs_status read_keys(void *context, void *to, uint64_t room, uint64_t *got,
                                struct gs_error *err)
{
    size_t bytes = 0;
    struct source *source = context;
    const size_t room_bytes = room * source->record_bytes;
    source->advanced = true;
    enum gs_status st =
        gs_keeps_input_order(source->options)
            ? read_in_turn(source, to, room_bytes, &bytes, err)
            : gs_inputs_read_on(source->inputs, source->record_bytes, to, room_bytes, &bytes, err);
    *got = bytes / source->record_bytes;
    source->keys += *got;
    if (st == GS_OK)
        st = gs_width(source->options)->check_count(source->options, source->keys, err);
    if (st != GS_OK || bytes > 0)
        return st;
    gs_output_sink_expect(source->to, source->keys);
    gs_output_begin(source->output); /* its file position may be shared with an input's */
    if (!gs_writes_fewer(source->options) && source->output->kind == GS_OUTPUT_POSITIONED)
        st = gs_output_reserve(source->output,
                               gs_wanted_of(source->options, source->keys) * source->output_bytes,
                               err);
    return st;
}

/* How many of the output's bytes have blocks already: of pages made ahead, or of old content that
 * will be overwritten. False if it is no regular file. */
static bool find_allocated(const struct gs_output *output, uint64_t *bytes)
{
    struct stat status;
    if (fstat(output->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    uint64_t allocated = (uint64_t)status.st_blocks * 512;
    uint64_t size = (uint64_t)status.st_size;
    uint64_t before = output->kind == GS_OUTPUT_STREAM ? size : output->start;
    if (allocated < size) /* there are holes, at unknown places */
        before = 0;
    *bytes = allocated > before ? allocated - before : 0;
    return true;
}

/* Allocate the output's bytes where that helps, or at least check that there is room for them.
 * *promised: how many remain to be allocated. known: there will be no more than `bytes`. */
static enum gs_status reserve_output(struct gs_output *output, uint64_t bytes, bool known,
                                     uint64_t *promised, struct gs_error *err)
{
    uint64_t held, before = gs_space_free(output->fd);
    *promised = 0;
    if (output->kind != GS_OUTPUT_TEMPORARY && !known)
        return GS_OK;
    if (!find_allocated(output, &held))
        return gs_output_reserve(output, bytes, err);
    if (before < bytes && before + held < bytes) {
        char wanted[GS_HUMAN_TEXT];
        char there[GS_HUMAN_TEXT];
        return gs_fail(err, GS_ERR_OUTPUT, ENOSPC, "%s: no room for its %s, only for %s",
                       output->name, gs_human_bytes(bytes, wanted),
                       gs_human_bytes(before + held, there));
    }
    enum gs_status st = gs_output_reserve(output, bytes, err);
    uint64_t after = gs_space_free(output->fd);
    uint64_t taken = held + (before > after ? before - after : 0);
    *promised = taken < bytes ? bytes - taken : 0;
    return st;
}

/* One try. *advanced: keys were written, read or given back, so there cannot be another one. */
static enum gs_status sort_within(const struct gs_task *task, uint64_t limit_bytes,
                                  uint64_t held_bytes, struct gs_inputs *inputs,
                                  struct gs_output *output, struct gs_progress *progress,
                                  struct gs_stats *stats, bool *advanced, struct gs_error *err)
{
    enum gs_status st;
    struct gs_span *spans = NULL;
    uint64_t keys;
    struct stat status;
    struct source own = {.inputs = inputs,
                         .output = output,
                         .options = &task->sort,
                         .cold = are_cold(inputs),
                         .record_bytes = gs_record_bytes(&task->sort),
                         .output_bytes = gs_output_bytes(&task->sort)};
    struct gs_external source = {.advise = advise_keys,
                                 .read = gs_inputs_pending(inputs) ? read_keys : NULL,
                                 .context = &own,
                                 .memory_bytes = limit_bytes,
                                 .held_bytes = held_bytes,
                                 .directories = task->found.directories,
                                 .directory_count = task->found.directory_count,
                                 .direct = task->direct,
                                 .journal = task->found.journal,
                                 .homes = task->found.homes};
    struct gs_output_sink to = gs_output_sink(output, &task->sort, NULL);
    GS_TRY(gs_make_spans(inputs, gs_record_bytes(&task->sort), &spans, &keys, err));
    own.to = &to;
    gs_output_sink_expect(&to, keys);
    gs_output_sink_choose(
        &to, source.read == NULL ? gs_wanted_of(&task->sort, keys) * own.output_bytes : UINT64_MAX);
    source.spans = spans;
    source.span_count = inputs->count;
    if (source.read != NULL && gs_keeps_input_order(own.options)) {
        /* those behind the first pending one have to wait */
        while (!inputs->list[own.next].pending)
            own.next++;
        source.span_count = own.next + 1;
    }
    for (size_t i = 0; i < source.span_count; i++)
        own.keys += spans[i].count;
    if (!gs_writes_fewer(&task->sort))
        GS_TRY(reserve_output(output, gs_wanted_of(&task->sort, keys) * own.output_bytes,
                              source.read == NULL, &source.output_bytes, err));
    if (fstat(output->fd, &status) == 0)
        source.output_device = status.st_dev;
    st = gs_sort_combining(task, &source, &to, progress, stats, err);
cleanup:
    *advanced = own.advanced || atomic_load(&to.wrote);
    st = gs_output_sink_close(&to, st, stats, err);
    free(spans);
    return st;
}

/* With --resume: only of inputs that are mapped, anything can be kept. */
static void warn_of_unmapped(const struct gs_task *task, const struct gs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count && task->found.journal != NULL; i++) {
        const struct gs_input *input = &inputs->list[i];
        if (input->mapping != NULL || (!input->pending && input->size == 0))
            continue;
        gs_task_warn(task, "--resume: %s cannot be mapped: nothing is kept", input->name);
        return;
    }
}

enum gs_status gs_spilled_sort(const struct gs_task *task, uint64_t limit_bytes,
                               uint64_t held_bytes, struct gs_inputs *inputs,
                               struct gs_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_error *err)
{
    uint64_t more = limit_bytes > held_bytes ? limit_bytes - held_bytes : 0;
    struct gs_task try = *task;
    struct gs_error first = {.status = GS_OK};
    enum gs_status st = gs_memory_check_external(
        &task->sort, limit_bytes, gs_inputs_bytes(inputs) / gs_record_bytes(&task->sort), err);
    warn_of_unmapped(task, inputs);
    while (st == GS_OK) {
        bool advanced = false;
        st = sort_within(&try, held_bytes + more, held_bytes, inputs, output, progress, stats,
                         &advanced, err);
        if (st != GS_ERR_MEMORY)
            break;
        if (first.status == GS_OK)
            first = *err; /* whose figures are those of the command line */
        const unsigned threads = gs_threads(&try.sort);
        const bool halves = more / 2 >= LEAST_BYTES;
        if (advanced || (threads == 1 && !halves)) {
            *err = first;
            break;
        }
        *err = (struct gs_error){.status = st = GS_OK};
        try.sort.threads = threads > 1 ? threads / 2 : 1;
        more = halves ? more / 2 : more;
    }
    return st;
}
