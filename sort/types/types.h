/* types.h -- what callers and rooms share: options, input, sink, progress, statistics.
 * SPDX-License-Identifier: MIT
 *
 * Counts and positions are in keys, sizes in bytes, times in nanoseconds. The caller owns every
 * buffer it passes.
 */
#ifndef GS_TYPES_H
#define GS_TYPES_H

#include "common/formats/codec.h"
#include "common/formats/keys.h"
#include "common/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A contiguous piece of the input in memory (a mapped file, a buffer filled from a pipe): keys, or
 * records where options say so. name is used in error messages. */
struct gs_span {
    const void *keys;
    uint64_t count;
    const char *name;
};

enum gs_engine {
    GS_ENGINE_AUTO,
    GS_ENGINE_SAMPLESORT,
    GS_ENGINE_ATOMICMIN,
    GS_ENGINE_REDUCTION,
    GS_ENGINE_HYBRID
};

struct gs_combine;
struct gs_offsets;
struct gs_incoming;
struct gs_record_order;

enum gs_wanted_end { GS_WANTED_ALL, GS_WANTED_HEAD, GS_WANTED_TAIL };

/* Which records of the output are wanted: all, the first ones or the last ones. */
struct gs_wanted {
    enum gs_wanted_end end;
    uint64_t count; /* of records, or fewer if there are not so many */
};

enum gs_device { GS_DEVICE_AUTO, GS_DEVICE_CPU, GS_DEVICE_GPU };

const char *gs_engine_name(enum gs_engine engine);
const char *gs_device_name(enum gs_device device);

/* What the library's own calls tell each other of a sort; all others leave it zero. */
struct gs_own_options {
    bool leave_device;   /* do not release GPU resources that are slow to release: the process will
                          * soon end by _exit, which reclaims them */
    uint64_t held_bytes; /* anonymous memory that the input occupies: it counts against memory_bytes
                          * until the sink's forget(), which must then exist, gives it back */
    struct gs_incoming *incoming; /* work done while the input's only span was being read, or NULL:
                                   * the sort may use it and overwrite the span
                                   * (pipeline/incoming.h) */
    const struct gs_combine *combine; /* what the sink makes of sorted records, which writes fewer
                                       * of them than the sort gives it; or NULL */
    struct gs_offsets *offsets;       /* the same: what it notes of them, in order; or NULL */
};

/* What to do. All zero: a plain ascending sort, with every parameter chosen by the library. */
struct gs_options {
    bool reverse;  /* descending */
    bool unique;   /* one of each key */
    bool verify;   /* fingerprint what is read and what is handed to the sink */
    bool shuffled; /* in the random order that this is the seed of, instead of a sorted one: */
    uint64_t seed;
    unsigned key_bytes;             /* 4, 8 or 16; 0: 4 */
    const struct gs_codec *codec;   /* spans and sink have records, and this makes keys of them;
                                     * NULL: they have keys. A sink can then be memory only if both
                                     * have the same size */
    const struct gs_format *format; /* what the records are, for messages; NULL: unsigned keys */
    const struct gs_record_order *records; /* spans and sink have records of `format` that no
                                            * element holds: they are wider, or equal ones stay in
                                            * input order. NULL: each is an element */
    unsigned index_bytes; /* of records only: 4 or 8: the sink gets the index of each instead */
    enum gs_engine engine;
    enum gs_device device;
    unsigned threads;             /* CPU threads; 0: as gs_threads() says */
    uint64_t samples;             /* keys in the sample; 0: from the number of bins */
    uint64_t bins;                /* bins to aim at; 0: from the number of keys */
    uint64_t lists;               /* lists of a shared-memory engine: a power of two; 0: default */
    uint64_t memory_bytes;        /* the sort's own buffers stay below this; 0: no limit */
    uint64_t device_memory_bytes; /* limit of the buffers on the GPU; 0: what is free there */
    struct gs_wanted wanted; /* of the output, for who writes it and for a partial sort: all other
                              * calls hand the sink all of it */
    struct gs_own_options own;
};

/* Bytes of a plain key in spans, sinks and files. */
static inline unsigned gs_plain_bytes(const struct gs_options *options)
{
    return options->key_bytes != 0 ? options->key_bytes : 4;
}

