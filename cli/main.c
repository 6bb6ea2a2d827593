/* main.c -- signals, options, mode, exit status.
 * SPDX-License-Identifier: MIT
 */
#include "cli/energy.h"
#include "cli/exit.h"
#include "cli/launcher.h"
#include "cli/modes.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/same_command.h"
#include "cli/stacks.h"
#include "cli/stats_file.h"
#include "common/clock.h"
#include "common/files/file.h"
#include "common/files/signals.h"
#include "sort/cluster.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Messages begin with the name by which the program was started, without its directory. */
static void set_program_name(char **argv)
{
    if (*program_invocation_short_name == '\0')
        return;
    gs_report_name(program_invocation_short_name);
    argv[0] = program_invocation_short_name; /* getopt begins its messages with this */
}

static void watch(void *context, const struct gs_inputs *inputs, struct gs_output *output,
                  const char *done)
{
    (void)context;
    gs_report_watch(inputs, output, done);
}

static void warn(void *context, const char *line)
{
    (void)context;
    gs_report_line("warning: %s", line);
}

/* Do what the command line asks for; st says whether it could be read. cluster: of which this is a
 * rank, or NULL. */
static enum gs_status run(struct gs_command *command, const struct gs_cluster *cluster,
                          enum gs_status st, struct gs_progress *progress, uint64_t start_ns,
                          bool *ordered, struct gs_error *err)
{
    const char *launched = gs_launcher_variable();
    if (st == GS_OK)
        st = gs_check_stack(err);
    if (cluster != NULL)
        return gs_mode_cluster(command, cluster, st, progress, start_ns, ordered, err);
    if (st != GS_OK)
        return st;
    if (command->planned)
        return gs_mode_plan(command, err);
    if (command->mode == GS_MODE_CHECK)
        return gs_mode_check(command, progress, ordered, err);
    if (command->mode == GS_MODE_PRINT)
        return gs_mode_print(command, progress, err);
    if (launched != NULL)
        return gs_launcher_refuse(launched, err);
    if (command->mode == GS_MODE_MERGE)
        return gs_mode_merge(command, progress, start_ns, err);
    return gs_mode_sort(command, progress, start_ns, err);
}

int main(int argc, char **argv)
{
    const uint64_t start_ns = gs_now_ns();
    static char default_name[] = "gsort";
    static char *no_arguments[] = {default_name, NULL};

    /* Only the progress thread takes SIGUSR1; all threads inherit this mask. */
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &asked, NULL);
    gs_file_guard_standard();
    gs_signals_start(gs_report_fault, gs_report_end, _exit);
    gs_exit_guard();
    /* No malloc arena per thread: for a few small blocks, each would reserve at least 64 MiB of the
     * address space that ulimit -v leaves beside -S. */
    (void)mallopt(M_ARENA_MAX, 1);

    if (argc < 1) {
        argc = 1;
        argv = no_arguments;
    }
    set_program_name(argv);
    struct gs_command command = {.mode = GS_MODE_SORT, .stats_fd = -1};
    struct gs_progress progress = {.phase = NULL};
    struct gs_error err = {.status = GS_OK};
    struct gs_cluster cluster = {.size = 1};
    const bool joint = gs_launcher_variable() != NULL && gs_cluster_library() != NULL;
    enum gs_status st = joint ? gs_same_command(&cluster, argc, argv, &err) : GS_OK;
    gs_limit_stacks();
    if (st == GS_OK)
        st = gs_command_parse(&command, argc, argv, &err);
    if (st == GS_OK && (!joint || cluster.rank == 0)) /* one of several ranks answers for all */
        st = gs_stats_file_open(&command, &err);
    bool ordered = true;
    if (command.stats != GS_STATS_NONE || command.stats_fd >= 0)
        gs_energy_start();
    if (st == GS_OK) {
        command.task.hooks = (struct gs_hooks){.watch = watch, .say = warn, .ends = true};
        gs_progress_start(&progress, command.progress);
    }
    st = run(&command, joint ? &cluster : NULL, st, &progress, start_ns, &ordered, &err);
    gs_progress_stop();
    if (err.status != GS_OK && st != GS_OK) /* else it was overcome, or has been reported */
        gs_report_error(&err);
    enum gs_exit status = ordered ? GS_EXIT_DONE : GS_EXIT_DISORDER;
    if (st != GS_OK)
        status = GS_EXIT_TROUBLE;
    struct gs_error unwritten = {.status = GS_OK};
    if (gs_stats_file_write(&command, status, &err, start_ns, &unwritten) != GS_OK) {
        gs_report_error(&unwritten);
        status = GS_EXIT_TROUBLE;
    }
    gs_command_free(&command);
    if (gs_holds_device())
        gs_exit_now(status);
    return gs_exit_status(status);
}
