/* A functional CUDA runtime on the CPU. One kernel at a time; a thread is a fiber. */
#define _GNU_SOURCE
#define EMU_NO_ACCESS
#include "cuda_runtime_api.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* ------------------------------------------------------------------ options */
static long option(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? atol(text) : otherwise;
}
static long opt_seed, opt_lazy, opt_trace, opt_resident, opt_wave, opt_processors;
static size_t opt_memory, opt_shared;
static uint64_t random_state;
static uint32_t rnd(uint32_t below)
{
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)((random_state >> 33) * (uint64_t)below >> 31);
}
static __attribute__((constructor)) void read_options(void)
{
    opt_seed = option("EMU_SEED", 0);
    opt_lazy = option("EMU_LAZY", 0);
    opt_trace = option("EMU_TRACE", 0);
    opt_resident = option("EMU_RESIDENT", opt_seed ? 4 : 1);
    opt_wave = option("EMU_WAVE", 64);
    if (opt_wave < opt_resident)
        opt_wave = opt_resident;
    opt_processors = option("EMU_PROCESSORS", 132);
    opt_memory = (size_t)option("EMU_MEMORY", 8L << 30);
    opt_shared = (size_t)option("EMU_SHARED", 227 * 1024);
    random_state = (uint64_t)opt_seed * 0x9e3779b97f4a7c15ULL + 1;
}
static bool absent(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible != NULL && *visible == 0)
        return 1;
    return option("EMU_ABSENT", 0) != 0;
}
static void die(const char *what)
{
    fprintf(stderr, "emu: %s\n", what);
    abort();
}

static pthread_mutex_t lock;
static __attribute__((constructor)) void make_lock(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &a);
}
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
static __thread cudaError_t last_error;
static cudaError_t note(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last_error = e;
    return e;
}

/* ------------------------------------------------------------------ fibers */
struct uint3 { uint32_t x, y, z; };
struct emu_index { struct uint3 thread, block; };
enum { MAX_THREADS = 1024, STACK = 48 << 10, ARENA = 512 << 10, NAMED = 16 };
enum { EMU_SHFL, EMU_SHFL_UP, EMU_SHFL_DOWN, EMU_SHFL_XOR, EMU_BALLOT, EMU_ALL, EMU_ANY, EMU_MATCH_ANY,
       EMU_MIN, EMU_MAX, EMU_UMIN, EMU_UMAX, EMU_ADD, EMU_AND, EMU_OR, EMU_XOR, EMU_SYNC };
enum { EMU_BAR, EMU_BAR_AND, EMU_BAR_OR, EMU_BAR_COUNT };
struct fiber {
    struct emu_index index; /* first: emu_self */
    void *sp;
    char *stack;
    uint32_t linear;
    enum { READY, AT_WARP, AT_BARRIER, AT_NAMED, DONE } state;
    int op, param, width;
    uint32_t mask;
    uint64_t value;
    void *where;
};
struct barrier { uint32_t arrived; int all, any, count; uint32_t waiters[MAX_THREADS]; uint32_t waiting; };
struct block {
    struct fiber fibers[MAX_THREADS];
    uint32_t threads, alive;
    uint32_t warp_waiting[32], warp_alive[32];
    uint32_t ready[MAX_THREADS], head, count; /* ring */
    struct barrier zero, named[NAMED];
    char *arena, *dynamic, *stacks;
    bool used;
};
static struct block *blocks; /* resident */
static struct block *now;    /* running */
static struct fiber *me;
struct emu_index *emu_self;
struct uint3 emu_block_dim, emu_grid_dim;
static void *scheduler_sp;
static size_t shared_used; /* static shared memory given out so far, over all kernels */
static struct emu_config current;
static void (*current_run)(void *);
static void *current_closure;
static uint64_t progress; /* counts barriers and ends: against endless spinning */
static int rotate;

