/* gsort.h -- libgsort: sort binary arrays of numbers or records in memory.
 * SPDX-License-Identifier: MIT
 *
 * This is the header that is installed. Build with `pkg-config --cflags --libs gsort`.
 *
 * The library never prints, never exits, and keeps no signal handlers and no threads when a call
 * has returned, but for a sorter's; it leaves the caller's affinity, environment and signal mask
 * alone. Any number of threads may call it at once, with stacks of 64 KiB, and so may a process
 * after fork(); only for calls in device memory, CUDA sets the limits. Arrays belong to the caller,
 * and must not change during a call.
 *
 * A call that can fail returns an enum gsort_status, GSORT_OK (0) if all went well, and fills in
 * *error, unless that is NULL: one line, as the command gsort prints. Then the contents of output
 * arrays are undefined, and so are those of an array that was to be sorted in place.
 *
 * Structures that are given to calls begin with their size, which their initializers set, so that
 * programs compiled with an older header go on working: gsort(3).
 */
#ifndef GSORT_H
#define GSORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GSORT_API __attribute__((visibility("default")))
#else
#define GSORT_API
#endif

enum gsort_status {
    GSORT_OK = 0,
    GSORT_USAGE = 1,         /* arguments that cannot be meant */
    GSORT_INPUT = 2,         /* an input that is missing, out of order, or has changed */
    GSORT_OUTPUT = 3,        /* the output cannot be created or written */
    GSORT_MEMORY = 4,        /* more memory than there is, or than options allow */
    GSORT_DEVICE = 5,        /* no usable GPU, or it failed */
    GSORT_DEVICE_MEMORY = 6, /* more memory than the GPU has */
    GSORT_VERIFY = 7,        /* the output is not the input, sorted */
    GSORT_INTERNAL = 8,      /* a bug in gsort */
    GSORT_CANCELLED = 9      /* the progress callback said so */
};

/* What went wrong. The line is cut if it has no room; it never has a newline. */
struct gsort_error {
    size_t size;
    enum gsort_status status;
    char line[1024];
};
#define GSORT_ERROR_INIT                                                                           \
    {                                                                                              \
        sizeof(struct gsort_error), GSORT_OK, ""                                                   \
    }

/* How far a call is. */
struct gsort_progress {
    size_t size;
    const char *phase; /* what is done now, for people; NULL: nothing yet */
    uint64_t done;     /* records through this phase, of */
    uint64_t total;    /* so many; 0: not known */
};

/* Called when a call begins and then about ten times a second while it runs, in the caller's own
 * thread. Any result but 0 cancels the call: it returns GSORT_CANCELLED as soon as its threads have
 * ended, unless it is done by then. Must not throw, nor call longjmp. */
typedef int gsort_progress_callback(void *context, const struct gsort_progress *progress);

/* Flags of options. */
#define GSORT_UNIQUE UINT32_C(1) /* only the first record of each key */
#define GSORT_READ   UINT32_C(2) /* files are read, not mapped: one that shrinks is an error */

/* How to do it. All zero but the size, or NULL instead of a pointer: all defaults. */
struct gsort_options {
    size_t size;
    uint32_t flags;
    uint32_t threads;      /* 0: one for each processor that the caller may run on, up to 32 */
    uint64_t memory_bytes; /* buffers beside the caller's arrays stay below this; 0: no limit */
    gsort_progress_callback *progress; /* or NULL */
    void *context;                     /* for that */
};
#define GSORT_OPTIONS_INIT                                                                         \
    {                                                                                              \
        sizeof(struct gsort_options), 0, 0, 0, NULL, NULL                                          \
    }

/* The version of the library, as in "0.2.0". */
GSORT_API const char *gsort_version(void);

/* What an array has, and in what order: gsort_format(3). The text has the words of the command
 * line: "f64", or "R24 k8:u64r k0:u64 s". A format may be used by several threads at once. */
struct gsort_format;
GSORT_API struct gsort_format *gsort_format_parse(const char *text, struct gsort_error *error);
GSORT_API void gsort_format_free(struct gsort_format *format);
GSORT_API uint32_t gsort_format_record_bytes(const struct gsort_format *format);

/* Write a text that means the same, with its end, as far as it fits. Returns its length, without
 * the end: if that is not below room, it did not fit. */
GSORT_API size_t gsort_format_describe(const struct gsort_format *format, char *text, size_t room);

/* Sort `count` records into another array, or in place (sorted == records); arrays that overlap
 * otherwise are refused. *kept, if kept is not NULL, will be the number of records in `sorted`:
 * fewer than count only under GSORT_UNIQUE. */
GSORT_API enum gsort_status gsort_sort(const struct gsort_format *format, const void *records,
                                       void *sorted, uint64_t count,
                                       const struct gsort_options *options, uint64_t *kept,
                                       struct gsort_error *error);

/* The positions of the records in the order of the format, in integers of 4 or 8 bytes: the record
 * at position indices[i] comes at place i. Positions of equal keys ascend. */
GSORT_API enum gsort_status gsort_argsort(const struct gsort_format *format, const void *records,
                                          void *indices, unsigned index_bytes, uint64_t count,
                                          const struct gsort_options *options,
                                          struct gsort_error *error);

struct gsort_array {
    const void *records;
    uint64_t count;
};

/* Merge arrays, each of which is in order, into one that overlaps none of them. One that is not in
 * order is GSORT_INPUT. */
GSORT_API enum gsort_status gsort_merge(const struct gsort_format *format,
                                        const struct gsort_array *arrays, size_t array_count,
                                        void *merged, const struct gsort_options *options,
                                        uint64_t *kept, struct gsort_error *error);

