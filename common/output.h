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
    GS_OUTPUT_TEMPORARY,  /* a new file beside the target, put in its place by publish */
    GS_OUTPUT_POSITIONED, /* standard output is a regular file: written in place, from `start` on */
    GS_OUTPUT_STREAM      /* a pipe, a device or a file opened to append: sequential writes only */
};

struct gs_output {
    enum gs_output_kind kind;
    const char *name; /* for messages; the caller's string */
    int fd;           /* where the bytes go */
    dev_t device;     /* of fd's file, as is inode: would an input be overwritten? */
    ino_t inode;
    bool pipe;
    bool in_memory; /* on tmpfs: writers make missing pages themselves */
    bool synced;    /* see gs_output_sync */
    bool direct;    /* see gs_output_go_direct */
    struct gs_target target;
    struct gs_tempfile temp;
    /* Where the output lies in fd, and what has been prepared there. */
    uint64_t start;   /* file offset of its first byte, the head's */
    const void *head; /* see gs_output_set_head, */
    uint64_t head_bytes;
    bool head_written;
    uint64_t prefilled_bytes; /* output length last announced to gs_output_prefill */
    uint64_t grown_bytes;     /* output length that the file was extended for, or 0 */
    bool claimed;             /* fd's file position is already behind the output */
    uint64_t claimed_bytes;   /* if claimed: how far behind start it is */
    /* The output's pages. */
    struct gs_prefill *prefill; /* makes the file's pages, or NULL */
    int prefill_fd;             /* the descriptor that prefill uses */
    bool helps;                 /* a thread that waits for all pages makes some, too */
    void *mapped;               /* the output's memory, see gs_output_map, or NULL */
    uint64_t mapped_bytes;
    uint64_t given_bytes; /* from its start: given to a pipe and unmapped in this process */
};

/* Open `path`, or standard output if it is NULL; refuse what cannot work before anything is
 * changed. After a failure there is nothing to discard. The string must stay. */
enum gs_status gs_output_open(struct gs_output *output, const char *path, struct gs_error *err);

/* Call when standard input has been consumed: a file that is written in place may share its file
 * position, and the output begins wherever that is now. */
void gs_output_begin(struct gs_output *output);

/* The output will be `bytes` long: allocate its space now, where that makes the writes faster; a
 * full disk is then an error before the work instead of after it. The position of a file that is
 * written in place moves behind the output, so that processes that share the position write behind
 * it; what they have written so far stays before the output. Call before the first write. */
enum gs_status gs_output_reserve(struct gs_output *output, uint64_t bytes, struct gs_error *err);

/* The output will have at least `bytes` bytes, and nothing is written for a while: have its pages
 * made meanwhile, by at most `threads` threads, where that makes the writes faster and there is
 * memory for it. May be called again with a larger length. A file that is written in place gets its
 * old length back if the output is discarded. */
void gs_output_prefill(struct gs_output *output, uint64_t bytes, unsigned threads);

/* Memory to put the output's `bytes` bytes in: what is stored there needs no further write. NULL if
 * none is available or gs_output_write is faster. At most `threads` threads make its pages; the
 * output owns it until publish or discard. early: all of it will be stored to more than once; the
 * caller counts as one of the threads and makes pages when it waits for all of them.
 * For a pipe, pass the memory to gs_output_write, which gives its pages away: no byte may be stored
 * to after that. */
void *gs_output_map(struct gs_output *output, uint64_t bytes, bool early, unsigned threads);

/* Call before the first store to these bytes of the mapped output, from any thread: waits until
 * their pages are made, or makes them. GS_ERR_OUTPUT if that is impossible (a full disk). */
enum gs_status gs_output_make(struct gs_output *output, uint64_t position, uint64_t bytes,
                              struct gs_error *err);

/* These mapped bytes are final: their pages may be unmapped. Report each byte once. */
void gs_output_made(struct gs_output *output, uint64_t position, uint64_t bytes);

/* Both are async-signal-safe. holds: does the address lie in the mapped output? take_back: give a
 * file that is written in place its old length and position back, unless another process has
 * written behind the output. */
bool gs_output_holds(const struct gs_output *output, const void *address);
void gs_output_take_back(const struct gs_output *output);

/* Stop making pages and unmap the output: from now on it is written by system calls. */
void gs_output_end_prefill(struct gs_output *output);

/* Put these bytes, which must stay, in front of the output: all positions and lengths count from
 * behind them. A stream gets them before its first bytes; write_head writes them where that has not
 * happened. Call set_head before everything else, write_head when the rest is written. */
void gs_output_set_head(struct gs_output *output, const void *head, uint64_t bytes);
enum gs_status gs_output_write_head(struct gs_output *output, struct gs_error *err);

/* Write at byte `position` of the output. A stream ignores the position: call in ascending order
 * without gaps, from one thread at a time. Other kinds may be written by several threads at once.
 */
enum gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err);

/* The caller will write past the page cache, so make no pages ahead. No effect on a stream, which
 * has no pages, and on tmpfs, where the page cache is the file. Call right after open. */
void gs_output_go_direct(struct gs_output *output);

/* Make publish wait until the output and its name are on the disk. */
void gs_output_sync(struct gs_output *output);

/* All is written: learn of each write that has failed without notice. Before the output is read
 * back; publish does this, too. */
enum gs_status gs_output_settle(struct gs_output *output, struct gs_error *err);

/* All is written: give the output its length of `bytes` and its name. On failure, whatever can be
 * undone is undone. */
enum gs_status gs_output_publish(struct gs_output *output, uint64_t bytes, struct gs_error *err);

/* Give up: no temporary file remains. Harmless after publish. */
void gs_output_discard(struct gs_output *output);

#endif
