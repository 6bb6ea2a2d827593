/* stats.c -- --stats: what a sort did and how long each stage took.
 * SPDX-License-Identifier: MIT
 *
 * Both formats have the same content. The meaning of the JSON fields changes only with the version.
 */
#include "cli/stats.h"

#include "cli/energy.h"
#include "cli/json.h"
#include "cli/row.h"
#include "common/files/file.h"
#include "common/human.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GS_STATS_VERSION 2

/* getrusage(2) counts the disk's traffic in these. */
#define USAGE_BLOCK 512

/* Of the text: the first column. */
#define NAME_COLUMNS 16

/* Derived figures, computed once for both formats. */
struct summary {
    double total_ms;
    double stages_ms;
    double overlap_ms;                  /* time that stages ran alongside others */
    double mean_bin;                    /* mean number of keys in a bin */
    uint64_t read_bytes, written_bytes; /* of the disk, by this process */
    uint64_t page_faults;
};

static double to_ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

/* The rate of an amount per second, in multiples of unit; 0 if no time was measured. */
static double to_rate(uint64_t amount, uint64_t ns, double unit)
{
    return ns > 0 ? (double)amount / unit / ((double)ns / 1e9) : 0;
}

static const char *or_dash(const char *text)
{
    return text != NULL && *text != '\0' ? text : "-";
}

/* NULL: it did not run, or is not known. */
static const char *device_name(enum gs_device device)
{
    return device != GS_DEVICE_AUTO ? gs_device_name(device) : NULL;
}

static struct summary summarize(const struct gs_stats *stats, uint64_t wall_ns)
{
    uint64_t sum = 0;
    const uint64_t sorted = stats->keys_in - stats->keys_combined;
    struct rusage usage = {.ru_majflt = 0};
    for (int i = 0; i < GS_STAGES; i++)
        sum += stats->stages[i].ns;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (struct summary){.total_ms = to_ms(wall_ns),
                            .stages_ms = to_ms(sum),
                            .overlap_ms = sum > wall_ns ? to_ms(sum - wall_ns) : 0,
                            .mean_bin = stats->bins > 0 ? (double)sorted / (double)stats->bins : 0,
                            .read_bytes = (uint64_t)usage.ru_inblock * USAGE_BLOCK,
                            .written_bytes = (uint64_t)usage.ru_oublock * USAGE_BLOCK,
                            .page_faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt)};
}

/* Milliseconds from the program's start. */
static double since(uint64_t ns, uint64_t start_ns)
{
    return ns > start_ns ? to_ms(ns - start_ns) : 0;
}

/* A stage's rate as a share of what the bus or the GPU's memory can do; negative if that is not
 * known, or neither limits the stage. */
static double find_share(const struct gs_stats *stats, enum gs_stage stage)
{
    const struct gs_stage_stats *row = &stats->stages[stage];
    bool on_bus = stage == GS_STAGE_UPLOAD || stage == GS_STAGE_DOWNLOAD;
    double limit = on_bus ? stats->bus_rate : stats->device_rate;
    if (row->device != GS_DEVICE_GPU || limit <= 0 || row->bytes == 0)
        return -1;
    return to_rate(row->bytes, row->ns, limit);
}

/* Milliseconds in `columns`, of a run of days, too. */
static void print_ms(FILE *out, int columns, double ms)
{
    fprintf(out, " %*.*f", columns, ms < 1e6 ? 3 : 0, ms);
}

/* The stages that ran. */
static void print_text_stages(FILE *out, const struct gs_stats *stats, uint64_t start_ns)
{
    fprintf(out, "%-*s %-6s %11s %8s %9s %11s %11s\n", NAME_COLUMNS, "stage", "device", "ms",
            "GB/s", "Mkeys/s", "begin", "end");
    for (int i = 0; i < GS_STAGES; i++) {
        const struct gs_stage_stats *stage = &stats->stages[i];
        if (stage->device == GS_DEVICE_AUTO)
            continue;
        fprintf(out, "%-*s %-6s", NAME_COLUMNS, gs_stage_name((enum gs_stage)i),
                device_name(stage->device));
        print_ms(out, 11, to_ms(stage->ns));
        fprintf(out, " %8.2f %9.1f", to_rate(stage->bytes, stage->ns, 1e9),
                to_rate(stage->keys, stage->ns, 1e6));
        print_ms(out, 11, since(stage->begin_ns, start_ns));
        print_ms(out, 11, since(stage->end_ns, start_ns));
        putc('\n', out);
    }
}

#define ROW(...) gs_print_row(out, NAME_COLUMNS, __VA_ARGS__)

