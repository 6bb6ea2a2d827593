/* gpu_graph.c -- the calls in device memory without a wait on the host: in graphs, and queued.
 * SPDX-License-Identifier: MIT
 *
 * usage: gpu_graph
 *
 * For each format a graph is captured once, and launched again and again on fresh keys of every
 * distribution of keygen, and hostile ones: gsort_device_sort, and gsort_device_argsort for all
 * kinds of keys. The library's calls on the CPU are the reference. Needs a GPU: without one it says
 * so and exits with 77.
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "data/dist.h"
#include "tests/gpu/argsort_formats.h"
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

/* A format, an array of it in device memory, and what sorts it there, or its positions. */
struct graph_case {
    struct gsort_format *format;
    uint64_t count;
    unsigned index_bytes;               /* of positions; 0: records */
    size_t in_bytes, bytes, temp_bytes; /* bytes: of the result */
    unsigned char *records, *sorted;    /* in the host's memory */
    unsigned char *in, *out, *temp;     /* in the device's */
    cudaStream_t stream;
};

static void queue_call(struct graph_case *test, void *temp)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    const enum gsort_status status =
        test->index_bytes > 0
            ? gsort_device_argsort(temp, &test->temp_bytes, test->format, test->in, test->out,
                                   test->index_bytes, test->count, test->stream,
                                   GSORT_DEVICE_NO_WAIT, &error)
            : gsort_device_sort(temp, &test->temp_bytes, test->format, test->in, test->out,
                                test->count, test->stream, GSORT_DEVICE_NO_WAIT, &error);
    if (!CHECK_EQUAL(status, GSORT_OK))
        fprintf(stderr, "  %s\n", error.line);
}

static void open_case(struct graph_case *test, const char *words, unsigned index_bytes,
                      uint64_t count, bool in_place)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    *test = (struct graph_case){
        .format = gsort_format_parse(words, &error), .count = count, .index_bytes = index_bytes};
    const size_t record_bytes = gsort_format_record_bytes(test->format);
    test->in_bytes = count * record_bytes;
    test->bytes = count * (index_bytes > 0 ? index_bytes : record_bytes);
    test->records = malloc(test->in_bytes + 1);
    test->sorted = malloc(test->bytes + 1);
    must(cudaStreamCreateWithFlags(&test->stream, cudaStreamNonBlocking));
    queue_call(test, NULL);
    must(cudaMalloc((void **)&test->in, test->in_bytes + 1));
    test->out = test->in;
    if (!in_place)
        must(cudaMalloc((void **)&test->out, test->bytes + 1));
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

/* Make other records, and what they are in order, or where. */
static void begin_keys(struct graph_case *test, unsigned kind)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    make_records(test->records, test->count, gsort_format_record_bytes(test->format), kind);
    CHECK_EQUAL(test->index_bytes > 0 ? gsort_argsort(test->format, test->records, test->sorted,
                                                      test->index_bytes, test->count, NULL, &error)
                                      : gsort_sort(test->format, test->records, test->sorted,
                                                   test->count, NULL, NULL, &error),
                GSORT_OK);
    must(cudaMemcpyAsync(test->in, test->records, test->in_bytes, cudaMemcpyHostToDevice,
                         test->stream));
    if (test->out != test->in)
        must(cudaMemsetAsync(test->out, GARBAGE, test->bytes, test->stream));
    must(cudaStreamSynchronize(test->stream));
}

static bool is_sorted(struct graph_case *test)
{
    must(cudaStreamSynchronize(test->stream));
    unsigned char *got = get(test->out, test->bytes);
    unsigned char *left = get(test->in, test->in_bytes);
    unsigned char *behind = get(test->temp + test->temp_bytes, GUARD);
    bool right = memcmp(got, test->sorted, test->bytes) == 0;
    right = right && (test->in == test->out || memcmp(left, test->records, test->in_bytes) == 0);
    for (size_t i = 0; i < GUARD; i++)
        right = right && behind[i] == GARBAGE;
    free(got);
    free(left);
    free(behind);
    return right;
}

