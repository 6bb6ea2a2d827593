/* npy_literal.h -- literals of Python, in which the headers of .npy files are written.
 * SPDX-License-Identifier: MIT
 *
 * Dictionaries, tuples, lists, strings, integers, True, False and None, as Python reads them: with
 * blanks, comments and lines between, strings in all notations but \N{...}, integers in all bases.
 * What else there is in Python (floats, bytes, sets) has no place in a header.
 */
#ifndef GS_NPY_LITERAL_H
#define GS_NPY_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

/* Literals within literals: no more, so that the stack is bounded. */
#define GS_LITERAL_DEPTH 64

enum gs_literal_kind {
    GS_LITERAL_NONE,
    GS_LITERAL_TRUTH,
    GS_LITERAL_INTEGER,
    GS_LITERAL_STRING,
    GS_LITERAL_TUPLE,
    GS_LITERAL_LIST,
    GS_LITERAL_DICTIONARY
};

struct gs_literal {
    enum gs_literal_kind kind;
    bool negative;       /* an integer */
    uint32_t begin, end; /* where it is in the text */
    uint32_t next;       /* of the same container, the next one; 0: none */
    uint32_t first;      /* of a container, the first one in it; 0: none. Of a string, where it is
                          * in strings */
    uint32_t count;      /* of those in it (keys and values each), or of the string's bytes */
    uint64_t value;      /* of an integer, without its sign; UINT64_MAX: too large */
};

struct gs_literals {
    struct gs_literal *list; /* [0] is unused */
    uint32_t count, room;
    uint32_t root; /* the index of the outermost one */
    char *strings; /* what strings mean, in UTF-8, each with a NUL behind */
    uint32_t used;
    uint32_t end; /* of the outermost in the text, with parentheses around it */
    bool no_memory;
};

enum gs_literal_dialect {
    GS_LITERAL_PYTHON2, /* Latin-1, and an L behind integers counts for nothing */
    GS_LITERAL_PYTHON3  /* UTF-8 */
};

/* Read text[begin, end), which holds one literal. False if it does not: *bad is where. Free in
 * either case. */
bool gs_literals_read(struct gs_literals *literals, const char *text, uint32_t begin, uint32_t end,
                      enum gs_literal_dialect dialect, uint32_t *bad);
void gs_literals_free(struct gs_literals *literals);

/* Is it this string? */
bool gs_literal_is(const struct gs_literals *literals, const struct gs_literal *literal,
                   const char *string);

#endif
