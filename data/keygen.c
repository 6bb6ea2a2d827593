/* keygen.c -- write N keys or records of a named distribution to standard output.
 * SPDX-License-Identifier: MIT
 *
 * Keys stream through one small buffer, so N is bounded by the disk alone. The same distribution, N
 * and seed give the same bytes everywhere.
 */
#include "common/formats/keys.h"
#include "data/dist.h"
#include "data/typed.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256U << 10) /* fits the L2 cache until it is written */

enum { EXIT_TROUBLE = 2 };

/* Records of a kind of their own. */
struct record_kind {
    const char *name;
    const char *what;
    size_t bytes; /* 0: as many as --record says, or ALIKE_BYTES */
    void (*make)(uint64_t seed, uint64_t i, unsigned char *to);
};

#define ALIKE_BYTES 24

static const struct record_kind record_kinds[] = {
    {"gray", "records of 100 bytes with a uniform key of 10, as in GraySort", GS_GRAY_BYTES,
     gs_gray_record},
    {"paths", "records of 96 bytes with a path of 88 bytes, most of which begin alike",
     GS_PATHS_BYTES, gs_paths_record},
    {"alike", "records of any size that differ in some bytes, but for a few outliers", 0, NULL},
};
enum { RECORD_KINDS = sizeof record_kinds / sizeof *record_kinds };

struct request {
    const struct gs_dist *dist; /* or, if it is NULL, */
    const struct record_kind *kind;
    uint64_t n;
    uint64_t seed;
    uint64_t from; /* the positions that are written */
    uint64_t to;
    struct gs_key_type type;
    uint64_t record_bytes; /* 0: the key alone */
    bool typed;
    bool specials;
    int operands;
};

enum { OPT_SEED = 256, OPT_LIST, OPT_TYPE, OPT_RECORD, OPT_SPECIALS, OPT_FROM, OPT_TO };

static const struct argp_option options[] = {
    {"seed", OPT_SEED, "S", 0, "start the random numbers from S (default 1)", 0},
    {"type", OPT_TYPE, "TYPE", 0, "keys of this type, as in gsort -t (default u32)", 0},
    {"record", OPT_RECORD, "SIZE", 0, "records of SIZE bytes: the key, and then its position", 0},
    {"specials", OPT_SPECIALS, NULL, 0, "one key in eight is a special value of its type", 0},
    {"from", OPT_FROM, "I", 0, "write from position I on (default 0)", 0},
    {"to", OPT_TO, "I", 0, "write up to before position I (default N)", 0},
    {"list", OPT_LIST, NULL, 0, "list the distributions and exit", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

/* Print one line on standard error, and exit. */
static _Noreturn void __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("keygen: ", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_TROUBLE);
}

static _Noreturn void fail_output(void)
{
    fail("standard output: %s", strerror(errno));
}

/* Parse a decimal number with an optional suffix k, K, M or G (powers of 1024); 0 if it is none. */
static int parse_count(const char *text, uint64_t limit, uint64_t *value)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    uint64_t v = strtoull(text, &end, 10);
    if (errno != 0)
        return 0;
    int shift = 0;
    switch (*end) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'M':
        shift = 20;
        break;
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    if (shift != 0)
        end++;
    if (*end != '\0' || v > limit >> shift)
        return 0;
    *value = v << shift;
    return 1;
}

/* List the distributions, and exit. */
static void list_dists(void)
{
    for (const struct gs_dist *d = gs_dists; d->name != NULL; d++)
        printf("%-16s %s\n", d->name, d->what);
    for (size_t k = 0; k < RECORD_KINDS; k++)
        printf("%-16s %s\n", record_kinds[k].name, record_kinds[k].what);
    if (fflush(stdout) != 0)
        fail_output();
    exit(EXIT_SUCCESS);
}

static void parse_type(const char *text, struct request *request)
{
    struct gs_error err = {.status = GS_OK};
    if (gs_key_type_parse("--type", text, &request->type, &err) != GS_OK)
        fail("%s", err.text);
    request->typed = true;
}

static void parse_operand(const char *text, struct request *request)
{
    if (request->operands == 0) {
        request->dist = gs_dist_find(text);
        for (size_t k = 0; k < RECORD_KINDS; k++)
            if (strcmp(text, record_kinds[k].name) == 0)
                request->kind = &record_kinds[k];
        if (request->dist == NULL && request->kind == NULL)
            fail("%s: no such distribution", text);
    } else if (request->operands == 1) {
        if (!parse_count(text, GS_DIST_MAX_KEYS, &request->n))
            fail("%s: not a number of keys up to 2^40", text);
    } else {
        fail("%s: one operand too many", text);
    }
    request->operands++;
}