/* Capture the call once; launch it for keys of every STEPth kind. */
static void check_graph(const char *words, unsigned index_bytes, uint64_t count, bool in_place,
                        unsigned step)
{
    struct graph_case test;
    cudaGraph_t graph;
    cudaGraphExec_t launched;
    open_case(&test, words, index_bytes, count, in_place);
    must(cudaStreamBeginCapture(test.stream, cudaStreamCaptureModeGlobal));
    queue_call(&test, test.temp);
    must(cudaStreamEndCapture(test.stream, &graph));
    must(cudaGraphInstantiate(&launched, graph, 0));
    unsigned kinds = HOSTILE;
    while (gs_dists[kinds - HOSTILE].name != NULL)
        kinds++;
    for (unsigned kind = 0; kind < kinds; kind += step) {
        begin_keys(&test, kind);
        must(cudaGraphLaunch(launched, test.stream));
        if (!CHECK(is_sorted(&test)))
            fprintf(stderr, "  %s%" PRIu64 " records of \"%s\", %s\n",
                    index_bytes > 0 ? "positions of " : "", count, words,
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
static void check_no_wait(const char *words, unsigned index_bytes, uint64_t count)
{
    struct graph_case test;
    bool released = false;
    open_case(&test, words, index_bytes, count, index_bytes == 0);
    begin_keys(&test, HOSTILE);
    queue_call(&test, test.temp); /* CUDA loads the kernels */
    CHECK(is_sorted(&test));
    begin_keys(&test, 0);
    alarm(DEADLOCK_SECONDS);
    must(cudaLaunchHostFunc(test.stream, wait_for_release, &released));
    queue_call(&test, test.temp);
    CHECK_EQUAL(cudaStreamQuery(test.stream), cudaErrorNotReady);
    (void)cudaGetLastError();
    __atomic_store_n(&released, true, __ATOMIC_RELEASE);
    CHECK(is_sorted(&test));
    alarm(0);
    close_case(&test);
}

/* Positions: nothing, one tile or less, and one more, one level, two; in sizes that the formats
 * take in turn. 6144 keys of 8 bytes are a tile, and 3072 of 16. */
static void check_positions(void)
{
    static const uint64_t sizes[] = {0,     1,     2,     3071,  3073,    6143,   6145,
                                     32767, 32769, 36863, 36865, 1 << 20, 1048577};
    enum { SIZES = sizeof sizes / sizeof *sizes, SMALL = SIZES - 2 };
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = i < SMALL ? 0 : i; j < ARGSORT_FORMATS; j += i < SMALL ? 1 : 5)
            check_graph(argsort_formats[j], (i + j) % 2 == 0 ? 4 : 8, sizes[i], false,
                        i < SMALL ? 5 : 2);
    check_graph("u32", 4, 3000001, false, 1);
    check_graph("f64", 8, 1200000, false, 1);
}

int main(void)
{
    require_gpu();
    check_no_wait("u32", 0, 3000000);
    check_no_wait("f64", 0, 300000);
    check_no_wait("R12 k4:u64r", 0, 300000);
    check_no_wait("u32", 4, 300000);
    check_no_wait("f64", 8, 300000);
    check_graph("u32", 0, 3000001, false, 1);
    check_graph("u32", 0, 1 << 20, true, 1);
    check_graph("u32", 0, 100000, true, 1);
    check_graph("i32 r", 0, 1500000, true, 1);
    check_graph("u64", 0, 1200000, false, 1);
    check_graph("f64", 0, 300000, true, 1);
    check_graph("u128", 0, 400001, true, 1);
    check_graph("R3 k0:b3", 0, 700000, false, 1);
    check_graph("R12 k4:u64r", 0, 300000, true, 1);
    check_positions();
    return check_failures();
}
