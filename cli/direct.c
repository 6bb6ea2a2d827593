/* direct.c -- write an output past the page cache (open(2): O_DIRECT).
 * SPDX-License-Identifier: MIT
 *
 * Addresses, lengths and file offsets of direct writes must be multiples of a block. A bin begins
 * and ends anywhere: its whole blocks are copied to an aligned buffer and written directly, the
 * rests at both ends go through the page cache. So does each MiB of which a direct write fails or
 * falls short; if the write through the page cache fails too, it reports the cause.
 */
#include "cli/direct.h"

#include "common/late_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A multiple of the block size of every disk. */
#define BLOCK_BYTES ((uint64_t)4096)

/* Bytes written at a time. */
#define BUFFER_BYTES ((size_t)1 << 20)

/* Fewer bytes are not worth the two extra writes at their ends. */
#define DIRECT_BYTES_MIN ((size_t)64 << 10)

int gs_direct_open(const struct gs_output *output)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", output->fd);
    return open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
}

enum gs_status gs_direct_write(int direct_fd, struct gs_output *output, const void *data,
                               size_t bytes, uint64_t position, struct gs_error *err)
{
    const char *from = data;
    uint64_t start = output->start + output->head_bytes + position;
    size_t head = (size_t)((BLOCK_BYTES - start % BLOCK_BYTES) % BLOCK_BYTES);
    char *buffer = bytes >= DIRECT_BYTES_MIN ? aligned_alloc(BLOCK_BYTES, BUFFER_BYTES) : NULL;
    enum gs_status st = GS_OK;
    size_t done = 0;
    if (buffer != NULL) {
        st = gs_output_write(output, from, head, position, err);
        done = head;
    }
    while (st == GS_OK && buffer != NULL && bytes - done >= BLOCK_BYTES) {
        size_t here = bytes - done - (bytes - done) % BLOCK_BYTES;
        here = here < BUFFER_BYTES ? here : BUFFER_BYTES;
        memcpy(buffer, from + done, here);
        ssize_t written = pwrite(direct_fd, buffer, here, (off_t)(start + done));
        if (written < 0 && gs_is_late_error(errno)) /* it may be another write's failure */
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: write failed", output->name);
        else if (written != (ssize_t)here)
            st = gs_output_write(output, buffer, here, position + done, err);
        done += here;
    }
    free(buffer);
    if (st == GS_OK && done < bytes)
        st = gs_output_write(output, from + done, bytes - done, position + done, err);
    return st;
}
