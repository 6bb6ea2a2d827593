/* gsort.h -- the library's public calls: sort keys, check an order, prove an output.
 * SPDX-License-Identifier: MIT
 *
 * The library never prints and never exits. Counts and positions are in keys, sizes in bytes, times
 * in nanoseconds. The caller owns every buffer it passes. Nothing is kept after a call returns but
 * a GPU's runtime, once it was started, and with options.leave_device its buffers and the input
 * that they were filled from, which has to stay where it is.
 */
#ifndef GS_GSORT_H
#define GS_GSORT_H

#include "common/keys.h"
#include "common/status.h"
#include "sort/limits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A piece of the input: keys that lie together in memory (a mapped file, a buffer filled from a
 * pipe). name is used in error messages. */
struct gs_span {
    const gs_key *keys;
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

struct gs_incoming;

enum gs_device { GS_DEVICE_AUTO, GS_DEVICE_CPU, GS_DEVICE_GPU };

const char *gs_engine_name(enum gs_engine engine);
const char *gs_device_name(enum gs_device device);

/* What to do. All zero is a plain ascending sort with everything chosen by the library. */
struct gs_options {
    bool reverse;      /* descending */
    bool unique;       /* one of each key */
    bool verify;       /* fingerprint what is read and what is handed to the sink */
    bool leave_device; /* the process ends soon, by _exit: what a GPU takes long to give back is
                        * left to that */
    enum gs_engine engine;
    enum gs_device device;
    unsigned threads;      /* CPU threads; 0: as gs_threads() says */
    uint64_t samples;      /* keys in the sample; 0: from the number of bins */
    uint64_t bins;         /* bins to aim at; 0: from the number of keys */
    uint64_t lists;        /* lists of a shared-memory engine: a power of two; 0: default */
    uint64_t memory_bytes; /* the sort's own buffers stay below this; 0: no limit */
    uint64_t held_bytes; /* of the input, in memory of its own: they count, too, as far as they are
                          * not given back by the sink's forget(), which there must be */
    uint64_t device_memory_bytes; /* the same on the GPU; 0: what is free there */
    struct gs_incoming *incoming; /* what was done while the only span came in, or NULL: the sort
                                   * may use it, and the span's memory (sort/incoming.h) */
};

/* Where sorted keys go. write() gets pieces that together cover the output exactly once; position
 * is the index of the piece's first key in the output. It may be called from several threads at
 * once, unless `stream` is set: then pieces come one after the other in ascending position.
 * A sink that is plain memory for all keys sets `memory`, and the sort may build its output in
 * place there, while it still reads the input; write() is not called then and may be NULL. (A
 * caller from memory to memory: the program's sinks become memory by map(), below.)
 * A sink that could be memory, but at a price, such as a file, has map() and make(). When the CPU
 * is about to distribute `count` keys, or to find out how, it calls map() once, and takes the
 * result, if not NULL, for the sink's memory, or writes all the same: early, if keys will lie all
 * over it on their way. Then make() waits until a part can be written to, and is called before
 * that, and write() is called when a part is there.
 * Under options->unique `count` is the most there may be, and it is called only if most of them
 * will stay; where a GPU sorts them, expect() is called instead, if not NULL, before it has begun.
 * A stream may have map() without make(): then pieces wait for their turn in that memory, at their
 * position, and write() may give it away with them: nobody touches it after that.
 * forget(), if not NULL, is told of keys of the input, in pieces and by several threads, that will
 * not be read again. */
struct gs_sink {
    enum gs_status (*write)(struct gs_sink *sink, const gs_key *keys, uint64_t count,
                            uint64_t position, struct gs_error *err);
    gs_key *memory;
    bool stream;
    gs_key *(*map)(struct gs_sink *sink, uint64_t count, bool early);
    enum gs_status (*make)(struct gs_sink *sink, uint64_t count, uint64_t position,
                           struct gs_error *err);
    void (*expect)(struct gs_sink *sink, uint64_t count);
    void (*forget)(struct gs_sink *sink, const gs_key *keys, uint64_t count);
};

/* How far a running sort has come: written by the library, read by any thread at any time. */
struct gs_progress {
    _Atomic(const char *) phase;   /* a stage's name, or NULL before the first */
    atomic_uint_fast64_t done;     /* keys through this phase */
    atomic_uint_fast64_t total;    /* keys that this phase will see; 0: not known */
    atomic_uint_fast64_t begin_ns; /* when it began, by the monotonic clock */
};

/* A new phase. name must stay. */
void gs_progress_enter(struct gs_progress *progress, const char *name, uint64_t total);

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
 * that the rows of a sort without overlap add up to its total. bytes is what the stage must read
 * and write once at least; keys is what it handled. begin_ns and end_ns, by the monotonic clock,
 * are when the first of it began and the last ended: between them it may have waited for others. */
struct gs_stage_stats {
    uint64_t ns;
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t bytes;
    uint64_t keys;
    const char *device; /* "cpu", "gpu", or NULL: the stage did not run */
};

/* A row of what the CPU did from begin_ns until now. */
struct gs_stage_stats gs_stage_since(uint64_t begin_ns, uint64_t keys, uint64_t bytes);

/* Add to a row what another part of the run did in that stage. */
void gs_stage_add(struct gs_stage_stats *row, const struct gs_stage_stats *more);

/* What a sort did. Filled by gs_sort, also where it fails (as far as it came). */
struct gs_stats {
    struct gs_stage_stats stages[GS_STAGES];
    uint64_t keys_in;
    uint64_t keys_out;
    uint64_t fingerprint;     /* of the output, as derived from what was read (options.verify) */
    uint64_t samples;         /* keys in the sample */
    uint64_t bins;            /* bins with any key in them */
    uint64_t largest_bin;     /* keys in the largest bin that had to be sorted */
    uint64_t equality_bins;   /* bins of a single value */
    uint64_t equality_keys;   /* keys in them */
    uint64_t lists;           /* of a shared-memory engine; 0: none ran */
    unsigned varying_bits;    /* in which its keys differ: the passes over each list */
    uint64_t memory_bytes;    /* the sort's own buffers, and what was held beside them */
    uint64_t temporary_bytes; /* written to temporary files */
    double bus_rate;    /* bytes a second that the GPU's bus can carry each way; 0: not known */
    double device_rate; /* and that its memory can read and write */
    unsigned threads;
    const char *engine; /* what really ran */
    const char *device;
    const char *device_text; /* the processor's sort code, or the GPU's name */
    const char *order;       /* "none", or what made sorting needless: "sorted", "reversed" */
    char reason[256];        /* why engine and device were chosen */
    char warning[256];       /* what the user should hear about, or empty */
};

/* CPU threads that a sort may use at the most: options->threads, or one for each processor to run
 * on, up to 32. */
unsigned gs_threads(const struct gs_options *options);

/* Refuse options that contradict each other, this build or limits.h, before any work. */
enum gs_status gs_options_check(const struct gs_options *options, struct gs_error *err);

/* Refuse more keys than options->engine can take: a shared-memory engine has a limit. */
enum gs_status gs_options_check_count(const struct gs_options *options, uint64_t count,
                                      struct gs_error *err);

/* count keys will be sorted so: start what takes long to start beside all else. more: others are
 * still being read, so that a GPU can start meanwhile; when so many have come that it is not waited
 * for if they end. Returns the device that gs_sort would take. May be called again as more become
 * known. */
enum gs_device gs_prepare(const struct gs_options *options, uint64_t count, bool more);

/* Would at least half of so many keys stay under options->unique? By a sample; false of few. */
bool gs_sort_keeps_most(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count);

/* Was a GPU's runtime started? Its part in exit() takes long, and may not come while it starts: end
 * by _exit. */
bool gs_holds_device(void);

/* Sort all spans together into sink. progress and stats may be NULL. */
enum gs_status gs_sort(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                       struct gs_stats *stats, struct gs_error *err);

/* What gs_sort would do with count keys: engine, device and reason in *stats, and about how many
 * seconds it would take. Starts no device. */
void gs_sort_forecast(const struct gs_options *options, uint64_t count, struct gs_stats *stats,
                      double *seconds);

/* Bytes of buffers that gs_sort will want for count keys on the CPU. */
uint64_t gs_sort_memory(const struct gs_options *options, uint64_t count);

/* Of held_bytes of its input, in memory that forget() gives back: what is there beside those
 * buffers at the most. The rest goes as they fill. */
uint64_t gs_sort_held(const struct gs_options *options, uint64_t count, uint64_t held_bytes);

/* The index of the first key that is out of order after its predecessor, or count when there is
 * none. previous, when not NULL, is the key before keys[0]. Order as options->reverse and ->unique
 * say (unique: strictly). Uses options->threads for large inputs. */
uint64_t gs_first_disorder(const struct gs_options *options, const gs_key *keys, uint64_t count,
                           const gs_key *previous);

/* The sum over the keys of a 64-bit mix of each: the same for two arrays that hold the same keys in
 * any order, and different for others except by a chance of about 2^-64. Sums of parts add up. */
uint64_t gs_fingerprint(const gs_key *keys, uint64_t count);

/* Read the output back from fd, and prove that it is what stats says: as many
 * keys, in order, with the same fingerprint. name is for the message. */
enum gs_status gs_verify_file(const struct gs_options *options, int fd, struct gs_stats *stats,
                              const char *name, struct gs_error *err);

#endif
