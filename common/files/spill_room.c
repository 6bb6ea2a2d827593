/* spill_room.c -- where the pieces of a spill lie: in stripes of its files.
 * SPDX-License-Identifier: MIT
 *
 * A piece takes stripes that others have left, and the rest of it lies behind all others: so files
 * never grow while there is room in them. A hole in a file would be room for others, too, but file
 * systems first write what they drop then.
 */
#include "common/files/space.h"
#include "common/files/spill.h"
#include "common/human.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t stripes_of(uint64_t bytes)
{
    return (bytes + GS_SPILL_STRIPE_BYTES - 1) / GS_SPILL_STRIPE_BYTES;
}

/* The number of the piece's stripe of that index. */
static uint64_t stripe_number(const struct gs_place *place, uint64_t index)
{
    return index < place->reused ? place->stripes[index].number
                                 : place->offset / GS_SPILL_STRIPE_BYTES + index - place->reused;
}

/* How many of a piece's bytes that stripe has. */
static uint32_t bytes_in(uint64_t bytes, uint64_t index)
{
    const uint64_t rest = bytes - index * GS_SPILL_STRIPE_BYTES;
    return (uint32_t)(rest < GS_SPILL_STRIPE_BYTES ? rest : GS_SPILL_STRIPE_BYTES);
}

struct gs_stripe gs_stripe_at(const struct gs_spill_directory *directory,
                              const struct gs_place *place, uint64_t from, uint64_t bytes)
{
    const uint64_t skip = from % GS_SPILL_STRIPE_BYTES;
    const uint64_t room = GS_SPILL_STRIPE_BYTES - skip;
    const uint64_t number = stripe_number(place, from / GS_SPILL_STRIPE_BYTES);
    return (struct gs_stripe){.file = (int)(number % GS_SPILL_FILES),
                              .fd = directory->fds[number % GS_SPILL_FILES],
                              .offset = number / GS_SPILL_FILES * GS_SPILL_STRIPE_BYTES + skip,
                              .bytes = bytes < room ? bytes : room};
}

/* Allocate `bytes` behind all pieces: the part of each file in one go, so that it lies in one place
 * on the disk. Returns 0, or the errno that says why there is no room. */
static int reserve_new(const struct gs_spill_directory *directory, uint64_t bytes)
{
    const struct gs_place place = {.offset = directory->used};
    struct gs_stripe parts[GS_SPILL_FILES] = {{.bytes = 0}};
    if (gs_space_free(directory->fds[0]) < bytes)
        return ENOSPC;
    for (uint64_t done = 0; done < bytes;) {
        const struct gs_stripe stripe = gs_stripe_at(directory, &place, done, bytes - done);
        struct gs_stripe *part = &parts[stripe.file];
        *part = part->bytes == 0 ? stripe : *part;
        part->bytes = stripe.offset + stripe.bytes - part->offset;
        done += stripe.bytes;
    }
    for (int i = 0; i < GS_SPILL_FILES; i++) {
        const int errnum =
            parts[i].bytes > 0 ? gs_space_reserve(parts[i].fd, parts[i].offset, parts[i].bytes) : 0;
        if (errnum != 0)
            return errnum;
    }
    return 0;
}

/* Find room in one directory: 0, or an errno. */
static int place_in(struct gs_spill *spill, size_t index, uint64_t bytes, struct gs_place *place)
{
    struct gs_spill_directory *directory = &spill->directories[index];
    const uint64_t stripes = stripes_of(bytes);
    const uint64_t reused = stripes < directory->free_count ? stripes : directory->free_count;
    const uint64_t old = reused * GS_SPILL_STRIPE_BYTES;
    const uint64_t more = bytes > old ? bytes - old : 0;
    const int errnum = reserve_new(directory, more);
    *place = (struct gs_place){
        .directory = (uint32_t)index, .offset = directory->used, .reused = (uint32_t)reused};
    if (errnum != 0)
        return errnum;
    if (reused > 0) /* else there is nothing to free */
        place->stripes = reallocarray(NULL, reused, sizeof *place->stripes);
    if (place->stripes == NULL && reused > 0)
        return ENOMEM;
    gs_spill_keep(spill, place, more);
    spill->taken += more;
    for (uint64_t i = 0; i < reused; i++) {
        struct gs_spill_stripe *stripe = &place->stripes[i];
        const uint32_t here = bytes_in(bytes, i);
        *stripe = directory->free[--directory->free_count];
        if (here > stripe->bytes) {
            spill->taken += here - stripe->bytes;
            stripe->bytes = here;
        }
    }
    return 0;
}

enum gs_status gs_spill_place(struct gs_spill *spill, uint64_t bytes, struct gs_place *place,
                              struct gs_error *err)
{
    int errnum = ENOSPC;
    struct gs_spill_directory *directory = spill->directories;
    for (size_t tries = 0; tries < spill->count; tries++) {
        size_t index = spill->next;
        directory = &spill->directories[index];
        enum gs_status st = gs_spill_make_files(spill, directory, err);
        if (st != GS_OK)
            return st;
        spill->next = (index + 1) % spill->count;
        errnum = place_in(spill, index, bytes, place);
        if (errnum != 0)
            continue;
        spill->used += bytes;
        spill->held += bytes;
        return GS_OK;
    }
    char text[GS_HUMAN_TEXT];
    return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: no room for a temporary file of %s",
                   directory->name, gs_human_bytes(bytes, text));
}

void gs_spill_free(struct gs_spill *spill, struct gs_place *place, uint64_t before, uint64_t bytes)
{
    struct gs_spill_directory *directory = &spill->directories[place->directory];
    const uint64_t end = before < bytes ? before / GS_SPILL_STRIPE_BYTES : stripes_of(bytes);
    while (place->freed < end) {
        const uint64_t index = place->freed++;
        const uint32_t here = bytes_in(bytes, index);
        spill->held -= here;
        if (directory->free_count == directory->free_room) {
            const size_t room = directory->free_room * 2 + 64;
            struct gs_spill_stripe *free = reallocarray(directory->free, room, sizeof *free);
            if (free == NULL)
                continue; /* the stripe stays empty */
            directory->free = free;
            directory->free_room = room;
        }
        directory->free[directory->free_count++] =
            index < place->reused
                ? place->stripes[index]
                : (struct gs_spill_stripe){(uint32_t)stripe_number(place, index), here};
    }
}

void gs_spill_keep(struct gs_spill *spill, const struct gs_place *place, uint64_t bytes)
{
    spill->directories[place->directory].used =
        place->offset + stripes_of(bytes) * GS_SPILL_STRIPE_BYTES;
}

void gs_spill_trim(const struct gs_spill *spill)
{
    for (size_t i = 0; i < spill->count; i++)
        for (uint64_t k = 0; k < GS_SPILL_FILES; k++) {
            uint64_t stripes = spill->directories[i].used / GS_SPILL_STRIPE_BYTES;
            uint64_t own = (stripes + GS_SPILL_FILES - 1 - k) / GS_SPILL_FILES;
            /* Where that fails, what is behind is overwritten. */
            if (ftruncate(spill->directories[i].fds[k], (off_t)(own * GS_SPILL_STRIPE_BYTES)) != 0)
                continue;
        }
}
