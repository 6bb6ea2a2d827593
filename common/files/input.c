/* input.c -- all inputs as pieces of memory: opened, and mapped where possible.
 * SPDX-License-Identifier: MIT
 *
 * Mappings are shared: a private one, even if never written, is copied page by page when a GPU
 * driver pins it. Files under /proc and the like claim to be empty or cannot be mapped: these are
 * read to their end like a pipe.
 */
#include "common/files/input.h"

#include "common/files/file.h"
#include "common/human.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux allows a process 65,530 mappings by default (vm.max_map_count), and buffers, stacks and
 * advice on parts of a mapping take some. So only this many inputs are mapped, the rest are read.
 */
#define GS_MAPPED_MAX 16384

enum gs_status gs_input_look(struct gs_input *input, const void *bytes, size_t size,
                             struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (input->magic.looks == GS_LOOKS_NONE || size == 0)
        return GS_OK;
    GS_TRY(gs_magic_feed(&input->magic, bytes, size, input->name, err));
    GS_TRY(gs_magic_check(&input->magic, false, input->name, err));
    if (input->magic.head.count == GS_HEAD_BYTES)
        gs_magic_end(&input->magic);
cleanup:
    return st;
}

enum gs_status gs_input_check_end(struct gs_input *input, uint64_t size, size_t unit,
                                  struct gs_error *err)
{
    /* First what it is: that also says why its size is odd. */
    enum gs_status st = gs_magic_check(&input->magic, true, input->name, err);
    char came[GS_HUMAN_TEXT];
    char promised[GS_HUMAN_TEXT];
    if (st == GS_OK && !input->sized && size < input->least)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: file shrank before it was read", input->name);
    if (st == GS_OK && input->sized && size != input->promised)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: %s of records came, but its header says %s%s",
                       input->name, gs_human_exact(size, came),
                       gs_human_exact(input->promised, promised),
                       size > input->promised ? ": are there several arrays? unzip -p FILE NAME "
                                                "gives one"
                                              : "");
    if (st != GS_OK || size % unit == 0)
        return st;
    char skipped[64] = "";
    if (input->skip > 0)
        snprintf(skipped, sizeof skipped, ", behind the %" PRIu64 " bytes to skip,", input->skip);
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: size %" PRIu64 "%s is not a multiple of %zu (remainder %" PRIu64
                   "): -t or -R says how long its records are, --skip what is in front of them",
                   input->name, size, skipped, unit, size % unit);
}

static enum gs_status fail_short(const struct gs_input *input, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: has less than the %" PRIu64 " bytes to skip",
                   input->name, input->skip);
}

/* Look at the first bytes of a file from `start` on, whose size is `size` from there: before any
 * other work, and without a mapping, whose pages may be gone already. They are read in one go, as
 * the far ones are on their way anyhow when the kernel reads ahead. */
static enum gs_status look_at_file(struct gs_input *input, int fd, uint64_t start, uint64_t size,
                                   size_t unit, struct gs_error *err)
{
    if (size < input->skip)
        return fail_short(input, err);
    if (unit == 0)
        return GS_OK;
    if (input->magic.looks != GS_LOOKS_NONE) {
        input->magic.own = malloc(GS_HEAD_BYTES);
        if (input->magic.own == NULL)
            return gs_fail(err, GS_ERR_MEMORY, errno, "%s", input->name);
        int errnum = gs_file_pread_most(fd, input->magic.own, GS_HEAD_BYTES, start,
                                        &input->magic.head.count);
        if (errnum != 0)
            return gs_fail(err, GS_ERR_INPUT, errnum, "%s: read failed", input->name);
        input->magic.head.bytes = input->magic.own;
        input->magic.head.file_bytes = size;
    }
    enum gs_status st = gs_input_check_end(input, size - input->skip, unit, err);
    gs_magic_end(&input->magic);
    return st;
}

