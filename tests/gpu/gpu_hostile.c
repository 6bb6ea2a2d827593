/* gpu_hostile.c -- the calls in device memory in a context of the caller's own, with streams and
 * memory of another GPU, and after an error that CUDA does not recover from.
 * SPDX-License-Identifier: MIT
 *
 * usage: gpu_hostile
 *
 * What is merely wrong (alignment, sizes, overlaps) is in gpu_array and gpu_argsort. Needs a GPU:
 * without one it says so and exits with 77.
 */
#include "sort/gsort.h"

#include "tests/gpu/guarded.h"
#include "tests/unit/check.h"

#include <dlfcn.h>

/* A kernel that fails, for any GPU. */
static const char trap[] = ".version 6.3\n.target sm_75\n.address_size 64\n"
                           ".visible .entry fail()\n{\ntrap;\n}\n";

/* The driver's own calls: the runtime, which the tests are linked with, has none like them. */
static struct {
    int (*create)(void **context, unsigned flags, int device);
    int (*destroy)(void *context);
    int (*load)(void **module, const void *image);
    int (*find)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned bytes, void *stream, void **arguments, void **extra);
} driver;

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    const struct {
        void **call;
        const char *name;
    } calls[] = {{(void **)&driver.create, "cuCtxCreate_v2"},
                 {(void **)&driver.destroy, "cuCtxDestroy_v2"},
                 {(void **)&driver.load, "cuModuleLoadData"},
                 {(void **)&driver.find, "cuModuleGetFunction"},
                 {(void **)&driver.launch, "cuLaunchKernel"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        *calls[i].call = library != NULL ? dlsym(library, calls[i].name) : NULL;
        if (*calls[i].call == NULL) {
            fprintf(stderr, "gpu_hostile: no %s: %s\n", calls[i].name, dlerror());
            exit(2);
        }
    }
}

/* Records of a format in the current context, sorted there, or their positions. */
struct call {
    struct gsort_format *format;
    uint64_t count;
    unsigned index_bytes; /* 0: records */
    unsigned char *records;
    struct guarded in, out, temp;
};

static enum gsort_status run(struct call *call, void *temp, size_t *temp_bytes, cudaStream_t stream,
                             uint32_t flags, struct gsort_error *error)
{
    return call->index_bytes > 0
               ? gsort_device_argsort(temp, temp_bytes, call->format, call->in.memory,
                                      call->out.memory, call->index_bytes, call->count, stream,
                                      flags, error)
               : gsort_device_sort(temp, temp_bytes, call->format, call->in.memory,
                                   call->out.memory, call->count, stream, flags, error);
}

static void open_call(struct call *call, const char *words, unsigned index_bytes, uint64_t count)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    size_t temp_bytes = 0;
    *call = (struct call){
        .format = gsort_format_parse(words, &error), .count = count, .index_bytes = index_bytes};
    const size_t size = gsort_format_record_bytes(call->format);
    call->records = make_records(count, size);
    CHECK_EQUAL(run(call, NULL, &temp_bytes, NULL, 0, &error), GSORT_OK);
    call->in = guard(count * size, 0);
    call->out = guard(count * (index_bytes > 0 ? index_bytes : size), 0);
    call->temp = guard(temp_bytes, 0);
    must(cudaMemcpy(call->in.memory, call->records, count * size, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
}

static void close_call(struct call *call)
{
    cudaFree(call->in.all);
    cudaFree(call->out.all);
    cudaFree(call->temp.all);
    free(call->records);
    gsort_format_free(call->format);
}

/* The result is that of the CPU. */
static void check_call(const char *words, unsigned index_bytes, uint64_t count, uint32_t flags)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct call call;
    open_call(&call, words, index_bytes, count);
    unsigned char *wanted = malloc(call.out.bytes);
    if (index_bytes > 0)
        gsort_argsort(call.format, call.records, wanted, index_bytes, count, NULL, &error);
    else
        gsort_sort(call.format, call.records, wanted, count, NULL, NULL, &error);
    CHECK_EQUAL(run(&call, call.temp.memory, &call.temp.bytes, NULL, flags, &error), GSORT_OK);
    must(cudaDeviceSynchronize());
    unsigned char *got = get(call.out.memory, call.out.bytes);
    if (!CHECK(memcmp(got, wanted, call.out.bytes) == 0) || error.line[0] != '\0')
        fprintf(stderr, "  \"%s\": %s\n", words, error.line);
    free(got);
    free(wanted);
    close_call(&call);
}

