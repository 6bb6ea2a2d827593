/* gpu_file.c -- sort a file's u32 by the library's calls in device memory, as the command would.
 * SPDX-License-Identifier: MIT
 *
 * usage: gpu_file [-r] [--positions] INPUT -o OUTPUT    from inject_gpu.sh; other options: ignored
 *
 * With --positions, by gsort_device_argsort. On failure it says a line, and leaves the output. CUDA
 * must be as usable then as before.
 */
#include "sort/gsort.h"

#include "tests/gpu/gpu_test.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Sort `count` keys into another array, of positions or not. */
static enum gsort_status sort(const char *words, bool positions, const uint32_t *keys,
                              uint64_t count, uint32_t *sorted, struct gsort_error *error)
{
    struct gsort_format *format = gsort_format_parse(words, error);
    const size_t bytes = count * sizeof *keys;
    size_t temp_bytes = 0;
    void *in, *out, *temp;
    enum gsort_status status = GSORT_OK;
    must(cudaMalloc(&in, bytes));
    must(cudaMalloc(&out, bytes));
    must(cudaMemcpy(in, keys, bytes, cudaMemcpyHostToDevice));
    for (int call = 0; call < 2 && status == GSORT_OK; call++) { /* how much memory; sort */
        temp = NULL;
        if (call == 1)
            must(cudaMalloc(&temp, temp_bytes));
        status = positions
                     ? gsort_device_argsort(temp, &temp_bytes, format, in, out, sizeof *sorted,
                                            count, NULL, 0, error)
                     : gsort_device_sort(temp, &temp_bytes, format, in, out, count, NULL, 0, error);
    }
    must(cudaPeekAtLastError());
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(sorted, out, bytes, cudaMemcpyDeviceToHost));
    must(cudaFree(in));
    must(cudaFree(out));
    must(cudaFree(temp));
    gsort_format_free(format);
    return status;
}

int main(int argc, char **argv)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    const char *input = "", *output = "", *words = "u32";
    bool positions = false;
    require_gpu();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            output = argv[++i];
        else if (strcmp(argv[i], "-r") == 0)
            words = "u32 r";
        else if (strcmp(argv[i], "--positions") == 0)
            positions = true;
        else if (argv[i][0] != '-')
            input = argv[i];
    }
    enum { MOST = 1 << 22 };
    static uint32_t keys[MOST], sorted[MOST], gathered[MOST];
    FILE *file = fopen(input, "rb");
    const uint64_t count = file != NULL ? fread(keys, sizeof *keys, MOST, file) : 0;
    if (count == 0 || fclose(file) != 0)
        abort();
    if (sort(words, positions, keys, count, sorted, &error) != GSORT_OK) {
        fprintf(stderr, "gsort: %s\n", error.line);
        return 2;
    }
    for (uint64_t i = 0; i < count; i++)
        gathered[i] = positions ? keys[sorted[i] % MOST] : sorted[i];
    file = fopen(output, "wb");
    if (file == NULL || fwrite(gathered, sizeof *keys, count, file) != count || fclose(file) != 0)
        abort();
    return 0;
}
