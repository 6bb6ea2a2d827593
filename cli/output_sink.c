/* output_sink.c -- the library's sink on top of an output file.
 * SPDX-License-Identifier: MIT
 */
#include "cli/output_sink.h"

#include "common/clock.h"

static enum gs_status write_keys(struct gs_sink *sink, const gs_key *keys, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    return gs_output_write(to->output, keys, (size_t)count * GS_KEY_BYTES, position * GS_KEY_BYTES,
                           err);
}

struct gs_output_sink gs_output_sink(struct gs_output *output, const struct gs_options *options)
{
    /* Only a temporary can be read back; the library proves a stream while it is written. */
    bool stream = output->kind == GS_OUTPUT_STREAM ||
                  (options->verify && output->kind != GS_OUTPUT_TEMPORARY);
    return (struct gs_output_sink){.sink = {.write = write_keys, .stream = stream},
                                   .output = output};
}

enum gs_status gs_output_finish(struct gs_output *output, const struct gs_options *options,
                                struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_stage_stats *row = &stats->stages[GS_STAGE_WRITE];
    if (options->verify && output->kind == GS_OUTPUT_TEMPORARY)
        GS_TRY(gs_verify_file(options, output->fd, 0, stats, output->name, err));
    uint64_t start = gs_now_ns();
    GS_TRY(gs_output_publish(output, stats->keys_out * GS_KEY_BYTES, err));
    row->ns += gs_now_ns() - start;
    if (row->device == NULL)
        row->device = "cpu";
cleanup:
    return st;
}
