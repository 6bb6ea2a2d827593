/* fuzz_size.c -- a libFuzzer target: sizes and counts mean what a second reading of them means.
 * SPDX-License-Identifier: MIT
 *
 * The input is what % is of, 8 bytes, and the text. The second reading knows numbers of any size:
 * it stops caring above 2^64.
 */
#include "cli/size_arg.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXT_MAX = 64 };

__extension__ typedef unsigned __int128 wide;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static wide times(wide a, uint64_t b)
{
    return a >> 64 != 0 ? a : a * b;
}

/* The digits at the start of the text, as a number; how many they are. */
static size_t read_number(const char *text, wide *value)
{
    size_t digits = strspn(text, "0123456789");
    *value = 0;
    for (size_t i = 0; i < digits; i++)
        if (*value >> 64 == 0)
            *value = *value * 10 + (wide)(text[i] - '0');
    return digits;
}

/* True where the text is a size; *value may be too large for one. */
static bool read_size(const char *text, uint64_t total, wide *value)
{
    static const char letters[] = "bKMGTPEZYRQ";
    size_t digits = read_number(text, value);
    char suffix = text[digits];
    const char *more = suffix != '\0' ? text + digits + 1 : text + digits;
    const bool decimal = strcasecmp(more, "b") == 0;
    if (*more != '\0' && !decimal && strcasecmp(more, "ib") != 0)
        return false;
    if (*more != '\0' && (suffix == '%' || suffix == 'b' || suffix == 'B'))
        return false;
    if (suffix == 'B')
        suffix = 'b';
    if (suffix == '%') {
        if (*value >> 64 == 0)
            *value = *value * total / 100;
        return digits > 0 && total > 0;
    }
    if (suffix == '\0')
        suffix = digits > 0 ? 'K' : '?';
    if (suffix == 'k' || suffix == 'm' || suffix == 'g' || suffix == 't')
        suffix = (char)(suffix - 'a' + 'A');
    const char *letter = strchr(letters, suffix);
    if (letter == NULL || (digits == 0 && suffix == 'b'))
        return false;
    if (digits == 0)
        *value = 1;
    for (; letter > letters; letter--)
        *value = times(*value, decimal ? 1000 : 1024);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t total = 0;
    uint64_t got = 0;
    char text[TEXT_MAX + 1] = {0};
    wide value;
    if (size < sizeof total || size > sizeof total + TEXT_MAX)
        return 0;
    memcpy(&total, data, sizeof total);
    memcpy(text, data + sizeof total, size - sizeof total);

    struct gs_error err = {.status = GS_OK};
    bool valid = read_size(text, total, &value);
    bool taken = gs_size_arg_parse("-S", text, total, &got, &err) == GS_OK;
    if (strchr(text, '.') != NULL) /* no second reading of fractions */
        return 0;
    if (taken && (!valid || got != value))
        abort();
    if (!taken && valid && value >> 64 == 0)
        abort();
    if (taken != (err.status == GS_OK))
        abort();

    err.status = GS_OK;
    uint64_t most = total > 0 ? total : 1;
    size_t digits = read_number(text, &value);
    valid = digits > 0 && text[digits] == '\0' && value >= 1 && value <= most;
    taken = gs_count_arg_parse("--bins", text, 1, most, &got, &err) == GS_OK;
    if (taken != valid || (taken && got != value))
        abort();
    return 0;
}
