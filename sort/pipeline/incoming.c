/* incoming.c -- distribute keys of a pipe to bins while the rest is coming in.
 * SPDX-License-Identifier: MIT
 *
 * One mutex is enough: it is taken once per chunk, and once for each piece read. Each thread has
 * its own gs_run, whose input is the chunk it works on. Records are decoded on the way: chunks that
 * were claimed hold keys from then on, and gs_sort is told so.
 */
#include "sort/pipeline/incoming.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/regions.h"
#include "sort/gpu/gpu_start.h"
#include "sort/pipeline/distribute.h"
#include "sort/pipeline/incoming_look.h"
#include "sort/run/run.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <pthread.h>
#include <stdlib.h>

/* At most this many threads, which keep up with a pipe; and at most one in WORKERS_PART of all
 * threads, since others fault in pages and the writer needs one. */
#define WORKERS_MAX  6
#define WORKERS_PART 2

/* Full chunks that must be waiting before another thread is woken. */
#define WAKE_CHUNKS 8

enum state {
    WAITING, /* for enough keys to draw a sample from */
    LOOKING,
    DISTRIBUTING,
    GIVEN_UP /* memory is short, or there are too many keys for the bins */
};

struct worker {
    struct gs_incoming *incoming;
    pthread_t thread;
    struct gs_run run; /* of one chunk */
    struct gs_cpu cpu;
    struct gs_span chunk;
    struct gs_chunk_times times;
};

struct gs_incoming {
    const struct gs_options *options;
    const struct gs_stages *stages;
    pthread_mutex_t mutex; /* guards the next nine members */
    enum state state;
    gs_key *keys;       /* in chunks before `next`; behind them, records */
    uint64_t count;     /* of keys[] */
    uint64_t look_keys; /* keys that must be there for the next look */
    uint64_t next;      /* next chunk to claim */
    unsigned active;    /* workers that distribute a chunk or look */
    bool paused;
    bool ends;
    uint64_t rows;       /* of starts[] */
    pthread_cond_t more; /* there is more to do */
    pthread_cond_t idle; /* active is 0 */
    /* Written by the thread that looks, or while active is 0: */
    uint32_t *starts; /* [rows][bins.count + 1], as in struct gs_cpu */
    struct gs_incoming_bins bins;
    uint64_t begin_ns;
    /* Used by the caller's thread only: */
    unsigned worker_count; /* threads running */
    unsigned worker_room;
    struct worker *workers;
    struct gs_progress progress; /* not shown to anybody */
    struct gs_chunk_times times; /* sum of all workers', when they have ended */
    uint64_t fingerprint;
};

static size_t row_bytes(const struct gs_incoming *incoming)
{
    return ((size_t)incoming->bins.count + 1) * sizeof *incoming->starts;
}

/* Enlarge the table to `rows` rows. No worker may be distributing. false: there is no memory. */
static bool grow_table(struct gs_incoming *incoming, uint64_t rows)
{
    if (rows <= incoming->rows)
        return true;
    uint32_t *starts = gs_pages_grow(incoming->starts, incoming->rows * row_bytes(incoming),
                                     rows * row_bytes(incoming));
    if (starts == NULL)
        return false;
    incoming->starts = starts;
    incoming->rows = rows;
    return true;
}

/* Order a chunk by bin in place, and fill its row of starts. */
static void distribute(struct worker *worker, gs_key *keys, uint32_t *starts)
{
    struct gs_incoming *incoming = worker->incoming;
    struct gs_cpu *cpu = &worker->cpu;
    const struct gs_chunk chunk = {.count = GS_CHUNK_KEYS_MAX};
    if (worker->times.chunks == 0)
        worker->run.splitters = incoming->bins.splitters;
    cpu->rows.stride = incoming->bins.count + 1;
    worker->chunk.keys = keys;
    cpu->rows.keys = keys;
    cpu->rows.starts = starts;
    (void)gs_distribute_chunk(&worker->run, incoming->stages, &chunk, &worker->times, NULL);
}

