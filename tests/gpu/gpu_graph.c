/* gpu_graph.c -- gsort_device_sort without a wait on the host: captured in a graph, and not.
 * SPDX-License-Identifier: MIT
 *
 * usage: gpu_graph
 *
 * For each format a graph is captured once, and launched again and again on fresh keys of every
 * distribution of keygen, and hostile ones; the library's sort on the CPU is the reference. Needs a
 * GPU: without one it says so and exits with 77.
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "data/dist.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"

#include <sched.h>
#include <unistd.h>

enum { GUARD = 4096, GARBAGE = 0xa5, DEADLOCK_SECONDS = 60 };

/* Keys that a sample tells little of. */
static uint32_t nested(uint64_t i) /* half of the keys in a range 2^-4 as wide, and so on */
{
    const uint64_t random = gs_random(5, i);
    return (uint32_t)random >> 4 * (__builtin_ctzll(random >> 32 | 1ULL << 30) % 8);
}

static uint32_t crowded(uint64_t i) /* a range of 2^16 values, but for one key in 50,000 */
{
    const uint64_t random = gs_random(6, i);
    return random >> 32 < 85899 ? (uint32_t)random : (uint32_t)random & 0xffff;
}

static uint32_t (*const hostile[])(uint64_t i) = {nested, crowded};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

/* Records of a distribution: their last four bytes, which little-endian keys compare first, are
 * its, and the others are a function of these, or random. */
static void make_records(unsigned char *records, uint64_t count, size_t size, unsigned kind)
{
    for (uint64_t i = 0; i < count; i++) {
        unsigned char bytes[32];
        const uint32_t key =
            kind < HOSTILE ? hostile[kind](i) : gs_dists[kind - HOSTILE].draw(kind, count, i);
        const uint64_t random = gs_random(kind, kind % 2 == 0 ? key : i);
        memcpy(bytes, &random, sizeof random);
        memcpy(bytes + 8, &random, sizeof random);
        memcpy(bytes + 16, &key, sizeof key);
        memcpy(records + i * size, bytes + 20 - size, size);
    }
}

/* A format, an array of it in device memory, and what sorts it there. */
struct graph_case {
    struct gsort_format *format;
    uint64_t count;
    size_t bytes, temp_bytes;
    unsigned char *records, *sorted; /* in the host's memory */
    unsigned char *in, *out, *temp;  /* in the device's */
    cudaStream_t stream;
};

static void open_case(struct graph_case *test, const char *words, uint64_t count, bool in_place)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    *test = (struct graph_case){.format = gsort_format_parse(words, &error), .count = count};
    test->bytes = count * gsort_format_record_bytes(test->format);
    test->records = malloc(test->bytes);
    test->sorted = malloc(test->bytes);
    must(cudaStreamCreateWithFlags(&test->stream, cudaStreamNonBlocking));
    CHECK_EQUAL(gsort_device_sort(NULL, &test->temp_bytes, test->format, NULL, NULL, count,
                                  test->stream, GSORT_DEVICE_NO_WAIT, &error),
                GSORT_OK);
    must(cudaMalloc((void **)&test->in, test->bytes));
    test->out = test->in;
    if (!in_place)
        must(cudaMalloc((void **)&test->out, test->bytes));
    must(cudaMalloc((void **)&test->temp, test->temp_bytes + GUARD));
    must(cudaMemset(test->temp, GARBAGE, test->temp_bytes + GUARD));
}

static void close_case(struct graph_case *test)
{
    must(cudaStreamDestroy(test->stream));
    if (test->out != test->in)
        cudaFree(test->out);
    cudaFree(test->in);
    cudaFree(test->temp);
    free(test->records);
    free(test->sorted);
    gsort_format_free(test->format);
}

