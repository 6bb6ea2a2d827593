/* suggest.c -- what a word that is not known was probably meant for.
 * SPDX-License-Identifier: MIT
 */
#include "cli/suggest.h"

#include "common/nearest_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 32, OPTIONS_MAX = 64 };

/* What other programs call it. */
static const struct {
    const char *word;
    const char *hint;
} others[] = {
    {"cpu", "--device=cpu"},
    {"desc", "--reverse"},
    {"descending", "--reverse"},
    {"dtype", "--type"},
    {"force", "--format=raw"},
    {"gpu", "--device=gpu"},
    {"jobs", "--parallel"},
    {"json", "--stats=json"},
    {"mem", "--buffer-size"},
    {"memory", "--buffer-size"},
    {"quiet", "--check=quiet"},
    {"raw", "--format=raw"},
    {"record-size", "--record"},
    {"silent", "--check=quiet"},
    {"size", "--record"},
    {"temp", "--temporary-directory"},
    {"tmp", "--temporary-directory"},
    {"tmpdir", "--temporary-directory"},
    {"uniq", "--unique"},
    {"verbose", "--stats"},
    {"f", "--format=raw"},
    {"n", "--type"},
    {"q", "--check=quiet"},
    {"v", "--stats, --verify or --version"},
};

static const char *find_other(const char *word)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(others[i].word, word) == 0)
            return others[i].hint;
    return NULL;
}

/* The option itself may be in capital letters. */
static const char *find_option(const struct argp_option *table, const char *word)
{
    const char *names[OPTIONS_MAX + 1] = {NULL};
    size_t count = 0;
    for (; (table->name != NULL || table->key != 0 || table->doc != NULL) && count < OPTIONS_MAX;
         table++)
        if (table->name != NULL && (table->flags & OPTION_DOC) == 0)
            names[count++] = table->name;
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(names[i], word) == 0)
            return names[i];
    return gs_nearest_word(word, names);
}

/* getopt's words, in the C locale: "unrecognized option '--WORD'", "invalid option -- 'C'". */
void gs_suggest_option(const struct argp_option *table, char *said, size_t size)
{
    char word[WORD_MAX + 1];
    const char *quote = strrchr(said, ' ');
    const bool letter = strstr(said, "option -- '") != NULL;
    if (quote == NULL || (!letter && strncmp(quote, " '--", 4) != 0) ||
        strncmp(said, "option", 6) == 0)
        return;
    quote += letter ? 2 : 4;
    const size_t length = strcspn(quote, "='");
    if (length == 0 || length > WORD_MAX)
        return;
    snprintf(word, sizeof word, "%.*s", (int)length, quote);
    const size_t used = strlen(said);
    const char *hint = find_other(word);
    if (hint != NULL)
        snprintf(said + used, size - used, " (did you mean %s?)", hint);
    else if (strcmp(word, "in") == 0 || strcmp(word, "i") == 0 || strcmp(word, "input") == 0)
        snprintf(said + used, size - used, " (files to read need no option)");
    else if (!letter && (hint = find_option(table, word)) != NULL)
        snprintf(said + used, size - used, " (did you mean --%s?)", hint);
}
