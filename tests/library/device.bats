# Without a GPU, a sort in its memory says why it cannot be, and what it would take.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "tests/gpu/gpu_array.c sorts there"
    enter_directory
    export LD_LIBRARY_PATH=$LIBRARY/lib CUDA_VISIBLE_DEVICES=
    cat >call.c <<'END'
#include <gsort.h>
#include <stdio.h>
#include <stdlib.h>
/* usage: call FORMAT [with|INDEX_BYTES]: ask for the size, of positions or not; or sort with memory
 * that is none of a GPU */
int main(int argc, char **argv)
{
    static uint64_t keys[1000], temp[100000];
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(argv[1], &error);
    size_t bytes = sizeof temp;
    unsigned index_bytes = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    enum gsort_status status =
        index_bytes > 0 ? gsort_device_argsort(NULL, &bytes, format, keys, keys, index_bytes, 100,
                                               NULL, 0, &error)
                        : gsort_device_sort(argc > 2 ? temp : NULL, &bytes, format, keys, keys, 100,
                                            NULL, 0, &error);
    printf("%d %d %s\n", status, bytes == sizeof temp, error.line);
    return status != error.status;
}
END
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror call.c -I "$LIBRARY/include" -L "$LIBRARY/lib" \
        -lgsort -o call
}

@test "without a GPU, a sort in device memory fails by a line that says so" {
    case $CUDA in
        0) reason='this gsort was built without CUDA' ;;
        *) reason='no usable GPU: ' ;;
    esac
    for format in u8 u32 f64 'R16 k8:u64r' 'R12 k0:b12'; do
        for with in '' with 4 8; do
            run -0 ./call "$format" ${with:+"$with"}
            [[ $output == "5 1 $reason"* ]]
        done
    done
}

@test "records that no element holds are refused there, with what can be sorted" {
    run -0 ./call 'R24 k0:u64'
    [ "$output" = '1 1 in device memory, records of 1 to 16 bytes are sorted, not of 24' ]
    run -0 ./call 'R8 k0:u32 s' with
    [[ $output == '1 1 '*'records of 1 to 16 bytes'*': leave s out' ]]
    run -0 ./call 'u64 s'
    [[ $output == '5 1 '* ]]
}

@test "positions of keys beside which no element has room are refused there" {
    for format in u128 'R16 k0:u64 k8:u64' 'R16 k1:b13'; do
        run -0 ./call "$format" 4
        [[ $output == '1 1 in device memory, positions are'*' of up to 12, not of 16 with 1'[36] ]]
    done
    run -0 ./call 'R24 k0:u64' 8
    [[ $output == '1 1 '*'records of 1 to 16 bytes with keys of up to 12, not of 24 with 8' ]]
    run -0 ./call u64 2
    [ "$output" = '1 1 positions are integers of 4 or 8 bytes, not of 2' ]
    run -0 ./call 'R8 k0:u32 s' 4 # positions are stable in any case
    [[ $output == '5 1 '* ]]
}

@test "arguments that no device would make good are refused there by a line" {
    cat >hostile.c <<'END'
#include <gsort.h>
#include <stdio.h>
static char all[65536];
static struct gsort_error error = GSORT_ERROR_INIT;
static void told(enum gsort_status status)
{
    printf("%d %d %s\n", status, status == error.status, error.line);
}
static void sort(size_t temp_at, size_t bytes, size_t in, size_t out, uint64_t count,
                 uint32_t flags)
{
    struct gsort_format *format = gsort_format_parse("u64", &error);
    told(gsort_device_sort(all + temp_at, &bytes, format, all + in, all + out, count, NULL, flags,
                           &error));
    gsort_format_free(format);
}
static void argsort(size_t in, size_t out, unsigned index_bytes, uint64_t count)
{
    struct gsort_format *format = gsort_format_parse("u16", &error);
    size_t bytes = 4096;
    told(gsort_device_argsort(all, &bytes, format, all + in, all + out, index_bytes, count, NULL,
                              GSORT_DEVICE_NO_WAIT, &error));
    gsort_format_free(format);
}
int main(void)
{
    sort(0, 4096, 8192, 8192, 100, 2);
    sort(0, 4096, 8192, 8992 - 8, 100, 0);
    sort(0, 4096, 8992 - 8, 8192, 100, 0);
    sort(0, 8193, 8192, 8192, 100, 0);
    sort(0, SIZE_MAX, 8192, 8192, 100, 0);
    sort(8192, SIZE_MAX, 0, 0, 100, 0);
    sort(0, 4096, 8192, 8192, UINT64_C(1) << 61, 0);
    argsort(8192, 8192, 4, 100);
    argsort(8192, 8192 + 199, 4, 100);
    argsort(8192, 8192 + 200, 2, 100);
    argsort(8192, 16384, 4, (UINT64_C(1) << 32) + 1);
    argsort(8192, 16384, 8, UINT64_C(1) << 61);
    sort(0, 4096, 8192, 8992, 100, 0);
    argsort(8192, 8392, 4, 100);
}
END
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror hostile.c -I "$LIBRARY/include" -L "$LIBRARY/lib" \
        -lgsort -o hostile
    ./hostile | sed 's/at 0x.*/at P/' >told
    overlap='the arrays overlap: sort in place, or into another array'
    head -n 12 told | diff - <(printf '1 1 %s\n' 'flags 0x2: only a newer library knows them' \
        "$overlap" "$overlap" 'temp overlaps an array' 'temp overlaps an array' \
        'temp overlaps an array' 'there is no array of 2305843009213693952 records at P' \
        "$overlap" "$overlap" 'positions are integers of 4 or 8 bytes, not of 2' \
        'positions of so many records are integers of 8 bytes' \
        'there is no array of 2305843009213693952 records at P')
    # Arrays that only touch are none of these: the GPU is missed.
    [ "$(tail -n 2 told | cut -c 1-4 | sort -u)" = '5 1 ' ]
}
