/* gpu_array.c -- gsort_device_sort: every width and kind of type, and what it leaves alone.
 * SPDX-License-Identifier: MIT
 *
 * usage: gpu_array REFERENCE [MOST]    the program that sorts independently; no more records
 *
 * Each case is sorted by REFERENCE in a process of its own, or large ones by the library on the
 * CPU, and on the device from one array to another and in place, in memory full of garbage, between
 * guards. The linker replaces functions that allocate by functions of this file, which count
 * (--wrap). Needs a GPU: without one it says so and exits with 77.
 */
#include "sort/gsort.h"

#include "tests/gpu/guarded.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <unistd.h>

enum { STREAM_RUNS = 40, PAGED = 1 << 26, PAGED_WIDE = 1 << 24 };

/* Formats, and the same for the reference. */
static const struct form {
    const char *words;
    const char *reference;
} forms[] = {
    {"u32", ""},
    {"u64", "-t u64"},
    {"u128", "-t u128"},
    {"u32 r", "-r"},
    {"i32", "-t i32"},
    {"f32", "-t f32"},
    {"u32be", "-t u32be"},
    {"u8", "-t u8"},
    {"i16 r", "-r -t i16"},
    {"f16", "-t f16"},
    {"bf16", "-t bf16"},
    {"i64", "-t i64"},
    {"u64be r", "-r -t u64be"},
    {"f64", "-t f64"},
    {"f64be r", "-r -t f64be"},
    {"M8[s]", "-t M8[s]"},
    {"R8 k4:u32 k0:i32r", "-R 8 -k 4:u32 -k 0:i32r"},
    {"i128", "-t i128"},
    {"R3 k1:u16be", "-R 3 -k 1:u16be"},
    {"R5 k4:u8 k0:u32", "-R 5 -k 4:u8 -k 0:u32"},
    {"R8 k4:f32r k0:i32", "-R 8 -k 4:f32r -k 0:i32"},
    {"R12 k4:u64r", "-R 12 -k 4:u64r"},
    {"R16 k8:f64r k0:u64", "-R 16 -k 8:f64r -k 0:u64"},
    {"R16 k2:f16 k4:f32 k8:f64", "-R 16 -k 2:f16 -k 4:f32 -k 8:f64"},
    {"R16 k0:b16 r", "-r -R 16 -k 0:b16"},
    {"R8 kzorder(0:u32,4:u32)", "-R 8 -k 'zorder(0:u32,4:u32)'"},
    {"R9 kzorder(0:u16,2:u16,4:i16)r", "-R 9 -k 'zorder(0:u16,2:u16,4:i16)r'"},
    {"R16 kzorder(0:u64,8:u64)", "-R 16 -k 'zorder(0:u64,8:u64)'"},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Allocations by anyone in this program. */
static unsigned allocations;
cudaError_t real_malloc(void **memory, size_t bytes) __asm__("__real_cudaMalloc");
cudaError_t count_malloc(void **memory, size_t bytes) __asm__("__wrap_cudaMalloc");
cudaError_t real_host_alloc(void **memory, size_t bytes,
                            unsigned flags) __asm__("__real_cudaHostAlloc");
cudaError_t count_host_alloc(void **memory, size_t bytes,
                             unsigned flags) __asm__("__wrap_cudaHostAlloc");
cudaError_t real_register(void *memory, size_t bytes,
                          unsigned flags) __asm__("__real_cudaHostRegister");
cudaError_t count_register(void *memory, size_t bytes,
                           unsigned flags) __asm__("__wrap_cudaHostRegister");

cudaError_t count_malloc(void **memory, size_t bytes)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return real_malloc(memory, bytes);
}

cudaError_t count_host_alloc(void **memory, size_t bytes, unsigned flags)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return real_host_alloc(memory, bytes, flags);
}

cudaError_t count_register(void *memory, size_t bytes, unsigned flags)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return real_register(memory, bytes, flags);
}

struct test_case {
    const struct form *form;
    uint64_t count;
    size_t bytes; /* of all records */
    unsigned char *records, *sorted;
    char name[64];
    FILE *reference;
};

