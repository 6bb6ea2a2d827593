/* fuzz_command.c -- a libFuzzer target: any command line is parsed or refused, and never crashes.
 * SPDX-License-Identifier: MIT
 *
 * The input is the arguments, each ended by a zero byte. cli/options.c is built for this with
 * -Dexit=fuzz_exit and -Dgs_report_close_stdout=fuzz_close_stdout: --help must come back here.
 */
#include "cli/options.h"
#include "cli/report.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 32, BYTES_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
_Noreturn void fuzz_exit(int status);
enum gs_exit fuzz_close_stdout(void);

static jmp_buf back;

_Noreturn void fuzz_exit(int status)
{
    longjmp(back, status + 1);
}

enum gs_exit fuzz_close_stdout(void)
{
    return GS_EXIT_DONE;
}

/* What holds of every command that was not refused. */
static void check_command(const struct gs_command *command, int argc)
{
    const struct gs_task *task = &command->task;
    const struct gs_options *sort = &task->sort;
    if (task->file_count >= (size_t)argc || sort->bins > GS_OPTION_BINS_MAX ||
        sort->samples > GS_OPTION_SAMPLES_MAX || sort->lists > GS_OPTION_LISTS_MAX ||
        (sort->lists & (sort->lists - 1)) != 0 || sort->threads > GS_OPTION_THREADS_MAX)
        abort();
    for (size_t i = 0; i < task->file_count; i++)
        if (task->files[i] == NULL)
            abort();
    if (task->output != NULL && (*task->output == '\0' || command->mode == GS_MODE_CHECK))
        abort();
    if (command->mode == GS_MODE_CHECK && command->planned)
        abort();
    if (task->found.directory_count == 0 || task->directory_count >= (size_t)argc + 1)
        abort();
    for (size_t i = 0; i < task->directory_count; i++)
        if (task->directories[i] == NULL)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "gsort";
    char bytes[BYTES_MAX + 1];
    char *argv[ARGS_MAX + 2] = {name};
    int argc = 1;
    static struct gs_command command; /* what exit() leaves of it is freed here */
    struct gs_error err;
    size = size < BYTES_MAX ? size : BYTES_MAX;
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    for (size_t at = 0; at < size && argc <= ARGS_MAX; at += strlen(bytes + at) + 1)
        argv[argc++] = bytes + at;
    if (setjmp(back) != 0) { /* NOLINT(cert-err52-cpp): there is no other way back out of exit() */
        gs_command_free(&command);
        return 0;
    }
    if (gs_command_parse(&command, argc, argv, &err) == GS_OK) {
        check_command(&command, argc);
        gs_command_free(&command);
    }
    return 0;
}
