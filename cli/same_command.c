/* same_command.c -- join the ranks of a job, and make sure that all have the same command line.
 * SPDX-License-Identifier: MIT
 *
 * Arguments are compared as they are: what ranks may have of their own, %r and %h stand for, and
 * TMPDIR. So nothing has to be said of each option, and none can be forgotten.
 */
#include "cli/same_command.h"

#include "cli/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for an argument in a message, and for the option that it belongs to. */
#define SHOWN_BYTES 256

/* Which program reads the command line, and how: in place of the program's name. */
static const char *reader(void)
{
    static char text[128];
    snprintf(text, sizeof text, "gsort %s, commit %s%s", gs_version, gs_commit,
             getenv("POSIXLY_CORRECT") == NULL ? "" : " with POSIXLY_CORRECT");
    return text;
}

static const char *word(int i, int argc, char **argv)
{
    return i == 0 ? reader() : i < argc ? argv[i] : NULL;
}

static size_t line_bytes(int argc, char **argv)
{
    size_t bytes = 0;
    for (int i = 0; i < argc; i++)
        bytes += strlen(word(i, argc, argv)) + 1;
    return bytes;
}

/* All words, each with its end. */
static void write_line(char *to, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        to = stpcpy(to, word(i, argc, argv)) + 1;
}

static bool is_option(const char *own)
{
    return own != NULL && own[0] == '-' && own[1] != '\0';
}

/* A word for a message: with the option whose value it may be in front, or "". */
static void show(char text[SHOWN_BYTES], const char *option, const char *own)
{
    if (own == NULL)
        snprintf(text, SHOWN_BYTES, "nothing");
    else
        snprintf(text, SHOWN_BYTES, "'%.100s%s%.100s'", option, *option != '\0' ? " " : "", own);
}

/* Compare this rank's words with rank 0's. */
static enum gs_status compare(const char *first, size_t bytes, int rank, int argc, char **argv,
                              struct gs_error *err)
{
    const char *end = first + bytes;
    const char *before = "";
    for (int i = 0; first < end || i < argc; i++) {
        char own[SHOWN_BYTES], other[SHOWN_BYTES];
        const char *here = word(i, argc, argv);
        const char *there = first < end ? first : NULL;
        if (here == NULL || there == NULL || strcmp(here, there) != 0) {
            if (!is_option(before) || is_option(here) || is_option(there))
                before = "";
            show(own, before, here);
            show(other, before, there);
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "rank %d has %s where rank 0 has %s: all ranks must be started with the "
                           "same command line",
                           rank, own, other);
        }
        before = i > 0 ? here : "";
        first += strlen(first) + 1;
    }
    return GS_OK;
}

enum gs_status gs_same_command(struct gs_cluster *cluster, int argc, char **argv,
                               struct gs_error *err)
{
    enum gs_status st;
    char *line = NULL;
    size_t bytes = line_bytes(argc, argv);
    GS_TRY(gs_cluster_start(cluster, err));
    if (cluster->size == 1)
        return GS_OK;
    GS_TRY(gs_cluster_share(&bytes, sizeof bytes, err));
    line = malloc(bytes);
    st = line == NULL ? gs_fail(err, GS_ERR_MEMORY, errno, "command line") : GS_OK;
    st = gs_cluster_agree(cluster, st, err);
    if (st != GS_OK || line == NULL)
        goto cleanup;
    if (cluster->rank == 0)
        write_line(line, argc, argv);
    GS_TRY(gs_cluster_share(line, bytes, err));
    st = gs_cluster_agree(cluster, compare(line, bytes, cluster->rank, argc, argv, err), err);
cleanup:
    free(line);
    return st;
}
