/* cluster_stats.c -- --stats of a sort by several ranks: a row for each.
 * SPDX-License-Identifier: MIT
 */
#include "cli/cluster_stats.h"

#include "cli/json.h"
#include "cli/row.h"
#include "common/human.h"
#include "common/files/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLUSTER_STATS_VERSION 1

static double to_ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double to_rate(uint64_t bytes, uint64_t ns)
{
    return ns > 0 ? (double)bytes / (double)ns : 0;
}

/* The sum of all rows, and the longest times. */
static struct gs_cluster_row add_up(const struct gs_cluster_row *rows, int ranks)
{
    struct gs_cluster_row all = {.keys_in = 0};
    for (int i = 0; i < ranks; i++) {
        const struct gs_cluster_row *row = &rows[i];
        all.keys_in += row->keys_in;
        all.keys_out += row->keys_out;
        all.sent_bytes += row->sent_bytes;
        all.got_bytes += row->got_bytes;
        all.exchange_ns = row->exchange_ns > all.exchange_ns ? row->exchange_ns : all.exchange_ns;
        all.wait_ns = row->wait_ns > all.wait_ns ? row->wait_ns : all.wait_ns;
        all.sort_ns = row->sort_ns > all.sort_ns ? row->sort_ns : all.sort_ns;
    }
    return all;
}

static void print_text_row(FILE *out, const char *name, const struct gs_cluster_row *row)
{
    fprintf(out, "%-4s %12" PRIu64 " %12" PRIu64 " %9.2f %9.2f %10.3f %8.3f %8.3f\n", name,
            row->keys_in, row->keys_out, (double)row->sent_bytes / 1e6,
            (double)row->got_bytes / 1e6, to_ms(row->exchange_ns) / 1e3, to_ms(row->wait_ns) / 1e3,
            to_ms(row->sort_ns) / 1e3);
}

/* Where there are several: one row for ranks beside each other. */
static void print_text_hosts(FILE *out, const struct gs_cluster_row *rows, int ranks)
{
    bool several = false;
    for (int i = 1; i < ranks; i++)
        several = several || strcmp(rows[i].host, rows[0].host) != 0;
    for (int i = 0, end; several && i < ranks; i = end) {
        for (end = i + 1; end < ranks && strcmp(rows[end].host, rows[i].host) == 0;)
            end++;
        if (end - i == 1)
            gs_print_row(out, 4, "host", "%s: rank %d", rows[i].host, i);
        else
            gs_print_row(out, 4, "host", "%s: ranks %d to %d", rows[i].host, i, end - 1);
    }
}

static void print_text(FILE *out, const struct gs_cluster_row *rows, int ranks, uint64_t wall_ns)
{
    const struct gs_cluster_row all = add_up(rows, ranks);
    char name[16];
    fprintf(out, "%-5s %.3f ms\n", "total", to_ms(wall_ns));
    fprintf(out, "%-4s %12s %12s %9s %9s %10s %8s %8s\n", "rank", "keys in", "keys out", "MB sent",
            "MB got", "exchange s", "waited s", "sort s");
    for (int i = 0; i < ranks; i++) {
        snprintf(name, sizeof name, "%d", i);
        print_text_row(out, name, &rows[i]);
    }
    print_text_row(out, "all", &all);
    print_text_hosts(out, rows, ranks);
}

void gs_cluster_stats_host(struct gs_cluster_row *row)
{
    if (gethostname(row->host, sizeof row->host) != 0)
        row->host[0] = '\0';
    row->host[sizeof row->host - 1] = '\0';
}

static void print_json_row(FILE *out, const struct gs_cluster_row *row)
{
    fprintf(out,
            "{\"keys_in\": %" PRIu64 ", \"keys_out\": %" PRIu64 ", \"sent_bytes\": %" PRIu64
            ", \"got_bytes\": %" PRIu64 ", \"exchange_ms\": %.6f, \"gb_per_s\": %.6f, "
            "\"wait_ms\": %.6f, \"sort_ms\": %.6f",
            row->keys_in, row->keys_out, row->sent_bytes, row->got_bytes, to_ms(row->exchange_ns),
            to_rate(row->sent_bytes, row->exchange_ns), to_ms(row->wait_ns), to_ms(row->sort_ns));
    if (row->host[0] != '\0') { /* not of all ranks together */
        fputs(", \"host\": ", out);
        gs_json_string(out, row->host);
    }
    putc('}', out);
}

static void print_json(FILE *out, const struct gs_cluster_row *rows, int ranks, uint64_t wall_ns)
{
    const struct gs_cluster_row all = add_up(rows, ranks);
    fprintf(out, "{\n  \"cluster_version\": %d,\n  \"ranks\": [\n", CLUSTER_STATS_VERSION);
    for (int i = 0; i < ranks; i++) {
        fputs("    ", out);
        print_json_row(out, &rows[i]);
        fputs(i + 1 < ranks ? ",\n" : "\n", out);
    }
    fputs("  ],\n  \"all\": ", out);
    print_json_row(out, &all);
    fprintf(out, ",\n  \"total_ms\": %.6f\n}\n", to_ms(wall_ns));
}

enum gs_status gs_cluster_stats_print(const struct gs_cluster_row *rows, int ranks,
                                      const struct gs_command *command, uint64_t wall_ns,
                                      struct gs_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "statistics");
    if (command->stats == GS_STATS_JSON)
        print_json(out, rows, ranks, wall_ns);
    else
        print_text(out, rows, ranks, wall_ns);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    enum gs_status st = failed
                            ? gs_fail(err, GS_ERR_MEMORY, ENOMEM, "statistics")
                            : gs_file_write_full(STDERR_FILENO, text, size, "standard error", err);
    free(text);
    return st;
}