static void check_all(void)
{
    check_call("u32", 0, 1000000, 0);
    check_call("u32", 0, 1000000, GSORT_DEVICE_NO_WAIT);
    check_call("f64", 0, 300000, 0);
    check_call("u32", 4, 300000, 0);
    check_call("f64", 8, 300000, GSORT_DEVICE_NO_WAIT);
    check_call("R3 k0:b3", 0, 1000, 0);
}

/* In a context that the caller has made, and made current; twice, and in the primary one between
 * them. The page for reports is pinned in whichever comes first. */
static void check_contexts(void)
{
    for (int i = 0; i < 2; i++) {
        void *context;
        CHECK_EQUAL((uint64_t)driver.create(&context, 0, 0), 0);
        check_all();
        CHECK_EQUAL((uint64_t)driver.destroy(context), 0);
        must(cudaSetDevice(0));
        check_all();
    }
}

/* A call that fails, with one line. */
static void check_fails(struct call *call, cudaStream_t stream, uint32_t flags,
                        enum gsort_status status, const char *line)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    size_t temp_bytes = call->temp.bytes;
    const bool right =
        CHECK_EQUAL(run(call, call->temp.memory, &temp_bytes, stream, flags, &error), status);
    if (!CHECK(strstr(error.line, line) != NULL && strchr(error.line, '\n') == NULL) || !right)
        fprintf(stderr, "  %s\n", error.line);
}

/* Where there is another GPU: a stream of it, and memory of it. */
static void check_other_gpu(void)
{
    static const char *const formats[] = {"u32", "f64"};
    int devices = 0;
    must(cudaGetDeviceCount(&devices));
    if (devices < 2)
        return;
    for (unsigned i = 0; i < 8; i++) {
        struct call call;
        cudaStream_t stream;
        open_call(&call, formats[i / 4], i / 2 % 2 * 4, i % 2 == 0 ? 100 : 1000000);
        must(cudaSetDevice(1));
        must(cudaStreamCreate(&stream));
        for (uint32_t flags = 0; flags <= GSORT_DEVICE_NO_WAIT; flags++)
            check_fails(&call, NULL, flags, GSORT_USAGE, "is memory of GPU 0, and the current");
        must(cudaSetDevice(0));
        for (uint32_t flags = 0; flags <= GSORT_DEVICE_NO_WAIT; flags++)
            check_fails(&call, stream, flags, GSORT_DEVICE, "GPU: ");
        must(cudaStreamDestroy(stream));
        close_call(&call);
    }
}

/* After a kernel of the caller's has failed, nothing can be sorted in this process. */
static void check_broken(void)
{
    struct call sort, argsort;
    void *module, *function;
    open_call(&sort, "u32", 0, 1000000);
    open_call(&argsort, "f64", 4, 1000);
    CHECK_EQUAL((uint64_t)driver.load(&module, trap), 0);
    CHECK_EQUAL((uint64_t)driver.find(&function, module, "fail"), 0);
    CHECK_EQUAL((uint64_t)driver.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    for (uint32_t flags = 0; flags <= GSORT_DEVICE_NO_WAIT; flags++) {
        check_fails(&sort, NULL, flags, GSORT_DEVICE, "GPU: ");
        check_fails(&argsort, NULL, flags, GSORT_DEVICE, "GPU: ");
    }
    close_call(&sort);
    close_call(&argsort);
}

int main(void)
{
    require_gpu();
    open_driver();
    check_contexts();
    check_other_gpu();
    check_broken();
    return check_failures();
}
