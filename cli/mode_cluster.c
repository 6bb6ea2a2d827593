/* mode_cluster.c -- sort all inputs into the output, by all ranks of a job.
 * SPDX-License-Identifier: MIT
 *
 * Whatever may fail on one rank is agreed on by all before the next step, and rank 0 says it.
 */
#include "cli/cluster_stats.h"
#include "cli/memory_limit.h"
#include "cli/modes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_output.h"
#include "cli/work.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/random.h"
#include "sort/cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What ranks cannot do together. */
static enum gs_status check_command(const struct gs_command *command, struct gs_error *err)
{
    if (command->mode == GS_MODE_MERGE)
        return gs_fail(err, GS_ERR_USAGE, 0, "-m: only one process merges: start it once");
    if (command->output == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "standard output: ranks cannot write to it together: use -o FILE");
    if (command->sort.records != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "records of more than 16 bytes, and -s: only one process sorts these");
    if (command->sort.engine > GS_ENGINE_SAMPLESORT)
        return gs_fail(err, GS_ERR_USAGE, 0, "--engine=%s: sorts in one process only",
                       gs_engine_name(command->sort.engine));
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

/* A number that differs, in all likelihood, where inputs do: from sizes and first bytes. */
static uint64_t fingerprint_inputs(const struct gs_inputs *inputs)
{
    uint64_t sum = inputs->count;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        sum = gs_random(sum, input->size);
        for (uint64_t at = 0; at < input->size && at < 4096; at++)
            sum = gs_random(sum, ((const unsigned char *)input->bytes)[at]);
    }
    return sum;
}

/* Do all ranks see the same files? */
static enum gs_status check_same(const struct gs_cluster *cluster, const struct gs_inputs *inputs,
                                 struct gs_error *err)
{
    enum gs_status st;
    const uint64_t own = fingerprint_inputs(inputs);
    uint64_t first = own;
    GS_TRY(gs_cluster_share(&first, sizeof first, err));
    if (own != first)
        st = gs_fail(err, GS_ERR_INPUT, 0,
                     "%s: rank %d sees other files than rank 0: inputs must be on a file system "
                     "that all ranks share",
                     inputs->list[0].name, cluster->rank);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}

static void tell(void *progress, uint64_t bytes)
{
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    (void)bytes;
}

/* Open all inputs: on every rank, or, if some have to be read once, on rank 0 alone, which then
 * brings all the records. *alone says which. */
