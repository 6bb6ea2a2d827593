/* date.c -- units of dates and durations, and dates as text.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/date.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum unit { NONE, YEAR, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND };

/* As numpy calls them: none, and from the second on, each a thousandth of the one before. */
static const char *const names[] = {"generic", "Y",  "M",  "W",  "D",  "h",  "m",
                                    "s",       "ms", "us", "ns", "ps", "fs", "as"};

/* Days from the first of March of the year 0, in the calendar that numpy has for all times, to
 * 1970; in 400 years, and in 100, 4 and 1 without a leap day at the end. */
enum { TO_1970 = 719468, DAYS_400 = 146097, DAYS_100 = 36524, DAYS_4 = 1461, DAYS_1 = 365 };

const char *gs_date_unit_read(const char *text, struct gs_key_type *type)
{
    uint64_t factor = 0;
    type->unit = NONE;
    type->factor = 1;
    if (*text != '[')
        return text;
    const char *const begin = ++text;
    for (; *text >= '0' && *text <= '9' && factor <= INT32_MAX; text++)
        factor = factor * 10 + (uint64_t)(*text - '0');
    if (factor > INT32_MAX)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) != 0 || text[length] != ']')
            continue;
        type->unit = (uint8_t)i;
        type->factor = text > begin && i != NONE ? (uint32_t)factor : 1;
        return text + length + 1;
    }
    return NULL;
}

void gs_date_unit_name(const struct gs_key_type *type, char text[GS_DATE_UNIT_TEXT])
{
    text[0] = '\0';
    if (type->unit != NONE && type->factor != 1)
        snprintf(text, GS_DATE_UNIT_TEXT, "[%u%s]", (unsigned)type->factor, names[type->unit]);
    else if (type->unit != NONE)
        snprintf(text, GS_DATE_UNIT_TEXT, "[%s]", names[type->unit]);
}

static int64_t divide_down(int64_t a, int64_t b, int64_t *rest)
{
    *rest = a % b < 0 ? a % b + b : a % b;
    return (a - *rest) / b;
}

/* The year, of at least four digits, or with its sign; month and day, if they are not 0. */
static int print_day(int64_t year, int month, int day, char text[GS_KEY_TEXT])
{
    int used = snprintf(text, GS_KEY_TEXT, "%04" PRId64, year);
    if (month > 0)
        used += snprintf(text + used, GS_KEY_TEXT - (size_t)used, "-%02d", month);
    if (day > 0)
        used += snprintf(text + used, GS_KEY_TEXT - (size_t)used, "-%02d", day);
    return used;
}

/* The date of a day, counted from 1970. Years begin in March here, so that a leap day is the last
 * of its year. */
static int print_days(int64_t days, char text[GS_KEY_TEXT])
{
    int64_t rest;
    int64_t year = 400 * divide_down(days, DAYS_400, &rest);
    rest += TO_1970 % DAYS_400;
    year += 400 * (TO_1970 / DAYS_400 + rest / DAYS_400);
    rest %= DAYS_400;
    const int64_t centuries = rest / DAYS_100 < 4 ? rest / DAYS_100 : 3;
    rest -= centuries * DAYS_100;
    const int64_t fours = rest / DAYS_4;
    rest -= fours * DAYS_4;
    const int64_t ones = rest / DAYS_1 < 4 ? rest / DAYS_1 : 3;
    rest -= ones * DAYS_1;
    const int month = (int)(5 * rest + 2) / 153; /* months of 30.6 days, from March on */
    const int day = (int)rest - (153 * month + 2) / 5 + 1;
    year += 100 * centuries + 4 * fours + ones + (month >= 10 ? 1 : 0);
    return print_day(year, month < 10 ? month + 3 : month - 9, day, text);
}

/* Units that make a day, of those below it. */
static int64_t in_day(enum unit unit)
{
    int64_t count = unit == HOUR ? 24 : unit == MINUTE ? 24 * 60 : 24 * 60 * 60;
    for (int i = SECOND; i < (int)unit && i < SECOND + 4; i++) /* up to picoseconds */
        count *= 1000;
    return count;
}

/* A number, which has so many digits at most. */
static char *print_digits(int64_t number, int digits, char *text)
{
    for (int i = digits; i-- > 0; number /= 10)
        text[i] = (char)('0' + number % 10);
    text[digits] = '\0';
    return text + digits;
}

/* The time of a day: a count of the unit in it. Thousandths follow in groups of three digits. */
static void print_time(enum unit unit, int64_t rest, int64_t below, char *text, size_t room)
{
    const int digits = unit > SECOND ? 3 * ((int)unit - SECOND) : 0;
    const int64_t day = in_day(unit);
    const int64_t seconds = unit <= MINUTE ? 0 : rest / (day / 86400);
    const int64_t hour = unit <= MINUTE ? rest / (day / 24) : seconds / 3600;
    const int64_t minute = unit == MINUTE ? rest % 60 : seconds / 60 % 60;
    int used = snprintf(text, room, "T%02d", (int)hour);
    if (unit > HOUR)
        used += snprintf(text + used, room - (size_t)used, ":%02d", (int)minute);
    if (unit > MINUTE)
        used += snprintf(text + used, room - (size_t)used, ":%02d", (int)(seconds % 60));
    if (digits == 0)
        return;
    text[used++] = '.';
    text = print_digits(rest % (day / 86400), digits < 12 ? digits : 12, text + used);
    print_digits(below, digits < 12 ? 0 : digits - 12, text);
}

void gs_date_print(const struct gs_key_type *type, int64_t value, char text[GS_KEY_TEXT])
{
    const enum unit unit = (enum unit)type->unit;
    int64_t count;
    int64_t month;
    int64_t rest;
    int64_t below = 0;
    const bool counts = !__builtin_mul_overflow(value, (int64_t)type->factor, &count) &&
                        !(unit == WEEK && __builtin_mul_overflow(count, 7, &count));
    if (value == INT64_MIN) {
        memcpy(text, "NaT", sizeof "NaT");
        return;
    }
    if (type->kind == GS_TYPE_DURATION || unit == NONE || !counts ||
        (unit == YEAR && count > INT64_MAX - 1970)) {
        snprintf(text, GS_KEY_TEXT, "%" PRId64, value);
        return;
    }
    if (unit == YEAR) {
        print_day(1970 + count, 0, 0, text);
    } else if (unit == MONTH) {
        const int64_t year = 1970 + divide_down(count, 12, &month);
        print_day(year, (int)month + 1, 0, text);
    } else if (unit <= DAY) {
        print_days(count, text);
    } else {
        for (int i = SECOND + 4; i < (int)unit; i++) { /* what is finer than picoseconds */
            const int64_t scale = i == SECOND + 4 ? 1 : 1000;
            count = divide_down(count, 1000, &rest);
            below += scale * rest;
        }
        count = divide_down(count, in_day(unit), &rest);
        const int used = print_days(count, text);
        print_time(unit, rest, below, text + used, GS_KEY_TEXT - (size_t)used);
    }
}
