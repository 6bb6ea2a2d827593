/* size_arg.c -- parse the numbers on the command line: sizes as in sort(1), and plain counts.
 * SPDX-License-Identifier: MIT
 */
#include "cli/size_arg.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

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

/* Read the digits behind a decimal point, if there is one, as a fraction. */
static const char *read_fraction(const char *text, double *fraction)
{
    double place = 1;
    *fraction = 0;
    if (text[0] != '.' || text[1] < '0' || text[1] > '9')
        return text;
    for (text++; *text >= '0' && *text <= '9'; text++) {
        place /= 10;
        *fraction += place * (*text - '0');
    }
    return text;
}

/* Read a suffix: the power of 1024 or, with a B behind the letter, of 1000. False if it is none. */
static bool read_suffix(const char *suffix, unsigned *power, unsigned *base)
{
    *base = 1024;
    if (strcmp(suffix, "b") == 0 || strcmp(suffix, "B") == 0) {
        *power = 0;
        return true;
    }
    *power = find_power(*suffix);
    if (*power == 0)
        return false;
    suffix++;
    if (strcasecmp(suffix, "b") == 0)
        *base = 1000;
    return *suffix == '\0' || strcasecmp(suffix, "b") == 0 || strcasecmp(suffix, "ib") == 0;
}

/* Without a suffix, the number is one of 1024^power bytes. */
static enum gs_status parse_size(const char *option, const char *text, uint64_t total,
                                 unsigned power, uint64_t *bytes, struct gs_error *err)
{
    uint64_t value;
    bool fits;
    double fraction;
    unsigned base = 1024;
    const char *end = read_digits(text, &value, &fits);
    const char *suffix = read_fraction(end, &fraction);
    const bool percent = strcmp(suffix, "%") == 0 && total > 0;
    const bool bare = suffix == text;
    if (bare && (*suffix == '\0' || find_power(*suffix) == 0))
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid %s argument '%s': it is a size, as %s",
                       option, text, total > 0 ? "512M, 4G or 50%" : "128B, 64K or 4G");
    if (*suffix != '\0' && !percent && !read_suffix(suffix, &power, &base))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid suffix in %s argument '%s': K M G T P E are powers of 1024, KB MB "
                       "and so on of 1000, B bytes",
                       option, text);
    if (bare)
        value = 1;
    if (percent && value >= 100 && (value > 100 || fraction > 0))
        return gs_fail(err, GS_ERR_USAGE, 0, "%s argument '%s' is more than 100%%", option, text);
    if (percent) {
        fits = fits && take_percent(total, value, &value);
        fraction *= (double)total / 100;
        power = 0;
    }
    for (; power > 0; power--) {
        fits = !__builtin_mul_overflow(value, (uint64_t)base, &value) && fits;
        fraction *= base;
    }
    fits = fits && fraction < (double)UINT64_MAX;
    if (!fits || __builtin_add_overflow(value, (uint64_t)fraction, &value))
        return gs_fail(err, GS_ERR_USAGE, 0, "%s argument '%s' too large", option, text);
    *bytes = value;
    return GS_OK;
}

enum gs_status gs_size_arg_parse(const char *option, const char *text, uint64_t total,
                                 uint64_t *bytes, struct gs_error *err)
{
    return parse_size(option, text, total, 1, bytes, err);
}

enum gs_status gs_bytes_arg_parse(const char *option, const char *text, uint64_t most,
                                  uint64_t *bytes, struct gs_error *err)
{
    enum gs_status st = parse_size(option, text, 0, 0, bytes, err);
    if (st == GS_OK && *bytes > most)
        st = gs_fail(err, GS_ERR_USAGE, 0, "%s argument '%s' is not from 0 to %" PRIu64, option,
                     text, most);
    return st;
}

enum gs_status gs_count_arg_parse(const char *option, const char *text, uint64_t least,
                                  uint64_t most, uint64_t *count, struct gs_error *err)
{
    uint64_t value;
    bool fits;
    const char *end = read_digits(text, &value, &fits);
    if (end == text || *end != '\0')
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid %s argument '%s': it is a number from %" PRIu64 " to %" PRIu64,
                       option, text, least, most);
    if (!fits || value < least || value > most)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s argument '%s' is not from %" PRIu64 " to %" PRIu64,
                       option, text, least, most);
    *count = value;
    return GS_OK;
}
