/* signals.c -- leave nothing behind when a signal ends the run.
 * SPDX-License-Identifier: MIT
 *
 * The signals are those of GNU sort (coreutils, src/sort.c) and all others that somebody may send
 * to end a process, and the way a handler ends is GNU sort's: remove the temporary, restore the
 * default, raise again, so that the parent sees the true cause.
 *
 * GNU sort blocks signals around "create and register". Here other threads may take the signal, so
 * that is not enough: enter also takes a lock which the handler takes too, and never gives back.
 * Whoever holds it has signals blocked, so a handler cannot wait for its own thread; and after a
 * handler has it, no thread can create another file before the process is gone. Then nothing is
 * left to wait for: a signal that comes while the process dies, and has to wait for somebody to
 * read its last words, say, ends it at once.
 */
#include "common/signals.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Beside SIGRTMIN and all that follow. */
static const int fatal_signals[] = {SIGALRM,  SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                                    SIGTERM,  SIGPOLL, SIGPROF, SIGUSR2, SIGVTALRM,
                                    SIGXCPU,  SIGXFSZ, SIGPWR,
#ifdef SIGSTKFLT /* not on every architecture */
                                    SIGSTKFLT
#endif
};

static atomic_flag lock = ATOMIC_FLAG_INIT;
static sigset_t blocked;    /* the fatal ones: constant after start */
static sigset_t inside;     /* these and SIGBUS, as kill(2) sends it: what enter blocks */
static sigset_t outside;    /* the caller's mask while it is inside: guarded by the lock */
static int temporary_dirfd; /* guarded by the lock, as is the name */
static const char *temporary_name;
static gs_fault_hook *fault_hook;
static gs_end_hook *end_hook;
static gs_exit_hook *exit_hook;
static bool bus_ignored; /* when the program began */
static atomic_bool gone; /* somebody has the lock for good, and the temporary is removed */

static void take_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
}

/* In a handler, or at an exit: from here on the process only dies. False: it did already. */
bool gs_signals_remove_temporary(void)
{
    sigset_t old;
    pthread_sigmask(SIG_BLOCK, &inside, &old);
    while (!gone && atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
    bool first = !gone;
    if (first && temporary_name != NULL)
        unlinkat(temporary_dirfd, temporary_name, 0);
    if (first && end_hook != NULL)
        end_hook();
    gone = true;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return first;
}

/* The first process of a container does not die by a signal of its own: it exits as a shell says of
 * one that did. Going on would be to wait for the lock for ever. */
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
    if (bus_ignored && info->si_code <= 0) /* sent by kill(2) */
        return;
    bool first = gs_signals_remove_temporary();
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    /* Another thread has something to say, and ends the process. */
    while (!first) /* NOLINT(bugprone-infinite-loop): so it never goes on */
        pause();
    if (fault_hook != NULL && info->si_code > 0) /* from the kernel */
        fault_hook(info->si_addr);
    die_by(signum);
}

/* Install the handler of a fatal signal; ignored ones stay ignored. Called with all of them
 * blocked, so that one that comes in between is thrown away when it is ignored again. */
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
