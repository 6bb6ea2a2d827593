/* signals.h -- leave nothing behind when a signal ends the run.
 * SPDX-License-Identifier: MIT
 *
 * At most one named temporary file of the command exists at a time. (Of the library, which has no
 * handlers, each call may have one.) While it does, it is registered here; a fatal signal removes
 * it and then ends the process as it would have without a handler. Signals that were ignored at the
 * start stay ignored.
 */
#ifndef GS_SIGNALS_H
#define GS_SIGNALS_H

#include <stdbool.h>

/* Called by the SIGBUS handler with the address that could not be accessed; async-signal-safe. It
 * reports a fault in memory that it knows and does not return; for any other address it returns. */
typedef void gs_fault_hook(const void *address);

/* Called once, by the first thread that learns that the process is about to end, by a signal or
 * not; async-signal-safe. */
typedef void gs_end_hook(void);

/* Called if a signal does not end the process, as with the first process of a container: must end
 * it with the status that a shell would report. Async-signal-safe. */
typedef void gs_exit_hook(int status);

/* Install the handlers. Call once, before there is a second thread. */
void gs_signals_start(gs_fault_hook *on_fault, gs_end_hook *on_end, gs_exit_hook *leave);

/* Create and register a file, or rename and unregister it, between enter and leave: meanwhile no
 * handler of any thread proceeds, so none sees a name without its file or a file whose name is not
 * registered. Code in between must not touch a mapped file. */
void gs_signals_enter(void);
void gs_signals_leave(void);

/* Call between enter and leave: a handler is to remove `name` in the directory `dirfd`, or nothing
 * if it is NULL. The string must stay. */
void gs_signals_set_temporary(int dirfd, const char *name);

/* Remove the registered file because the process is about to end, not by a signal and not by its
 * own decision. Nobody can enter afterwards. False if another thread did this before: that one is
 * ending the process. */
bool gs_signals_remove_temporary(void);

#endif