/* Bytes of a record in spans, sinks and files. */
static inline unsigned gs_record_bytes(const struct gs_options *options)
{
    if (options->records != NULL)
        return options->format->record_bytes;
    if (options->codec != NULL)
        return options->codec->record_bytes;
    return gs_plain_bytes(options);
}

/* Bytes of what the output has for each record. */
static inline unsigned gs_output_bytes(const struct gs_options *options)
{
    return options->index_bytes != 0 ? options->index_bytes : gs_record_bytes(options);
}

/* Do equal keys stay in input order, so that a record's position counts? */
static inline bool gs_keeps_input_order(const struct gs_options *options)
{
    return options->shuffled || (options->records != NULL && options->format->stable);
}

/* Bytes of a position in the input that travels with a record. */
#define GS_NUMBER_BYTES 8

/* Keys that agree above so many lowest bits are one under options->unique. */
static inline unsigned gs_payload_bits(const struct gs_options *options)
{
    return options->codec != NULL ? options->codec->payload_bits : 0;
}

/* Where sorted keys go. write() gets pieces that together cover the output exactly once; position
 * is the index of the piece's first key in the output. Several threads may call it at once, unless
 * `stream` is set: then pieces come one after the other in ascending position.
 *
 * memory: set by a sink that is plain memory with room for all keys (a memory-to-memory caller).
 * The sort may build its output in place there while it still reads the input; it does not call
 * write(), which may be NULL.
 *
 * over_input: what is written at a position lies over the record that the only span has there, in
 * memory, if that is set, or by write(). So all of the input is read before the first piece is
 * written. For elements only: records that no element holds are fetched from the input.
 *
 * map(), make(): for a sink that can become memory at a price, such as a file. The CPU's sort calls
 * map() at most once, before it distributes `count` keys or draws the sample for that. A result
 * other than NULL becomes the sink's memory; NULL means that pieces go through write(). early: keys
 * may be distributed within that memory, so that all of it will be written to more than once.
 * Before the sort touches a part of mapped memory it calls make(), which waits until that part can
 * be written to; once the part holds its final keys, it calls write().
 * Under options->unique `count` is an upper bound, and map() is called only if most keys will stay.
 * expect(), if not NULL, is called under options->unique in that case instead of map() where a GPU
 * sorts, before it begins.
 * A stream may have map() without make(): pieces then wait for their turn in that memory, each at
 * its position, and write() may give the memory away with them: the sort never touches it again.
 *
 * forget(), if not NULL, is told which keys of the input will not be read again: in pieces, and by
 * several threads. */
struct gs_sink {
    enum gs_status (*write)(struct gs_sink *sink, const void *keys, uint64_t count,
                            uint64_t position, struct gs_error *err);
    void *memory;
    bool over_input;
    bool stream;
    void *(*map)(struct gs_sink *sink, uint64_t count, bool early);
    enum gs_status (*make)(struct gs_sink *sink, uint64_t count, uint64_t position,
                           struct gs_error *err);
    void (*expect)(struct gs_sink *sink, uint64_t count);
    void (*forget)(struct gs_sink *sink, const void *keys, uint64_t count);
};

/* Progress of a running sort: written by the library, read by any thread at any time. */
struct gs_progress {
    _Atomic(const char *) phase;   /* a stage's name, or NULL before the first */
    atomic_uint_fast64_t done;     /* keys through this phase */
    atomic_uint_fast64_t total;    /* keys that this phase will see; 0: not known */
    atomic_uint_fast64_t begin_ns; /* start of the phase, by the monotonic clock */
    atomic_bool cancelled;         /* written by the caller: fail soon with GS_ERR_CANCELLED */
};

/* Begin a new phase. The string `name` is not copied and must stay valid. */
void gs_progress_enter(struct gs_progress *progress, const char *name, uint64_t total);

/* GS_ERR_CANCELLED if that is wanted. */
enum gs_status gs_progress_check(const struct gs_progress *progress, struct gs_error *err);

