/* keygen.c -- write N keys of a named distribution to standard output.
 * SPDX-License-Identifier: MIT
 *
 * Keys stream through one small buffer, so N is bounded by the disk alone. The same distribution, N
 * and seed give the same bytes everywhere.
 */
#include "common/keys.h"
#include "data/dist.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_KEYS (64U << 10) /* 256 KiB: fits the L2 cache until it is written */

enum { EXIT_TROUBLE = 2 };

struct request {
    const struct gs_dist *dist;
    uint64_t n;
    uint64_t seed;
    int operands;
};

enum { OPT_SEED = 256, OPT_LIST };

static const struct argp_option options[] = {
    {"seed", OPT_SEED, "S", 0, "start the random numbers from S (default 1)", 0},
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
    if (fflush(stdout) != 0)
        fail_output();
    exit(EXIT_SUCCESS);
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
    case ARGP_KEY_ARG:
        if (request->operands == 0) {
            request->dist = gs_dist_find(arg);
            if (request->dist == NULL)
                fail("%s: no such distribution", arg);
        } else if (request->operands == 1) {
            if (!parse_count(arg, GS_DIST_MAX_KEYS, &request->n))
                fail("%s: not a number of keys up to 2^40", arg);
        } else {
            fail("%s: one operand too many", arg);
        }
        request->operands++;
        return 0;
    case ARGP_KEY_END:
        if (request->operands < 2)
            fail("DISTRIBUTION and N are needed");
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

int main(int argc, char **argv)
{
    static gs_key buffer[BUFFER_KEYS];
    static const struct argp argp = {
        options,
        parse_option,
        "DISTRIBUTION N",
        "Write N 32-bit keys of a named distribution to standard output.\v"
        "N may end in k, M or G, powers of 1024.",
        NULL,
        NULL,
        NULL,
    };
    struct request request = {.dist = NULL, .seed = 1};

    if (argp_parse(&argp, argc, argv, 0, NULL, &request) != 0)
        return EXIT_TROUBLE;
    if (isatty(STDOUT_FILENO))
        fail("standard output: not writing binary keys to a terminal");
    for (uint64_t i = 0; i < request.n;) {
        size_t count = request.n - i < BUFFER_KEYS ? (size_t)(request.n - i) : BUFFER_KEYS;
        for (size_t j = 0; j < count; j++)
            buffer[j] = request.dist->draw(request.seed, request.n, i + j);
        write_all(buffer, count * sizeof buffer[0]);
        i += count;
    }
    if (close(STDOUT_FILENO) != 0 && request.n > 0)
        fail_output();
    return EXIT_SUCCESS;
}
