/* manifest.c -- which chunks of a shuffle are complete on disk, for another run to go on.
 * SPDX-License-Identifier: MIT
 */
#include "sort/shuffle/manifest.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES ((uint64_t)256 << 10) /* read by a thread at once, about */

struct entry {
    uint64_t count; /* of records */
    struct gs_spill_mark mark;
};

enum gs_status gs_shuffle_kept(struct gs_journal *journal, const struct gs_spill *spill,
                               const struct gs_place *place, uint64_t count, struct gs_error *err)
{
    const struct entry entry = {.count = count, .mark = gs_spill_mark(spill, place)};
    return gs_journal_write(journal, &entry, sizeof entry, err);
}

/* Read the next entry, of one of the `left` records that follow. False if it cannot be one. */
static bool read_entry(struct gs_journal *journal, uint64_t left, struct entry *entry)
{
    size_t bytes = 0;
    char *data = gs_journal_read(journal, &bytes);
    const bool whole = data != NULL && bytes == sizeof *entry;
    if (whole)
        memcpy(entry, data, sizeof *entry);
    free(data);
    return whole && entry->count > 0 && entry->count <= left && entry->count <= UINT32_MAX;
}

/* Do the `count` records at a place, behind `head` bytes, have this checksum? */
static bool is_whole(const struct gs_spill *spill, const struct gs_place *place, uint64_t head,
                     unsigned bytes, uint64_t count, unsigned threads, uint64_t wanted)
{
    const uint64_t piece = PIECE_BYTES / bytes + 1;
    uint64_t sum = 0;
    atomic_bool readable = true;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : sum)
    for (uint64_t at = 0; at < count; at += piece) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - at < piece ? count - at : piece;
        char *own = malloc(here * bytes);
        const bool is_read = own != NULL && gs_spill_read(spill, place, head + at * bytes, own,
                                                          here * bytes, &error) == GS_OK;
        for (uint64_t i = 0; is_read && i < here; i++)
            sum += gs_dealing_checksum(own + i * bytes, bytes, at + i);
        if (!is_read)
            atomic_store(&readable, false);
        free(own);
    }
    return atomic_load(&readable) && sum == wanted;
}

bool gs_shuffle_take(struct gs_journal *journal, struct gs_spill *spill, uint64_t head,
                     uint64_t seed, const struct gs_shuffle_input *input, struct gs_dealing *deal,
                     struct gs_place *place)
{
    struct entry entry;
    const uint64_t next = journal->next;
    const unsigned bytes = input->record_bytes;
    bool taken = read_entry(journal, gs_shuffle_count(input) - input->from, &entry) &&
                 gs_spill_find(spill, &entry.mark, place);
    if (taken) {
        gs_dealing_count(deal, seed, input->from, entry.count);
        taken = is_whole(spill, place, head, bytes, entry.count, deal->threads,
                         gs_dealing_sum(deal, input));
    }
    if (taken) {
        gs_spill_keep(spill, place, head + entry.count * bytes);
        journal->taken++;
        return true;
    }
    journal->refused = journal->refused || journal->next != next; /* an entry was there */
    journal->next = next;
    return false;
}
