/* npy_literal.c -- read literals of Python: a recursive descent, a function for each kind.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/npy_literal.h"

#include "common/formats/utf8.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const char *text;
    uint32_t at;
    uint32_t end;
    enum gs_literal_dialect dialect;
    bool joins; /* a backslash joins lines: not behind the literal */
    struct gs_literals *to;
};

static bool read_value(struct reader *r, uint32_t *index, int depth);

/* The character that is n behind the next one; NUL at the end, which is in no header. */
static char peek(const struct reader *r, uint32_t n)
{
    return r->end - r->at > n ? r->text[r->at + n] : '\0';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Could this be within a name? */
static bool is_word(char c)
{
    const char low = (char)(c | ('a' ^ 'A'));
    return is_digit(c) || (low >= 'a' && low <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

static void skip_comment(struct reader *r)
{
    while (r->at < r->end && !is_line_end(r->text[r->at]))
        r->at++;
}

/* Skip what may be between the parts of a literal. */
static void skip(struct reader *r)
{
    for (;; r->at++) {
        if (peek(r, 0) == '#')
            skip_comment(r);
        const char c = peek(r, 0);
        if (r->joins && c == '\\' && is_line_end(peek(r, 1)))
            r->at++;
        else if (!is_blank(c) && !is_line_end(c))
            return;
    }
}

/* The same in front of all: a line that begins with blanks would be indented, but for the first. */
static bool skip_front(struct reader *r)
{
    for (uint32_t line = r->at;; line = r->at) {
        const bool first = line == 0 || !is_line_end(r->text[line - 1]);
        while (is_blank(peek(r, 0)))
            r->at++;
        if (peek(r, 0) == '#')
            skip_comment(r);
        else if (!is_line_end(peek(r, 0)))
            return first || r->at == line;
        if (peek(r, 0) == '\r' && peek(r, 1) == '\n')
            r->at++;
        if (r->at == r->end || r->text[r->at++] != '\n')
            return false;
    }
}

/* Take this character, if it is next. */
static bool take(struct reader *r, char c)
{
    skip(r);
    if (peek(r, 0) != c || r->at == r->end)
        return false;
    r->at++;
    return true;
}

/* Make a literal, which begins here. */
static bool make(struct reader *r, enum gs_literal_kind kind, uint32_t *index)
{
    struct gs_literals *to = r->to;
    if (to->count + 1 >= to->room) {
        const uint32_t room = to->room < 64 ? 64 : 2 * to->room;
        struct gs_literal *list = realloc(to->list, room * sizeof *list);
        to->no_memory = list == NULL;
        if (list == NULL)
            return false;
        to->list = list;
        to->room = room;
    }
    *index = ++to->count;
    to->list[*index] = (struct gs_literal){.kind = kind, .begin = r->at};
    return true;
}

/* Append a character to the string that is read. */
static void put(struct reader *r, uint32_t code)
{
    r->to->used += gs_utf8_write(r->to->strings + r->to->used, code);
}

static uint32_t digit_of(char c)
{
    const char low = (char)(c | ('a' ^ 'A'));
    return is_digit(c)                ? (uint32_t)(c - '0')
           : low >= 'a' && low <= 'f' ? (uint32_t)(low - 'a') + 10
                                      : 16;
}

/* Take up to `most` digits of a character's code, at least `least`. */
static bool take_code(struct reader *r, uint32_t base, int least, int most)
{
    uint32_t code = 0;
    int digits = 0;
    for (; digits < most && digit_of(peek(r, 0)) < base; digits++)
        code = code * base + digit_of(r->text[r->at++]);
    if (digits < least || code > 0x10ffff)
        return false;
    put(r, code);
    return true;
}

/* What a backslash in a string means, and what is behind it. */
static bool take_escape(struct reader *r)
{
    static const char letters[] = "\\'\"abfnrtv";
    static const char meaning[] = "\\'\"\a\b\f\n\r\t\v";
    const char c = peek(r, 0);
    const char *letter = strchr(letters, c);
    if (r->at == r->end)
        return false;
    if (c >= '0' && c <= '7')
        return take_code(r, 8, 1, 3);
    if (letter == NULL && strchr("xuUN\n\r", c) == NULL) {
        put(r, '\\'); /* nothing: both of them are meant */
        return true;
    }
    r->at++;
    if (letter != NULL)
        put(r, (uint32_t)meaning[letter - letters]);
    return letter != NULL || c == '\n' || (c == 'x' && take_code(r, 16, 2, 2)) ||
           (c == 'u' && take_code(r, 16, 4, 4)) || (c == 'U' && take_code(r, 16, 8, 8));
}

/* A character of a string, as it is. Those of UTF-8 are copied byte by byte. */
static void take_plain(struct reader *r)
{
    const unsigned char c = (unsigned char)r->text[r->at++];
    if (r->dialect == GS_LITERAL_PYTHON2)
        put(r, c);
    else
        r->to->strings[r->to->used++] = (char)c;
}

/* The quotes that are next: 0, 1 or 3. */
static uint32_t count_quotes(const struct reader *r, char quote)
{
    if (peek(r, 0) != quote)
        return 0;
    return peek(r, 1) == quote && peek(r, 2) == quote ? 3 : 1;
}

/* One string in quotes, up to the end of those. */
static bool take_quoted(struct reader *r, bool raw)
{
    const char quote = peek(r, 0);
    const uint32_t quotes = count_quotes(r, quote);
    r->at += quotes;
    while (count_quotes(r, quote) < quotes) {
        const char c = peek(r, 0);
        if (r->at == r->end || c == '\r' || (c == '\n' && quotes == 1))
            return false;
        if (c != '\\') {
            take_plain(r);
        } else if (raw) { /* and what is behind it ends nothing */
            take_plain(r);
            if (r->at == r->end || is_line_end(peek(r, 0)))
                return false;
            take_plain(r);
        } else {
            r->at++;
            if (!take_escape(r))
                return false;
        }
    }
    r->at += quotes;
    return true;
}

/* Does a string begin here, after the letter in front of it? */
static bool begins_string(const struct reader *r)
{
    const char quote = peek(r, peek(r, 0) != '\0' && strchr("uUrR", peek(r, 0)) != NULL);
    return quote == '\'' || quote == '"';
}

/* A string, of one or more in quotes behind each other. */
static bool read_string(struct reader *r, uint32_t *index)
{
    const uint32_t first = r->to->used;
    if (!make(r, GS_LITERAL_STRING, index))
        return false;
    while (begins_string(r)) {
        const char c = peek(r, 0);
        r->at += c != '\'' && c != '"';
        if (!take_quoted(r, c == 'r' || c == 'R'))
            return false;
        r->to->list[*index].end = r->at;
        skip(r);
    }
    r->at = r->to->list[*index].end;
    r->to->list[*index].first = first;
    r->to->list[*index].count = r->to->used - first;
    r->to->strings[r->to->used++] = '\0';
    return true;
}

/* The digits of an integer, with single underscores between. */
static bool take_digits(struct reader *r, uint32_t base, uint64_t *value)
{
    const uint32_t begin = r->at;
    for (*value = 0;; r->at++) {
        const bool apart = peek(r, 0) == '_' && (r->at > begin || base != 10);
        const uint32_t digit = digit_of(peek(r, apart));
        if (digit >= base)
            break;
        r->at += apart;
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            *value = UINT64_MAX;
    }
    return r->at > begin;
}

/* What Python 2 wrote behind long integers. */
static void skip_long(struct reader *r)
{
    for (;;) {
        uint32_t blanks = 0;
        while (is_blank(peek(r, blanks)))
            blanks++;
        if (peek(r, blanks) != 'L' || is_word(peek(r, blanks + 1)))
            return;
        r->at += blanks + 1;
    }
}

/* An integer. In front of one with other digits, no 0 may stand. */
static bool read_integer(struct reader *r, uint32_t *index)
{
    static const char letters[] = "xXoObB";
    static const uint32_t bases[] = {16, 8, 2};
    if (!make(r, GS_LITERAL_INTEGER, index))
        return false;
    struct gs_literal *literal = &r->to->list[*index];
    literal->negative = peek(r, 0) == '-';
    if (peek(r, 0) == '-' || peek(r, 0) == '+') {
        r->at++;
        skip(r);
    }
    const bool zero = peek(r, 0) == '0';
    const char *letter = zero && peek(r, 1) != '\0' ? strchr(letters, peek(r, 1)) : NULL;
    r->at += letter != NULL ? 2 : 0;
    if (!take_digits(r, letter != NULL ? bases[(letter - letters) / 2] : 10, &literal->value) ||
        (letter == NULL && zero && literal->value != 0))
        return false;
    if (r->dialect == GS_LITERAL_PYTHON2)
        skip_long(r);
    literal->end = r->at;
    return !is_word(peek(r, 0)) && peek(r, 0) != '.';
}

/* True, False or None. */
static bool read_word(struct reader *r, uint32_t *index)
{
    static const char *const words[] = {"False", "True", "None"};
    uint32_t length = 0;
    while (is_word(peek(r, length)))
        length++;
    for (uint32_t i = 0; i < 3; i++) {
        if (length != strlen(words[i]) || memcmp(r->text + r->at, words[i], length) != 0)
            continue;
        if (!make(r, i < 2 ? GS_LITERAL_TRUTH : GS_LITERAL_NONE, index))
            return false;
        r->at += length;
        r->to->list[*index].value = i;
        r->to->list[*index].end = r->at;
        return true;
    }
    return false;
}

/* Read one more value, and put it behind *last of the container, or first. */
static bool append(struct reader *r, uint32_t container, uint32_t *last, int depth)
{
    uint32_t index;
    if (!read_value(r, &index, depth))
        return false;
    struct gs_literal *list = r->to->list;
    *(*last == 0 ? &list[container].first : &list[*last].next) = index;
    list[container].count++;
    *last = index;
    return true;
}

/* A list, a tuple or a dictionary; what is in parentheses without a comma is no tuple. */
static bool read_container(struct reader *r, uint32_t *index, int depth)
{
    static const enum gs_literal_kind kinds[] = {GS_LITERAL_TUPLE, GS_LITERAL_LIST,
                                                 GS_LITERAL_DICTIONARY};
    const char open = peek(r, 0);
    const int which = open == '(' ? 0 : open == '[' ? 1 : 2;
    const char close = ")]}"[which];
    uint32_t container;
    uint32_t last = 0;
    bool more = true; /* as at the start, or behind a comma */
    if (depth == GS_LITERAL_DEPTH || !make(r, kinds[which], &container))
        return false;
    for (r->at++; !take(r, close); more = take(r, ',')) {
        if (!more || !append(r, container, &last, depth + 1))
            return false;
        if (open == '{' && (!take(r, ':') || !append(r, container, &last, depth + 1)))
            return false;
    }
    r->to->list[container].end = r->at;
    *index =
        open == '(' && last != 0 && !more && r->to->list[container].count == 1 ? last : container;
    return true;
}

static bool read_value(struct reader *r, uint32_t *index, int depth)
{
    skip(r);
    const char c = peek(r, 0);
    if (c == '(' || c == '[' || c == '{')
        return read_container(r, index, depth);
    if (begins_string(r))
        return read_string(r, index);
    if (c == '-' || c == '+' || is_digit(c))
        return read_integer(r, index);
    return read_word(r, index);
}

bool gs_literals_read(struct gs_literals *literals, const char *text, uint32_t begin, uint32_t end,
                      enum gs_literal_dialect dialect, uint32_t *bad)
{
    *literals = (struct gs_literals){.count = 0};
    struct reader r = {text, begin, end, dialect, true, literals};
    *bad = begin;
    if (memchr(text + begin, '\0', end - begin) != NULL)
        return false;
    if (dialect == GS_LITERAL_PYTHON3 && !gs_utf8_is(text + begin, end - begin))
        return false;
    /* A byte of Latin-1 is two of UTF-8, and so is the shortest string with the NUL behind. */
    literals->strings = malloc(2 * (size_t)(end - begin) + 1);
    literals->no_memory = literals->strings == NULL;
    bool good = !literals->no_memory && skip_front(&r) && read_value(&r, &literals->root, 0);
    literals->end = r.at;
    r.joins = false;
    if (good)
        skip(&r);
    *bad = r.at;
    return good && r.at == end;
}

void gs_literals_free(struct gs_literals *literals)
{
    free(literals->list);
    free(literals->strings);
    *literals = (struct gs_literals){.count = 0};
}

bool gs_literal_is(const struct gs_literals *literals, const struct gs_literal *literal,
                   const char *string)
{
    return literal->kind == GS_LITERAL_STRING && literal->count == strlen(string) &&
           memcmp(literals->strings + literal->first, string, literal->count) == 0;
}
