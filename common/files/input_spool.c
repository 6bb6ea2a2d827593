/* input_spool.c -- make every input a piece of memory, through temporary files if need be.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/file.h"
#include "common/files/input.h"
#include "common/files/late_error.h"
#include "common/memory/memory.h"
#include "common/files/spill.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes read and written at a time. */
#define GS_SPOOL_BYTES ((size_t)1 << 20)

/* A temporary file with this much in it takes no further input. (A file for each input could be
 * more mappings than a process may have.) After each GS_SPOOL_FILES, files get twice as large: they
 * stay open, and a process may not have many. */
#define GS_SPOOL_FILE_BYTES ((uint64_t)64 << 20)
#define GS_SPOOL_FILES      64

/* A temporary file to which inputs are appended, one after another. */
struct spool {
    int fd; /* -1: none is open */
    const char *directory;
    uint64_t bytes;
    size_t first; /* index of its first input */
};

/* Parameters of reading one input. */
struct reading {
    uint64_t most;   /* bytes of it that memory has room for */
    uint64_t before; /* bytes of the inputs before it */
    gs_spool_tell *tell;
    void *context;
};

/* The gate: refuses more than memory has room for. */
static enum gs_status refuse_above(void *context, uint64_t bytes, struct gs_error *err)
{
    (void)err; /* this is no failure yet */
    const struct reading *reading = context;
    reading->tell(reading->context, reading->before + bytes);
    return bytes > reading->most ? GS_ERR_MEMORY : GS_OK;
}

/* Bytes of memory that inputs hold which have been read. */
static uint64_t held_bytes(const struct gs_inputs *inputs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->count; i++)
        sum += inputs->list[i].memory.used;
    return sum;
}

/* Copy the unread rest of an input to the file, and add its bytes to *size. */
static enum gs_status copy_rest(const struct spool *spool, struct gs_input *input,
                                const struct reading *reading, uint64_t *size, struct gs_error *err)
{
    enum gs_status st;
    size_t got;
    char *buffer = gs_pages_alloc(GS_SPOOL_BYTES);
    if (buffer == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%s", input->name);
        goto cleanup;
    }
    do {
        GS_TRY(gs_file_read_some(input->fd, buffer, GS_SPOOL_BYTES, &got, input->name, err));
        GS_TRY(gs_input_look(input, buffer, got, err));
        GS_TRY(gs_file_write_full(spool->fd, buffer, got, spool->directory, err));
        *size += got;
        reading->tell(reading->context, reading->before + *size);
    } while (got > 0);
cleanup:
    gs_pages_free(buffer, GS_SPOOL_BYTES);
    return st;
}

/* Make sure that a file is open for input number `index`; a new one is created in `directory`. */
static enum gs_status open_spool(struct spool *spool, size_t index, const char *directory,
                                 struct gs_error *err)
{
    if (spool->fd >= 0)
        return GS_OK;
    *spool = (struct spool){
        .fd = gs_spill_create(directory), .directory = directory, .bytes = 0, .first = index};
    if (spool->fd < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno,
                       "%s: cannot create a temporary file; -T or TMPDIR names another directory",
                       directory);
    return GS_OK;
}

/* Move a pending input to the file: first the part that is in memory, then the unread rest. */
static enum gs_status spool_input(struct spool *spool, struct gs_input *input,
                                  const struct reading *reading, size_t unit, struct gs_error *err)
{
    enum gs_status st;
    uint64_t size = input->memory.used;
    GS_TRY(gs_file_write_full(spool->fd, input->memory.bytes, input->memory.used, spool->directory,
                              err));
    gs_slurp_free(&input->memory);
    input->bytes = NULL;
    GS_TRY(copy_rest(spool, input, reading, &size, err));
    GS_TRY(gs_input_check_end(input, size, unit, err));
    gs_input_end(input);
    input->size = size;
    spool->bytes += size;
cleanup:
    return st;
}

/* Map the file. It has those inputs from its first to before `end` not in memory. It stays open, to
 * be asked for late errors once more. The mapping is private: FUSE may refuse others. */
static enum gs_status map_spool(struct spool *spool, struct gs_input *list, size_t end,
                                struct gs_error *err)
{
    if (spool->fd < 0)
        return GS_OK;
    struct gs_input *first = &list[spool->first];
    int lost = gs_late_error_settle(spool->fd);
    if (lost != 0)
        return gs_fail(err, GS_ERR_OUTPUT, lost, "%s: write failed", spool->directory);
    char *mapping = spool->bytes > SIZE_MAX
                        ? MAP_FAILED
                        : mmap(NULL, (size_t)spool->bytes, PROT_READ, MAP_PRIVATE, spool->fd, 0);
    if (mapping == MAP_FAILED)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%s: cannot map its temporary file", first->name);
    first->fd = spool->fd;
    spool->fd = -1;
    gs_pages_advise(mapping, spool->bytes, MADV_SEQUENTIAL);
    first->mapping = mapping;
    first->mapping_bytes = (size_t)spool->bytes;
    spool->bytes = 0;
    for (struct gs_input *input = first; input < list + end; input++) {
        if (input->bytes != NULL || input->size == 0)
            continue;
        input->bytes = mapping;
        mapping += input->size;
    }
    return GS_OK;
}

enum gs_status gs_inputs_spool(struct gs_inputs *inputs, size_t unit, uint64_t memory_bytes,
                               const char *const *directories, size_t directory_count,
                               gs_spool_tell *tell, void *context, uint64_t *temporary_bytes,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct spool spool = {.fd = -1};
    struct reading reading = {.tell = tell, .context = context};
    const struct gs_slurp_watch watch = {.gate = refuse_above, .context = &reading};
    uint64_t held = held_bytes(inputs);
    size_t files = 0;
    *temporary_bytes = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        struct gs_input *input = &inputs->list[i];
        if (!input->pending)
            continue;
        reading.most = memory_bytes > held ? memory_bytes - held : 0;
        st = gs_input_read(input, unit, inputs->populates, &watch, err);
        if (st != GS_OK && st != GS_ERR_MEMORY)
            goto cleanup;
        if (st != GS_OK) {
            *err = (struct gs_error){.status = GS_OK}; /* a file has room where memory has none */
            GS_TRY(open_spool(&spool, i, directories[files % directory_count], err));
            GS_TRY(spool_input(&spool, input, &reading, unit, err));
            *temporary_bytes += input->size;
        }
        held += input->memory.used;
        reading.before += input->size;
        if (spool.bytes >= GS_SPOOL_FILE_BYTES << files / GS_SPOOL_FILES) {
            GS_TRY(map_spool(&spool, inputs->list, i + 1, err));
            files++;
        }
    }
    st = map_spool(&spool, inputs->list, inputs->count, err);
cleanup:
    if (spool.fd >= 0)
        close(spool.fd);
    return st;
}

enum gs_status gs_inputs_check_spooled(const struct gs_inputs *inputs, struct gs_error *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        int lost = input->mapping != NULL && input->fd >= 0 ? gs_late_error(input->fd) : 0;
        if (lost != 0)
            return gs_fail(err, GS_ERR_OUTPUT, lost, "%s: its temporary file: write failed",
                           input->name);
    }
    return GS_OK;
}
