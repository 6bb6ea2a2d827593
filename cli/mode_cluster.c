/* mode_cluster.c -- sort all inputs into the output, by all ranks of a job.
 * SPDX-License-Identifier: MIT
 *
 * Whatever may fail on one rank is agreed on by all before the next step, and rank 0 says it. Where
 * all ranks are on one host, one of them sorts (one_host.c).
 */
#include "cli/cluster_stats.h"
#include "cli/launcher.h"
#include "cli/local_files.h"
#include "cli/modes.h"
#include "cli/one_host.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/same_files.h"
#include "cli/same_format.h"
#include "cli/shared_output.h"
#include "common/clock.h"
#include "common/files/input.h"
#include "sort/cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What ranks cannot do together. */
static enum gs_status check_command(const struct gs_cluster *cluster,
                                    const struct gs_command *command, struct gs_error *err)
{
    if (command->task.sort.wanted.end != GS_WANTED_ALL && !gs_is_one_host(cluster, command))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--head and --tail: only ranks of one host have them, without --local and "
                       "--apart");
    if (command->task.split > 0 && !gs_is_one_host(cluster, command))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--split: only ranks of one host have it: --local has "
                       "a file for each rank");
    if (command->task.offsets != NULL && !gs_is_one_host(cluster, command))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--offsets: ranks have it on one host only, without --apart and --local");
    if (command->task.combine != NULL && !gs_is_one_host(cluster, command))
        return gs_fail(
            err, GS_ERR_USAGE, 0,
            "%s: ranks combine on one host only, without --apart and --local: sort first, "
            "and combine by gsort -m",
            command->task.combine->option);
    if (command->mode == GS_MODE_MERGE)
        return gs_fail(err, GS_ERR_USAGE, 0, "-m: only one process merges: start it once");
    if (command->task.output == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "standard output: ranks cannot write to it together: use -o FILE");
    if (command->task.sort.engine > GS_ENGINE_SAMPLESORT)
        return gs_fail(err, GS_ERR_USAGE, 0, "--engine=%s: sorts in one process only",
                       gs_engine_name(command->task.sort.engine));
    return GS_OK;
}

/* Ranks of one machine share its processors, unless the launcher has given each its own, and take
 * one GPU each. The latter before a GPU's runtime starts. */
static void share_machine(const struct gs_cluster *cluster, struct gs_options *options)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned ranks = (unsigned)cluster->local_size;
    unsigned threads = gs_threads(options);
    char card[64];
    if (options->threads == 0 && online > 0 && (uint64_t)threads * ranks > (uint64_t)online) {
        threads = (unsigned)online / ranks;
        options->threads = threads > 0 ? threads : 1;
    }
    if (ranks == 1 || options->device == GS_DEVICE_CPU)
        return;
    for (int i = 0; visible != NULL && i < cluster->local_rank; i++) {
        visible = strchr(visible, ',');
        visible = visible != NULL ? visible + 1 : NULL;
        if (visible == NULL) /* more ranks than cards: share those that there are */
            return;
    }
    if (visible != NULL)
        snprintf(card, sizeof card, "%.*s", (int)strcspn(visible, ","), visible);
    else
        snprintf(card, sizeof card, "%d", cluster->local_rank);
    setenv("CUDA_VISIBLE_DEVICES", card, 1);
}

static void tell(void *progress, uint64_t bytes)
{
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    (void)bytes;
}

/* Open this rank's inputs and learn what they are. *pending: some have to be read once, which rank
 * 0 alone does for all, unless each has files of its own. */
