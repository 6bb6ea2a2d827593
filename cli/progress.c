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

/* Off a terminal, `always` writes whole lines, to a log perhaps: one in this time. */
#define GS_LINE_NS 10000000000U

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

/* How far the whole run is, by what the thread has seen: of all work, `share` was done when this
 * phase began. The rate counts from where the first phase of known length began. */
static struct {
    const char *phase;
    double share, now; /* 0 to 1 */
    bool known;
    uint64_t begin_ns;
} overall;

/* The share of a run's work that is done when a phase ends, about. A run without some phase goes
 * faster through the next. */
static double phase_end(const char *phase)
{
    static const struct {
        enum gs_stage stage;
        double end;
    } ends[] = {{GS_STAGE_SELECT_SAMPLES, 0.01},
                {GS_STAGE_READ, 0.1},
                {GS_STAGE_COUNT_BINS, 0.15},
                {GS_STAGE_SCATTER, 0.45}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (gs_stage_name(ends[i].stage) == phase) /* the same string */
            return ends[i].end;
    return 1;
}

/* Bring `overall` up to date; it never goes back. */
static void look_at_whole(const char *phase, uint64_t begin_ns, uint64_t done, uint64_t total)
{
    if (phase != overall.phase) {
        overall.phase = phase;
        overall.share = overall.now;
    }
    const double end = phase_end(phase);
    if (total == 0 || end < overall.share)
        return;
    const double part = done < total ? (double)done / (double)total : 1;
    const double now = overall.share + (end - overall.share) * part;
    overall.now = now > overall.now ? now : overall.now;
    if (!overall.known) {
        overall.begin_ns = begin_ns;
        overall.known = true;
    }
}

/* "1:02:03", or "2:03" below an hour. */
static const char *clock_text(double seconds, char text[32])
{
    const int whole = seconds < 1e9 ? (int)(seconds + 0.5) : 1000000000;
    if (whole < 3600)
        snprintf(text, 32, "%d:%02d", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
    return text;
}

/* Describe how far the run is: the percentage of the whole, if that is known, the time since its
 * start and until its end, and the phase and the rate in it. */
static void describe_run(uint64_t start_ns, char text[GS_TEXT_BYTES])
{
    const char *phase = atomic_load(&source->phase);
    uint64_t begin = atomic_load(&source->begin_ns);
    uint64_t done = atomic_load(&source->done);
    uint64_t total = atomic_load(&source->total);
    const uint64_t now = gs_now_ns();
    double seconds = (double)(now - begin) / GS_NS_PER_S;
    double rate = seconds > 0 ? (double)done / seconds : 0;
    char elapsed[32];
    char left[32] = "-:--";
    if (phase == NULL) {
        snprintf(text, GS_TEXT_BYTES, "starting");
        return;
    }
    look_at_whole(phase, begin, done, total);
    clock_text((double)(now - start_ns) / GS_NS_PER_S, elapsed);
    if (!overall.known || total == 0) {
        snprintf(text, GS_TEXT_BYTES, "%s: %" PRIu64 " keys, %.1f Mkeys/s, %s elapsed", phase, done,
                 rate / 1e6, elapsed);
        return;
    }
    if (overall.now > 0)
        clock_text((1 - overall.now) / overall.now * (double)(now - overall.begin_ns) / GS_NS_PER_S,
                   left);
    snprintf(text, GS_TEXT_BYTES, "%d %%, %s elapsed, %s left (%s, %.1f Mkeys/s)",
             (int)(100 * overall.now), elapsed, left, phase, rate / 1e6);
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
    if (!on_terminal) { /* as gsort's other messages, and nothing to erase */
        if (atomic_load(&source->phase) != NULL)
            gs_report_line("%s", text);
        return;
    }
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
        describe_run(start, text);
        if (may_draw(now - start) && (is_last || drawn == 0 || now - drawn >= pause)) {
            draw_line(text);
            drawn = on_terminal || atomic_load(&source->phase) != NULL ? now : 0;
        }
        if (is_last) {
            gs_progress_erase(); /* in this thread, where SIGPIPE is blocked; may be lost, too */
            return NULL;
        }
        if (sigtimedwait(&asked, NULL, &tick) == SIGUSR1 && answers && !atomic_load(&ending)) {
            describe_run(start, text);
            gs_progress_erase();
            gs_report_line("%s", text);
        }
    }
}

void gs_progress_start(struct gs_progress *progress, enum gs_progress_when when)
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
        return; /* in a sandbox: the SIGUSR1 that ends the thread would end gsort */
    running = pthread_create(&thread, NULL, watch_progress, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
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
