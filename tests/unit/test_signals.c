/* test_signals.c -- fatal signals end the process, whoever holds the lock; ignored ones do not.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/signals.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int status)
{
    _exit(status);
}

/* In a child: the signal arrives between enter and leave, where its handler must not wait for a
 * lock that this same thread holds. */
static void die_inside(int signum)
{
    gs_signals_start(NULL, NULL, leave);
    gs_signals_enter();
    raise(signum);
    gs_signals_leave();
    _exit(0); /* must not be reached */
}

/* In a child: an ignored signal is pending and blocked while handlers are installed, and is raised
 * again afterwards. The process lives on, with the same signals blocked as before. */
static void live_on(int signum)
{
    sigset_t one, mask;
    signal(signum, SIG_IGN);
    sigemptyset(&one);
    sigaddset(&one, signum);
    sigprocmask(SIG_BLOCK, &one, NULL);
    raise(signum);
    gs_signals_start(NULL, NULL, leave);
    sigprocmask(SIG_UNBLOCK, &one, &mask);
    raise(signum);
    for (int other = 1; other <= SIGRTMAX; other++) /* the mask is as it was set above */
        if ((sigismember(&mask, other) == 1) != (other == signum))
            _exit(1);
    _exit(0);
}

enum { ENDED = 77 };

static void end(void)
{
    _exit(ENDED);
}

/* In a child: a fatal signal calls the end hook before the process dies. */
static void die(int signum)
{
    signal(signum, SIG_DFL); /* this test's parent may have ignored it */
    gs_signals_start(NULL, end, leave);
    raise(signum);
    _exit(0);
}

/* Call act(signum) in a child. Returns its exit status or the signal that ended it: SIGKILL, from
 * here, after five seconds. */
static int end_of(void (*act)(int), int signum)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        act(signum);
    for (int i = 0; i < 500; i++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        usleep(10000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return SIGKILL;
}

/* Every fatal signal is handled: one without a handler would leave the temporary file behind. */
static void test_every_fatal_signal_has_a_handler(void)
{
    static const int fatal[] = {SIGALRM,  SIGHUP,  SIGINT, SIGPIPE,   SIGQUIT, SIGTERM, SIGPOLL,
                                SIGPROF,  SIGUSR2, SIGPWR, SIGVTALRM, SIGXCPU, SIGXFSZ,
#ifdef SIGSTKFLT
                                SIGSTKFLT
#endif
    };
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        CHECK(end_of(die, fatal[i]) == ENDED);
    for (int signum = SIGRTMIN; signum <= SIGRTMAX; signum++)
        CHECK(end_of(die, signum) == ENDED);
}

int main(void)
{
    CHECK(end_of(die_inside, SIGTERM) == SIGTERM);
    CHECK(end_of(die_inside, SIGBUS) == SIGBUS);
    CHECK(end_of(live_on, SIGHUP) == 0);
    CHECK(end_of(live_on, SIGRTMAX) == 0);
    test_every_fatal_signal_has_a_handler();
    return check_failures();
}
