/* team.c -- teams of threads: what GCC calls for `#pragma omp`, instead of GCC's own runtime.
 * SPDX-License-Identifier: MIT
 *
 * With that, threads that wait spin for milliseconds wherever the processors are busy, the
 * environment can bind all of them to one processor or give them stacks that are too small, and if
 * the system has no memory or no thread left, it prints a line and ends the process, which a
 * library must not. These teams have fewer threads then. They serve what the rooms use: regions,
 * one inside another by one thread; dynamic loops that count up; single, barrier, critical and
 * atomic. They do not read the environment: taskset(1) is honoured.
 *
 * Each thread that begins a region keeps its team for the next one, until it ends: in the library
 * that is the thread of one call (job.h), so that no thread is left when a call has returned.
 */
#include "common/memory/processors.h"

#include <limits.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As much as any sort needs (cli/stacks.c). */
#define STACK_BYTES ((size_t)1 << 20)

/* How often a thread looks before it sleeps: 40 to 100 us, about what waking it takes. */
#define SPINS 2000

/* Dynamic loops of a region, at most. */
#define LOOPS 4

/* A parallel region under way. */
struct region {
    void (*work)(void *data);
    void *data;
    unsigned count; /* members */
    atomic_ullong claimed[LOOPS];
    atomic_uint singles; /* begun */
    atomic_uint arrived, barriers;
    unsigned spins;
};

/* The threads that wait for a thread's regions. */
struct pool {
    pthread_t *threads;
    unsigned count;
    struct region *region;
    bool ends;
    atomic_uint begun;   /* regions */
    atomic_uint running; /* threads in the last one */
    atomic_uint number;  /* of a thread that is being started */
};

/* A thread's place in its region. */
static _Thread_local struct member {
    struct region *region; /* NULL: in none */
    unsigned number;
    unsigned loops, singles; /* that it has come to */
    unsigned long long begin, end, step, total, chunk;
} self;

static _Thread_local struct pool *own_pool;
static pthread_key_t pool_key;

static void wake(atomic_uint *word, int threads)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* Wait until *word is no longer `old`. */
static void await_change(atomic_uint *word, unsigned old, unsigned spins)
{
    for (unsigned i = 0; i < spins; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != old)
            return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (atomic_load_explicit(word, memory_order_acquire) == old)
        (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
}

static unsigned spins_for(unsigned threads)
{
    return threads <= gs_processors() ? SPINS : 0;
}

static void *serve(void *context)
{
    struct pool *pool = context;
    const unsigned number = atomic_load(&pool->number);
    unsigned begun = atomic_load(&pool->begun);
    atomic_fetch_sub(&pool->running, 1); /* it has started */
    wake(&pool->running, 1);
    for (;;) {
        await_change(&pool->begun, begun, spins_for(number + 1));
        begun++;
        if (pool->ends)
            return NULL;
        struct region *region = pool->region;
        if (number < region->count) {
            self = (struct member){.region = region, .number = number};
            region->work(region->data);
        }
        if (atomic_fetch_sub(&pool->running, 1) == 1)
            wake(&pool->running, 1);
    }
}

static void await_threads(struct pool *pool, unsigned spins)
{
    for (unsigned running; (running = atomic_load(&pool->running)) > 0;)
        await_change(&pool->running, running, spins);
}

static void begin_region(struct pool *pool, struct region *region)
{
    pool->region = region;
    atomic_store(&pool->running, pool->count);
    atomic_fetch_add(&pool->begun, 1);
    wake(&pool->begun, INT_MAX);
}

/* End a thread's team; called when it ends. */
static void close_pool(void *context)
{
    struct pool *pool = context;
    pool->ends = true;
    atomic_fetch_add(&pool->begun, 1);
    wake(&pool->begun, INT_MAX);
    for (unsigned i = 0; i < pool->count; i++)
        pthread_join(pool->threads[i], NULL);
    free(pool->threads);
    free(pool);
    own_pool = NULL;
}

static bool has_key;

static void make_key(void)
{
    has_key = pthread_key_create(&pool_key, close_pool) == 0;
}

/* The calling thread's pool, or NULL where there is no memory. */
static struct pool *open_pool(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    if (own_pool != NULL || !has_key)
        return own_pool;
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool != NULL && pthread_setspecific(pool_key, pool) != 0) {
        free(pool);
        pool = NULL;
    }
    own_pool = pool;
    return pool;
}

