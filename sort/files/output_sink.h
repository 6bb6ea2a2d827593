/* output_sink.h -- the library's sink interface on top of an output file.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_SINK_H
#define GS_OUTPUT_SINK_H

#include "sort/files/combine.h"
#include "common/files/input.h"
#include "common/files/output.h"
#include "common/files/pace.h"
#include "sort/sort.h"

struct gs_direct_writer;

struct gs_output_sink {
    struct gs_sink sink; /* first: the library's callbacks get a pointer to it */
    struct gs_output *output;
    const struct gs_inputs *inputs;
    unsigned record_bytes;
    const struct gs_options *options;
    bool parts;                      /* come to be combined, not records */
    struct gs_combiner *combiner;    /* in front of the output, or NULL */
    atomic_flag begun;               /* the first write has happened */
    atomic_bool wrote;               /* keys were written, */
    atomic_bool forgot;              /* or forgotten: those in memory, not in files, are lost */
    struct gs_direct_writer *direct; /* or NULL */
    struct gs_pace pace;             /* when to use it */
    unsigned threads;                /* that make pages alongside those that sort, */
    unsigned idle_threads;           /* or while all others wait */
    uint64_t total;              /* records that the library will hand over, if not all of them */
    atomic_uint_fast64_t passed; /* are wanted: how many of them were written, */
    uint64_t fingerprint;        /* and theirs, under options->verify */
};

/* With options->verify, an output that cannot be read back is a stream, which the library verifies
 * on its way out. inputs, if not NULL, are those of one gs_sort: a GPU sort no longer needs them
 * once it writes. Close when all is written; output and inputs must stay until then.
 * Closing returns `st`, what came before; if that was GS_OK, GS_ERR_OUTPUT for a write that is
 * reported as failed only now. options->own.combine: records are combined on their way, and stats
 * gets their number when that ends. */
struct gs_output_sink gs_output_sink(struct gs_output *output, const struct gs_options *options,
                                     const struct gs_inputs *inputs);

/* Where only the last records are wanted (options->wanted): the output would have `total` of them.
 * Call before the first write. */
void gs_output_sink_expect(struct gs_output_sink *to, uint64_t total);

/* About `bytes` bytes will be written: where they are not stored to mapped pages, go past the page
 * cache when that is faster, unless the user has decided. Call before the first write. */
void gs_output_sink_choose(struct gs_output_sink *to, uint64_t bytes);
enum gs_status gs_output_sink_close(struct gs_output_sink *to, enum gs_status st,
                                    struct gs_stats *stats, struct gs_error *err);

#endif
