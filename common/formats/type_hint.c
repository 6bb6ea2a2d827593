/* type_hint.c -- what a word that is no type was probably meant for.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/type_hint.h"

#include "common/nearest_word.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 16 };

/* The first of those that are equally near counts. */
static const char *const types[] = {
    "u64", "u32", "i64", "i32",  "f64",    "f32",  "u128",     "i128",    "u16",     "i16",
    "f16", "u8",  "i8",  "bf16", "double", "half", "bfloat16", "float32", "float64", NULL};

/* Words that do not say how many bits, or not in all languages (Python's float is C's double), and
 * what is kept in such types. */
static const struct {
    const char *word;
    const char *types;
} words[] = {
    {"bool", "u8"},
    {"byte", "u8"},
    {"char", "u8 or i8"},
    {"date", "M8[D]"},
    {"float", "f32 or f64"},
    {"int", "i32 or i64"},
    {"ipv4", "u32be"},
    {"ipv6", "b16"},
    {"long", "i64"},
    {"real", "f32 or f64"},
    {"short", "i16"},
    {"single", "f32"},
    {"u24", "b3, if big-endian"},
    {"uint", "u32 or u64"},
    {"ulong", "u64"},
    {"unsigned", "u32 or u64"},
    {"ushort", "u16"},
    {"uuid", "b16"},
};

const char *gs_type_in_words(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i].word, word) == 0)
            return words[i].types;
    return NULL;
}

/* Take what may be behind a type off the word, if that is there. */
static bool ends_in(char *word, const char *end)
{
    const size_t length = strlen(word);
    const size_t end_length = strlen(end);
    if (length <= end_length || strcasecmp(word + length - end_length, end) != 0)
        return false;
    word[length - end_length] = '\0';
    return true;
}

bool gs_type_hint(const char *text, char hint[GS_TYPE_HINT_TEXT])
{
    char word[WORD_MAX];
    const size_t length = strcspn(text, ",");
    if (length >= sizeof word)
        return false;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    word[length] = '\0';
    const char *meant = gs_type_in_words(word);
    const bool descends = meant == NULL && ends_in(word, "r");
    const bool big = meant == NULL && ends_in(word, "be");
    if (meant == NULL)
        meant = gs_nearest_word(word, types);
    if (meant != NULL)
        snprintf(hint, GS_TYPE_HINT_TEXT, "%s%s%s", meant, big ? "be" : "", descends ? "r" : "");
    return meant != NULL;
}
