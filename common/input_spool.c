/* input_spool.c -- make every input a piece of memory, through temporary files if need be.
 * SPDX-License-Identifier: MIT
 */
#include "common/file.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/spill.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Read and written at a time. */
#define GS_SPOOL_BYTES ((size_t)1 << 20)

/* Refuses what would exceed *context bytes. */
static enum gs_status refuse_above(void *context, const char *name, uint64_t bytes,
                                   struct gs_error *err)
{
    (void)name;
    (void)err; /* this is no failure yet */
    const uint64_t *most = context;
    return bytes > *most ? GS_ERR_MEMORY : GS_OK;
}

/* Bytes that inputs which were read hold. */
static uint64_t held_bytes(const struct gs_inputs *inputs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->count; i++)
        sum += inputs->list[i].memory.used;
    return sum;
}

static struct gs_input *first_pending(struct gs_inputs *inputs)
{
    size_t i = 0;
    while (i < inputs->count && !inputs->list[i].pending)
        i++;
    return i < inputs->count ? &inputs->list[i] : NULL;
}

/* Copy the rest of a descriptor to another; *size grows by that. */
static enum gs_status copy_rest(int from, const char *name, int to, const char *directory,
                                uint64_t *size, struct gs_error *err)
{
    enum gs_status st;
    size_t got;
    char *buffer = gs_pages_alloc(GS_SPOOL_BYTES);
    if (buffer == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%s", name);
        goto cleanup;
    }
    do {
        GS_TRY(gs_file_read_some(from, buffer, GS_SPOOL_BYTES, &got, name, err));
        GS_TRY(gs_file_write_full(to, buffer, got, directory, err));
        *size += got;
    } while (got > 0);
cleanup:
    gs_pages_free(buffer, GS_SPOOL_BYTES);
    return st;
}

/* Move a pending input, of which a part was read, to a temporary file, which is mapped. */
static enum gs_status spool_input(struct gs_input *input, size_t unit, const char *directory,
                                  struct gs_error *err)
{
    enum gs_status st;
    uint64_t size = input->memory.used;
    void *mapping;
    int fd = gs_spill_create(directory);
    if (fd < 0) {
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot create a temporary file", directory);
        goto cleanup;
    }
    GS_TRY(gs_file_write_full(fd, input->memory.bytes, input->memory.used, directory, err));
    gs_slurp_free(&input->memory);
    input->bytes = NULL;
    GS_TRY(copy_rest(input->fd, input->name, fd, directory, &size, err));
    GS_TRY(gs_input_check_size(input->name, size, unit, err));
    mapping = size > SIZE_MAX ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (mapping == MAP_FAILED) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%s: cannot map its temporary file", input->name);
        goto cleanup;
    }
    if (input->fd != STDIN_FILENO)
        close(input->fd);
    input->fd = -1;
    input->pending = false;
    input->mapping = mapping;
    input->mapping_bytes = (size_t)size;
    input->bytes = mapping;
    input->size = size;
cleanup:
    if (fd >= 0)
        close(fd);
    return st;
}

enum gs_status gs_inputs_spool(struct gs_inputs *inputs, size_t unit, uint64_t memory_bytes,
                               const char *const *directories, size_t directory_count,
                               uint64_t *temporary_bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *temporary_bytes = 0;
    for (size_t spooled = 0; gs_inputs_pending(inputs); spooled++) {
        uint64_t held = held_bytes(inputs);
        uint64_t most = memory_bytes > held ? memory_bytes - held : 0;
        st = gs_inputs_read(inputs, unit, refuse_above, &most, err);
        struct gs_input *input = first_pending(inputs);
        if (st == GS_OK || input == NULL || err->status != GS_OK)
            return st;
        st = spool_input(input, unit, directories[spooled % directory_count], err);
        if (st != GS_OK)
            return st;
        *temporary_bytes += input->size;
    }
    return st;
}