/* Start threads until there are `wanted`, as far as the system has them. */
static void grow_pool(struct pool *pool, unsigned wanted)
{
    pthread_attr_t attributes;
    if (wanted <= pool->count || pthread_attr_init(&attributes) != 0)
        return;
    pthread_t *threads = realloc(pool->threads, wanted * sizeof *threads);
    if (threads != NULL) {
        pool->threads = threads;
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
    }
    while (threads != NULL && pool->count < wanted) {
        atomic_store(&pool->number, pool->count + 1);
        atomic_store(&pool->running, 1);
        if (pthread_create(&threads[pool->count], &attributes, serve, pool) != 0)
            break;
        pool->count++;
        await_threads(pool, SPINS);
    }
    pthread_attr_destroy(&attributes);
}

int omp_get_thread_num(void)
{
    return (int)self.number;
}

int omp_get_num_threads(void)
{
    return self.region != NULL ? (int)self.region->count : 1;
}

/* The calls that GCC makes; libgomp's source has no public header for them. */
void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags);
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, unsigned long long begin,
                                              unsigned long long end, unsigned long long step,
                                              unsigned long long chunk, unsigned long long *first,
                                              unsigned long long *last);
bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long *first, unsigned long long *last);
void GOMP_loop_end_nowait(void);
bool GOMP_single_start(void);
void GOMP_barrier(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags)
{
    const struct member outer = self;
    struct region region = {.work = work, .data = data, .count = 1};
    struct pool *pool = outer.region == NULL && threads != 1 ? open_pool() : NULL;
    (void)flags;
    if (threads == 0)
        threads = gs_processors();
    if (pool != NULL) {
        grow_pool(pool, threads - 1);
        region.count = pool->count < threads - 1 ? pool->count + 1 : threads;
        region.spins = spins_for(region.count);
    }
    self = (struct member){.region = &region};
    if (region.count > 1)
        begin_region(pool, &region);
    work(data);
    if (region.count > 1)
        await_threads(pool, region.spins);
    self = outer;
}

bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, unsigned long long begin,
                                              unsigned long long end, unsigned long long step,
                                              unsigned long long chunk, unsigned long long *first,
                                              unsigned long long *last)
{
    (void)up;
    self.begin = begin;
    self.end = end;
    self.step = step;
    self.total = (end - begin + step - 1) / step;
    self.chunk = chunk;
    self.loops++;
    return GOMP_loop_ull_nonmonotonic_dynamic_next(first, last);
}

bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long *first, unsigned long long *last)
{
    atomic_ullong *claimed = &self.region->claimed[(self.loops - 1) % LOOPS];
    const unsigned long long at = atomic_fetch_add(claimed, self.chunk);
    if (at >= self.total)
        return false;
    *first = self.begin + at * self.step;
    *last = self.total - at <= self.chunk ? self.end : *first + self.chunk * self.step;
    return true;
}

void GOMP_loop_end_nowait(void)
{
}

/* Is the calling thread the first one that comes here? */
bool GOMP_single_start(void)
{
    unsigned before = self.singles++;
    return atomic_compare_exchange_strong(&self.region->singles, &before, before + 1);
}

void GOMP_barrier(void)
{
    struct region *region = self.region;
    if (region == NULL)
        return;
    const unsigned barriers = atomic_load(&region->barriers);
    if (atomic_fetch_add(&region->arrived, 1) + 1 < region->count) {
        await_change(&region->barriers, barriers, region->spins);
        return;
    }
    atomic_store(&region->arrived, 0);
    atomic_fetch_add(&region->barriers, 1);
    wake(&region->barriers, INT_MAX);
}

/* A lock in a word: 0 free, 1 taken, 2 taken and perhaps waited for.
 * [Drepper: Futexes are tricky, 2011, mutex2] */
static void take_lock(atomic_uint *lock)
{
    unsigned before = 0;
    if (atomic_compare_exchange_strong(lock, &before, 1))
        return;
    while (atomic_exchange(lock, 2) != 0)
        await_change(lock, 2, 0);
}

static void give_lock(atomic_uint *lock)
{
    if (atomic_exchange(lock, 0) == 2)
        wake(lock, 1);
}

void GOMP_critical_name_start(void **name)
{
    take_lock((atomic_uint *)(void *)name);
}

void GOMP_critical_name_end(void **name)
{
    give_lock((atomic_uint *)(void *)name);
}

static atomic_uint atomic_lock;

void GOMP_atomic_start(void)
{
    take_lock(&atomic_lock);
}

void GOMP_atomic_end(void)
{
    give_lock(&atomic_lock);
}
