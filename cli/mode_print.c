/* mode_print.c -- --print: the records of the inputs as text, in their order in the inputs.
 * SPDX-License-Identifier: MIT
 */
#include "cli/columns.h"
#include "cli/modes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/slips.h"
#include "common/files/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Text is written when there are so many bytes of it, and whenever nothing more has come. */
#define TEXT_BYTES ((size_t)1 << 16)

struct print {
    struct gs_columns columns;
    unsigned record_bytes;
    uint64_t left; /* so many records more, at most */
    char *text;    /* room for TEXT_BYTES and a line */
    size_t used;
    enum gs_status st;
    struct gs_error *err;
};

static void write_text(struct print *print)
{
    if (print->st == GS_OK && print->used > 0)
        print->st = gs_file_write_full(STDOUT_FILENO, print->text, print->used, "standard output",
                                       print->err);
    print->used = 0;
}

static bool print_records(void *context, const struct gs_input *input, uint64_t index,
                          const char *records, uint64_t count)
{
    struct print *print = context;
    (void)input;
    (void)index;
    for (; count > 0 && print->left > 0 && print->st == GS_OK; count--, print->left--) {
        print->used += gs_columns_print(&print->columns, records, print->text + print->used);
        if (print->used >= TEXT_BYTES)
            write_text(print);
        records += print->record_bytes;
    }
    write_text(print);
    return print->left > 0 && print->st == GS_OK;
}

/* Everything after the inputs are open, and known. */
static enum gs_status print_inputs(const struct gs_command *command, const struct gs_inputs *inputs,
                                   struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct print print = {.record_bytes = gs_record_bytes(&command->task.sort),
                          .left = command->print_most,
                          .st = GS_OK,
                          .err = err};
    GS_TRY(gs_columns_make(&print.columns, command, err));
    print.text = malloc(TEXT_BYTES + print.columns.line_bytes);
    if (print.text == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "--print");
        goto cleanup;
    }
    if (print.columns.names_bytes > 0)
        GS_TRY(gs_file_write_full(STDOUT_FILENO, print.columns.names, print.columns.names_bytes,
                                  "standard output", err));
    if (print.left > 0)
        GS_TRY(gs_each_record(inputs, print.record_bytes, 0, print_records, &print, "print",
                              progress, err));
    st = print.st;
cleanup:
    free(print.text);
    gs_columns_free(&print.columns);
    return st;
}

enum gs_status gs_mode_print(struct gs_command *command, struct gs_progress *progress,
                             struct gs_error *err)
{
    struct gs_inputs inputs;
    enum gs_status st = gs_open_records(&command->task, &inputs, err);
    if (st != GS_OK)
        return st;
    if (isatty(STDOUT_FILENO) != 0)
        gs_progress_stop(); /* its line would be among the records */
    gs_inputs_make_room(&inputs, gs_address_space_wanted(&command->task, 0, false));
    gs_report_watch(&inputs, NULL, "printed");
    gs_progress_enter(progress, "print", 0);
    st = gs_refuse_shown(&inputs, err);
    if (st == GS_OK)
        st = gs_decide_records(&command->task, &inputs, err);
    if (st == GS_OK)
        st = gs_inputs_consume(&inputs, err);
    if (st == GS_OK)
        st = print_inputs(command, &inputs, progress, err);
    gs_progress_stop();
    if (st == GS_OK)
        gs_slip_note(command, "printed");
    gs_report_watch(NULL, NULL, NULL);
    gs_inputs_close(&inputs);
    return st;
}
