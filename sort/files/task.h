/* task.h -- what to do with files, and how.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TASK_H
#define GS_TASK_H

#include "common/files/input.h"
#include "common/files/output.h"
#include "common/files/pace.h"
#include "common/formats/format.h"
#include "common/formats/npy.h"
#include "sort/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gs_npy_files;
struct gs_journal;
struct gs_spill_home;

/* What the library learns of the files, and keeps for them. */
struct gs_found {
    const char **files; /* all that are opened: if there is a set, it is the last */
    size_t file_count;
    const char *output;             /* the first one, if it is split; NULL: standard output */
    const char *const *directories; /* those of the task, or the usual one; those of `resumes` */
    size_t directory_count;
    const char *usual_directory;
    unsigned char index_head[GS_NPY_INTEGERS_HEAD]; /* in front of positions in a .npy file */
    struct gs_format format;                        /* of the records */
    struct gs_codec codec;                          /* of that format, */
    struct gs_record_order order;                   /* or that, of records that no element holds */
    struct gs_npy_files *npy;                       /* the files are .npy files, or NULL */
    uint64_t *skips;                   /* bytes in front of each file's records, or NULL */
    bool undecided;                    /* what they are, the first bytes of a pipe will tell */
    char **part_names;                 /* of the files of a split output */
    struct gs_journal *journal;        /* it tells what the directories keep, or NULL; */
    const struct gs_spill_home *homes; /* then they are open */
    uint64_t done_ns;                  /* when the output got its name (gs_now_ns) */
};

/* Whom the library tells what is no error, and asks. Any may be NULL. */
struct gs_hooks {
    void *context;
    /* From now on, these inputs, and the output if it is not NULL, are mapped and being `done`
     * ("sorted"): a SIGBUS in them, or a signal that ends the process, is the caller's to handle.
     * Until that is called again, with NULL inputs. */
    void (*watch)(void *context, const struct gs_inputs *inputs, struct gs_output *output,
                  const char *done);
    /* A warning, in one line. */
    void (*say)(void *context, const char *line);
    /* Called before the output gets its name: only if this succeeds, it does. */
    enum gs_status (*consent)(const void *context, struct gs_error *err);
    const void *consent_context;
    bool ends; /* the process ends by _exit after this call: a GPU's runtime need not be released,
                * nor inputs that it may have pinned */
};

/* All zero: sort standard input, an array of u32, to standard output. */
struct gs_task {
    const char *const *files;       /* file_count names, - for standard input */
    size_t file_count;              /* 0: that alone */
    const char *output;             /* NULL: standard output */
    struct gs_format_options named; /* type, record and keys as given */
    uint64_t skip;                  /* bytes in front of each file's records */
    bool raw;                       /* plain keys, whatever an input's first bytes say */
    bool reads;                     /* files are not mapped: one that shrinks is an error */
    bool stable;                    /* records of equal keys stay in the order of the input */
    struct gs_options sort;         /* what records are is found; memory_bytes is left 0 here: */
    uint64_t memory_limit;          /* in bytes; 0: what the machine has to spare */
    struct gs_combine *combine;     /* or NULL; owned */
    struct gs_offsets *offsets;     /* a file of positions to write, or NULL; owned */
    uint64_t split;                 /* so many files, or 0; output then has %d in it */
    bool synced;                    /* wait until the disk has the output under its name */
    enum gs_direct direct;          /* past the page cache? */
    bool resumes;                   /* directories keep what is complete until all is */
    const char *const *directories; /* for temporary files, used in turn */
    size_t directory_count;         /* 0: $TMPDIR or /tmp */
    struct gs_hooks hooks;
    struct gs_found found; /* the library's own */
};

/* For temporary files, where none is named: what the environment says, or /tmp. */
const char *gs_usual_directory(void);

/* Call its hooks, if there are any. */
void gs_task_watch(const struct gs_task *task, const struct gs_inputs *inputs,
                   struct gs_output *output, const char *done);
void gs_task_warn(const struct gs_task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
