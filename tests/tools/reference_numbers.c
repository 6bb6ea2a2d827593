/* reference_numbers.c -- numbers of all types as the reference reads and compares them.
 * SPDX-License-Identifier: MIT
 *
 * On purpose, it shares no code with gsort: types are taken apart here by a reading of their own,
 * and floats are compared as numbers.
 */
#include "tests/tools/reference_numbers.h"
#include "tests/tools/reference_fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 signed128;

struct reference_key reference_read_type(const char *text)
{
    struct reference_key key = {.letter = *text == 'm' ? 'M' : *text};
    const char *number = text + 1;
    if (strncmp(text, "bf16", 4) == 0) {
        key.letter = 'B';
        number++;
    }
    char *end;
    key.width = strtoul(number, &end, 10);
    if (key.letter != 'b' && key.letter != 'M')
        key.width /= 8;
    if (key.letter == 'M' && *end == '[')
        end += strcspn(end, "]") + 1;
    if (strncmp(end, "be", 2) == 0) {
        key.big = 1;
        end += 2;
    }
    if (*end == 'r') {
        key.down = 1;
        end++;
    }
    if (strchr("uifbMm", *text) == NULL || key.width == 0 || *end != '\0')
        reference_die(text, "no such type");
    return key;
}

reference_bits reference_number_at(const struct reference_key *key, const unsigned char *at)
{
    reference_bits number = 0;
    for (size_t i = 0; i < key->width; i++)
        number = number * 256 + at[key->big ? i : key->width - 1 - i];
    const size_t rest = (128 - 8 * key->width) % 128;
    return key->letter == 'i' ? (reference_bits)((signed128)(number << rest) >> rest) : number;
}

/* The value of a float; f16 by the formula of IEEE 754. */
static double value_of(const struct reference_key *key, reference_bits number)
{
    const uint64_t bits = (uint64_t)number;
    const uint32_t half = (uint32_t)number;
    const uint32_t single = key->letter == 'B' ? half << 16 : half;
    if (key->width == 8) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    if (key->width == 4 || key->letter == 'B') {
        float value;
        memcpy(&value, &single, 4);
        return (double)value;
    }
    const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = (int)(half / 1024 % 32);
    const int fraction = (int)(half % 1024);
    if (exponent == 31)
        return fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    return exponent == 0 ? sign * ldexp(fraction, -24)
                         : sign * ldexp(1024 + fraction, exponent - 25);
}

/* Numbers first, in order, -0 before +0; then NaNs without a sign, up; then those with one, down.
 */
static int compare_floats(const struct reference_key *key, reference_bits a, reference_bits b)
{
    const double x = value_of(key, a);
    const double y = value_of(key, b);
    const int a_sign = (int)(a >> (8 * key->width - 1));
    const int b_sign = (int)(b >> (8 * key->width - 1));
    const int a_group = !isnan(x) ? 0 : 1 + a_sign;
    const int b_group = !isnan(y) ? 0 : 1 + b_sign;
    if (a_group != b_group)
        return a_group < b_group ? -1 : 1;
    if (a_group == 0 && x != y)
        return x < y ? -1 : 1;
    if (a_group == 0 && a_sign != b_sign)
        return a_sign != 0 ? -1 : 1;
    if (a == b || a_group == 0)
        return 0;
    return (a < b) == (a_group == 1) ? -1 : 1;
}

/* Dates are signed; the least is none, and behind all others. */
static int compare_dates(uint64_t x, uint64_t y)
{
    const int64_t v = (int64_t)x;
    const int64_t w = (int64_t)y;
    if (v == w)
        return 0;
    if (v == INT64_MIN || w == INT64_MIN)
        return v == INT64_MIN ? 1 : -1;
    return v < w ? -1 : 1;
}

int reference_compare(const struct reference_key *key, reference_bits x, reference_bits y)
{
    if (key->letter == 'M')
        return compare_dates((uint64_t)x, (uint64_t)y);
    if (key->letter == 'f' || key->letter == 'B')
        return compare_floats(key, x, y);
    if (key->letter == 'u')
        return x < y ? -1 : x > y;
    const signed128 v = (signed128)x;
    const signed128 w = (signed128)y;
    return v < w ? -1 : v > w;
}

uint64_t reference_place(const struct reference_key *key, reference_bits number)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * key->width);
    const uint64_t half = most / 2 + 1;
    const uint64_t bits = (uint64_t)number & most;
    const uint64_t size = bits % half;
    const uint64_t fraction = key->letter == 'B' ? 128
                              : key->width == 2  ? 1024
                              : key->width == 4  ? (uint64_t)1 << 23
                                                 : (uint64_t)1 << 52;
    const uint64_t infinity = half - fraction;
    if (key->letter == 'u')
        return bits;
    if (key->letter == 'i')
        return bits < half ? bits + half : size;
    if (key->letter == 'M')
        return bits < half ? bits + half - 1 : size > 0 ? size - 1 : most;
    if (size <= infinity)
        return bits < half ? infinity + 1 + size : infinity - size;
    const uint64_t numbers = 2 * (infinity + 1);
    if (bits < half)
        return numbers + size - infinity - 1;
    return numbers + (half - 1 - infinity) + (half - 1 - size);
}
