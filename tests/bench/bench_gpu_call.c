/* bench_gpu_call.c -- the library's call for one width of keys, for C++, which knows no _Atomic.
 * SPDX-License-Identifier: MIT
 */
#include "tests/bench/bench_gpu_call.h"
#include "sort/gpu/gpu_array.h"

enum gs_status bench_gpu_call(const char *type, const void *in, void *out, uint64_t n, void *temp,
                              size_t *temp_bytes, bool no_wait, struct gs_error *err)
{
    enum gs_status st;
    struct gs_format format;
    struct gs_options options = {.format = &format};
    struct gs_device_array array = {.in = in,
                                    .out = out,
                                    .count = n,
                                    .temp = temp,
                                    .temp_bytes = *temp_bytes,
                                    .no_wait = no_wait};
    GS_TRY(gs_format_parse_words(&format, type, err));
    if (format.record_bytes != GS_KEY_BYTES)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: no type of %d bytes", type, GS_KEY_BYTES);
    options.reverse = format.reverse;
    GS_TRY(gs_gpu_array_sort(&options, &array, err));
    *temp_bytes = array.temp_bytes;
cleanup:
    return st;
}