/* Is the array in order? *disorder will be the index of the first record that is out of order with
 * the one before it, or count if none is. Under GSORT_UNIQUE, keys that repeat are out of order. */
GSORT_API enum gsort_status gsort_check(const struct gsort_format *format, const void *records,
                                        uint64_t count, const struct gsort_options *options,
                                        uint64_t *disorder, struct gsort_error *error);

/* Sort records of 1 to 16 bytes that are in the memory of CUDA's current device, into another array
 * there or in place (in == out). temp NULL: only set *temp_bytes to the bytes of device memory that
 * the same call with temp needs for as many records. The work is queued on the stream, a
 * cudaStream_t; the call itself waits until all but the last of it is done. flags is 0, or
 * GSORT_DEVICE_NO_WAIT: never wait, so that a graph can capture it: gsort_device_sort(3). */
#define GSORT_DEVICE_NO_WAIT UINT32_C(1)
struct CUstream_st;
GSORT_API enum gsort_status gsort_device_sort(void *temp, size_t *temp_bytes,
                                              const struct gsort_format *format, const void *in,
                                              void *out, uint64_t count, struct CUstream_st *stream,
                                              uint32_t flags, struct gsort_error *error);

/* The positions of such records, as gsort_argsort has them: keys have up to 12 bytes. The positions
 * are an array in that memory, too; all else is as above. */
GSORT_API enum gsort_status
gsort_device_argsort(void *temp, size_t *temp_bytes, const struct gsort_format *format,
                     const void *records, void *indices, unsigned index_bytes, uint64_t count,
                     struct CUstream_st *stream, uint32_t flags, struct gsort_error *error);

/* Files, by name. All zero but the size, the inputs and the output: all defaults. */
struct gsort_files {
    size_t size;
    const char *const *inputs;
    size_t input_count;             /* at least 1 */
    const char *output;             /* may be one of the inputs */
    const char *const *directories; /* for temporary files, used in turn; */
    size_t directory_count;         /* 0: $TMPDIR, or /tmp */
    uint64_t skip; /* bytes in front of each file's records; the first's are kept */
};
#define GSORT_FILES_INIT                                                                           \
    {                                                                                              \
        sizeof(struct gsort_files), NULL, 0, NULL, NULL, 0, 0                                      \
    }

/* Sort files as the command does, or merge files that are in order, through temporary files where
 * memory_bytes, or what the machine has to spare, is less than that takes. The output appears under
 * its name when it is complete, or not at all. format may be NULL: a .npy file then says itself
 * what it has, and other files are arrays of u32. */
GSORT_API enum gsort_status gsort_sort_files(const struct gsort_format *format,
                                             const struct gsort_files *files,
                                             const struct gsort_options *options, uint64_t *kept,
                                             struct gsort_error *error);
GSORT_API enum gsort_status gsort_merge_files(const struct gsort_format *format,
                                              const struct gsort_files *files,
                                              const struct gsort_options *options, uint64_t *kept,
                                              struct gsort_error *error);

/* Are files in order, one after the other? *ordered will be 1 or 0; then error->line says where
 * they are not, as in "b.bin:17: disorder: 3 after 5". */
GSORT_API enum gsort_status gsort_check_files(const struct gsort_format *format,
                                              const struct gsort_files *files,
                                              const struct gsort_options *options, int *ordered,
                                              struct gsort_error *error);

/* A sorter: records that are pushed, batch by batch, are pulled in order, batch by batch. They are
 * in memory while memory_bytes (0: three quarters of what the machine has to spare) has room to
 * sort them there, and else in temporary files, which have no names: gsort_sorter(3).
 *
 * Several formats for records of one size are several orders of the same records, of which one copy
 * is kept. Directories are for temporary files, used in turn; none: $TMPDIR, or /tmp. What is given
 * must stay until the sorter is freed, but options need not. NULL: *error says why. */
struct gsort_sorter;
GSORT_API struct gsort_sorter *gsort_sorter_open(const struct gsort_format *const *orders,
                                                 size_t order_count, const char *const *directories,
                                                 size_t directory_count,
                                                 const struct gsort_options *options,
                                                 struct gsort_error *error);

/* Push records, which are copied. Any number of threads may: each push takes effect as a whole, and
 * under a stable format, equal records stay in the order in which they did. */
GSORT_API enum gsort_status gsort_sorter_push(struct gsort_sorter *sorter, const void *records,
                                              uint64_t count, struct gsort_error *error);

/* All is pushed. */
GSORT_API enum gsort_status gsort_sorter_finish(struct gsort_sorter *sorter,
                                                struct gsort_error *error);

/* Pull the next batch of an order, which stays until the next call; *count is 0 at the end. Orders
 * are pulled one after the other, each once: the first pull of another one ends the one before. */
GSORT_API enum gsort_status gsort_sorter_pull(struct gsort_sorter *sorter, size_t order,
                                              const void **records, uint64_t *count,
                                              struct gsort_error *error);

/* Hand all batches of an order to a callback. Any result but 0 ends that: GSORT_CANCELLED. */
typedef int gsort_batch_callback(void *context, const void *records, uint64_t count);
GSORT_API enum gsort_status gsort_sorter_each(struct gsort_sorter *sorter, size_t order,
                                              gsort_batch_callback *callback, void *context,
                                              struct gsort_error *error);

/* At any point, when no other call is under way: nothing is left on disk. */
GSORT_API void gsort_sorter_free(struct gsort_sorter *sorter);

#ifdef __cplusplus
}
#endif

#endif