/* Map the file from byte `start` to `end`. False if it has to be read instead. */
static bool map_file(struct gs_input *input, int fd, uint64_t start, uint64_t end, size_t unit)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t base = start - start % page;
    /* Keys must be aligned: those that are no records are as long as a power of two, up to 16. */
    const size_t alignment = unit == 0 ? 16 : unit <= 16 ? unit & -unit : 1;
    if (start % alignment != 0 || end - base > SIZE_MAX)
        return false;
    size_t bytes = (size_t)(end - base);
    void *mapping = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)base);
    if (mapping == MAP_FAILED)
        return false;
    input->mapping = mapping;
    input->mapping_bytes = bytes;
    input->end = end;
    input->bytes = (const char *)mapping + (start - base);
    input->size = end - start;
    return true;
}

/* Read what is in front of the records of the first input, whose file is mapped. */
static enum gs_status read_head(const struct gs_inputs *inputs, int fd, uint64_t start,
                                struct gs_error *err)
{
    const struct gs_input *input = &inputs->list[0];
    size_t got = 0;
    int errnum = gs_file_pread_most(fd, inputs->head, input->skip, start, &got);
    if (errnum != 0)
        return gs_fail(err, GS_ERR_INPUT, errnum, "%s: read failed", input->name);
    return got == input->skip ? GS_OK : fail_short(input, err);
}

/* Is a file empty as it claims? Those under /proc are not. */
static bool is_empty(int fd, off_t position)
{
    char byte;
    return pread(fd, &byte, sizeof byte, position) == 0;
}

