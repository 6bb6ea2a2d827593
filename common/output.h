/* output.h -- where the result goes: a file that appears whole, or a stream.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_H
#define GS_OUTPUT_H

#include "common/prefill.h"
#include "common/status.h"
#include "common/target.h"
#include "common/tempfile.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum gs_output_kind {
    GS_OUTPUT_TEMPORARY,  /* a file beside the target, put in place by publish */
    GS_OUTPUT_POSITIONED, /* standard output is a regular file: written in place, from `start` on */
    GS_OUTPUT_STREAM      /* a pipe, a device, a file opened to append: one write after another */
};

struct gs_output {
    enum gs_output_kind kind;
    const char *name; /* for messages; the caller's string */
    int fd;           /* where the bytes go */
    dev_t device;     /* fd's file: to tell whether an input is written over */
    ino_t inode;
    bool pipe;
    bool in_memory; /* on tmpfs: writers make pages that are not there yet, too */
    bool synced;    /* see gs_output_sync */
    bool direct;    /* see gs_output_go_direct */
    struct gs_target target;
    struct gs_tempfile temp;
    /* Where it lies in fd, in bytes, and what has been promised there. */
    uint64_t start;           /* the offset of its first byte */
    uint64_t prefilled_bytes; /* that were said to come */
    uint64_t grown_bytes;     /* that the file was made long enough for, ahead of the writes */
    bool claimed;             /* the position is behind the output already */
    uint64_t claimed_bytes;   /* that it is behind start, if claimed */
    /* Its pages. */
    struct gs_prefill *prefill; /* makes the file's pages, or NULL */
    int prefill_fd;             /* the descriptor that it has */
    bool helps;                 /* who waits for all that is mapped makes pages, too */
    void *mapped;               /* the output's memory, see gs_output_map, or NULL */
    uint64_t mapped_bytes;
    uint64_t given_bytes; /* of that, whose pages a pipe was given and this process has no more */
};

/* Open `path`, or standard output for NULL, and refuse what cannot work, before anything is
 * changed. On failure there is nothing to discard. */
enum gs_status gs_output_open(struct gs_output *output, const char *path, struct gs_error *err);

/* Standard input is consumed: a file that is written in place, and shares its position, begins
 * behind it. */
void gs_output_begin(struct gs_output *output);

/* The output will have `bytes` bytes: have their space allocated now, where that makes the writes
 * faster; then a full disk is an error before the work instead of after it. The position of a file
 * that is written in place goes behind them, so that others who share it write behind them, too.
 * What they have written before comes before the output. Nothing is written yet. */
enum gs_status gs_output_reserve(struct gs_output *output, uint64_t bytes, struct gs_error *err);

/* The output will have `bytes` bytes or more, and nothing comes for a while: have its pages made
 * meanwhile, by so many threads at the most, where that makes the writes faster and there is memory
 * for it. May be called again with more. A file that is written in place is taken back to its
 * length if the output is discarded. */
void gs_output_prefill(struct gs_output *output, uint64_t bytes, unsigned threads);

/* Memory that is the output of `bytes` bytes, to be written in place, or NULL: there is none to be
 * had, or writing is faster. Its pages are being made, by so many threads at the most; it is the
 * output's, until publish or discard. early: all of it will be written to more than once; one of
 * the threads is the caller, who makes pages when it waits for all of them.
 * A pipe's is given away by gs_output_write: no byte of it may be written to after that. */
void *gs_output_map(struct gs_output *output, uint64_t bytes, bool early, unsigned threads);

/* To be called before these bytes of it are written to for the first time: waits until it can be
 * done. From any thread. */
enum gs_status gs_output_make(struct gs_output *output, uint64_t position, uint64_t bytes,
                              struct gs_error *err);

/* These bytes have their final values, each of them told once: their pages may leave this process.
 */
void gs_output_made(struct gs_output *output, uint64_t position, uint64_t bytes);

/* Both async-signal-safe: is this in the output's memory? And a file that is written in place gets
 * length and position back that it had, unless somebody has written behind the output. */
bool gs_output_holds(const struct gs_output *output, const void *address);
void gs_output_take_back(const struct gs_output *output);

/* No more pages: what is mapped of the output is given back, and it is written as ever. */
void gs_output_end_prefill(struct gs_output *output);

/* Write at byte `position` of the output. A stream takes ascending positions without gaps, from one
 * thread at a time, and ignores the number. The other kinds may be called from several threads. */
enum gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err);

/* Write it past the page cache where that can be done: no pages are made ahead. A stream has none,
 * and a file on tmpfs is nowhere else: they are written as ever. Before all else. */
void gs_output_go_direct(struct gs_output *output);

/* Publish is to wait until the disk has the output, and its name. */
void gs_output_sync(struct gs_output *output);

/* All is written and it is `bytes` long: make it so under its name. On failure all is undone that
 * can be undone. */
enum gs_status gs_output_publish(struct gs_output *output, uint64_t bytes, struct gs_error *err);

/* Give up: no trace of a temporary stays. Harmless after publish. */
void gs_output_discard(struct gs_output *output);

#endif