static enum gs_status open_files(const struct gs_cluster *cluster, struct gs_command *command,
                                 struct gs_inputs *inputs, bool *pending, struct gs_error *err)
{
    enum gs_status st;
    const bool undecided = command->task.found.undecided;
    GS_TRY(gs_open_records(&command->task, inputs, err));
    *pending = gs_inputs_pending(inputs); /* a short one is read when it is decided upon */
    for (size_t i = 0; i < inputs->count && cluster->rank > 0 && !command->local; i++)
        if (inputs->list[i].pending)
            GS_TRY(gs_fail(err, GS_ERR_INPUT, 0,
                           "%s: rank %d sees another file than rank 0, or has no room to map it",
                           inputs->list[i].name, cluster->rank));
    GS_TRY(gs_decide_records(&command->task, inputs, err));
    if (command->task.found.npy != NULL && command->task.found.npy->head.table)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "%s: a FITS, LAS or HDF5 file is sorted by ranks of one host",
                       inputs->list[0].name);
    if (undecided && command->task.found.npy != NULL) /* other ranks do not know */
        st = gs_fail(err, GS_ERR_USAGE, 0, "%s: ranks take no .npy file from a pipe",
                     inputs->list[0].name);
cleanup:
    return st;
}

/* Read what has to be read once, a pipe. */
static enum gs_status spool(const struct gs_command *command, uint64_t memory_bytes,
                            struct gs_progress *progress, struct gs_inputs *inputs,
                            struct gs_error *err)
{
    uint64_t temporary_bytes = 0;
    if (!gs_inputs_pending(inputs))
        return GS_OK;
    return gs_inputs_spool(inputs, gs_record_bytes(&command->task.sort), memory_bytes / 2,
                           command->task.found.directories, command->task.found.directory_count,
                           tell, progress, &temporary_bytes, err);
}

/* Open all inputs. *whole: this rank brings all that it has opened, for the files are its own, or
 * some have to be read once: then rank 0 alone opens them. */
static enum gs_status open_inputs(const struct gs_cluster *cluster, struct gs_command *command,
                                  uint64_t memory_bytes, struct gs_progress *progress,
                                  struct gs_inputs *inputs, bool *whole, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool alone = false;
    bool pending = false;
    if (command->local)
        GS_TRY(gs_local_files_check(cluster, command, err));
    if (command->local || cluster->rank == 0) {
        st = open_files(cluster, command, inputs, &pending, err);
        alone = st == GS_OK && !command->local && pending;
    }
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(gs_cluster_share(&alone, sizeof alone, err));
    *whole = alone || command->local;
    if (!*whole && cluster->rank > 0)
        st = open_files(cluster, command, inputs, &pending, err);
    else if (*whole && inputs->count > 0)
        st = spool(command, memory_bytes, progress, inputs, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    if (!*whole) {
        gs_report_watch(inputs, NULL, "compared");
        st = gs_same_files(cluster, inputs, gs_threads(&command->task.sort), err);
        gs_report_watch(NULL, NULL, NULL);
        if (st != GS_OK)
            goto cleanup;
    }
    GS_TRY(gs_same_format(cluster, command, err));
    if (cluster->rank == 0)
        st = gs_inputs_consume(inputs, err);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}

/* Leave of all spans this rank's share: records [first, end) of all of them. */
static void cut_share(struct gs_span *spans, size_t count, uint64_t first, uint64_t end,
                      unsigned record_bytes)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t here = spans[i].count;
        uint64_t from = first > before ? first - before : 0;
        uint64_t to = end > before ? end - before : 0;
        from = from < here ? from : here;
        to = to < here ? to : here;
        spans[i].count = to - from;
        if (to > from)
            spans[i].keys = (const char *)spans[i].keys + from * record_bytes;
        before += here;
    }
}

/* Position i of `size` on the way through n records. */
static uint64_t share_start(uint64_t n, int i, int size)
{
    return n / (uint64_t)size * (uint64_t)i + n % (uint64_t)size * (uint64_t)i / (uint64_t)size;
}