/* What was sorted, and into which bins. */
static void print_text_counts(FILE *out, const struct gs_stats *stats,
                              const struct gs_options *options, double mean_bin)
{
    char format[GS_FORMAT_TEXT];
    char largest[24] = "-"; /* merges do not measure it */
    gs_format_name(options->format, format);
    if (stats->largest_bin > 0 || stats->bins == stats->equality_bins)
        snprintf(largest, sizeof largest, "%" PRIu64, stats->largest_bin);
    ROW("type", "%s", format);
    ROW("keys", "%" PRIu64 " in, %" PRIu64 " out", stats->keys_in, stats->keys_out);
    ROW("samples", "%" PRIu64, stats->samples);
    ROW("bins", "%" PRIu64 ", largest %s, mean %.1f", stats->bins, largest, mean_bin);
    ROW("equality bins", "%" PRIu64 ", %" PRIu64 " keys in them", stats->equality_bins,
        stats->equality_keys);
    if (stats->lists > 0)
        ROW("lists", "%" PRIu64 ", %u bits vary", stats->lists, stats->varying_bits);
}

static void print_text(FILE *out, const struct gs_stats *stats, const struct gs_options *options,
                       uint64_t start_ns, uint64_t wall_ns)
{
    struct summary sum = summarize(stats, wall_ns);
    char memory[GS_HUMAN_TEXT];
    char temporary[GS_HUMAN_TEXT];
    char written[GS_HUMAN_TEXT];
    ROW("total", "%.3f ms, %.2f GB/s, %.1f Mkeys/s", sum.total_ms,
        to_rate(stats->keys_in * gs_record_bytes(options), wall_ns, 1e9),
        to_rate(stats->keys_in, wall_ns, 1e6));
    print_text_stages(out, stats, start_ns);
    ROW("sum of stages", "%.3f ms", sum.stages_ms);
    ROW("overlap", "%.3f ms", sum.overlap_ms);
    print_text_counts(out, stats, options, sum.mean_bin);
    ROW("engine", "%s", or_dash(stats->engine));
    ROW("device", "%s (%s)", or_dash(device_name(stats->device)), or_dash(stats->device_text));
    ROW("reason", "%s", or_dash(stats->reason));
    ROW("order", "%s", or_dash(stats->order));
    ROW("threads", "%u", stats->threads);
    ROW("memory", "%s", gs_human_exact(stats->memory_bytes, memory));
    char most[GS_HUMAN_TEXT];
    ROW("temporary", "%s, %s past the page cache%s%s",
        gs_human_exact(stats->temporary_bytes, temporary),
        gs_human_bytes(stats->direct_bytes, written), stats->reused_bytes > 0 ? ", at most " : "",
        stats->reused_bytes > 0 ? gs_human_bytes(stats->temporary_bytes - stats->reused_bytes, most)
                                : "");
    ROW("disk", "%s read, %s written, %" PRIu64 " page faults",
        gs_human_bytes(sum.read_bytes, temporary), gs_human_bytes(sum.written_bytes, written),
        sum.page_faults);
    double joules;
    if (gs_energy_joules(&joules))
        ROW("energy", "%.1f J, of all processors and all that ran", joules);
    if (options->verify)
        ROW("fingerprint", "0x%016" PRIx64, stats->fingerprint);
    if (stats->summary.known)
        ROW("duplicates", "%" PRIu64 ", first key %s, last %s", stats->summary.duplicates,
            or_dash(stats->summary.first), or_dash(stats->summary.last));
}

static void print_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  \"%s\": ", name);
    gs_json_string(out, text);
    fputs(",\n", out);
}

/* Print a number behind its field's name, or null if the number is not known. */
static void print_or_null(FILE *out, const char *name, bool known, double value)
{
    if (known)
        fprintf(out, "%s%.6f", name, value);
    else
        fprintf(out, "%snull", name);
}

static void print_json_stages(FILE *out, const struct gs_stats *stats, uint64_t start_ns)
{
    fputs("  \"stages\": [\n", out);
    for (int i = 0; i < GS_STAGES; i++) {
        const struct gs_stage_stats *stage = &stats->stages[i];
        fputs("    {\"name\": ", out);
        gs_json_string(out, gs_stage_name((enum gs_stage)i));
        fputs(", \"device\": ", out);
        gs_json_string(out, device_name(stage->device));
        fprintf(out,
                ", \"ms\": %.6f, \"bytes\": %" PRIu64 ", \"keys\": %" PRIu64
                ", \"gb_per_s\": %.6f, \"mkeys_per_s\": %.6f",
                to_ms(stage->ns), stage->bytes, stage->keys, to_rate(stage->bytes, stage->ns, 1e9),
                to_rate(stage->keys, stage->ns, 1e6));
        bool ran = stage->device != GS_DEVICE_AUTO;
        double share = find_share(stats, (enum gs_stage)i);
        print_or_null(out, ", \"begin_ms\": ", ran, since(stage->begin_ns, start_ns));
        print_or_null(out, ", \"end_ms\": ", ran, since(stage->end_ns, start_ns));
        print_or_null(out, ", \"share\": ", share >= 0, share);
        fputs(i + 1 < GS_STAGES ? "},\n" : "}\n", out);
    }
    fputs("  ],\n", out);
}

