/* rank_output.c -- what a rank has sorted goes to its range of the output.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cluster/rank_part.h"

#include "sort/check/record_fingerprint.h"
#include "sort/sort.h"

#include "common/files/file.h"
#include "common/memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Numbered records written at a time. */
#define STRIP_BYTES ((size_t)512 << 10)

/* Copy to `to` what the output has for numbered records: output_bytes for each. */
static void strip_numbers(const struct gs_rank_part *part, const char *numbered, uint64_t count,
                          char *to)
{
    const struct gs_options *options = part->options;
    for (; count > 0; count--, numbered += part->wire_bytes, to += part->output_bytes) {
        const uint64_t number = htole64(gs_number_read(numbered, options->reverse));
        if (options->index_bytes != 0)
            memcpy(to, &number, options->index_bytes);
        else
            memcpy(to, numbered + GS_NUMBER_BYTES, part->output_bytes);
    }
}

static enum gs_status write_records(struct gs_sink *sink, const void *records, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    const struct gs_rank_part *part = (const struct gs_rank_part *)sink;
    struct gs_output *file = part->output.file;
    const uint64_t at = position * part->output_bytes;
    const size_t bytes = (size_t)count * part->output_bytes;
    if (sink->memory != NULL) {
        gs_output_made(file, at, bytes);
        return GS_OK;
    }
    if (part->fd == file->fd)
        return gs_output_write(file, records, bytes, at, err);
    return gs_file_pwrite_full(part->fd, records, bytes, at, file->name, err);
}

/* The same for records with numbers, which are left out. */
static enum gs_status write_numbered(struct gs_sink *sink, const void *records, uint64_t count,
                                     uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_rank_part *part = (struct gs_rank_part *)sink;
    const uint64_t most = STRIP_BYTES / part->wire_bytes;
    char *buffer = malloc((size_t)most * part->wire_bytes);
    if (buffer == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", part->output.file->name);
    for (uint64_t done = 0, here; done < count; done += here) {
        const char *from = (const char *)records + done * part->wire_bytes;
        here = count - done < most ? count - done : most;
        strip_numbers(part, from, here, buffer);
        GS_TRY(write_records(sink, buffer, here, position + done, err));
        if (part->options->verify) {
            part->numbered_sum += gs_records_fingerprint(from, part->wire_bytes, here);
            part->written_sum += gs_records_fingerprint(buffer, part->output_bytes, here);
        }
    }
cleanup:
    free(buffer);
    return st;
}

/* This rank's range of the file as memory. */
static void *map_records(struct gs_sink *sink, uint64_t count, bool early)
{
    const struct gs_rank_part *part = (const struct gs_rank_part *)sink;
    if (gs_buffer_space_left() != UINT64_MAX)
        return NULL;
    return gs_output_map(part->output.file, count * part->output_bytes, early,
                         gs_threads(part->options));
}

/* Only where keys lie in the file as they do in memory. */
static bool may_map(const struct gs_rank_part *part)
{
    const struct gs_options *options = part->options;
    const bool alike = options->records != NULL ? options->index_bytes == 0
                                                : gs_record_bytes(options) == options->key_bytes &&
                                                      part->output.start % options->key_bytes == 0;
    return alike && !options->unique && part->sorted == options;
}

static enum gs_status make_records(struct gs_sink *sink, uint64_t count, uint64_t position,
                                   struct gs_error *err)
{
    const struct gs_rank_part *part = (const struct gs_rank_part *)sink;
    return gs_output_make(part->output.file, position * part->output_bytes,
                          count * part->output_bytes, err);
}

static void forget_records(struct gs_sink *sink, const void *records, uint64_t count)
{
    const struct gs_rank_part *part = (const struct gs_rank_part *)sink;
    gs_pages_advise(records, count * part->wire_bytes, MADV_DONTNEED);
}

void gs_rank_output_open(struct gs_rank_part *part)
{
    part->sink.write = write_records;
    part->sink.forget = forget_records;
    part->sorted = part->options;
    if (gs_keeps_input_order(part->options)) {
        gs_numbered_init(&part->numbered, part->options);
        part->sorted = &part->numbered.options;
        part->sink.write = write_numbered;
    }
    if (may_map(part)) {
        part->sink.map = map_records;
        part->sink.make = make_records;
    }
}

void gs_rank_output_enter(const struct gs_rank_part *part)
{
    struct gs_output *file = part->output.file;
    file->start = part->start / GS_HUGE_PAGE_BYTES * GS_HUGE_PAGE_BYTES;
    file->head_bytes = part->start - file->start;
}

void gs_rank_output_leave(const struct gs_rank_part *part)
{
    struct gs_output *file = part->output.file;
    gs_output_end_prefill(file);
    file->start = 0;
    file->head_bytes = part->head_bytes;
}

enum gs_status gs_rank_output_prove(const struct gs_rank_part *part, struct gs_stats *stats,
                                    struct gs_error *err)
{
    if (part->numbered_sum != stats->fingerprint)
        return gs_fail(err, GS_ERR_VERIFY, 0, "%s: verify: what was sorted is not what has come",
                       part->output.file->name);
    stats->fingerprint = part->written_sum;
    return GS_OK;
}
