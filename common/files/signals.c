/* signals.c -- leave nothing behind when a signal ends the run.
 * SPDX-License-Identifier: MIT
 *
 * The signals are those of GNU sort (coreutils, src/sort.c) and all others that may be sent to end
 * a process. A handler ends as in GNU sort: it removes the temporary file, restores the default
 * action and raises the signal again, so that the parent sees the true cause.
 *
 * GNU sort blocks signals around "create and register". That is not enough here, as another thread
 * may take the signal: so enter also takes a lock, which the handler takes too and never releases.
 * A thread that holds the lock has signals blocked, so a handler never waits for its own thread;
 * and once a handler has the lock, no thread can create another file. From then on nothing is left
 * to protect: if the dying process hangs (because nobody reads its last message, say), the next
 * signal ends it at once.
 */
#include "common/files/signals.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In addition to SIGRTMIN and all above it. */
static const int fatal_signals[] = {SIGALRM,  SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                                    SIGTERM,  SIGPOLL, SIGPROF, SIGUSR2, SIGVTALRM,
                                    SIGXCPU,  SIGXFSZ, SIGPWR,
#ifdef SIGSTKFLT /* not on every architecture */
                                    SIGSTKFLT
#endif
};

static atomic_flag lock = ATOMIC_FLAG_INIT;
static sigset_t blocked;    /* the fatal signals; constant after start */
static sigset_t inside;     /* what enter blocks: these, and SIGBUS as sent by kill(2) */
static sigset_t outside;    /* the mask of the thread inside, to be restored; under the lock */
static int temporary_dirfd; /* guarded by the lock, as is the name */
static const char *temporary_name;
static gs_fault_hook *fault_hook;
static gs_end_hook *end_hook;
static gs_exit_hook *exit_hook;
static bool bus_ignored; /* SIGBUS was ignored when the program began */
static atomic_bool gone; /* the lock is taken for good, and the temporary file removed */

static void take_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
}

/* The process is about to end. Some mounts refuse to remove a file that is open: then close all but
 * the directory, whose descriptor is above the standard streams, and try again. */
static void remove_temporary(void)
{
    if (temporary_name == NULL || unlinkat(temporary_dirfd, temporary_name, 0) == 0)
        return;
#ifdef SYS_close_range /* missing in older headers */
    if (temporary_dirfd > 3)
        syscall(SYS_close_range, 3U, (unsigned)temporary_dirfd - 1, 0U);
    syscall(SYS_close_range, (unsigned)temporary_dirfd + 1, ~0U, 0U);
    unlinkat(temporary_dirfd, temporary_name, 0);
#endif
}

/* In a handler, or at an exit: from here on the process only ends. */
bool gs_signals_remove_temporary(void)
{
    sigset_t old;
    pthread_sigmask(SIG_BLOCK, &inside, &old);
    while (!gone && atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
    bool first = !gone;
    if (first)
        remove_temporary();
    if (first && end_hook != NULL)
        end_hook();
    gone = true;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return first;
}

/* The first process of a container does not die by a signal that it raises: it exits, with the
 * status that a shell reports for such a death. Going on would mean to wait for the lock forever.
 */
static void die_by(int signum)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t one;
    sigaction(signum, &plain, NULL);
    sigemptyset(&one);
    sigaddset(&one, signum);
    raise(signum);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    exit_hook(128 + signum);
}

static void handle_fatal(int signum)
{
    gs_signals_remove_temporary();
    die_by(signum);
}

static void handle_fault(int signum, siginfo_t *info, void *context)
{
    (void)context;
    if (bus_ignored && info->si_code <= 0) /* sent by a process, as by kill(2) */
        return;
    bool first = gs_signals_remove_temporary();
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    /* Another thread is reporting, and will end the process. */
    while (!first) /* NOLINT(bugprone-infinite-loop): so it never goes on */
        pause();
    if (fault_hook != NULL && info->si_code > 0) /* a real fault, from the kernel */
        fault_hook(info->si_addr);
    die_by(signum);
}

/* Install the handler of a fatal signal, but let ignored signals stay ignored. Called with all of
 * them blocked: one that arrives in between is discarded when it is ignored again. */
static void handle_unless_ignored(int signum, const struct sigaction *action)
{
    struct sigaction old = {.sa_handler = SIG_DFL};
    if (sigaction(signum, action, &old) == 0 && old.sa_handler != SIG_IGN)
        return;
    sigaction(signum, &old, NULL);
    sigdelset(&blocked, signum);
}

void gs_signals_start(gs_fault_hook *on_fault, gs_end_hook *on_end, gs_exit_hook *leave)
{
    fault_hook = on_fault;
    end_hook = on_end;
    exit_hook = leave;
    struct sigaction action = {.sa_handler = handle_fatal};
    struct sigaction old;
    sigset_t mask;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
        sigaddset(&blocked, fatal_signals[i]);
    for (int signum = SIGRTMIN; signum <= SIGRTMAX; signum++)
        sigaddset(&blocked, signum);
    action.sa_mask = blocked;
    pthread_sigmask(SIG_BLOCK, &action.sa_mask, &mask);
    for (int signum = 1; signum <= SIGRTMAX; signum++)
        if (sigismember(&action.sa_mask, signum) == 1)
            handle_unless_ignored(signum, &action);
    inside = blocked;
    sigaddset(&inside, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);

    struct sigaction fault = {.sa_mask = blocked, .sa_flags = SA_SIGINFO};
    fault.sa_sigaction = handle_fault;
    bus_ignored = sigaction(SIGBUS, &fault, &old) == 0 && old.sa_handler == SIG_IGN;
}

void gs_signals_enter(void)
{
    sigset_t old;
    pthread_sigmask(SIG_BLOCK, &inside, &old);
    take_lock();
    outside = old;
}

void gs_signals_leave(void)
{
    sigset_t old = outside;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void gs_signals_set_temporary(int dirfd, const char *name)
{
    temporary_dirfd = dirfd;
    temporary_name = name;
}