/* Make the records, and let the reference begin. */
static void begin_case(struct test_case *test, const char *reference, const char *directory)
{
    char command[512];
    struct gsort_format *format = gsort_format_parse(test->form->words, NULL);
    const size_t size = gsort_format_record_bytes(format);
    gsort_format_free(format);
    test->bytes = test->count * size;
    test->records = make_records(test->count, size);
    snprintf(test->name, sizeof test->name, "%s/%zu-%" PRIu64, directory,
             (size_t)(test->form - forms), test->count);
    FILE *file = fopen(test->name, "wb");
    if (file == NULL || fwrite(test->records, 1, test->bytes, file) != test->bytes ||
        fclose(file) != 0)
        abort();
    snprintf(command, sizeof command, "%s %s %s", reference, test->form->reference, test->name);
    test->reference = popen(command, "r"); /* NOLINT(cert-env33-c): the words are ours */
    if (test->reference == NULL)
        abort();
}

static void take_reference(struct test_case *test)
{
    test->sorted = malloc(test->bytes + 1);
    CHECK_EQUAL(fread(test->sorted, 1, test->bytes + 1, test->reference), test->bytes);
    CHECK_EQUAL((uint64_t)pclose(test->reference), 0);
    unlink(test->name);
}

/* Sort on the device, in place or to another array, and compare. */
static void check_sort(const struct test_case *test, bool in_place, size_t shift, size_t temp_shift,
                       cudaStream_t stream)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(test->form->words, &error);
    const int failed = check_failed;
    size_t temp_bytes = 0;
    CHECK_EQUAL(
        gsort_device_sort(NULL, &temp_bytes, format, NULL, NULL, test->count, stream, 0, &error),
        GSORT_OK);
    struct guarded in = guard(test->bytes, shift);
    struct guarded out = guard(in_place ? 0 : test->bytes, shift);
    struct guarded temp = guard(temp_bytes, temp_shift);
    must(cudaMemcpy(in.memory, test->records, test->bytes, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    unsigned char *result = in_place ? in.memory : out.memory;
    const cudaError_t before = cudaPeekAtLastError();
    CHECK_EQUAL(gsort_device_sort(temp.memory, &temp_bytes, format, in.memory, result, test->count,
                                  stream, 0, &error),
                GSORT_OK);
    CHECK_EQUAL(cudaPeekAtLastError(), before);
    must(cudaDeviceSynchronize());
    unsigned char *got = get(result, test->bytes);
    CHECK(memcmp(got, test->sorted, test->bytes) == 0);
    free(got);
    if (!in_place) {
        got = get(in.memory, test->bytes);
        CHECK(memcmp(got, test->records, test->bytes) == 0);
        free(got);
    }
    CHECK(is_whole(&in) && is_whole(&out) && is_whole(&temp));
    if (check_failed > failed)
        fprintf(stderr, "  %" PRIu64 " records of \"%s\"%s: %s\n", test->count, test->form->words,
                in_place ? ", in place" : "", error.line);
    cudaFree(in.all);
    cudaFree(out.all);
    cudaFree(temp.all);
    gsort_format_free(format);
}

static void end_case(struct test_case *test)
{
    cudaStream_t stream;
    const size_t size = test->count > 0 ? test->bytes / test->count : 1;
    const bool aligned = size == 4 || size == 8 || size == 16;
    take_reference(test);
    check_sort(test, false, 0, 0, NULL);
    check_sort(test, true, 0, 0, NULL);
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check_sort(test, test->count % 2 == 0, aligned ? size : 3, 1, stream);
    must(cudaStreamDestroy(stream));
    free(test->records);
    free(test->sorted);
}

/* Every `step`-th format of one size: the references work side by side. */
static void check_size(uint64_t count, size_t step, const char *reference, const char *directory)
{
    static struct test_case tests[FORMS];
    for (size_t i = 0; i < FORMS; i += step) {
        tests[i] = (struct test_case){.form = &forms[i], .count = count};
        begin_case(&tests[i], reference, directory);
    }
    for (size_t i = 0; i < FORMS; i += step)
        end_case(&tests[i]);
}

/* Many records, so that the sort takes all of its ways: as they are; and of few values, by masks of
 * their bytes; in order; in reverse. */
static void check_large(const char *words, uint64_t count, int ways)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(words, &error);
    const struct form form = {words, NULL};
    const size_t size = gsort_format_record_bytes(format);
    struct test_case test = {.form = &form, .count = count, .bytes = count * size};
    test.records = make_records(count, size);
    test.sorted = malloc(test.bytes);
    for (int way = 0; way < ways; way++) {
        for (size_t i = 0; way == 1 && i < test.bytes; i++)
            test.records[i] &= 0x15;
        if (way >= 2)
            memcpy(test.records, test.sorted, test.bytes);
        for (uint64_t i = 0; way == 3 && i < count; i++)
            memcpy(test.records + i * size, test.sorted + (count - 1 - i) * size, size);
        CHECK_EQUAL(gsort_sort(format, test.records, test.sorted, count, NULL, NULL, &error),
                    GSORT_OK);
        check_sort(&test, false, 0, 0, NULL);
        if (way % 2 == 0 || count < PAGED)
            check_sort(&test, true, 0, 0, NULL);
    }
    check_sort(&test, false, size, 0, NULL); /* aligned as records are, not as pages must be */
    free(test.records);
    free(test.sorted);
    gsort_format_free(format);
}

