/* input.h -- all inputs as pieces of memory: mapped where possible, read where not.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_INPUT_H
#define GS_INPUT_H

#include "common/formats/magic.h"
#include "common/files/slurp.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct gs_input;

/* Read what is in front of a pending input's records from input->fd, instead of input->skip bytes.
 */
typedef enum gs_status gs_input_begin(struct gs_input *input, struct gs_error *err);

struct gs_input {
    const char *name;  /* for messages; the caller's string, "-" for standard input */
    const void *bytes; /* what is to be sorted; NULL while it is unread, and if it is empty */
    uint64_t size;     /* of that, in bytes */
    bool pending;      /* it has yet to be read to its end */
    int fd;            /* of a pending input while it is open, or of the temporary file that is
                        * mapped here, else -1 */
    void *mapping;     /* of a mapped file, or NULL; several inputs in one temporary file: only the
                        * first of them has it */
    size_t mapping_bytes;
    uint64_t end; /* mapped: the file's size when it was mapped; else bytes that read_on has read */
    dev_t device; /* of a file; unset for a FIFO, which is opened only when it is read */
    ino_t inode;
    struct gs_slurp memory; /* what was read of it */
    uint64_t skip;          /* bytes in front of its records, */
    unsigned char *head;    /* where they are kept, of the first input, or NULL */
    bool skipped;           /* and whether a pending input is behind them */
    gs_input_begin *begin;  /* NULL: skip bytes are in front */
    void *context;          /* for it */
    uint64_t least; /* a file that is read had so many bytes of records when it was opened */
    bool sized;     /* what was in front has said how many bytes come behind: */
    uint64_t promised;
    unsigned char *rest;   /* if read in part: the bytes of an incomplete unit at its end; owned */
    size_t rest_bytes;     /* and how many there are */
    struct gs_magic magic; /* of its first bytes, until enough of them have come */
};

struct gs_inputs {
    struct gs_input *list;
    size_t count;
    unsigned char *head; /* the bytes in front of the first input's records, once that is begun */
    size_t last;         /* index of the input that was advised on or released last */
    bool populates; /* set by the caller: a second thread makes pages while a long pipe is read */
};

/* Is it "-", the name of standard input? */
static inline bool gs_input_is_standard(const char *name)
{
    return strcmp(name, "-") == 0;
}

/* Open every file (standard input for "-", or if there are none) before any work is done. Regular
 * files are mapped read-only, standard input from its position on; other inputs stay pending.
 * Refuses what cannot be read, a regular file whose size is no multiple of `unit` bytes and one
 * that gs_magic_check refuses; with a unit of 0 nothing of that, as it is not known yet what the
 * inputs are (gs_inputs_judge). A FIFO is opened when its turn to be read comes: its
 * writer may wait until another one is read. skips[i], unless skips is NULL: as many bytes in front
 * of input i are no records. The names must stay. On success,
 * free with gs_inputs_close. */
enum gs_status gs_inputs_open(struct gs_inputs *inputs, const char *const *names, size_t count,
                              size_t unit, const uint64_t *skips, enum gs_looks looks,
                              struct gs_error *err);

/* After gs_inputs_open with a unit of 0: refuse what it would have refused, among the inputs that
 * are in memory. */
enum gs_status gs_inputs_judge(struct gs_inputs *inputs, size_t unit, struct gs_error *err);

/* Once nothing can be refused any more: move the position of standard input, if it is mapped, to
 * the end of the mapping, as if it had been read. */
enum gs_status gs_inputs_consume(const struct gs_inputs *inputs, struct gs_error *err);

/* If address space is limited (ulimit -v): unmap files, one by one, until `bytes` of it are left.
 * These inputs become pending. Call before anybody looks at the inputs. */
void gs_inputs_make_room(struct gs_inputs *inputs, uint64_t bytes);

/* Make sure that a pending input is open, input->fd, and read what is in front of its records. Who
 * reads it himself then begins with the bytes in input->rest. */
enum gs_status gs_input_start(struct gs_input *input, struct gs_error *err);

/* Read a pending input to its end, as gs_slurp_read does. If the gate refuses, or reading fails,
 * `bytes` and `size` are what was read so far, and the input stays pending. */
enum gs_status gs_input_read(struct gs_input *input, size_t unit, bool populates,
                             const struct gs_slurp_watch *watch, struct gs_error *err);

/* For who reads a pending input himself: `size` bytes of it came next. Refuses what gs_magic_check
 * refuses. */
