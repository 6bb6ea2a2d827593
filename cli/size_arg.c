/* size_arg.c -- parse the numbers on the command line: sizes as in sort(1), and plain counts.
 * SPDX-License-Identifier: MIT
 */
#include "cli/size_arg.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* In order of their powers of 1024; from Z on, only 0 fits 64 bits. */
static const char suffix_letters[] = "KMGTPEZYRQ";
static const char small_letters[] = "kmgt";

/* Read digits into *value; *fits: whether it fits 64 bits. Returns the rest of the text. */
static const char *read_digits(const char *text, uint64_t *value, bool *fits)
{
    *value = 0;
    *fits = true;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            *fits = false;
        else
            *value = *value * 10 + digit;
    }
    return text;
}

/* The power of 1024 that a letter stands for, or 0. */
static unsigned find_power(char letter)
{
    const char *at = strchr(suffix_letters, letter);
    if (letter != '\0' && at != NULL)
        return (unsigned)(at - suffix_letters) + 1;
    at = strchr(small_letters, letter);
    return letter != '\0' && at != NULL ? (unsigned)(at - small_letters) + 1 : 0;
}

/* Compute `value` percent of total, without overflow on the way. False if it exceeds 64 bits. */
static bool take_percent(uint64_t total, uint64_t value, uint64_t *bytes)
{
    uint64_t rest = total % 100;
    uint64_t of_rest = value / 100 * rest + value % 100 * rest / 100;
    return !__builtin_mul_overflow(total / 100, value, bytes) &&
           !__builtin_add_overflow(*bytes, of_rest, bytes);
}

enum gs_status gs_size_arg_parse(const char *option, const char *text, uint64_t total,
                                 uint64_t *bytes, struct gs_error *err)
{
    uint64_t value;
    bool fits;
    const char *suffix = read_digits(text, &value, &fits);
    unsigned power = *suffix == '\0' ? 1 : find_power(*suffix);
    bool bare = suffix == text;
    if (bare && (power == 0 || *suffix == '\0'))
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid %s argument '%s'", option, text);
    if (bare)
        value = 1;
    bool percent = *suffix == '%' && total > 0;
    if ((*suffix != '\0' && suffix[1] != '\0') || (power == 0 && *suffix != 'b' && !percent))
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid suffix in %s argument '%s'", option, text);
    if (percent)
        fits = fits && take_percent(total, value, &value);
    for (; power > 0; power--) {
        fits = fits && value <= UINT64_MAX / 1024;
        value *= 1024;
    }
    if (!fits)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s argument '%s' too large", option, text);
    *bytes = value;
    return GS_OK;
}

enum gs_status gs_count_arg_parse(const char *option, const char *text, uint64_t least,
                                  uint64_t most, uint64_t *count, struct gs_error *err)
{
    uint64_t value;
    bool fits;
    const char *end = read_digits(text, &value, &fits);
    if (end == text || *end != '\0')
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid %s argument '%s'", option, text);
    if (!fits || value < least || value > most)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s argument '%s' is not from %" PRIu64 " to %" PRIu64,
                       option, text, least, most);
    *count = value;
    return GS_OK;
}
