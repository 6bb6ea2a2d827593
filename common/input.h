/* input.h -- all inputs as pieces of memory: mapped where possible, read where not.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_INPUT_H
#define GS_INPUT_H

#include "common/slurp.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gs_input {
    const char *name;  /* for messages; the caller's string, "-" for standard input */
    const void *bytes; /* what is to be sorted, or NULL while it has to be read (or is empty) */
    uint64_t size;
    bool pending;  /* has to be read until its end */
    int fd;        /* of a pending input while it is open, else -1 */
    void *mapping; /* pages of a mapped file, or NULL; of a temporary one its first input has it */
    size_t mapping_bytes;
    uint64_t end; /* of a mapped file: its size in bytes then; of others: bytes read on */
    dev_t device; /* of a file, not of a FIFO that is opened when it is its turn */
    ino_t inode;
    struct gs_slurp memory; /* of an input that was read */
    unsigned char rest[8];  /* of one that was read in part: bytes of a unit that is not whole, */
    size_t rest_bytes;      /* and how many */
};

struct gs_inputs {
    struct gs_input *list;
    size_t count;
    size_t last;    /* the one that was advised on or released last */
    bool populates; /* set by the caller: long pipes are read with the help of a thread */
};

/* Open every file (standard input for "-", or when there is none) before any work is done. Regular
 * files are mapped read-only, standard input from its position on, which moves to its end. Others
 * stay pending. Refuses what cannot be read, and a regular file whose size is no multiple of
 * `unit` bytes. A FIFO is opened later: its writer may be waiting for its turn. */
enum gs_status gs_inputs_open(struct gs_inputs *inputs, const char *const *names, size_t count,
                              size_t unit, struct gs_error *err);

/* Nothing is refused any more: leave standard input, if it is mapped, behind what was mapped, as if
 * it had been read. */
enum gs_status gs_inputs_consume(const struct gs_inputs *inputs, struct gs_error *err);

/* Unmap files, one after the other, until `bytes` of address space are left, if there is a limit on
 * that (ulimit -v). They are pending then. To be called before anybody looks at them. */
void gs_inputs_make_room(struct gs_inputs *inputs, uint64_t bytes);

/* An open descriptor to read a pending input from. */
enum gs_status gs_input_start(struct gs_input *input, struct gs_error *err);

/* Read a pending input to its end, as gs_slurp_read does. Where the gate refuses, `bytes` and
 * `size` have what was read, and it stays pending. */
enum gs_status gs_input_read(struct gs_input *input, size_t unit, bool populates,
                             const struct gs_slurp_watch *watch, struct gs_error *err);

/* A pending input has come to its end: close it. */
void gs_input_end(struct gs_input *input);

/* Read the pending inputs to their ends, one after another; the gate is asked with the bytes of all
 * together. Where it refuses, `bytes` and `size` have what was read of that input, which stays
 * pending: gs_inputs_read_on goes on. */
enum gs_status gs_inputs_read(struct gs_inputs *inputs, size_t unit,
                              const struct gs_slurp_watch *watch, struct gs_error *err);

/* Read on: up to `room` bytes of the pending inputs, whole units; 0 at their end only. unit is at
 * most 8, room at least 2 units. */
enum gs_status gs_inputs_read_on(struct gs_inputs *inputs, size_t unit, void *to, size_t room,
                                 size_t *got, struct gs_error *err);

/* Read the pending inputs to their ends: into memory as long as all that was read takes no more
 * than memory_bytes, the others into temporary files in the next of the directories, without a
 * name, which are mapped: small ones together. *temporary_bytes tells how much that was. `tell` is
 * called as bytes come, with how many there were so far. */
typedef void gs_spool_tell(void *context, uint64_t bytes);
enum gs_status gs_inputs_spool(struct gs_inputs *inputs, size_t unit, uint64_t memory_bytes,
                               const char *const *directories, size_t directory_count,
                               gs_spool_tell *tell, void *context, uint64_t *temporary_bytes,
                               struct gs_error *err);

/* Bytes of all inputs, as far as they are mapped or read. */
uint64_t gs_inputs_bytes(const struct gs_inputs *inputs);

/* Is any input still to be read? */
bool gs_inputs_pending(const struct gs_inputs *inputs);

/* Give the kernel advice, as for madvise(2), on bytes of one input; of no effect where it is not
 * mapped. */
void gs_inputs_advise(struct gs_inputs *inputs, const void *bytes, uint64_t size, int advice);

/* These bytes of one input, all before them having been released, are not needed again: their
 * memory goes back, with the last of an input all that it holds. */
void gs_inputs_release(struct gs_inputs *inputs, const void *bytes, uint64_t size);

/* The error for an input of `size` bytes where that is no multiple of `unit`. */
enum gs_status gs_input_check_size(const char *name, uint64_t size, size_t unit,
                                   struct gs_error *err);

/* Is the file device:inode still to be read? Then it may not grow before that. */
bool gs_inputs_await(const struct gs_inputs *inputs, dev_t device, ino_t inode);

/* Bytes of the inputs that are mapped of the file device:inode and reach beyond its byte `start`.
 */
uint64_t gs_inputs_same(const struct gs_inputs *inputs, dev_t device, ino_t inode, uint64_t start);

/* The file device:inode is about to be written in place from there on: copy these inputs.
 * *copied_bytes grows by what that took. */
enum gs_status gs_inputs_detach(struct gs_inputs *inputs, dev_t device, ino_t inode, uint64_t start,
                                uint64_t *copied_bytes, struct gs_error *err);

/* Nobody looks at the inputs for a while: mapped pages leave this process's page table now, not at
 * its end, when there is nothing else to do. They come back if they are looked at after all. */
void gs_inputs_forget(const struct gs_inputs *inputs);

/* The mapped input that holds `address`, or NULL. Async-signal-safe. */
const struct gs_input *gs_inputs_find(const struct gs_inputs *inputs, const void *address);

/* Has the file under a mapped input become shorter than its mapping? Async-signal-safe. */
bool gs_input_has_shrunk(const struct gs_input *input);

void gs_inputs_close(struct gs_inputs *inputs);

#endif
