/* report.c -- messages on standard error: one line each, "gsort: what".
 * SPDX-License-Identifier: MIT
 */
#include "cli/report.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer than any gs_error with the program's name in front. */
#define GS_LINE_BYTES (GS_ERROR_BYTES + 400)

static const char *program = "gsort";
static _Atomic(const struct gs_inputs *) watched;
static _Atomic(struct gs_output *) watched_output; /* set before watched */
static const char *watched_done;

/* Standard error is the last resort: if it fails too, there is nobody left to tell. */
static void write_stderr(const char *text, size_t length)
{
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
}

/* Append text to a line, without control characters; async-signal-safe. */
static size_t append_clean(char *line, size_t used, const char *text)
{
    for (; *text != '\0' && used < GS_LINE_BYTES - 1; text++) {
        unsigned char c = (unsigned char)*text;
        line[used++] = c < 0x20 || c == 0x7f ? '?' : *text;
    }
    return used;
}

/* One write for the whole line, so that lines of several programs do not mix. */
static void write_line(const char *first, const char *second)
{
    char line[GS_LINE_BYTES];
    size_t used = append_clean(line, 0, program);
    used = append_clean(line, used, ": ");
    used = append_clean(line, used, first);
    used = append_clean(line, used, second);
    line[used++] = '\n';
    write_stderr(line, used);
}

static void do_nothing(void)
{
}

static void (*make_room)(void) = do_nothing;

void gs_report_after(void (*new_make_room)(void))
{
    make_room = new_make_room;
}

void gs_report_name(const char *name)
{
    program = name;
}

const char *gs_report_program(void)
{
    return program;
}

void gs_report_line(const char *format, ...)
{
    char text[GS_ERROR_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_line(text, "");
}

void gs_report_error(const struct gs_error *err)
{
    char try[80] = "";
    if (err->status == GS_ERR_USAGE)
        snprintf(try, sizeof try, "; try '%s -h'", program);
    write_line(err->text, try);
}

enum gs_exit gs_report_close_stdout(void)
{
    int failed = ferror(stdout);
    if (fclose(stdout) == 0 && !failed)
        return GS_EXIT_DONE;
    gs_report_line("standard output: write failed: %s", gs_reason(errno));
    return GS_EXIT_TROUBLE;
}

void gs_report_watch(const struct gs_inputs *inputs, struct gs_output *output, const char *done)
{
    watched_done = done;
    atomic_store(&watched_output, output);
    atomic_store(&watched, inputs);
}

void gs_report_end(void)
{
    struct gs_output *output = atomic_load(&watched) != NULL ? atomic_load(&watched_output) : NULL;
    if (output != NULL)
        gs_output_take_back(output);
    /* Erase the line only if that cannot block: this is the end. */
    struct pollfd words = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&words, 1, 0) == 1 && (words.revents & POLLOUT) != 0)
        make_room();
}

/* The pages were writable when they were made: the disk failed, or somebody truncated the file. */
static void report_output_fault(const struct gs_output *output)
{
    make_room();
    write_line(output->name, ": write failed: Input/output error");
    _exit(GS_EXIT_TROUBLE);
}

void gs_report_fault(const void *address)
{
    const struct gs_inputs *inputs = atomic_load(&watched);
    const struct gs_output *output = atomic_load(&watched_output);
    if (inputs != NULL && output != NULL && gs_output_holds(output, address))
        report_output_fault(output);
    const struct gs_input *input = inputs != NULL ? gs_inputs_find(inputs, address) : NULL;
    if (input == NULL)
        return;
    char what[GS_LINE_BYTES];
    const char *cause = ": read error while it was being ";
    if (input->fd >= 0)
        cause = ": read error in its temporary file, while it was being ";
    else if (gs_input_has_shrunk(input))
        cause = ": file shrank while it was being ";
    size_t used = append_clean(what, 0, cause);
    used = append_clean(what, used, watched_done);
    what[used] = '\0';
    make_room();
    write_line(input->name, what);
    _exit(GS_EXIT_TROUBLE);
}