/* The rows of --stats, the same for both devices. */
enum gs_stage {
    GS_STAGE_START, /* device start-up */
    GS_STAGE_READ,  /* input from a pipe into memory; the order scan of a mapped file */
    GS_STAGE_SELECT_SAMPLES,
    GS_STAGE_SORT_SAMPLES, /* and choose the splitters */
    GS_STAGE_UPLOAD,
    GS_STAGE_COUNT_BINS,
    GS_STAGE_PREFIX_SUM,
    GS_STAGE_SCATTER,
    GS_STAGE_SORT_BINS,
    GS_STAGE_SORT_LISTS, /* of a shared-memory engine */
    GS_STAGE_MERGE_LISTS,
    GS_STAGE_DOWNLOAD,
    GS_STAGE_WRITE,
    GS_STAGE_VERIFY,
    GS_STAGES
};

const char *gs_stage_name(enum gs_stage stage);

/* One row. ns is the time spent in the stage, divided by the number of threads that share it, so
 * that the rows of a sort without overlap add up to its total. bytes is the least that the stage
 * must read and write; keys is how many it handled. begin_ns and end_ns, by the monotonic clock,
 * are when its first part began and its last part ended; it may have waited for other stages in
 * between. */
struct gs_stage_stats {
    uint64_t ns;
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t bytes;
    uint64_t keys;
    enum gs_device device; /* GS_DEVICE_AUTO: the stage did not run */
};

/* A row for CPU work that began at begin_ns and ends now. */
struct gs_stage_stats gs_stage_since(uint64_t begin_ns, uint64_t keys, uint64_t bytes);

/* Add to a row the work of another part of the run in the same stage. */
void gs_stage_add(struct gs_stage_stats *row, const struct gs_stage_stats *more);

/* What verifying told of the output besides: by it, parts of a sorted whole can be checked against
 * each other. */
struct gs_summary {
    bool known;
    uint64_t duplicates;                        /* records whose keys are those of the one before */
    char first[GS_KEY_TEXT], last[GS_KEY_TEXT]; /* the first key of those records, if any */
};

/* Room for the text that says why engine and device were chosen. */
#define GS_REASON_BYTES 256

/* What a sort did. gs_sort fills it, as far as it came, even if it fails. */
struct gs_stats {
    struct gs_stage_stats stages[GS_STAGES];
    uint64_t keys_in;
    uint64_t keys_out;
    uint64_t keys_combined;   /* of those that came in: with others, before they were sorted */
    uint64_t fingerprint;     /* that the output must have, from the keys read (options.verify) */
    uint64_t samples;         /* keys in the sample */
    uint64_t bins;            /* bins that are not empty */
    uint64_t largest_bin;     /* keys in the largest bin that had to be sorted */
    uint64_t equality_bins;   /* bins of a single value */
    uint64_t equality_keys;   /* keys in them */
    uint64_t lists;           /* of a shared-memory engine; 0: none ran */
    unsigned varying_bits;    /* bits in which a shared-memory engine's keys differ: the number of
                               * passes over each list */
    uint64_t memory_bytes;    /* the sort's own buffers and the input held in memory beside them */
    uint64_t temporary_bytes; /* written to temporary files, */
    uint64_t reused_bytes;    /* how many of them in the room of others, which files had before, */
    uint64_t direct_bytes;    /* and how many of them past the page cache */
    double bus_rate;          /* bytes a second that the GPU's bus carries each way; 0: not known */
    double device_rate; /* bytes a second that the GPU's memory reads and writes; 0: not known */
    unsigned threads;
    const char *engine;      /* the engine that ran, never "auto" */
    enum gs_device device;   /* GS_DEVICE_AUTO: not known */
    const char *device_text; /* the processor's sort code, or the GPU's name */
    const char *order; /* of the input: "none", or "sorted" or "reversed", which need no sort */
    char reason[GS_REASON_BYTES]; /* why engine and device were chosen */
    char warning[256];            /* for the user, or empty */
    struct gs_summary summary;    /* of records (options.records), under options.verify */
};

/* The most CPU threads that a sort may use: options->threads, or by default one for each available
 * processor, up to 32. */
unsigned gs_threads(const struct gs_options *options);

#endif