/* What is wrong with the options as a whole. */
static void check_request(struct request *request)
{
    if (request->operands < 2)
        fail("DISTRIBUTION and N are needed");
    if (request->to > request->n)
        request->to = request->n;
    const bool any = request->kind != NULL && request->kind->bytes == 0;
    if (request->record_bytes == 0)
        request->record_bytes = any ? ALIKE_BYTES : request->type.bytes;
    else if (!any && request->record_bytes < request->type.bytes)
        fail("--record is less than a key's %u bytes", (unsigned)request->type.bytes);
    else
        request->typed = request->typed || !any;
    if (request->kind != NULL && (request->typed || request->specials))
        fail("%s has records of its own, without --type, --record and --specials",
             request->kind->name);
    if (request->kind != NULL && !any)
        request->record_bytes = request->kind->bytes;
    request->typed = request->typed || request->specials;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = NULL; /* getopt's line is enough, without argp's second one */
        return 0;
    case OPT_SEED:
        if (!parse_count(arg, UINT64_MAX, &request->seed))
            fail("%s: not a seed", arg);
        return 0;
    case OPT_LIST:
        list_dists();
        return 0;
    case OPT_TYPE:
        parse_type(arg, request);
        return 0;
    case OPT_RECORD:
        if (!parse_count(arg, GS_RECORD_BYTES_MAX, &request->record_bytes) ||
            request->record_bytes == 0)
            fail("%s: not a size of records from 1 to %d", arg, GS_RECORD_BYTES_MAX);
        return 0;
    case OPT_SPECIALS:
        request->specials = true;
        return 0;
    case OPT_FROM:
    case OPT_TO:
        if (!parse_count(arg, GS_DIST_MAX_KEYS, key == OPT_FROM ? &request->from : &request->to))
            fail("%s: not a position up to 2^40", arg);
        return 0;
    case ARGP_KEY_ARG:
        parse_operand(arg, request);
        return 0;
    case ARGP_KEY_END:
        check_request(request);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void write_all(const void *buffer, size_t bytes)
{
    const char *from = buffer;
    while (bytes > 0) {
        ssize_t done = write(STDOUT_FILENO, from, bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            fail_output();
        from += done;
        bytes -= (size_t)done;
    }
}

/* Record i. */
static void make_record(const struct request *request, uint64_t i, unsigned char *to)
{
    const struct gs_key_type *type = &request->type;
    if (request->kind != NULL && request->kind->make == NULL) {
        gs_alike_record(request->seed, request->n, i, to, request->record_bytes);
        return;
    }
    if (request->kind != NULL) {
        request->kind->make(request->seed, i, to);
        return;
    }
    const gs_key key = request->dist->draw(request->seed, request->n, i);
    if (!request->typed) {
        memcpy(to, &key, sizeof key);
        return;
    }
    gs_typed_key(type, request->seed, key, to);
    if (request->specials)
        gs_typed_special(type, request->seed, i, to);
    gs_typed_payload(i, to + type->bytes, request->record_bytes - type->bytes);
}

int main(int argc, char **argv)
{
    static unsigned char buffer[BUFFER_BYTES];
    static const struct argp argp = {
        options,
        parse_option,
        "DISTRIBUTION N",
        "Write N keys of a named distribution to standard output, of 32 bits if there is no "
        "--type.\vN may end in k, M or G, powers of 1024.",
        NULL,
        NULL,
        NULL,
    };
    struct request request = {
        .seed = 1,
        .to = GS_DIST_MAX_KEYS,
        .type = {.kind = GS_TYPE_UNSIGNED, .bytes = sizeof(gs_key)},
    };

    if (argp_parse(&argp, argc, argv, 0, NULL, &request) != 0)
        return EXIT_TROUBLE;
    if (isatty(STDOUT_FILENO))
        fail("standard output: not writing binary keys to a terminal");
    const size_t bytes = request.record_bytes;
    size_t used = 0;
    for (uint64_t i = request.from; i < request.to; i++) {
        make_record(&request, i, buffer + used);
        used += bytes;
        if (used + bytes > sizeof buffer || i + 1 == request.to) {
            write_all(buffer, used);
            used = 0;
        }
    }
    if (close(STDOUT_FILENO) != 0 && request.from < request.to)
        fail_output();
    return EXIT_SUCCESS;
}
