/* direct.c -- write an output past the page cache (open(2): O_DIRECT).
 * SPDX-License-Identifier: MIT
 *
 * Addresses, lengths and file offsets of direct writes must be multiples of a block. A bin begins
 * and ends anywhere: its whole blocks are copied to an aligned buffer and written directly, the
 * rests at both ends go through the page cache. So does each MiB of which a direct write fails or
 * falls short; if the write through the page cache fails too, it reports the cause.
 */
#include "cli/direct.h"

#include "common/direct_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Bytes written at a time. */
#define BUFFER_BYTES ((size_t)1 << 20)

/* Fewer bytes are not worth the two extra writes at their ends. */
#define DIRECT_BYTES_MIN ((size_t)64 << 10)

int gs_direct_open(const struct gs_output *output)
{
    return gs_direct_reopen(output->fd, O_WRONLY);
}

enum gs_status gs_direct_write(int direct_fd, struct gs_output *output, const void *data,
                               size_t bytes, uint64_t position, struct gs_error *err)
{
    const char *from = data;
    uint64_t start = output->start + output->head_bytes + position;
    size_t head = (size_t)((GS_DIRECT_BLOCK - start % GS_DIRECT_BLOCK) % GS_DIRECT_BLOCK);
    char *buffer = bytes >= DIRECT_BYTES_MIN ? aligned_alloc(GS_DIRECT_BLOCK, BUFFER_BYTES) : NULL;
    enum gs_status st = GS_OK;
    size_t done = 0;
    if (buffer != NULL) {
        st = gs_output_write(output, from, head, position, err);
        done = head;
    }
    while (st == GS_OK && buffer != NULL && bytes - done >= GS_DIRECT_BLOCK) {
        size_t here = bytes - done - (bytes - done) % GS_DIRECT_BLOCK;
        here = here < BUFFER_BYTES ? here : BUFFER_BYTES;
        memcpy(buffer, from + done, here);
        size_t written = 0;
        int errnum = gs_direct_pwrite(direct_fd, buffer, here, start + done, &written);
        if (errnum != 0)
            st = gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: write failed", output->name);
        else /* what it refuses, if anything */
            st = gs_output_write(output, buffer + written, here - written,
                                 position + done + written, err);
        done += here;
    }
    free(buffer);
    if (st == GS_OK && done < bytes)
        st = gs_output_write(output, from + done, bytes - done, position + done, err);
    return st;
}