/* Open one output for all, or each rank's own. */
static enum gs_status open_output(const struct gs_cluster *cluster,
                                  const struct gs_command *command, struct gs_output *output,
                                  struct gs_error *err)
{
    if (!command->local)
        return gs_shared_output_open(cluster, output, command->task.found.output, err);
    enum gs_status st = gs_output_open(output, command->task.found.output, err);
    bool opened = st == GS_OK;
    if (opened && output->kind != GS_OUTPUT_TEMPORARY)
        st = gs_fail(err, GS_ERR_OUTPUT, 0, "%s: not a regular file", output->name);
    st = gs_cluster_agree(cluster, st, err);
    if (opened && st != GS_OK)
        gs_output_discard(output);
    return st;
}

static enum gs_status publish(const struct gs_cluster *cluster, const struct gs_command *command,
                              struct gs_output *output, uint64_t keys, struct gs_error *err)
{
    const uint64_t bytes = keys * gs_output_bytes(&command->task.sort);
    if (!command->local)
        return gs_shared_output_publish(cluster, output, bytes, err);
    enum gs_status st = gs_cluster_agree(cluster, gs_output_settle(output, err), err);
    if (st != GS_OK)
        return st;
    return gs_cluster_agree(cluster, gs_output_publish(output, bytes, err), err);
}

