/* gpu_argsort.c -- gsort_device_argsort: positions as gsort_argsort has them, and what is refused.
 * SPDX-License-Identifier: MIT
 *
 * usage: gpu_argsort [MOST]    of no more records
 *
 * Needs a GPU: without one it says so and exits with 77.
 */
#include "sort/gsort.h"

#include "tests/gpu/argsort_formats.h"
#include "tests/gpu/guarded.h"
#include "tests/unit/check.h"

/* Positions of `count` records on the device, beside those of the CPU. `few`: of bytes that have
 * few values. */
static void check_argsort(const char *words, uint64_t count, unsigned index_bytes, bool few,
                          cudaStream_t stream)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(words, &error);
    const int failed = check_failed;
    const size_t size = gsort_format_record_bytes(format);
    const size_t index_all = count * index_bytes;
    unsigned char *records = make_records(count, size);
    unsigned char *wanted = malloc(index_all + 1);
    for (size_t i = 0; few && i < count * size; i++)
        records[i] &= 0x11;
    CHECK_EQUAL(gsort_argsort(format, records, wanted, index_bytes, count, NULL, &error), GSORT_OK);
    size_t temp_bytes = 0;
    CHECK_EQUAL(gsort_device_argsort(NULL, &temp_bytes, format, NULL, NULL, index_bytes, count,
                                     stream, 0, &error),
                GSORT_OK);
    /* Records that are as wide as elements must be aligned; others are not, here. */
    struct guarded in = guard(count * size, size == 8 || size == 16 ? size : 3);
    struct guarded out = guard(index_all, index_bytes);
    struct guarded temp = guard(temp_bytes, 1);
    must(cudaMemcpy(in.memory, records, count * size, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    CHECK_EQUAL(gsort_device_argsort(temp.memory, &temp_bytes, format, in.memory, out.memory,
                                     index_bytes, count, stream, 0, &error),
                GSORT_OK);
    must(cudaDeviceSynchronize());
    unsigned char *got = get(out.memory, index_all);
    CHECK(memcmp(got, wanted, index_all) == 0);
    free(got);
    got = get(in.memory, count * size);
    CHECK(memcmp(got, records, count * size) == 0);
    free(got);
    CHECK(is_whole(&in) && is_whole(&out) && is_whole(&temp));
    if (check_failed > failed)
        fprintf(stderr, "  positions of %" PRIu64 " records of \"%s\" in %u bytes: %s\n", count,
                words, index_bytes, error.line);
    cudaFree(in.all);
    cudaFree(out.all);
    cudaFree(temp.all);
    free(records);
    free(wanted);
    gsort_format_free(format);
}

/* A call that is refused, by a line with these words. */
static void refuse(const char *words, size_t temp_less, const void *in, void *out,
                   unsigned index_bytes, const char *line)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(words, &error);
    size_t bytes = 1 << 22;
    struct guarded temp = guard(bytes, 0);
    if (temp_less != 0) {
        CHECK_EQUAL(gsort_device_argsort(NULL, &bytes, format, NULL, NULL, index_bytes, 100, NULL,
                                         0, &error),
                    GSORT_OK);
        bytes -= temp_less;
    }
    CHECK_EQUAL(gsort_device_argsort(temp.memory, &bytes, format, in, out, index_bytes, 100, NULL,
                                     0, &error),
                GSORT_USAGE);
    if (!CHECK(strstr(error.line, line) != NULL))
        fprintf(stderr, "  %s\n", error.line);
    CHECK_EQUAL(cudaPeekAtLastError(), cudaSuccess);
    CHECK(is_whole(&temp));
    cudaFree(temp.all);
    gsort_format_free(format);
}

static void check_refused(void)
{
    struct guarded keys = guard(4096, 0), indices = guard(4096, 0);
    unsigned char *a = keys.memory, *b = indices.memory;
    refuse("u128", 0, a, b, 4, "with keys of up to 12, not of 16 with 16");
    refuse("R24 k0:u64", 0, a, b, 4, "of records of 1 to 16 bytes");
    refuse("u64", 0, a, b, 2, "4 or 8 bytes, not of 2");
    refuse("u64", 0, a, a, 8, "the arrays overlap");
    refuse("u64", 0, a, a + 792, 8, "the arrays overlap");
    refuse("u64", 0, a, b + 4, 8, "positions of 8 bytes must be aligned");
    refuse("R16 k0:u64", 0, a + 8, b, 4, "records of 16 bytes must be aligned");
    refuse("u64", 0, a, NULL, 4, "no array");
    refuse("u32", 1, a, b, 4, "are needed");
    unsigned char *written = get(indices.all, 4096 + 2 * GUARD);
    for (size_t i = 0; i < 4096 + 2 * GUARD; i++)
        CHECK(written[i] == GARBAGE);
    free(written);
    cudaFree(keys.all);
    cudaFree(indices.all);
}

int main(int argc, char **argv)
{
    static const uint64_t sizes[] = {0, 1, 257, 32769, 1048577};
    const uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX;
    cudaStream_t stream;
    require_gpu();
    check_refused();
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++)
        for (size_t j = 0; j < ARGSORT_FORMATS; j += sizes[i] < 1000000 ? 1 : 4)
            check_argsort(argsort_formats[j], sizes[i], j % 2 == 0 ? 4 : 8, j % 3 == 0,
                          j % 2 == 0 ? stream : NULL);
    must(cudaStreamDestroy(stream));
    return check_failures();
}
