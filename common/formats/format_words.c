/* format_words.c -- a format in one text, with the words of the command line.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next word at *at, ended there, or NULL; blanks and one dash in front of it are skipped. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t\n");
    if (*word == '\0')
        return NULL;
    char *end = word + strcspn(word, " \t\n");
    *at = *end == '\0' ? end : end + 1;
    *end = '\0';
    return *word == '-' ? word + 1 : word;
}

/* What belongs to an option: the rest of its word, or the next one. */
static enum gs_status take_value(const char *word, char **at, const char **value,
                                 struct gs_error *err)
{
    *value = word[1] != '\0' ? word + 1 : next_word(at);
    if (*value != NULL)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "option requires an argument -- '%c'", *word);
}

static enum gs_status take_word(struct gs_format_options *options, struct gs_format *flags,
                                const char *word, char **at, struct gs_error *err)
{
    const char *value = word;
    if (strcmp(word, "r") == 0 || strcmp(word, "s") == 0) {
        *(*word == 'r' ? &flags->reverse : &flags->stable) = true;
        return GS_OK;
    }
    if (*word == 'R' || *word == 'k' || *word == 't') {
        enum gs_status st = take_value(word, at, &value, err);
        if (st != GS_OK)
            return st;
    }
    if (*word == 'k')
        return gs_format_add_key(options, value, err);
    if (*word == 'R')
        return gs_set_once("record sizes", value, &options->record, err);
    return gs_set_once("types", value, &options->type, err);
}

enum gs_status gs_format_split_words(char *words, struct gs_format_options *options,
                                     struct gs_format *flags, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char *at = words;
    for (const char *word; (word = next_word(&at)) != NULL && st == GS_OK;)
        st = take_word(options, flags, word, &at, err);
    return st;
}

enum gs_status gs_format_parse_words(struct gs_format *format, const char *text,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_format_options options = {.key_count = 0};
    struct gs_format flags = {.key_count = 0};
    char *const words = strdup(text);
    if (words == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "a format");
    GS_TRY(gs_format_split_words(words, &options, &flags, err));
    GS_TRY(gs_format_parse(format, &options, err));
    format->reverse = flags.reverse;
    format->stable = flags.stable;
cleanup:
    free(words);
    return st;
}

/* Is the record one key in ascending order, so that a type says it all? */
static bool is_type(const struct gs_format *format)
{
    const struct gs_key_field *first = &format->keys[0];
    return format->key_count == 1 && first->type.bytes == format->record_bytes &&
           !first->descending;
}

void gs_format_words(const struct gs_format *format, char text[GS_FORMAT_WORDS])
{
    char name[GS_KEY_FIELD_TEXT];
    size_t used = 0;
    if (is_type(format)) {
        gs_key_type_name(&format->keys[0].type, name);
        used += (size_t)snprintf(text, GS_FORMAT_WORDS, "%s", name);
    } else {
        used += (size_t)snprintf(text, GS_FORMAT_WORDS, "R%u", (unsigned)format->record_bytes);
        for (uint32_t i = 0; i < format->key_count; i++) {
            const char *gap = gs_format_key_name(format, i, name) ? "," : " k";
            used += (size_t)snprintf(text + used, GS_FORMAT_WORDS - used, "%s%s", gap, name);
        }
    }
    snprintf(text + used, GS_FORMAT_WORDS - used, "%s%s", format->reverse ? " r" : "",
             format->stable ? " s" : "");
}