/* A sort that is repeated on a stream of its own, by a thread of its own. */
struct stream_run {
    const char *words;
    uint64_t count;
    uint64_t wrong;
};

static void *repeat(void *context)
{
    struct stream_run *run = context;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(run->words, &error);
    const size_t size = gsort_format_record_bytes(format);
    const size_t bytes = run->count * size;
    unsigned char *records = make_records(run->count, size);
    unsigned char *sorted = malloc(bytes);
    unsigned char *got = malloc(bytes);
    void *keys, *temp;
    size_t temp_bytes = 0;
    cudaStream_t stream;
    gsort_sort(format, records, sorted, run->count, NULL, NULL, &error);
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gsort_device_sort(NULL, &temp_bytes, format, NULL, NULL, run->count, stream, 0, &error);
    must(cudaMalloc(&keys, bytes));
    must(cudaMalloc(&temp, temp_bytes));
    for (int i = 0; i < STREAM_RUNS; i++) {
        must(cudaMemcpyAsync(keys, records, bytes, cudaMemcpyHostToDevice, stream));
        run->wrong += gsort_device_sort(temp, &temp_bytes, format, keys, keys, run->count, stream,
                                        0, &error) != GSORT_OK;
        must(cudaMemcpyAsync(got, keys, bytes, cudaMemcpyDeviceToHost, stream));
        must(cudaStreamSynchronize(stream));
        run->wrong += memcmp(got, sorted, bytes) != 0;
    }
    cudaFree(keys);
    cudaFree(temp);
    cudaStreamDestroy(stream);
    free(records);
    free(sorted);
    free(got);
    gsort_format_free(format);
    return NULL;
}

/* Several streams at once, some of one width. */
static void check_streams(void)
{
    struct stream_run runs[] = {
        {"u32", 3000000, 0}, {"u32", 200000, 0}, {"f64", 1000000, 0}, {"R16 k8:u64", 400000, 0}};
    pthread_t threads[sizeof runs / sizeof *runs];
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        CHECK_EQUAL((uint64_t)pthread_create(&threads[i], NULL, repeat, &runs[i]), 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQUAL(runs[i].wrong, 0);
    }
}

/* The call allocates nothing, and leaves the caller's device, and no error but the caller's. */
static void check_traces(const char *words, uint64_t count)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(words, &error);
    size_t temp_bytes = 0, free_before = 0, free_after = 0, total = 0;
    int device_before = -1, device_after = -2;
    gsort_device_sort(NULL, &temp_bytes, format, NULL, NULL, count, NULL, 0, &error);
    struct guarded keys = guard(count * gsort_format_record_bytes(format), 0);
    struct guarded temp = guard(temp_bytes, 0);
    for (int i = 0; i < 3; i++) { /* the first time, CUDA loads kernels */
        must(cudaMemset(keys.memory, 0, keys.bytes / 2));
        must(cudaMemGetInfo(&free_before, &total));
        must(cudaGetDevice(&device_before));
        (void)cudaMemcpy(NULL, NULL, 1, (enum cudaMemcpyKind)99);
        CHECK(i == 2 || cudaGetLastError() != cudaSuccess);
        const cudaError_t last = cudaPeekAtLastError();
        const unsigned allocated = allocations;
        CHECK_EQUAL(gsort_device_sort(temp.memory, &temp_bytes, format, keys.memory, keys.memory,
                                      count, NULL, 0, &error),
                    GSORT_OK);
        /* What CUDA's own calls forget may be forgotten. */
        const cudaError_t after = cudaPeekAtLastError();
        CHECK(after == last || after == cudaSuccess);
        CHECK((i == 2) == (last != cudaSuccess));
        CHECK(i == 0 || allocations == allocated);
        (void)cudaGetLastError();
        must(cudaGetDevice(&device_after));
        must(cudaDeviceSynchronize());
        must(cudaMemGetInfo(&free_after, &total));
        CHECK(device_before == device_after);
        CHECK(i == 0 || free_before == free_after);
    }
    cudaFree(keys.all);
    cudaFree(temp.all);
    gsort_format_free(format);
}