void emu_switch(void **save, void *load);
__asm__(".text\n.globl emu_switch\n.type emu_switch,@function\nemu_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

static void dump(void)
{
    static const char *const states[] = {"ready", "at a warp operation", "at __syncthreads", "at a named barrier", "done"};
    fprintf(stderr, "emu: deadlock in %s, block %u\n", current.name, now->fibers[0].index.block.x);
    int last = -1;
    uint32_t last_mask = 0;
    void *last_where = NULL;
    for (uint32_t t = 0; t < now->threads; t++) {
        struct fiber *f = &now->fibers[t];
        if ((int)f->state != last || f->mask != last_mask || f->where != last_where)
            fprintf(stderr, "emu:   from thread %u: %s, mask %08x, pc %p\n", t, states[f->state], f->mask, f->where);
        last = (int)f->state;
        last_mask = f->mask;
        last_where = f->where;
    }
    abort();
}
static void push_ready(uint32_t t)
{
    now->fibers[t].state = READY;
    now->ready[(now->head + now->count++) % MAX_THREADS] = t;
}
/* Leave the running fiber (its state is set) for another ready one. */
static void leave(void)
{
    struct fiber *old = me;
    if (opt_seed && opt_resident > 1 && rnd(64) == 0)
        rotate = 1;
    if (now->count == 0 || rotate) {
        emu_switch(&old->sp, scheduler_sp);
        return;
    }
    if (opt_seed && now->count > 1) {
        uint32_t i = (now->head + rnd(now->count)) % MAX_THREADS, h = now->head;
        uint32_t t = now->ready[i];
        now->ready[i] = now->ready[h];
        now->ready[h] = t;
    }
    uint32_t t = now->ready[now->head];
    now->head = (now->head + 1) % MAX_THREADS;
    now->count--;
    me = &now->fibers[t];
    emu_self = &me->index;
    if (me != old)
        emu_switch(&old->sp, me->sp);
}
static void finish_zero(void)
{
    struct barrier *b = &now->zero;
    if (b->waiting == 0 || b->waiting < now->alive)
        return;
    progress++;
    for (uint32_t i = 0; i < b->waiting; i++) {
        struct fiber *f = &now->fibers[b->waiters[i]];
        f->value = (uint64_t)(f->op == EMU_BAR_AND ? b->all : f->op == EMU_BAR_OR ? b->any : b->count);
        push_ready(b->waiters[i]);
    }
    b->waiting = 0;
}
static void fiber_main(void)
{
    current_run(current_closure);
    me->state = DONE;
    now->alive--;
    progress++;
    now->warp_alive[me->linear / 32] &= ~(1U << (me->linear & 31));
    finish_zero();
    leave();
    die("a finished fiber ran");
}
int emu_barrier(int op, int p)
{
    struct barrier *b = &now->zero;
    struct fiber *f = me;
    if (b->waiting == 0) {
        b->all = 1;
        b->any = b->count = 0;
    }
    b->all &= p != 0;
    b->any |= p != 0;
    b->count += p != 0;
    b->waiters[b->waiting++] = f->linear;
    f->state = AT_BARRIER;
    f->op = op;
    f->where = __builtin_return_address(0);
    finish_zero();
    leave();
    return (int)f->value;
}
void emu_named_barrier(int id, int threads, int wait)
{
    struct barrier *b = &now->named[id];
    struct fiber *f = me;
    b->arrived++;
    if (wait) {
        f->state = AT_NAMED;
        f->where = __builtin_return_address(0);
        b->waiters[b->waiting++] = f->linear;
    }
    if (b->arrived == (uint32_t)threads) {
        for (uint32_t i = 0; i < b->waiting; i++)
            push_ready(b->waiters[i]);
        b->waiting = b->arrived = 0;
        progress++;
    }
    if (wait)
        leave();
}
static uint64_t at(const struct fiber *f, int lane, uint32_t mask, uint64_t own)
{
    /* A lane outside the mask: undefined. Give rubbish. */
    return mask >> lane & 1 ? f[lane].value : own ^ 0x5bd1e995deadbeefULL;
}
uint64_t emu_warp(int op, uint32_t mask, uint64_t value, int param, int width)
{
    struct fiber *self = me;
    uint32_t warp = self->linear / 32, lane = self->linear & 31;
    struct fiber *f = &now->fibers[warp * 32];
    if ((mask >> lane & 1) == 0)
        die("a lane calls a warp operation without being in its mask");
    if ((mask & ~now->warp_alive[warp]) != 0) {
        fprintf(stderr, "emu: %s: mask %08x names lanes that have ended or do not exist (alive %08x)\n", current.name, mask, now->warp_alive[warp]);
        abort();
    }
    self->op = op;
    self->mask = mask;
    self->value = value;
    self->param = param;
    self->width = width;
    self->state = AT_WARP;
    self->where = __builtin_return_address(0);
    now->warp_waiting[warp] |= 1U << lane;
    if ((now->warp_waiting[warp] & mask) == mask) {
        uint64_t result[32];
        uint64_t sum = 0, all_and = ~0ULL, all_or = 0, all_xor = 0, ballot = 0;
        uint32_t umin = UINT32_MAX, umax = 0;
        int smin = INT32_MAX, smax = INT32_MIN;
        for (uint32_t m = mask; m != 0; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            if (f[l].mask != mask || f[l].op != op) {
                fprintf(stderr, "emu: %s: lanes meet in different warp operations or masks: lane %u op %d mask %08x pc %p, lane %u op %d mask %08x pc %p\n",
                        current.name, lane, op, mask, self->where, l, f[l].op, f[l].mask, f[l].where);
                abort();
            }
            uint64_t v = f[l].value;
            sum += v; all_and &= v; all_or |= v; all_xor ^= v;
            ballot |= (uint64_t)(v != 0) << l;
            umin = (uint32_t)v < umin ? (uint32_t)v : umin;
            umax = (uint32_t)v > umax ? (uint32_t)v : umax;
            smin = (int)v < smin ? (int)v : smin;
            smax = (int)v > smax ? (int)v : smax;
        }
        for (uint32_t m = mask; m != 0; m &= m - 1) {
            int l = __builtin_ctz(m), w = f[l].width, p = f[l].param, base = l / w * w;
            uint64_t own = f[l].value;
            int from;
            uint64_t r = 0;
            switch (op) {
            case EMU_SHFL: r = at(f, base + (p & (w - 1)), mask, own); break;
            case EMU_SHFL_UP: from = l - p; r = from < base ? own : at(f, from, mask, own); break;
            case EMU_SHFL_DOWN: from = l + p; r = from >= base + w ? own : at(f, from, mask, own); break;
            case EMU_SHFL_XOR: from = l ^ p; r = from >= base + w ? own : at(f, from & 31, mask, own); break;
            case EMU_BALLOT: r = ballot; break;
            case EMU_ALL: r = ballot == mask; break;
            case EMU_ANY: r = ballot != 0; break;
            case EMU_MATCH_ANY: for (uint32_t k = mask; k != 0; k &= k - 1) { int o = __builtin_ctz(k); r |= (uint64_t)(f[o].value == own) << o; } break;
            case EMU_MIN: r = (uint32_t)smin; break;
            case EMU_MAX: r = (uint32_t)smax; break;
            case EMU_UMIN: r = umin; break;
            case EMU_UMAX: r = umax; break;
            case EMU_ADD: r = sum; break;
            case EMU_AND: r = all_and; break;
            case EMU_OR: r = all_or; break;
            case EMU_XOR: r = all_xor; break;
            }
            result[l] = r;
        }
        for (uint32_t m = mask; m != 0; m &= m - 1) {
            int l = __builtin_ctz(m);
            f[l].value = result[l];
            push_ready(warp * 32 + (uint32_t)l);
        }
        now->warp_waiting[warp] &= ~mask;
    }
    leave();
    return self->value;
}
void emu_yield(int other_block)
{
    if (other_block)
        rotate = 1;
    else if (!opt_seed || rnd(16) != 0)
        return;
    if (now == NULL)
        return;
    push_ready(me->linear);
    leave();
}
void *emu_dynamic_shared(void) { return now->dynamic; }
void *emu_shared_base(size_t offset) { return now->arena + offset; }
size_t emu_shared_offset(size_t bytes)
{
    size_t offset = shared_used;
    shared_used += (bytes + 15) / 16 * 16 + 16; /* a gap, to be checked */
    if (shared_used > ARENA)
        die("static shared memory of all kernels together beyond the arena");
    memset(now->arena + offset, 0xdb, shared_used - offset); /* the first block that sees it */
    return offset;
}
float emu_approximate(float x)
{
    if (!opt_seed)
        return x;
    uint32_t u;
    memcpy(&u, &x, 4);
    u += rnd(5) - 2;
    memcpy(&x, &u, 4);
    return x;
}
long long emu_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

enum { CANARY = 256 };
static void start_block(struct block *b, uint64_t number)
{
    uint32_t threads = current.block[0] * current.block[1] * current.block[2];
    if (b->arena == NULL)
        b->arena = mmap(NULL, ARENA + (256 << 10) + CANARY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->stacks == NULL)
        b->stacks = mmap(NULL, (size_t)STACK * MAX_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->arena == MAP_FAILED || b->stacks == MAP_FAILED)
        die("no memory for stacks");
    b->dynamic = b->arena + ARENA;
    b->used = true;
    b->threads = b->alive = threads;
    b->head = b->count = 0;
    b->zero.waiting = 0;
    memset(b->named, 0, sizeof b->named);
    memset(b->arena, 0xdb, shared_used);
    memset(b->dynamic, 0xdb, current.shared + CANARY);
    struct block *was = now;
    now = b;
    for (uint32_t w = 0; w < 32; w++) {
        b->warp_waiting[w] = 0;
        b->warp_alive[w] = w * 32 + 32 <= threads ? ~0U : w * 32 >= threads ? 0 : (1U << threads % 32) - 1;
    }
    for (uint32_t t = 0; t < threads; t++) {
        struct fiber *f = &b->fibers[t];
        f->stack = b->stacks + (size_t)t * STACK;
        *(uint64_t *)f->stack = 0x5afe57ac4b0770ULL; /* found at the block's end if overwritten */
        void **sp = (void **)(f->stack + STACK);
        *--sp = NULL;
        *--sp = NULL;
        *--sp = NULL;
        *--sp = (void *)fiber_main; /* returned to with sp = 8 mod 16, as after a call */
        sp -= 6;
        f->sp = sp;
        f->linear = t;
        f->mask = 0;
        f->where = NULL;
        f->index.thread.x = t % current.block[0];
        f->index.thread.y = t / current.block[0] % current.block[1];
        f->index.thread.z = t / current.block[0] / current.block[1];
        f->index.block.x = (uint32_t)(number % current.grid[0]);
        f->index.block.y = (uint32_t)(number / current.grid[0] % current.grid[1]);
        f->index.block.z = (uint32_t)(number / current.grid[0] / current.grid[1]);
        push_ready(t);
    }
    now = was;
}
static void end_block(struct block *b)
{
    for (size_t i = 0; i < CANARY; i++)
        if ((unsigned char)b->dynamic[current.shared + i] != 0xdb) {
            fprintf(stderr, "emu: %s: write beyond dynamic shared memory, %zu bytes past %zu\n", current.name, i, current.shared);
            abort();
        }
    for (uint32_t t = 0; t < b->threads; t++)
        if (*(uint64_t *)b->fibers[t].stack != 0x5afe57ac4b0770ULL)
            die("stack overflow of a fiber: raise STACK in emu.c");
    b->used = false;
}
static void run_grid(void)
{
    uint64_t total = (uint64_t)current.grid[0] * current.grid[1] * current.grid[2], next = 0, done = 0;
    uint64_t last_progress = progress, idle = 0;
    long limit = opt_resident;
    long turn = 0;
    if (blocks == NULL) {
        blocks = mmap(NULL, sizeof(struct block) * (size_t)opt_wave, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (blocks == MAP_FAILED)
            die("no memory for blocks");
    }
    emu_block_dim = (struct uint3){current.block[0], current.block[1], current.block[2]};
    emu_grid_dim = (struct uint3){current.grid[0], current.grid[1], current.grid[2]};
    rotate = 0;
    while (done < total) {
        for (long i = 0; i < limit && next < total; i++)
            if (!blocks[i].used)
                start_block(&blocks[i], next++);
        if (opt_seed)
            turn = (long)rnd((uint32_t)limit);
        for (long i = 0; !blocks[turn].used; i++)
            turn = (turn + 1) % limit;
        now = &blocks[turn];
        if (now->count > 0) {
            uint32_t t = now->ready[now->head];
            now->head = (now->head + 1) % MAX_THREADS;
            now->count--;
            me = &now->fibers[t];
            emu_self = &me->index;
            emu_switch(&scheduler_sp, me->sp);
        }
        if (now->alive == 0) {
            end_block(now);
            done++;
        } else if (now->count == 0) {
            dump();
        }
        if (rotate) { /* a block waits for another */
            rotate = 0;
            turn = (turn + 1) % limit;
            if (progress == last_progress) {
                idle++;
                if (limit < opt_wave)
                    limit++;
                if (idle > 50000000) {
                    fprintf(stderr, "emu: %s: blocks wait for each other without end\n", current.name);
                    abort();
                }
            } else
                idle = 0;
            last_progress = progress;
        }
    }
    now = NULL;
}

/* ------------------------------------------------------------------ streams */
struct op { struct op *next; void (*run)(struct op *); struct emu_config config; void (*kernel)(void *); void *closure;
            void *to; const void *from; size_t bytes; int value; cudaEvent_t event; uint64_t generation;
            cudaHostFn_t host; void *context; void *owned; };
struct CUstream_st { struct op *head, **tail; unsigned flags; struct CUstream_st *next; };
struct CUevent_st { struct CUstream_st *stream; uint64_t recorded, done; long long time; unsigned flags; };
static struct CUstream_st null_stream = {.tail = &null_stream.head};
static struct CUstream_st *streams;
static struct CUstream_st *get_stream(cudaStream_t s)
{
    return s == NULL || s == cudaStreamLegacy ? &null_stream : s;
}
static bool run_one(struct CUstream_st *s)
{
    struct op *op = s->head;
    if (op == NULL)
        return false;
    s->head = op->next;
    if (s->head == NULL)
        s->tail = &s->head;
    op->run(op);
    free(op->owned);
    free(op->closure);
    free(op);
    return true;
}
static void drain(struct CUstream_st *s)
{
    while (run_one(s))
        ;
}
static void drain_all(void)
{
    drain(&null_stream);
    for (struct CUstream_st *s = streams; s != NULL; s = s->next)
        drain(s);
}
static void enqueue(cudaStream_t stream, struct op op)
{
    struct CUstream_st *s = get_stream(stream);
    if (s == &null_stream) {
        for (struct CUstream_st *o = streams; o != NULL; o = o->next)
            if ((o->flags & cudaStreamNonBlocking) == 0)
                drain(o);
    } else if ((s->flags & cudaStreamNonBlocking) == 0) {
        drain(&null_stream);
    }
    struct op *copy = malloc(sizeof *copy);
    *copy = op;
    copy->next = NULL;
    *s->tail = copy;
    s->tail = &copy->next;
    if (!opt_lazy)
        drain(s);
    else if (opt_lazy > 1)
        while (rnd((uint32_t)opt_lazy) != 0 && run_one(s))
            ;
}

/* ------------------------------------------------------------------ memory */
struct range { char *at; size_t bytes; size_t mapped; int kind; struct range *next; };
enum { DEVICE, PINNED, REGISTERED };
static struct range *ranges;
static size_t device_bytes;
static struct range *find(const void *p)
{
    for (struct range *r = ranges; r != NULL; r = r->next)
        if ((const char *)p >= r->at && (const char *)p < r->at + r->bytes)
            return r;
    return NULL;
}
static void add_range(void *at, size_t bytes, size_t mapped, int kind)
{
    struct range *r = malloc(sizeof *r);
    *r = (struct range){at, bytes, mapped, kind, ranges};
    ranges = r;
}
static struct range *take_range(void *at, int kind)
{
    for (struct range **p = &ranges; *p != NULL; p = &(*p)->next)
        if ((*p)->at == at && (*p)->kind == kind) {
            struct range *r = *p;
            *p = r->next;
            return r;
        }
    return NULL;
}
cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = NULL;
    if (absent())
        return note(cudaErrorInsufficientDriver);
    if (bytes == 0)
        return cudaSuccess;
    LOCK();
    size_t whole = (bytes + 255) / 256 * 256, pages = (whole + 4095) / 4096 * 4096;
    char *map = device_bytes + bytes > opt_memory ? MAP_FAILED : mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        UNLOCK();
        return note(cudaErrorMemoryAllocation);
    }
    mprotect(map + pages, 4096, PROT_NONE);
    char *at = map + pages - whole; /* its end meets the guard page */
    memset(at, 0xd5, bytes < (1UL << 30) ? whole : 1UL << 30);
    memset(at + bytes, 0xdb, whole - bytes);
    device_bytes += bytes;
    add_range(at, bytes, pages + 4096, DEVICE);
    *p = at;
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaFree(void *p)
{
    if (p == NULL)
        return cudaSuccess;
    LOCK();
    drain_all();
    struct range *r = take_range(p, DEVICE);
    if (r == NULL) {
        UNLOCK();
        return note(cudaErrorInvalidValue);
    }
    size_t whole = (r->bytes + 255) / 256 * 256;
    for (size_t i = r->bytes; i < whole; i++)
        if ((unsigned char)r->at[i] != 0xdb)
            die("write beyond the end of device memory");
    device_bytes -= r->bytes;
    munmap((char *)((uintptr_t)r->at / 4096 * 4096), r->mapped);
    free(r);
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s) { (void)s; return cudaMalloc(p, n); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { (void)s; return cudaFree(p); }
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
    (void)flags;
    *p = NULL;
    if (absent())
        return note(cudaErrorInsufficientDriver);
    size_t pages = (bytes + 4095) / 4096 * 4096;
    char *map = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return note(cudaErrorMemoryAllocation);
    memset(map, 0xd7, pages < (1UL << 28) ? pages : 1UL << 28);
    LOCK();
    add_range(map, bytes > 0 ? bytes : 1, pages, PINNED);
    UNLOCK();
    *p = map;
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **p, size_t bytes) { return cudaHostAlloc(p, bytes, 0); }
cudaError_t cudaHostGetDevicePointer(void **d, void *h, unsigned f) { (void)f; *d = h; return cudaSuccess; }
cudaError_t cudaFreeHost(void *p)
{
    if (p == NULL)
        return cudaSuccess;
    LOCK();
    drain_all();
    struct range *r = take_range(p, PINNED);
    if (r != NULL) {
        munmap(r->at, r->mapped);
        free(r);
    }
    UNLOCK();
    return r != NULL ? cudaSuccess : note(cudaErrorInvalidValue);
}
/* May this be registered? As a driver: writable without ReadOnly; no writable file mappings but of tmpfs. */
static bool may_register(const char *at, size_t bytes, unsigned flags)
{
    if (option("EMU_NO_REGISTER", 0))
        return false;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4500];
    bool good = false;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to, inode;
        char perms[8], path[4200] = "";
        if (sscanf(line, "%lx-%lx %7s %*s %*s %lu %4199[^\n]", &from, &to, perms, &inode, path) < 4)
            continue;
        if ((uintptr_t)at < from || (uintptr_t)at >= to)
            continue;
        (void)bytes;
        good = perms[0] == 'r' && (perms[1] == 'w' || (flags & cudaHostRegisterReadOnly) != 0);
        if (perms[1] == 'w' && perms[3] == 's' && inode != 0 && strncmp(path, "/dev/", 5) != 0)
            good = false;
    }
    if (maps != NULL)
        fclose(maps);
    return good;
}
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = cudaSuccess;
    if (bytes == 0)
        return note(cudaErrorInvalidValue);
    LOCK();
    uintptr_t first = (uintptr_t)p / 4096, last = ((uintptr_t)p + bytes - 1) / 4096;
    for (struct range *r = ranges; r != NULL; r = r->next)
        if (r->kind != DEVICE && (uintptr_t)r->at / 4096 <= last && ((uintptr_t)r->at + r->bytes - 1) / 4096 >= first)
            e = cudaErrorHostMemoryAlreadyRegistered;
    if (e == cudaSuccess && !may_register(p, bytes, flags))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        add_range(p, bytes, 0, REGISTERED);
    UNLOCK();
    return note(e);
}
cudaError_t cudaHostUnregister(void *p)
{
    LOCK();
    drain_all();
    struct range *r = take_range(p, REGISTERED);
    free(r);
    UNLOCK();
    return r != NULL ? cudaSuccess : note(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    LOCK();
    struct range *r = find(p);
    *a = (struct cudaPointerAttributes){r == NULL ? 0 : r->kind == DEVICE ? 2 : 1, 0, (void *)p, (void *)p};
    UNLOCK();
    return cudaSuccess;
}
static void run_copy(struct op *op) { memmove(op->to, op->from, op->bytes); }
static void run_set(struct op *op) { memset(op->to, op->value, op->bytes); }
static bool inside(const struct range *r, const void *p, size_t bytes) { return (const char *)p + bytes <= r->at + r->bytes; }
static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    if (absent())
        return note(cudaErrorInsufficientDriver);
    if (bytes == 0)
        return cudaSuccess;
    LOCK();
    struct range *t = find(to), *f = find(from);
    bool to_device = t != NULL && t->kind == DEVICE, from_device = f != NULL && f->kind == DEVICE;
    bool good = (t == NULL || inside(t, to, bytes)) && (f == NULL || inside(f, from, bytes));
    if ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && !to_device) good = false;
    if ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && !from_device) good = false;
    if (kind == cudaMemcpyDeviceToHost && to_device) good = false;
    if (kind == cudaMemcpyHostToDevice && from_device) good = false;
    if (!good) {
        fprintf(stderr, "emu: copy of %zu bytes, kind %d: ranges that are not what it says\n", bytes, kind);
        UNLOCK();
        return note(cudaErrorInvalidValue);
    }
    struct op op = {.run = run_copy, .to = to, .from = from, .bytes = bytes};
    if (f == NULL && opt_lazy) { /* pageable: the driver has taken it when the call returns */
        op.owned = malloc(bytes);
        memcpy(op.owned, from, bytes);
        op.from = op.owned;
    }
    enqueue(stream, op);
    if (wait || t == NULL)
        drain(get_stream(stream));
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind k) { return copy(to, from, n, k, NULL, true); }
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind k, cudaStream_t s) { return copy(to, from, n, k, s, false); }
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s)
{
    if (bytes == 0)
        return cudaSuccess;
    LOCK();
    struct range *t = find(to);
    if (t == NULL || t->kind == REGISTERED || !inside(t, to, bytes)) {
        UNLOCK();
        fprintf(stderr, "emu: cudaMemset of %zu bytes beyond device memory\n", bytes);
        return note(cudaErrorInvalidValue);
    }
    enqueue(s, (struct op){.run = run_set, .to = to, .value = value, .bytes = bytes});
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaMemset(void *to, int v, size_t n) { return cudaMemsetAsync(to, v, n, NULL); }

/* ------------------------------------------------------------------ kernels */
static struct { const void *f; int shared; } functions[512];
static int *attribute(const void *f)
{
    int i = 0;
    while (i < 511 && functions[i].f != NULL && functions[i].f != f)
        i++;
    if (functions[i].f == NULL) {
        functions[i].f = f;
        functions[i].shared = 48 * 1024;
    }
    return &functions[i].shared;
}
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute a, int v)
{
    if (a != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (v < 0 || (size_t)v > opt_shared)
        return note(cudaErrorInvalidValue);
    LOCK();
    *attribute(f) = v;
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int threads, size_t shared)
{
    (void)f;
    size_t by_shared = 228 * 1024 / (shared + 1024), by_threads = 2048 / (size_t)threads;
    *n = (int)(by_shared < by_threads ? by_shared : by_threads);
    if (*n > 32) *n = 32;
    return cudaSuccess;
}
static uint64_t launches;
static void run_kernel(struct op *op)
{
    current = op->config;
    current_run = op->kernel;
    current_closure = op->closure;
    long long begin = emu_clock();
    launches++;
    run_grid();
    if (opt_trace)
        fprintf(stderr, "emu: %4lu %s<<<%u, %u, %zu>>> %.3f ms\n", launches, current.name, current.grid[0], current.block[0], current.shared, (double)(emu_clock() - begin) / 1e6);
}
void emu_launch_kernel(const struct emu_config *c, const void *f, void (*run)(void *), void *closure)
{
    uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
    LOCK();
    if (threads == 0 || threads > 1024 || c->grid[0] == 0 || c->grid[1] == 0 || c->grid[2] == 0 || c->grid[0] > 0x7fffffff) {
        fprintf(stderr, "emu: %s: bad grid %u or block %u\n", c->name, c->grid[0], c->block[0]);
        note(cudaErrorInvalidConfiguration);
        free(closure);
    } else if (c->shared > (size_t)*attribute(f)) {
        fprintf(stderr, "emu: %s: %zu bytes of shared memory, %d allowed\n", c->name, c->shared, *attribute(f));
        note(cudaErrorInvalidValue);
        free(closure);
    } else {
        enqueue(c->stream, (struct op){.run = run_kernel, .config = *c, .kernel = run, .closure = closure});
    }
    UNLOCK();
}

/* ------------------------------------------------------------------ streams and events, API */
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    if (absent())
        return note(cudaErrorInsufficientDriver);
    *s = calloc(1, sizeof **s);
    (*s)->tail = &(*s)->head;
    (*s)->flags = flags;
    LOCK();
    (*s)->next = streams;
    streams = *s;
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned f, int p) { (void)p; return cudaStreamCreateWithFlags(s, f); }
cudaError_t cudaDeviceGetStreamPriorityRange(int *a, int *b) { *a = 0; *b = -5; return cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    LOCK();
    drain(s); /* events may point to it: not freed */
    for (struct CUstream_st **p = &streams; *p != NULL; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    LOCK();
    drain(get_stream(s));
    if (get_stream(s) == &null_stream)
        for (struct CUstream_st *o = streams; o != NULL; o = o->next)
            if ((o->flags & cudaStreamNonBlocking) == 0)
                drain(o);
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t s)
{
    LOCK();
    run_one(get_stream(s));
    bool idle = get_stream(s)->head == NULL;
    UNLOCK();
    return idle ? cudaSuccess : cudaErrorNotReady;
}
static void wait_event(cudaEvent_t e, uint64_t generation)
{
    while (e->done < generation)
        if (!run_one(e->stream))
            die("an event that is never reached");
}
static void run_wait(struct op *op) { wait_event(op->event, op->generation); }
static void run_record(struct op *op)
{
    op->event->done = op->generation;
    op->event->time = emu_clock();
}
static void run_host(struct op *op) { op->host(op->context); }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned f)
{
    (void)f;
    LOCK();
    if (e->recorded > e->done)
        enqueue(s, (struct op){.run = run_wait, .event = e, .generation = e->recorded});
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *c)
{
    LOCK();
    enqueue(s, (struct op){.run = run_host, .host = f, .context = c});
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    if (absent())
        return note(cudaErrorInsufficientDriver);
    *e = calloc(1, sizeof **e);
    (*e)->flags = flags;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    LOCK();
    if (e->recorded == e->done)
        free(e); /* else an operation still points to it */
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    LOCK();
    if (e->stream != NULL && e->done < e->recorded && e->stream != get_stream(s))
        wait_event(e, e->recorded);
    e->stream = get_stream(s);
    enqueue(s, (struct op){.run = run_record, .event = e, .generation = ++e->recorded});
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    LOCK();
    wait_event(e, e->recorded);
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e)
{
    LOCK();
    if (e->done < e->recorded)
        run_one(e->stream);
    bool done = e->done == e->recorded;
    UNLOCK();
    return done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    if (a->recorded == 0 || b->recorded == 0 || ((a->flags | b->flags) & cudaEventDisableTiming) != 0)
        return note(cudaErrorInvalidResourceHandle);
    if (a->done < a->recorded || b->done < b->recorded)
        return cudaErrorNotReady;
    *ms = (float)(b->time - a->time) / 1e6F;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ the device */
cudaError_t cudaGetDeviceCount(int *n) { *n = absent() ? 0 : 1; return absent() ? note(cudaErrorInsufficientDriver) : cudaSuccess; }
cudaError_t cudaGetDevice(int *d) { *d = 0; return absent() ? note(cudaErrorInsufficientDriver) : cudaSuccess; }
cudaError_t cudaSetDevice(int d) { return absent() ? note(cudaErrorInsufficientDriver) : d == 0 ? cudaSuccess : note(cudaErrorInvalidDevice); }
cudaError_t cudaSetDeviceFlags(unsigned f) { (void)f; return cudaSuccess; }
cudaError_t cudaInitDevice(int d, unsigned f, unsigned g) { (void)f; (void)g; return cudaSetDevice(d); }
cudaError_t cudaDriverGetVersion(int *v) { *v = 13000; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *v) { *v = 13000; return cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void)
{
    if (absent())
        return note(cudaErrorInsufficientDriver);
    LOCK();
    drain_all();
    UNLOCK();
    return cudaSuccess;
}
cudaError_t cudaDeviceReset(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    if (absent())
        return note(cudaErrorInsufficientDriver);
    *free_bytes = opt_memory - device_bytes;
    *total = opt_memory;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr a, int d)
{
    (void)d;
    if (absent())
        return note(cudaErrorInsufficientDriver);
    switch (a) {
    case cudaDevAttrMaxThreadsPerBlock: *v = 1024; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *v = 48 * 1024; break;
    case cudaDevAttrWarpSize: *v = 32; break;
    case cudaDevAttrClockRate: *v = 1980000; break;
    case cudaDevAttrMultiProcessorCount: *v = (int)opt_processors; break;
    case cudaDevAttrMemoryClockRate: *v = 3201000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *v = 6144; break;
    case cudaDevAttrIntegrated: *v = 0; break;
    case cudaDevAttrL2CacheSize: *v = 60 << 20; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *v = 2048; break;
    case cudaDevAttrAsyncEngineCount: *v = 3; break;
    case cudaDevAttrComputeCapabilityMajor: *v = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *v = 0; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = 228 * 1024; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *v = 65536; break;
    case cudaDevAttrPageableMemoryAccess: case cudaDevAttrConcurrentManagedAccess: *v = 0; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = (int)opt_shared; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *v = 1024; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *v = 32; break;
    default: *v = 1; break;
    }
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d)
{
    (void)d;
    if (absent())
        return note(cudaErrorInsufficientDriver);
    memset(p, 0, sizeof *p);
    strcpy(p->name, "Emulated H200");
    p->totalGlobalMem = opt_memory;
    p->sharedMemPerBlock = 48 * 1024;
    p->sharedMemPerBlockOptin = opt_shared;
    p->sharedMemPerMultiprocessor = 228 * 1024;
    p->reservedSharedMemPerBlock = 1024;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->major = 9;
    p->multiProcessorCount = (int)opt_processors;
    p->l2CacheSize = 60 << 20;
    p->maxThreadsPerMultiProcessor = 2048;
    p->asyncEngineCount = 3;
    p->unifiedAddressing = p->canMapHostMemory = p->hostRegisterReadOnlySupported = 1;
    return cudaSuccess;
}
cudaError_t cudaGetLastError(void) { cudaError_t e = last_error; last_error = cudaSuccess; return e; }
cudaError_t cudaPeekAtLastError(void) { return last_error; }
const char *cudaGetErrorString(cudaError_t e)
{
    switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorHostMemoryAlreadyRegistered: return "part or all of the requested memory range is already mapped";
    case cudaErrorUnknown: return "unknown error";
    default: return "an emulated error";
    }
}
const char *cudaGetErrorName(cudaError_t e) { return cudaGetErrorString(e); }
int emu_access(const char *path, int mode)
{
    if (strcmp(path, "/dev/nvidiactl") == 0 && getenv("CUDA_VISIBLE_DEVICES") != NULL) return 0;
    if (strcmp(path, "/dev/nvidiactl") == 0)
        return absent() ? -1 : 0;
    return access(path, mode);
}

cudaError_t cudaDeviceGetPCIBusId(char *name, int room, int device)
{
    (void)device;
    snprintf(name, (size_t)room, "0000:FF:00.0");
    return cudaSuccess;
}