static enum gs_status open_inputs(const struct gs_cluster *cluster,
                                  const struct gs_command *command, uint64_t memory_bytes,
                                  struct gs_progress *progress, struct gs_inputs *inputs,
                                  bool *alone, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned record_bytes = gs_record_bytes(&command->sort);
    uint64_t spooled = 0;
    *alone = false;
    if (cluster->rank == 0) {
        st = gs_inputs_open(inputs, command->files, command->file_count, record_bytes,
                            command->skips, command->raw, err);
        *alone = st == GS_OK && gs_inputs_pending(inputs);
    }
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(gs_cluster_share(alone, sizeof *alone, err));
    if (cluster->rank == 0 && *alone)
        st = gs_inputs_spool(inputs, record_bytes, memory_bytes / 2, command->directories,
                             command->directory_count, tell, progress, &spooled, err);
    else if (cluster->rank > 0 && !*alone)
        st = gs_inputs_open(inputs, command->files, command->file_count, record_bytes,
                            command->skips, command->raw, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    if (!*alone)
        GS_TRY(check_same(cluster, inputs, err));
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

/* All that happens while inputs and output are open. rows: one for each rank. */
static enum gs_status
sort_shared(const struct gs_cluster *cluster, const struct gs_command *command,
            const struct gs_options *options, struct gs_cluster_source *source,
            struct gs_inputs *inputs, struct gs_output *output, struct gs_progress *progress,
            struct gs_stats *stats, struct gs_cluster_row *rows, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_cluster_row own;
    uint64_t keys = 0;
    if (inputs->count > 0)
        GS_TRY(gs_work_set_head(command, inputs, output, err));
    uint64_t start = output->head_bytes;
    GS_TRY(gs_cluster_share(&start, sizeof start, err)); /* perhaps only rank 0 has read the head */
    struct gs_cluster_output to = {
        .fd = output->fd, .start = start, .shared = true, .name = output->name};
    GS_TRY(gs_cluster_sort(cluster, options, source, &to, progress, stats, &own, err));
    GS_TRY(gs_cluster_gather(&own, sizeof own, rows, err));
    for (int i = 0; i < cluster->size; i++)
        keys += rows[i].keys_out;
    if (cluster->rank == 0)
        st = gs_work_write_head(command, output, keys, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    if (command->synced)
        gs_output_sync(output);
    if (output->target.kind == GS_TARGET_REPLACE)
        gs_inputs_let_go(inputs, output->target.status.st_dev, output->target.status.st_ino);
    st = gs_shared_output_publish(cluster, output, keys * gs_record_bytes(options), err);
cleanup:
    return st;
}

/* Everything after the start of all ranks. */
static enum gs_status sort_together(const struct gs_cluster *cluster,
                                    const struct gs_command *command, struct gs_progress *progress,
                                    uint64_t start_ns, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = command->sort;
    struct gs_inputs inputs = {.count = 0};
    struct gs_output output;
    struct gs_span *spans = NULL;
    struct gs_cluster_row *rows = calloc((size_t)cluster->size, sizeof *rows);
    struct gs_stats stats = {.keys_in = 0};
    uint64_t keys = 0;
    bool alone;
    st = rows == NULL ? gs_fail(err, GS_ERR_MEMORY, ENOMEM, "ranks") : check_command(command, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    share_machine(cluster, &options);
    struct gs_cluster_source source = {.memory_bytes = gs_memory_limit(command, 0, false),
                                       .directories = command->directories,
                                       .directory_count = command->directory_count};
    if (command->memory_limit == 0) /* else it is one rank's */
        source.memory_bytes /= (uint64_t)cluster->local_size;
    GS_TRY(open_inputs(cluster, command, source.memory_bytes, progress, &inputs, &alone, err));
    if (inputs.count > 0)
        st = gs_make_spans(&inputs, gs_record_bytes(&options), &spans, &keys, err);
    if (st == GS_OK && !alone)
        cut_share(spans, inputs.count, share_start(keys, cluster->rank, cluster->size),
                  share_start(keys, cluster->rank + 1, cluster->size), gs_record_bytes(&options));
    GS_TRY(gs_cluster_agree(cluster, st, err));
    source.spans = spans;
    source.span_count = inputs.count;
    GS_TRY(gs_shared_output_open(cluster, &output, command->output, err));
    gs_report_watch(&inputs, &output, "sorted");
    st = sort_shared(cluster, command, &options, &source, &inputs, &output, progress, &stats, rows,
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

enum gs_status gs_mode_cluster(const struct gs_command *command, const char *launched,
                               struct gs_progress *progress, uint64_t start_ns,
                               struct gs_error *err)
{
    struct gs_cluster cluster = {.size = 1};
    enum gs_status st = gs_cluster_start(&cluster, err);
    if (cluster.rank > 0)
        gs_progress_stop();
    if (st == GS_OK && cluster.size == 1) /* as when another MPI library's mpirun has started it */
        st = gs_fail(err, GS_ERR_USAGE, 0,
                     "%s=%s: one of several processes, but %s finds this one alone: start it by "
                     "that library's own mpirun",
                     launched, getenv(launched), gs_cluster_library());
    if (st == GS_OK)
        st = sort_together(&cluster, command, progress, start_ns, err);
    gs_progress_stop();
    if (st != GS_OK && cluster.rank == 0)
        gs_report_error(err);
    *err = (struct gs_error){.status = GS_OK}; /* has been reported */
    gs_cluster_end();
    return st;
}