/* A call that is refused, by a line with these words; nothing is written. */
static void refuse(const char *words, struct guarded *temp, size_t temp_bytes, const void *in,
                   void *out, cudaStream_t stream, uint32_t flags, const char *line)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(words, &error);
    CHECK_EQUAL(
        gsort_device_sort(temp->memory, &temp_bytes, format, in, out, 1000, stream, flags, &error),
        GSORT_USAGE);
    if (!CHECK(strstr(error.line, line) != NULL))
        fprintf(stderr, "  %s\n", error.line);
    CHECK_EQUAL(cudaPeekAtLastError(), cudaSuccess);
    must(cudaDeviceSynchronize());
    gsort_format_free(format);
}

static void check_refused(void)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("u64", &error);
    size_t bytes = 0;
    gsort_device_sort(NULL, &bytes, format, NULL, NULL, 1000, NULL, 0, &error);
    struct guarded keys = guard(16000, 0), temp = guard(bytes, 0);
    unsigned char *a = keys.memory;
    static uint64_t on_host[1000];
    cudaStream_t stream;
    cudaGraph_t graph;
    refuse("u64", &temp, bytes - 1, a, a, NULL, 0, "are needed");
    refuse("u64", &temp, bytes, a, a + 8, NULL, 0, "the arrays overlap");
    refuse("u64", &temp, bytes, a + 4, a + 4, NULL, 0, "aligned to 8 bytes");
    refuse("u64", &temp, bytes, temp.memory, temp.memory, NULL, 0, "temp overlaps");
    refuse("u64", &temp, bytes, a, NULL, NULL, 0, "no array");
    refuse("u64", &temp, bytes, a, a, NULL, 2, "flags");
    refuse("R24 k0:u64", &temp, bytes, a, a, NULL, 0, "1 to 16 bytes");
    refuse("R8 k0:u32 s", &temp, bytes, a, a, NULL, 0, "leave s out");
    int pageable = 0;
    must(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
    if (!pageable)
        refuse("u64", &temp, bytes, on_host, a, NULL, 0, "in is not memory of a GPU");
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    size_t again = bytes;
    CHECK_EQUAL(gsort_device_sort(temp.memory, &again, format, a, a, 1000, stream, 0, &error),
                GSORT_USAGE);
    CHECK(strstr(error.line, "captured") != NULL);
    must(cudaStreamEndCapture(stream, &graph));
    unsigned char *written = get(keys.all, 16000 + 2 * GUARD);
    for (size_t i = 0; i < 16000 + 2 * GUARD; i++)
        CHECK(written[i] == GARBAGE);
    free(written);
    must(cudaGraphDestroy(graph));
    must(cudaStreamDestroy(stream));
    cudaFree(keys.all);
    cudaFree(temp.all);
    gsort_format_free(format);
}

int main(int argc, char **argv)
{
    static const uint64_t sizes[] = {0, 1, 255, 257, 2049, 32769, 131073, 1048577};
    char directory[] = "/tmp/gpu-array-XXXXXX";
    require_gpu();
    if (argc < 2 || mkdtemp(directory) == NULL)
        return 2;
    check_refused();
    const uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++)
        check_size(sizes[i], sizes[i] < 1000000 ? 1 : 3, argv[1], directory);
    if (most < UINT64_MAX)
        return rmdir(directory) != 0 || check_failures();
    check_large("u32", PAGED + 1, 4);
    check_large("f32 r", PAGED, 1);
    check_large("u64", PAGED_WIDE + 1, 4);
    check_large("f64be r", 1500000, 4);
    check_large("i64", PAGED_WIDE, 2);
    check_large("R16 k8:u64", 1500000, 4);
    check_large("R16 k8:u64", PAGED_WIDE, 1);
    check_large("R3 k0:b3", 1500000, 4);
    check_traces("u32", 3000000);
    check_traces("f64", 300000);
    check_traces("R12 k4:u64r", 300000);
    check_streams();
    must(cudaDeviceReset()); /* by the caller: it works as at first */
    check_size(300000, 5, argv[1], directory);
    rmdir(directory);
    return check_failures();
}