static void queue_sort(struct graph_case *test)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    CHECK_EQUAL(gsort_device_sort(test->temp, &test->temp_bytes, test->format, test->in, test->out,
                                  test->count, test->stream, GSORT_DEVICE_NO_WAIT, &error),
                GSORT_OK);
    if (error.line[0] != '\0')
        fprintf(stderr, "  %s\n", error.line);
}

/* Make other records, and what they are in order. */
static void begin_keys(struct graph_case *test, unsigned kind)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    make_records(test->records, test->count, gsort_format_record_bytes(test->format), kind);
    CHECK_EQUAL(
        gsort_sort(test->format, test->records, test->sorted, test->count, NULL, NULL, &error),
        GSORT_OK);
    must(cudaMemcpyAsync(test->in, test->records, test->bytes, cudaMemcpyHostToDevice,
                         test->stream));
    must(cudaStreamSynchronize(test->stream));
}

static bool is_sorted(struct graph_case *test)
{
    must(cudaStreamSynchronize(test->stream));
    unsigned char *got = get(test->out, test->bytes);
    unsigned char *behind = get(test->temp + test->temp_bytes, GUARD);
    bool right = memcmp(got, test->sorted, test->bytes) == 0;
    for (size_t i = 0; i < GUARD; i++)
        right = right && behind[i] == GARBAGE;
    free(got);
    free(behind);
    return right;
}

/* Capture the sort once; launch it for keys of every kind. */
static void check_graph(const char *words, uint64_t count, bool in_place)
{
    struct graph_case test;
    cudaGraph_t graph;
    cudaGraphExec_t launched;
    open_case(&test, words, count, in_place);
    must(cudaStreamBeginCapture(test.stream, cudaStreamCaptureModeGlobal));
    queue_sort(&test);
    must(cudaStreamEndCapture(test.stream, &graph));
    must(cudaGraphInstantiate(&launched, graph, 0));
    for (unsigned kind = 0; kind < HOSTILE || gs_dists[kind - HOSTILE].name != NULL; kind++) {
        begin_keys(&test, kind);
        must(cudaGraphLaunch(launched, test.stream));
        if (!CHECK(is_sorted(&test)))
            fprintf(stderr, "  %" PRIu64 " records of \"%s\", %s\n", count, words,
                    kind < HOSTILE ? "hostile" : gs_dists[kind - HOSTILE].name);
    }
    must(cudaGraphExecDestroy(launched));
    must(cudaGraphDestroy(graph));
    close_case(&test);
}

/* The stream waits in this function of the host until it is released. */
static void wait_for_release(void *released)
{
    while (!__atomic_load_n((bool *)released, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* The call returns while the stream has not come to it: else it would wait for ever. */
static void check_no_wait(const char *words, uint64_t count)
{
    struct graph_case test;
    bool released = false;
    open_case(&test, words, count, true);
    begin_keys(&test, HOSTILE);
    queue_sort(&test); /* CUDA loads the kernels */
    CHECK(is_sorted(&test));
    begin_keys(&test, 0);
    alarm(DEADLOCK_SECONDS);
    must(cudaLaunchHostFunc(test.stream, wait_for_release, &released));
    queue_sort(&test);
    CHECK_EQUAL(cudaStreamQuery(test.stream), cudaErrorNotReady);
    (void)cudaGetLastError();
    __atomic_store_n(&released, true, __ATOMIC_RELEASE);
    CHECK(is_sorted(&test));
    alarm(0);
    close_case(&test);
}

int main(void)
{
    require_gpu();
    check_no_wait("u32", 3000000);
    check_no_wait("f64", 300000);
    check_no_wait("R12 k4:u64r", 300000);
    check_graph("u32", 3000001, false);
    check_graph("u32", 1 << 20, true);
    check_graph("u32", 100000, true);
    check_graph("i32 r", 1500000, true);
    check_graph("u64", 1200000, false);
    check_graph("f64", 300000, true);
    check_graph("u128", 400001, true);
    check_graph("R3 k0:b3", 700000, false);
    check_graph("R12 k4:u64r", 300000, true);
    return check_failures();
}
