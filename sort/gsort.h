/* gsort.h -- the library's public calls: sort keys, check an order, prove an output.
 * SPDX-License-Identifier: MIT
 *
 * The library never prints and never exits. Counts and positions are in keys, sizes in bytes, times
 * in nanoseconds. The caller owns every buffer it passes. A call that has returned keeps nothing,
 * except a GPU's runtime once it has started, and, with options.leave_device, the GPU's buffers and
 * references to the input that filled them: that input must then stay where it is.
 */
#ifndef GS_GSORT_H
#define GS_GSORT_H

#include "common/keys.h"
#include "common/status.h"
#include "sort/keys/limits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A contiguous piece of the input in memory (a mapped file, a buffer filled from a pipe). name is
 * used in error messages. */
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

/* What to do. All zero: a plain ascending sort, with every parameter chosen by the library. */
struct gs_options {
    bool reverse;      /* descending */
    bool unique;       /* one of each key */
    bool verify;       /* fingerprint what is read and what is handed to the sink */
    bool leave_device; /* do not release GPU resources that are slow to release: the process will
                        * soon end by _exit, which reclaims them */
    enum gs_engine engine;
    enum gs_device device;
    unsigned threads;      /* CPU threads; 0: as gs_threads() says */
    uint64_t samples;      /* keys in the sample; 0: from the number of bins */
    uint64_t bins;         /* bins to aim at; 0: from the number of keys */
    uint64_t lists;        /* lists of a shared-memory engine: a power of two; 0: default */
    uint64_t memory_bytes; /* the sort's own buffers stay below this; 0: no limit */
    uint64_t held_bytes; /* anonymous memory that the input occupies: it counts against memory_bytes
                          * until the sink's forget(), which must then exist, gives it back */
    uint64_t device_memory_bytes; /* limit of the buffers on the GPU; 0: what is free there */
    struct gs_incoming *incoming; /* work done while the input's only span was being read, or NULL:
                                   * the sort may use it and overwrite the span (sort/incoming.h) */
};

/* Where sorted keys go. write() gets pieces that together cover the output exactly once; position
 * is the index of the piece's first key in the output. Several threads may call it at once, unless
 * `stream` is set: then pieces come one after the other in ascending position.
 *
 * memory: set by a sink that is plain memory with room for all keys (a memory-to-memory caller).
 * The sort may build its output in place there while it still reads the input; it does not call
 * write(), which may be NULL.
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

/* Progress of a running sort: written by the library, read by any thread at any time. */
struct gs_progress {
    _Atomic(const char *) phase;   /* a stage's name, or NULL before the first */
    atomic_uint_fast64_t done;     /* keys through this phase */
    atomic_uint_fast64_t total;    /* keys that this phase will see; 0: not known */
    atomic_uint_fast64_t begin_ns; /* start of the phase, by the monotonic clock */
};

/* Begin a new phase. The string `name` is not copied and must stay valid. */
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
    const char *device; /* "cpu", "gpu", or NULL: the stage did not run */
};

/* A row for CPU work that began at begin_ns and ends now. */
struct gs_stage_stats gs_stage_since(uint64_t begin_ns, uint64_t keys, uint64_t bytes);

/* Add to a row the work of another part of the run in the same stage. */
void gs_stage_add(struct gs_stage_stats *row, const struct gs_stage_stats *more);

/* What a sort did. gs_sort fills it, as far as it came, even if it fails. */
struct gs_stats {
    struct gs_stage_stats stages[GS_STAGES];
    uint64_t keys_in;
    uint64_t keys_out;
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
    uint64_t temporary_bytes; /* written to temporary files */
    double bus_rate;          /* bytes a second that the GPU's bus carries each way; 0: not known */
    double device_rate; /* bytes a second that the GPU's memory reads and writes; 0: not known */
    unsigned threads;
    const char *engine; /* the engine that ran, never "auto" */
    const char *device;
    const char *device_text; /* the processor's sort code, or the GPU's name */
    const char *order; /* of the input: "none", or "sorted" or "reversed", which need no sort */
    char reason[256];  /* why engine and device were chosen */
    char warning[256]; /* for the user, or empty */
};

/* The most CPU threads that a sort may use: options->threads, or by default one for each available
 * processor, up to 32. */
unsigned gs_threads(const struct gs_options *options);

/* Check options before any work: GS_ERR_USAGE if one exceeds its limit (limits.h) or is malformed,
 * GS_ERR_DEVICE if this build cannot do what they ask for. */
enum gs_status gs_options_check(const struct gs_options *options, struct gs_error *err);

/* GS_ERR_INPUT if count exceeds what options->engine takes: shared-memory engines have a limit. */
enum gs_status gs_options_check_count(const struct gs_options *options, uint64_t count,
                                      struct gs_error *err);

/* Announce a sort of count keys: if gs_sort would take a GPU, begin to start it now, in parallel to
 * all else. more: these keys have come and others are still being read, which hides the GPU's
 * start; the start is put off until a GPU would be faster even for GS_GPU_START_KEYS (cost.h) fewer
 * keys, since gs_sort waits for the GPU if the input ends now. Returns the device that gs_sort
 * would take. May be called again as count grows. */
enum gs_device gs_prepare(const struct gs_options *options, uint64_t count, bool more);

/* Would at least half of the keys stay under options->unique? Estimated from a sample; false for
 * few keys or when there is no memory. */
bool gs_sort_keeps_most(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count);

/* Has a GPU's runtime been started? If so, end by _exit: the runtime's exit handlers take long, and
 * crash if they run while it is still starting. */
bool gs_holds_device(void);

/* Sort the keys of all spans together into sink. progress and stats may be NULL. On failure the
 * sink may have received part of the output. */
enum gs_status gs_sort(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                       struct gs_stats *stats, struct gs_error *err);

/* Predict a gs_sort of count keys: engine, device and reason in *stats, and its approximate time in
 * *seconds. Starts no device. */
void gs_sort_forecast(const struct gs_options *options, uint64_t count, struct gs_stats *stats,
                      double *seconds);

/* Bytes of buffers that gs_sort needs for count keys on the CPU. */
uint64_t gs_sort_memory(const struct gs_options *options, uint64_t count);

/* The input occupies held_bytes of memory, which forget() gives back as the sort's buffers fill:
 * the most of it, in bytes, that has to be counted on top of gs_sort_memory(). */
uint64_t gs_sort_held(const struct gs_options *options, uint64_t count, uint64_t held_bytes);

/* The index of the first key that is out of order with its predecessor, or count if there is none.
 * previous, if not NULL, is the key before keys[0]. options->reverse and ->unique define the order
 * (unique: strict). Uses options->threads for large inputs. */
uint64_t gs_first_disorder(const struct gs_options *options, const gs_key *keys, uint64_t count,
                           const gs_key *previous);

/* The sum of a 64-bit mix of each key: equal for two arrays that hold the same keys in any order;
 * for other arrays equal only with a chance of about 2^-64. Fingerprints of parts add up to that of
 * the whole. */
uint64_t gs_fingerprint(const gs_key *keys, uint64_t count);

/* Read the output back from fd and check it against stats: GS_ERR_VERIFY if it is shorter than
 * stats->keys_out, out of order or of another fingerprint, GS_ERR_OUTPUT if it cannot be read. name
 * is used in messages. */
enum gs_status gs_verify_file(const struct gs_options *options, int fd, struct gs_stats *stats,
                              const char *name, struct gs_error *err);

#endif