/* What parts of a sorted whole are checked by against each other. */
static void print_summary(FILE *out, const struct gs_stats *stats)
{
    if (!stats->summary.known) {
        print_field(out, "summary", NULL);
        return;
    }
    fprintf(out,
            "  \"summary\": {\"count\": %" PRIu64 ", \"fingerprint\": \"0x%016" PRIx64
            "\", \"duplicates\": %" PRIu64 ", \"first_key\": ",
            stats->keys_out, stats->fingerprint, stats->summary.duplicates);
    gs_json_string(out, stats->summary.first);
    fputs(", \"last_key\": ", out);
    gs_json_string(out, stats->summary.last);
    fputs("},\n", out);
}

void gs_stats_print_json(FILE *out, const struct gs_stats *stats, const struct gs_options *options,
                         uint64_t start_ns, uint64_t wall_ns)
{
    struct summary sum = summarize(stats, wall_ns);
    char format[GS_FORMAT_TEXT];
    fprintf(out, "{\n  \"version\": %d,\n", GS_STATS_VERSION);
    print_json_stages(out, stats, start_ns);
    fprintf(out,
            "  \"keys_in\": %" PRIu64 ",\n  \"keys_out\": %" PRIu64 ",\n  \"samples\": %" PRIu64
            ",\n",
            stats->keys_in, stats->keys_out, stats->samples);
    fprintf(out,
            "  \"bins\": {\"count\": %" PRIu64 ", \"largest\": %" PRIu64
            ", \"mean\": %.6f, \"equality\": %" PRIu64 ", \"equality_keys\": %" PRIu64 "},\n",
            stats->bins, stats->largest_bin, sum.mean_bin, stats->equality_bins,
            stats->equality_keys);
    fprintf(out, "  \"lists\": {\"count\": %" PRIu64 ", \"varying_bits\": %u},\n", stats->lists,
            stats->varying_bits);
    gs_format_name(options->format, format);
    print_field(out, "type", format);
    print_field(out, "engine", stats->engine);
    print_field(out, "device", device_name(stats->device));
    print_field(out, "device_text", stats->device_text);
    print_field(out, "reason", stats->reason);
    print_field(out, "order", stats->order);
    print_field(out, "warning", stats->warning);
    if (options->verify)
        fprintf(out, "  \"fingerprint\": \"0x%016" PRIx64 "\",\n", stats->fingerprint);
    else
        print_field(out, "fingerprint", NULL);
    print_summary(out, stats);
    fprintf(out,
            "  \"threads\": %u,\n  \"memory_bytes\": %" PRIu64 ",\n  \"temporary_bytes\": %" PRIu64
            ",\n  \"temporary_direct_bytes\": %" PRIu64 ",\n  \"temporary_most_bytes\": %" PRIu64
            ",\n",
            stats->threads, stats->memory_bytes, stats->temporary_bytes, stats->direct_bytes,
            stats->temporary_bytes - stats->reused_bytes);
    fprintf(out,
            "  \"disk_read_bytes\": %" PRIu64 ",\n  \"disk_written_bytes\": %" PRIu64
            ",\n  \"page_faults\": %" PRIu64 ",\n",
            sum.read_bytes, sum.written_bytes, sum.page_faults);
    double joules = 0;
    const bool told = gs_energy_joules(&joules);
    print_or_null(out, "  \"energy_joules\": ", told, joules);
    fprintf(out,
            ",\n  \"stages_ms\": %.6f,\n  \"overlap_ms\": %.6f,\n  \"total_ms\": %.6f,\n"
            "  \"gb_per_s\": %.6f,\n  \"mkeys_per_s\": %.6f\n}\n",
            sum.stages_ms, sum.overlap_ms, sum.total_ms,
            to_rate(stats->keys_in * gs_record_bytes(options), wall_ns, 1e9),
            to_rate(stats->keys_in, wall_ns, 1e6));
}

enum gs_status gs_stats_print(const struct gs_stats *stats, const struct gs_command *command,
                              uint64_t start_ns, uint64_t wall_ns, struct gs_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "statistics");
    if (command->stats == GS_STATS_JSON)
        gs_stats_print_json(out, stats, &command->task.sort, start_ns, wall_ns);
    else
        print_text(out, stats, &command->task.sort, start_ns, wall_ns);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    enum gs_status st = GS_OK;
    int flags = fcntl(STDERR_FILENO, F_GETFL);
    if (failed)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "statistics");
    else if (flags != -1 && (flags & O_ACCMODE) != O_RDONLY) /* else closed by the user: no error */
        st = gs_file_write_full(STDERR_FILENO, text, size, "standard error", err);
    free(text);
    return st;
}
