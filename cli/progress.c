/* progress.c -- one line on standard error that tells how far the run is.
 * SPDX-License-Identifier: MIT
 *
 * The thread sleeps in sigtimedwait(2), until the next tick or SIGUSR1. It is told to end by
 * SIGUSR1 too, sent to it after `ending` is set.
 */
#include "cli/progress.h"

#include "cli/report.h"
#include "common/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define GS_TICK_NS  100000000L
#define GS_NS_PER_S 1000000000U

/* `auto` shows nothing for a run shorter than this. */
#define GS_QUIET_NS 500000000U

/* Off a terminal, `always` may write to a file: only one line a second there. */
#define GS_LINE_NS 1000000000U

#define GS_TEXT_BYTES 160

/* A longer line is cut: with a long name of the program, say. */
#define GS_LINE_COLUMNS (GS_TEXT_BYTES + 32)

static const char erase_line[] = "\r\033[K";

static struct gs_progress *source;
static enum gs_progress_when show_when;
static bool on_terminal;
static bool answers; /* to SIGUSR1: it was not ignored when the program began */
static pthread_t thread;
static bool running;
static atomic_bool ending;
static atomic_bool line_is_shown;

static void write_text(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* a progress line may be lost */
}

/* May a line be drawn or erased now? In `auto`, not by a background job: it would be stopped
 * (SIGTTOU), or overwrite what the shell and other programs show. Async-signal-safe. */
static bool may_touch(void)
{
    if (show_when != GS_PROGRESS_AUTO)
        return show_when == GS_PROGRESS_ALWAYS;
    pid_t foreground = tcgetpgrp(STDERR_FILENO); /* -1: not our controlling terminal */
    return foreground == -1 || foreground == getpgrp();
}

void gs_progress_erase(void)
{
    if (atomic_exchange(&line_is_shown, false) && may_touch())
        write_text(erase_line);
}

/* Describe the phase: its name, the rate since it began and, if the total is known, the percentage
 * and the time left. */
static void describe_phase(char text[GS_TEXT_BYTES])
{
    const char *phase = atomic_load(&source->phase);
    uint64_t begin = atomic_load(&source->begin_ns);
    uint64_t done = atomic_load(&source->done);
    uint64_t total = atomic_load(&source->total);
    double seconds = (double)(gs_now_ns() - begin) / GS_NS_PER_S;
    double rate = seconds > 0 ? (double)done / seconds : 0;
    if (phase == NULL) {
        snprintf(text, GS_TEXT_BYTES, "starting");
    } else if (total == 0) {
        snprintf(text, GS_TEXT_BYTES, "%s: %" PRIu64 " keys, %.1f Mkeys/s", phase, done,
                 rate / 1e6);
    } else {
        done = done < total ? done : total;
        char eta[32] = "-:--";
        double left = rate > 0 ? (double)(total - done) / rate : 1e9;
        if (left < 1e6)
            snprintf(eta, sizeof eta, "%d:%02d", (int)(left + 0.5) / 60, (int)(left + 0.5) % 60);
        snprintf(text, GS_TEXT_BYTES, "%s: %d %%, %.1f Mkeys/s, ETA %s", phase,
                 (int)(100.0 * (double)done / (double)total), rate / 1e6, eta);
    }
}

/* May a line be drawn without SIGUSR1? */
static bool may_draw(uint64_t run_ns)
{
    bool wanted = show_when == GS_PROGRESS_ALWAYS || (on_terminal && run_ns >= GS_QUIET_NS);
    return wanted && may_touch();
}

/* Columns for the line: one less than the terminal has now, since some go on to the next line when
 * the last column is filled. That line would be left behind. */
static int line_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return GS_LINE_COLUMNS;
    return size.ws_col <= GS_LINE_COLUMNS ? size.ws_col - 1 : GS_LINE_COLUMNS;
}

static void draw_line(const char *text)
{
    char words[GS_LINE_COLUMNS + 1];
    char line[sizeof words + sizeof erase_line];
    snprintf(words, sizeof words, "%s: %s", gs_report_program(), text);
    snprintf(line, sizeof line, "%s%.*s", erase_line, line_columns(), words);
    atomic_store(&line_is_shown, true);
    write_text(line);
}

static void *watch_progress(void *unused)
{
    (void)unused;
    sigset_t asked;
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    const struct timespec tick = {.tv_sec = 0, .tv_nsec = GS_TICK_NS};
    const uint64_t start = gs_now_ns();
    const uint64_t pause = on_terminal ? 0 : GS_LINE_NS;
    uint64_t drawn = 0;
    for (;;) {
        char text[GS_TEXT_BYTES];
        bool is_last = atomic_load(&ending);
        uint64_t now = gs_now_ns();
        describe_phase(text);
        if (may_draw(now - start) && (is_last || drawn == 0 || now - drawn >= pause)) {
            draw_line(text);
            drawn = now;
        }
        if (is_last) {
            gs_progress_erase(); /* in this thread, where SIGPIPE is blocked; may be lost, too */
            return NULL;
        }
        if (sigtimedwait(&asked, NULL, &tick) == SIGUSR1 && answers && !atomic_load(&ending)) {
            describe_phase(text);
            gs_progress_erase();
            gs_report_line("%s", text);
        }
    }
}

bool gs_progress_start(struct gs_progress *progress, enum gs_progress_when when)
{
    source = progress;
    show_when = when;
    gs_report_after(gs_progress_erase);
    on_terminal = isatty(STDERR_FILENO) == 1;
    struct sigaction before;
    answers = sigaction(SIGUSR1, NULL, &before) == 0 && before.sa_handler != SIG_IGN;
    atomic_store(&ending, false);

    /* The thread must take no signal but the one that it waits for. */
    sigset_t all, old;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
        return false; /* in a sandbox: the SIGUSR1 that ends the thread would end gsort */
    running = pthread_create(&thread, NULL, watch_progress, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return running;
}

void gs_progress_stop(void)
{
    if (!running)
        return;
    running = false;
    atomic_store(&ending, true);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
}
