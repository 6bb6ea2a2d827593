/* test_signals.c -- a SIGBUS that somebody sends ends the process, whoever has the lock then.
 * SPDX-License-Identifier: MIT
 */
#include "common/signals.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int status)
{
    _exit(status);
}

/* In a child: the signal comes inside, and its handler waits for what this thread has. */
static void die_inside(int signum)
{
    gs_signals_start(NULL, NULL, leave);
    gs_signals_enter();
    raise(signum);
    gs_signals_leave();
    _exit(0); /* it should not come to this */
}

/* The child's end, or what kills it after five seconds. */
static int end_of(int signum)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        die_inside(signum);
    for (int i = 0; i < 500; i++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        usleep(10000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return SIGKILL;
}

int main(void)
{
    CHECK(end_of(SIGTERM) == SIGTERM);
    CHECK(end_of(SIGBUS) == SIGBUS);
    return check_failures();
}