/* Is there work for another thread? The caller holds the mutex. */
static bool has_work(const struct gs_incoming *incoming)
{
    if (incoming->paused)
        return false;
    if (incoming->state == WAITING)
        return incoming->count >= incoming->look_keys;
    return incoming->state == DISTRIBUTING && incoming->next < incoming->rows &&
           (incoming->next + 1) * GS_CHUNK_KEYS_MAX <= incoming->count;
}

/* Choose bins by the keys so far and begin to distribute, or wait until twice as many have come.
 * The caller holds the mutex; it is released while looking. */
static void look_and_begin(struct gs_incoming *incoming)
{
    uint64_t count = incoming->count;
    const void *records = incoming->keys;
    incoming->state = LOOKING;
    pthread_mutex_unlock(&incoming->mutex);
    bool begins = gs_incoming_look(&incoming->bins, incoming->options, records, count);
    bool room = !begins || grow_table(incoming, 2 * count / GS_CHUNK_KEYS_MAX);
    pthread_mutex_lock(&incoming->mutex);
    incoming->state = !room ? GIVEN_UP : begins ? DISTRIBUTING : WAITING;
    incoming->look_keys = 2 * count;
    incoming->begin_ns = gs_now_ns();
    pthread_cond_broadcast(&incoming->more);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct gs_incoming *incoming = worker->incoming;
    pthread_mutex_lock(&incoming->mutex);
    while (!incoming->ends) {
        if (!has_work(incoming)) {
            pthread_cond_wait(&incoming->more, &incoming->mutex);
            continue;
        }
        incoming->active++;
        if (incoming->state == WAITING) {
            look_and_begin(incoming);
        } else {
            uint64_t chunk = incoming->next++;
            gs_key *keys = incoming->keys + chunk * GS_CHUNK_KEYS_MAX;
            uint32_t *starts = incoming->starts + chunk * (incoming->bins.count + 1);
            pthread_mutex_unlock(&incoming->mutex);
            distribute(worker, keys, starts);
            pthread_mutex_lock(&incoming->mutex);
        }
        if (--incoming->active == 0)
            pthread_cond_broadcast(&incoming->idle);
    }
    pthread_mutex_unlock(&incoming->mutex);
    return NULL;
}

/* Start a thread with what it needs; false: there is no memory for it. */
static bool start_worker(struct gs_incoming *incoming, struct worker *worker)
{
    struct gs_cpu *cpu = &worker->cpu;
    worker->incoming = incoming;
    worker->chunk = (struct gs_span){.count = GS_CHUNK_KEYS_MAX, .name = ""};
    worker->run.options = incoming->options;
    worker->run.progress = &incoming->progress;
    worker->run.cpu = cpu;
    cpu->rows.count = 1;
    cpu->rows.row_keys = GS_CHUNK_KEYS_MAX;
    cpu->scratch_bytes = GS_CACHE_SORT_SCRATCH * sizeof(gs_key);
    cpu->scratch = gs_pages_alloc(cpu->scratch_bytes);
    if (cpu->scratch != NULL &&
        gs_tiles_decode(&worker->run.tiles, incoming->options->codec, &worker->chunk, 1, NULL) ==
            GS_OK &&
        pthread_create(&worker->thread, NULL, work, worker) == 0)
        return true;
    gs_tiles_free(&worker->run.tiles);
    gs_pages_free(cpu->scratch, cpu->scratch_bytes);
    return false;
}

/* Start worker_room workers, or as many as there is memory for. The caller holds the mutex. */
static void start_workers(struct gs_incoming *incoming)
{
    incoming->workers = calloc(incoming->worker_room, sizeof *incoming->workers);
    if (incoming->workers == NULL)
        incoming->worker_room = 0;
    while (incoming->worker_count < incoming->worker_room &&
           start_worker(incoming, &incoming->workers[incoming->worker_count]))
        incoming->worker_count++;
    if (incoming->worker_count == 0)
        incoming->state = GIVEN_UP;
}

