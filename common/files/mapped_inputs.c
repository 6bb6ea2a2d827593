/* mapped_inputs.c -- mapped inputs: given back as they are read, or before their files change.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/input.h"

#include "common/memory/memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapped input becomes pending. */
static void unmap(struct gs_input *input)
{
    if (input->mapping == NULL)
        return;
    munmap(input->mapping, input->mapping_bytes);
    *input = (struct gs_input){.name = input->name,
                               .pending = true,
                               .device = input->device,
                               .inode = input->inode,
                               .magic = input->magic,
                               .skip = input->skip,
                               .head = input->head,
                               .least = input->least,
                               .fd = gs_input_is_standard(input->name) ? STDIN_FILENO : -1};
}

void gs_inputs_make_room(struct gs_inputs *inputs, uint64_t bytes)
{
    for (size_t i = 0; i < inputs->count && gs_address_space_left() < bytes; i++)
        unmap(&inputs->list[i]);
}

void gs_inputs_unmap(struct gs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        unmap(&inputs->list[i]);
}

/* The input that holds these bytes, in memory or mapped: usually the same one as last time. */
static struct gs_input *find_holder(struct gs_inputs *inputs, const void *bytes)
{
    for (size_t tries = 0; tries < inputs->count; tries++) {
        struct gs_input *input = &inputs->list[inputs->last];
        if (input->bytes != NULL && (uintptr_t)bytes - (uintptr_t)input->bytes < input->size)
            return input;
        inputs->last = (inputs->last + 1) % inputs->count;
    }
    return NULL;
}

void gs_inputs_advise(struct gs_inputs *inputs, const void *bytes, uint64_t size, int advice)
{
    const struct gs_input *input = find_holder(inputs, bytes);
    if (input != NULL && input->mapping != NULL)
        gs_pages_advise(bytes, size, advice);
}

void gs_inputs_release(struct gs_inputs *inputs, const void *bytes, uint64_t size)
{
    struct gs_input *input = find_holder(inputs, bytes);
    if (input == NULL)
        return;
    if ((const char *)bytes + size < (const char *)input->bytes + input->size) {
        gs_pages_advise(bytes, size, MADV_DONTNEED);
        return;
    }
    uint64_t read = input->memory.used; /* still needed for the size check of a pending input */
    if (input->mapping != NULL)
        munmap(input->mapping, input->mapping_bytes);
    gs_slurp_free(&input->memory);
    input->memory.used = read;
    input->mapping = NULL;
    input->bytes = NULL;
}

bool gs_inputs_await(const struct gs_inputs *inputs, dev_t device, ino_t inode)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        if (input->pending && input->device == device && input->inode == inode)
            return true;
    }
    return false;
}

/* Is the input mapped from that file, and does it reach beyond byte `start`? */
static bool is_mapped_from(const struct gs_input *input, dev_t device, ino_t inode, uint64_t start)
{
    return input->mapping != NULL && input->device == device && input->inode == inode &&
           input->end > start;
}

uint64_t gs_inputs_same(const struct gs_inputs *inputs, dev_t device, ino_t inode, uint64_t start)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < inputs->count; i++)
        if (is_mapped_from(&inputs->list[i], device, inode, start))
            bytes += inputs->list[i].size;
    return bytes;
}

enum gs_status gs_inputs_detach(struct gs_inputs *inputs, dev_t device, ino_t inode, uint64_t start,
                                uint64_t *copied_bytes, struct gs_error *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct gs_input *input = &inputs->list[i];
        if (!is_mapped_from(input, device, inode, start))
            continue;
        enum gs_status st =
            gs_slurp_copy(&input->memory, input->bytes, (size_t)input->size, input->name, err);
        if (st != GS_OK)
            return st;
        munmap(input->mapping, input->mapping_bytes);
        input->mapping = NULL;
        input->bytes = input->memory.bytes;
        *copied_bytes += input->size;
    }
    return GS_OK;
}

/* Unmap in pieces: other threads that change the address space wait for at most one of them. */
#define FORGET_BYTES ((size_t)64 << 20)

void gs_inputs_forget(const struct gs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        for (size_t at = 0; input->mapping != NULL && at < input->mapping_bytes;
             at += FORGET_BYTES) {
            size_t left = input->mapping_bytes - at;
            madvise((char *)input->mapping + at, left < FORGET_BYTES ? left : FORGET_BYTES,
                    MADV_DONTNEED);
        }
    }
}

void gs_inputs_let_go(struct gs_inputs *inputs, dev_t device, ino_t inode)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct gs_input *input = &inputs->list[i];
        if (input->device != device || input->inode != inode)
            continue;
        if (input->mapping != NULL)
            munmap(input->mapping, input->mapping_bytes);
        input->mapping = NULL;
        if (gs_input_is_standard(input->name))
            close(STDIN_FILENO);
    }
}

const struct gs_input *gs_inputs_find(const struct gs_inputs *inputs, const void *address)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        uintptr_t from = (uintptr_t)input->mapping;
        if (from != 0 && (uintptr_t)address - from < input->mapping_bytes)
            return input;
    }
    return NULL;
}

bool gs_input_has_shrunk(const struct gs_input *input)
{
    struct stat status;
    int failed = gs_input_is_standard(input->name) ? fstat(STDIN_FILENO, &status)
                                                   : stat(input->name, &status);
    if (failed != 0 || status.st_dev != input->device || status.st_ino != input->inode)
        return true; /* the name is gone: assume the likeliest cause */
    return (uint64_t)status.st_size < input->end;
}