/* Inspect the descriptor of the last input: map it now, or leave it empty or pending. */
static enum gs_status inspect_input(const struct gs_inputs *inputs, int fd, size_t unit,
                                    struct gs_error *err)
{
    struct stat status;
    struct gs_input *input = &inputs->list[inputs->count - 1];
    if (fstat(fd, &status) != 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s", input->name);
    if (S_ISDIR(status.st_mode))
        return gs_fail(err, GS_ERR_INPUT, EISDIR, "%s", input->name);
    int flags = fcntl(fd, F_GETFL);
    if (flags != -1 && (flags & O_ACCMODE) == O_WRONLY)
        return gs_fail(err, GS_ERR_INPUT, EBADF, "%s", input->name);

    off_t position = lseek(fd, 0, SEEK_CUR);
    input->pending = true;
    input->device = status.st_dev;
    input->inode = status.st_ino;
    if (!S_ISREG(status.st_mode) || status.st_size == 0 || position < 0) {
        input->pending =
            !S_ISREG(status.st_mode) || input->skip > 0 || position < 0 || !is_empty(fd, position);
        return GS_OK;
    }
    uint64_t end = (uint64_t)status.st_size;
    uint64_t start = (uint64_t)position < end ? (uint64_t)position : end;
    enum gs_status st = look_at_file(input, fd, start, end - start, unit, err);
    if (st != GS_OK)
        return st;
    input->least = end - start - input->skip;
    if (start == end ||
        (inputs->count <= GS_MAPPED_MAX && map_file(input, fd, start + input->skip, end, unit)))
        input->pending = false;
    if (!input->pending && inputs->count == 1 && input->skip > 0)
        st = read_head(inputs, fd, start, err);
    return st;
}

/* Is standard input mapped already? Then a further "-" is empty. */
static bool has_standard_input(const struct gs_inputs *inputs)
{
    for (size_t i = 0; i + 1 < inputs->count; i++)
        if (gs_input_is_standard(inputs->list[i].name) && inputs->list[i].mapping != NULL)
            return true;
    return false;
}

/* Open the last input of the list. */
static enum gs_status open_input(const struct gs_inputs *inputs, size_t unit, struct gs_error *err)
{
    struct gs_input *input = &inputs->list[inputs->count - 1];
    if (gs_input_is_standard(input->name) && has_standard_input(inputs))
        return GS_OK;
    if (gs_input_is_standard(input->name)) {
        enum gs_status st = inspect_input(inputs, STDIN_FILENO, unit, err);
        input->fd = input->pending ? STDIN_FILENO : -1;
        return st;
    }
    struct stat status;
    if (stat(input->name, &status) != 0) /* fails for an empty name: no later message has one */
        return gs_fail(err, GS_ERR_INPUT, errno, "%s: cannot read",
                       *input->name != '\0' ? input->name : "''");
    if (S_ISFIFO(status.st_mode)) {
        if (gs_file_access(AT_FDCWD, input->name, R_OK, 0) != 0)
            return gs_fail(err, GS_ERR_INPUT, errno, "%s: cannot read", input->name);
        input->pending = true;
        return GS_OK;
    }
    int fd = open(input->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s: cannot read", input->name);
    enum gs_status st = inspect_input(inputs, fd, unit, err);
    close(fd); /* also if pending: thousands of inputs must not use up the descriptors */
    return st;
}

enum gs_status gs_inputs_open(struct gs_inputs *inputs, const char *const *names, size_t count,
                              size_t unit, const uint64_t *skips, enum gs_looks looks,
                              struct gs_error *err)
{
    static const char *const standard_input[] = {"-"};
    if (count == 0) {
        names = standard_input;
        count = 1;
    }
    inputs->count = 0;
    inputs->last = 0;
    inputs->populates = false;
    inputs->list = calloc(count, sizeof *inputs->list);
    inputs->head = calloc(1, (skips != NULL ? skips[0] : 0) + 1);
    if (inputs->list == NULL || inputs->head == NULL) {
        gs_inputs_close(inputs);
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%zu inputs", count);
    }
    enum gs_status st = GS_OK;
    while (st == GS_OK && inputs->count < count) {
        struct gs_input *input = &inputs->list[inputs->count];
        *input = (struct gs_input){.name = names[inputs->count], .fd = -1};
        input->skip = skips != NULL ? skips[inputs->count] : 0;
        input->head = inputs->count == 0 ? inputs->head : NULL;
        input->magic = (struct gs_magic){.looks = looks, .head = {.skip = input->skip}};
        inputs->count++;
        st = open_input(inputs, unit, err);
    }
    if (st != GS_OK)
        gs_inputs_close(inputs);
    return st;
}

enum gs_status gs_inputs_judge(struct gs_inputs *inputs, size_t unit, struct gs_error *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct gs_input *input = &inputs->list[i];
        if (input->bytes == NULL)
            continue;
        input->magic.head.bytes = input->bytes;
        input->magic.head.count = input->size < GS_HEAD_BYTES ? (size_t)input->size : GS_HEAD_BYTES;
        input->magic.head.file_bytes = input->size;
        enum gs_status st = gs_input_check_end(input, input->size, unit, err);
        gs_magic_end(&input->magic);
        if (st != GS_OK)
            return st;
    }
    return GS_OK;
}

enum gs_status gs_inputs_consume(const struct gs_inputs *inputs, struct gs_error *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        const bool spooled = input->fd >= 0; /* it has been read to its end, from a pipe perhaps */
        if (gs_input_is_standard(input->name) && input->mapping != NULL && !spooled &&
            lseek(STDIN_FILENO, (off_t)input->end, SEEK_SET) < 0)
            return gs_fail(err, GS_ERR_INPUT, errno, "%s: seek failed", input->name);
    }
    return GS_OK;
}

uint64_t gs_inputs_bytes(const struct gs_inputs *inputs)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < inputs->count; i++)
        bytes += inputs->list[i].size;
    return bytes;
}

bool gs_inputs_pending(const struct gs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->list[i].pending)
            return true;
    return false;
}

void gs_inputs_close(struct gs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct gs_input *input = &inputs->list[i];
        if (input->mapping != NULL)
            munmap(input->mapping, input->mapping_bytes);
        gs_slurp_free(&input->memory);
        gs_magic_end(&input->magic);
        free(input->rest);
        if (input->fd > STDIN_FILENO)
            close(input->fd);
    }
    free(inputs->list);
    free(inputs->head);
    inputs->list = NULL;
    inputs->head = NULL;
    inputs->count = 0;
}
