/* signals.h -- leave nothing behind when a signal ends the run.
 * SPDX-License-Identifier: MIT
 *
 * At most one named temporary file exists at a time. While it does, it is registered here; a fatal
 * signal removes it and then ends the process as it would have without us. Signals that were
 * ignored at the start stay ignored.
 */
#ifndef GS_SIGNALS_H
#define GS_SIGNALS_H

#include <stdbool.h>

/* Called by the SIGBUS handler with the address that could not be read: async-signal-safe work
 * only. It reports a fault in memory it knows and does not return; it returns for any other. */
typedef void gs_fault_hook(const void *address);

/* Called when the process is about to die, by a signal or not, by the first thread that knows:
 * async-signal-safe work only. */
typedef void gs_end_hook(void);

/* Called where a signal does not end the process, as in the first one of a container: ends it, with
 * the status that a shell would tell. Async-signal-safe. */
typedef void gs_exit_hook(int status);

/* Install the handlers. Call once, before there is a second thread. */
void gs_signals_start(gs_fault_hook *on_fault, gs_end_hook *on_end, gs_exit_hook *leave);

/* A file is created and registered, or renamed and forgotten, between enter and leave: no handler
 * runs meanwhile, in any thread, and none sees the name before the file or the file without its
 * name. Nothing in between may touch a mapped file. */
void gs_signals_enter(void);
void gs_signals_leave(void);

/* Between enter and leave: `name` in the directory `dirfd` is to be removed by a handler; or, with
 * NULL, no file is. The string must stay. */
void gs_signals_set_temporary(int dirfd, const char *name);

/* Remove the registered file for good: the process is about to end in some other way than by a
 * signal or by its own will. Nothing can be entered afterwards. False: that was done before, and
 * another thread ends the process. */
bool gs_signals_remove_temporary(void);

#endif