/* Do so many keys need more bins than were chosen, and are more allowed? */
static bool too_many(const struct gs_incoming *incoming)
{
    uint32_t bins = incoming->bins.count;
    return incoming->options->bins == 0 && bins < GS_BINS_MAX &&
           incoming->count / GS_BIN_KEYS_HUGE > bins + bins / 2;
}

/* Pause the workers and wait until none is active. The caller holds the mutex. */
static void wait_idle(struct gs_incoming *incoming)
{
    incoming->paused = true;
    while (incoming->active > 0)
        pthread_cond_wait(&incoming->idle, &incoming->mutex);
}

struct gs_incoming *gs_incoming_new(const struct gs_options *options,
                                    const struct gs_stages *stages)
{
    unsigned threads = gs_threads(options);
    bool other = options->engine != GS_ENGINE_AUTO && options->engine != GS_ENGINE_SAMPLESORT;
    bool cpu =
        options->device == GS_DEVICE_CPU ||
        (options->device == GS_DEVICE_AUTO && (gs_gpu_refusal() != NULL || !gs_gpu_present()));
    bool fits = options->codec == NULL || options->codec->record_bytes == sizeof(gs_key);
    if (threads < WORKERS_PART || other || !cpu || options->bins == 1 || !fits)
        return NULL;
    struct gs_incoming *incoming = calloc(1, sizeof *incoming);
    if (incoming == NULL)
        return NULL;
    incoming->options = options;
    incoming->stages = stages;
    incoming->look_keys = GS_INCOMING_KEYS;
    incoming->worker_room =
        threads / WORKERS_PART < WORKERS_MAX ? threads / WORKERS_PART : WORKERS_MAX;
    incoming->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    incoming->more = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    incoming->idle = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    return incoming;
}

void gs_incoming_tell(struct gs_incoming *incoming, void *records, uint64_t count)
{
    if (incoming == NULL)
        return;
    pthread_mutex_lock(&incoming->mutex);
    incoming->keys = records;
    incoming->count = count;
    uint64_t chunks = count / GS_CHUNK_KEYS_MAX;
    if (incoming->state == DISTRIBUTING && chunks > incoming->rows) {
        wait_idle(incoming);
        if (!grow_table(incoming, 2 * chunks))
            incoming->state = GIVEN_UP;
    }
    if (incoming->state == DISTRIBUTING && too_many(incoming))
        incoming->state = GIVEN_UP;
    bool resumes = incoming->paused;
    incoming->paused = false;
    bool looks = incoming->state == WAITING && count >= incoming->look_keys;
    if (looks && incoming->workers == NULL)
        start_workers(incoming);
    if (looks || resumes ||
        (incoming->state == DISTRIBUTING && incoming->active < incoming->worker_count &&
         chunks >= incoming->next + WAKE_CHUNKS))
        pthread_cond_signal(&incoming->more);
    pthread_mutex_unlock(&incoming->mutex);
}

void gs_incoming_pause(struct gs_incoming *incoming)
{
    if (incoming == NULL)
        return;
    pthread_mutex_lock(&incoming->mutex);
    wait_idle(incoming);
    pthread_mutex_unlock(&incoming->mutex);
}

bool gs_incoming_begun(struct gs_incoming *incoming)
{
    if (incoming == NULL)
        return false;
    pthread_mutex_lock(&incoming->mutex);
    bool begun = incoming->state == DISTRIBUTING && incoming->next > 0;
    pthread_mutex_unlock(&incoming->mutex);
    return begun;
}

void gs_incoming_end(struct gs_incoming *incoming)
{
    if (incoming == NULL)
        return;
    pthread_mutex_lock(&incoming->mutex);
    incoming->ends = true;
    pthread_cond_broadcast(&incoming->more);
    pthread_mutex_unlock(&incoming->mutex);
    for (; incoming->worker_count > 0; incoming->worker_count--) {
        struct worker *worker = &incoming->workers[incoming->worker_count - 1];
        pthread_join(worker->thread, NULL);
        gs_chunk_times_add(&incoming->times, &worker->times);
        incoming->fingerprint += worker->run.fingerprint;
        gs_tiles_free(&worker->run.tiles);
        gs_pages_free(worker->cpu.scratch, worker->cpu.scratch_bytes);
    }
    free(incoming->workers);
    incoming->workers = NULL;
}