/* All that happens while inputs, with `keys` keys, and output are open. rows: one for each rank. */
static enum gs_status sort_opened(const struct gs_cluster *cluster, struct gs_command *command,
                                  const struct gs_options *options,
                                  const struct gs_cluster_source *source, uint64_t keys,
                                  struct gs_inputs *inputs, struct gs_output *output,
                                  struct gs_progress *progress, struct gs_cluster_row *rows,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_cluster_row own;
    struct gs_stats stats = {.keys_in = 0};
    const bool first = command->local || cluster->rank == 0;
    uint64_t written = 0;
    if (first)
        st = gs_work_set_head(&command->task, inputs, command->local, output, err);
    if (st == GS_OK && cluster->rank == 0 && !command->local && !options->unique)
        st = gs_shared_output_reserve(output, keys * gs_output_bytes(options), err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    struct gs_cluster_output to = {
        .file = output, .start = output->head_bytes, .shared = !command->local};
    if (!command->local)
        GS_TRY(gs_cluster_share(&to.start, sizeof to.start, err));
    GS_TRY(gs_cluster_sort(cluster, options, source, &to, progress, &stats, &own, err));
    gs_cluster_stats_host(&own);
    GS_TRY(gs_cluster_gather(&own, sizeof own, rows, err));
    for (int i = 0; i < cluster->size; i++)
        written += !command->local || i == cluster->rank ? rows[i].keys_out : 0;
    if (first)
        st = gs_work_write_head(&command->task, output, written, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    if (command->task.synced)
        gs_output_sync(output);
    if (output->target.kind == GS_TARGET_REPLACE && inputs->count > 0)
        gs_inputs_let_go(inputs, output->target.status.st_dev, output->target.status.st_ino);
    st = publish(cluster, command, output, written, err);
cleanup:
    return st;
}

/* Everything after the start of all ranks. */
static enum gs_status sort_together(const struct gs_cluster *cluster, struct gs_command *command,
                                    struct gs_progress *progress, uint64_t start_ns,
                                    struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options;
    struct gs_inputs inputs = {.count = 0};
    struct gs_output output;
    struct gs_span *spans = NULL;
    struct gs_cluster_row *rows = calloc((size_t)cluster->size, sizeof *rows);
    uint64_t keys = 0;
    bool whole;
    st = rows == NULL ? gs_fail(err, GS_ERR_MEMORY, ENOMEM, "ranks") : GS_OK;
    GS_TRY(gs_cluster_agree(cluster, st, err));
    struct gs_cluster_source source = {.memory_bytes = gs_memory_limit(&command->task, 0, false),
                                       .directories = command->task.found.directories,
                                       .directory_count = command->task.found.directory_count};
    if (command->task.memory_limit == 0) /* else it is one rank's */
        source.memory_bytes /= (uint64_t)cluster->local_size;
    GS_TRY(open_inputs(cluster, command, source.memory_bytes, progress, &inputs, &whole, err));
    options = command->task.sort;
    share_machine(cluster, &options);
    if (inputs.count > 0)
        st = gs_make_spans(&inputs, gs_record_bytes(&options), &spans, &keys, err);
    if (st == GS_OK && !whole)
        cut_share(spans, inputs.count, share_start(keys, cluster->rank, cluster->size),
                  share_start(keys, cluster->rank + 1, cluster->size), gs_record_bytes(&options));
    GS_TRY(gs_cluster_agree(cluster, st, err));
    source.spans = spans;
    source.span_count = inputs.count;
    GS_TRY(open_output(cluster, command, &output, err));
    gs_report_watch(&inputs, &output, "sorted");
    st = sort_opened(cluster, command, &options, &source, keys, &inputs, &output, progress, rows,
                     err);
    gs_output_discard(&output);
    gs_report_watch(NULL, NULL, NULL);
    gs_progress_stop();
    if (st == GS_OK && cluster->rank == 0 && command->stats != GS_STATS_NONE)
        st = gs_cluster_stats_print(rows, cluster->size, command, gs_now_ns() - start_ns, err);
cleanup:
    free(rows);
    free(spans);
    if (inputs.list != NULL && !gs_holds_device())
        gs_inputs_close(&inputs);
    return st;
}

/* Was this process started as one of several, and does the library find them? */
static enum gs_status check_ranks(const struct gs_cluster *cluster, struct gs_error *err)
{
    const char *launched = gs_launcher_variable();
    if (cluster->size == 1) /* as when another MPI library's mpirun has started it */
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "%s=%s: one of several processes, but %s finds this one alone: start it by "
                       "that library's own mpirun",
                       launched, getenv(launched), gs_cluster_library());
    if (cluster->rank != gs_launcher_rank()) /* by which files were named */
        return gs_fail(err, GS_ERR_INTERNAL, 0, "rank %d was started as rank %d", cluster->rank,
                       gs_launcher_rank());
    return GS_OK;
}

/* -c, -C, --print and --plan: rank 0 reads for all. */
static enum gs_status look_only(const struct gs_cluster *cluster, struct gs_command *command,
                                struct gs_progress *progress, bool *ordered, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (cluster->rank == 0)
        st = command->planned                 ? gs_mode_plan(command, err)
             : command->mode == GS_MODE_PRINT ? gs_mode_print(command, progress, err)
                                              : gs_mode_check(command, progress, ordered, err);
    const bool said = st != GS_OK && err->status == GS_OK;
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = gs_cluster_share(ordered, sizeof *ordered, err);
cleanup:
    if (said)
        *err = (struct gs_error){.status = GS_OK};
    return st;
}

enum gs_status gs_mode_cluster(struct gs_command *command, const struct gs_cluster *cluster,
                               enum gs_status st, struct gs_progress *progress, uint64_t start_ns,
                               bool *ordered, struct gs_error *err)
{
    const bool looks =
        command->planned || command->mode == GS_MODE_CHECK || command->mode == GS_MODE_PRINT;
    if (cluster->rank > 0)
        gs_progress_stop();
    if (st == GS_OK && !(looks && cluster->size == 1)) /* alone, it can look as well */
        st = check_ranks(cluster, err);
    if (st == GS_OK && !looks)
        st = check_command(cluster, command, err);
    st = gs_cluster_agree(cluster, st, err);
    if (st == GS_OK && looks)
        st = look_only(cluster, command, progress, ordered, err);
    else if (st == GS_OK && gs_is_one_host(cluster, command))
        st = gs_one_host_sort(cluster, command, progress, start_ns, err);
    else if (st == GS_OK)
        st = sort_together(cluster, command, progress, start_ns, err);
    gs_progress_stop();
    if (st != GS_OK && err->status != GS_OK && cluster->rank == 0)
        gs_report_error(err);
    *err = (struct gs_error){.status = GS_OK}; /* has been reported */
    gs_cluster_end();
    return st;
}
