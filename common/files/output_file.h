/* output_file.h -- an output: its file, and what has been prepared there.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_FILE_H
#define GS_OUTPUT_FILE_H

#include "common/files/pace.h"
#include "common/files/prefill.h"
#include "common/status.h"
#include "common/files/target.h"
#include "common/files/tempfile.h"

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
    bool in_memory;        /* on tmpfs: writers make missing pages themselves */
    bool synced;           /* see gs_output_sync */
    enum gs_direct direct; /* see gs_output_go_direct */
    bool head_written;
    struct gs_target target;
    struct gs_tempfile temp;
    /* Where the output lies in fd, and what has been prepared there. */
    uint64_t start;   /* file offset of its first byte, the head's */
    const void *head; /* see gs_output_set_head, */
    uint64_t head_bytes;
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

#endif