enum gs_status gs_input_look(struct gs_input *input, const void *bytes, size_t size,
                             struct gs_error *err);

/* The same at its end, when `size` bytes have come in all: that must be a multiple of `unit`. */
enum gs_status gs_input_check_end(struct gs_input *input, uint64_t size, size_t unit,
                                  struct gs_error *err);

/* The end of a pending input is reached: close it. */
void gs_input_end(struct gs_input *input);

/* Have room for an incomplete record in input->rest. */
enum gs_status gs_input_make_rest(struct gs_input *input, struct gs_error *err);

/* Unmap all files: they are read, each when its turn comes. One that has shrunk by then is refused,
 * where a mapping would raise SIGBUS. Call before anybody looks at the inputs. */
void gs_inputs_unmap(struct gs_inputs *inputs);

/* Read the pending inputs to their ends, one after another; the gate gets the number of bytes read
 * of all together. If it refuses, the current input stays pending, `bytes` and `size` are what was
 * read of it, and gs_inputs_read_on continues from there. */
enum gs_status gs_inputs_read(struct gs_inputs *inputs, size_t unit,
                              const struct gs_slurp_watch *watch, struct gs_error *err);

/* Read the next bytes of the pending inputs: whole units, at most `room` bytes. *got is 0 only at
 * the end of all. room is at least 2 units. */
enum gs_status gs_inputs_read_on(struct gs_inputs *inputs, size_t unit, void *to, size_t room,
                                 size_t *got, struct gs_error *err);

/* Read the pending inputs to their ends: into memory as long as all that is held there takes at
 * most memory_bytes, the others into unnamed temporary files, which are mapped; small inputs share
 * a file, and files go to the directories in turn. *temporary_bytes: how much went to such files.
 * `tell` is called as bytes come, with their number so far. */
typedef void gs_spool_tell(void *context, uint64_t bytes);
enum gs_status gs_inputs_spool(struct gs_inputs *inputs, size_t unit, uint64_t memory_bytes,
                               const char *const *directories, size_t directory_count,
                               gs_spool_tell *tell, void *context, uint64_t *temporary_bytes,
                               struct gs_error *err);

/* The inputs have been used: were those in temporary files read as they had been written there?
 * GS_ERR_OUTPUT if that is not certain. */
enum gs_status gs_inputs_check_spooled(const struct gs_inputs *inputs, struct gs_error *err);

/* The bytes of all inputs that are mapped or read so far. */
uint64_t gs_inputs_bytes(const struct gs_inputs *inputs);

/* Is any input still to be read? */
bool gs_inputs_pending(const struct gs_inputs *inputs);

/* madvise(2) on bytes of one input; no effect if it is not mapped. */
void gs_inputs_advise(struct gs_inputs *inputs, const void *bytes, uint64_t size, int advice);

/* These bytes of one input are not needed again: release their memory; with its last bytes, all of
 * the input. Release an input's bytes in ascending order. */
void gs_inputs_release(struct gs_inputs *inputs, const void *bytes, uint64_t size);

/* Is the file device:inode a pending input? Then it must not grow before it is read. */
bool gs_inputs_await(const struct gs_inputs *inputs, dev_t device, ino_t inode);

/* Total size of the inputs mapped from the file device:inode that reach beyond its byte `start`. */
uint64_t gs_inputs_same(const struct gs_inputs *inputs, dev_t device, ino_t inode, uint64_t start);

/* The file device:inode is about to be written in place from `start` on: copy those same inputs to
 * memory, and add their size to *copied_bytes. */
enum gs_status gs_inputs_detach(struct gs_inputs *inputs, dev_t device, ino_t inode, uint64_t start,
                                uint64_t *copied_bytes, struct gs_error *err);

/* The inputs are probably not needed again: drop mapped pages from the page table now, rather than
 * at exit, when nothing else is left to do. A later access just faults them in again. */
void gs_inputs_forget(const struct gs_inputs *inputs);

/* All inputs have been used, and the file device:inode is about to be replaced: unmap and close it,
 * since an SMB server may refuse to replace what is in use. */
void gs_inputs_let_go(struct gs_inputs *inputs, dev_t device, ino_t inode);

/* The mapped input that holds `address`, or NULL. Async-signal-safe. */
const struct gs_input *gs_inputs_find(const struct gs_inputs *inputs, const void *address);

/* Has the file under a mapped input become shorter than its mapping? Async-signal-safe. */
bool gs_input_has_shrunk(const struct gs_input *input);

void gs_inputs_close(struct gs_inputs *inputs);

#endif