void gs_incoming_free(struct gs_incoming *incoming)
{
    if (incoming == NULL)
        return;
    gs_incoming_end(incoming);
    gs_pages_free(incoming->starts, incoming->rows * row_bytes(incoming));
    free(incoming);
}

/* Records that have been decoded in their place. */
static uint64_t count_decoded(const struct gs_incoming *incoming)
{
    return incoming->next * GS_CHUNK_KEYS_MAX;
}

void gs_incoming_mark(const struct gs_incoming *incoming, struct gs_tiles *tiles)
{
    if (incoming == NULL || tiles->span_count != 1)
        return;
    /* Paused: they may have moved. */
    if (incoming->paused || tiles->spans[0].keys == incoming->keys)
        tiles->decoded = count_decoded(incoming);
}

void gs_incoming_restore(struct gs_incoming *incoming)
{
    if (incoming == NULL || incoming->options->codec == NULL)
        return;
    const struct gs_codec *codec = incoming->options->codec;
#pragma omp parallel for num_threads(gs_threads(incoming->options))
    for (uint64_t first = 0; first < count_decoded(incoming); first += GS_CHUNK_KEYS_MAX) {
        gs_key *keys = incoming->keys + first;
        gs_codec_store(codec, keys, keys, GS_CHUNK_KEYS_MAX);
    }
    incoming->next = 0;
    incoming->state = GIVEN_UP;
}

void gs_incoming_take(struct gs_incoming *incoming, struct gs_run *run)
{
    run->arrived.rows.keys = NULL;
    if (incoming == NULL || incoming->state != DISTRIBUTING || incoming->starts == NULL ||
        incoming->next == 0 || run->tiles.span_count != 1 ||
        run->tiles.spans[0].keys != incoming->keys || run->plan.count < count_decoded(incoming))
        return;
    struct gs_stage_stats select = {0};
    struct gs_stage_stats *rows = run->stats->stages;
    struct gs_plan plan = run->plan;
    gs_plan_in_place(&plan, run->options);
    uint64_t limit = run->options->memory_bytes;
    if (limit > 0 && plan.memory_bytes + run->options->own.held_bytes > limit)
        return; /* more bins need a larger table */
    bool even = gs_incoming_even(&incoming->bins, &run->tiles, run->plan.threads, &select);
    gs_stage_add(&rows[GS_STAGE_SELECT_SAMPLES], &select);
    const uint64_t chunks = (plan.count + GS_CHUNK_KEYS_MAX - 1) / GS_CHUNK_KEYS_MAX;
    if (!even || !grow_table(incoming, chunks))
        return;
    gs_stage_add(&rows[GS_STAGE_SELECT_SAMPLES], &incoming->bins.select);
    gs_stage_add(&rows[GS_STAGE_SORT_SAMPLES], &incoming->bins.sort);
    rows[GS_STAGE_COUNT_BINS].begin_ns = incoming->begin_ns;
    rows[GS_STAGE_PREFIX_SUM].begin_ns = incoming->begin_ns;
    rows[GS_STAGE_SCATTER].begin_ns = incoming->begin_ns;
    gs_distribute_account(run, incoming->stages, &incoming->times, incoming->worker_room);
    run->plan = plan;
    run->stats->samples = incoming->bins.samples;
    run->splitters = incoming->bins.splitters;
    run->fingerprint = incoming->fingerprint;
    run->arrived = (struct gs_arrived){.rows = {incoming->keys, GS_CHUNK_KEYS_MAX, chunks,
                                                incoming->starts, incoming->bins.count + 1},
                                       .starts_bytes = incoming->rows * row_bytes(incoming),
                                       .count = count_decoded(incoming)};
    incoming->starts = NULL;
    incoming->rows = 0;
}
