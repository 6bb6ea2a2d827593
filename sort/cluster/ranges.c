/* ranges.c -- which rank's range of the output a record belongs to.
 * SPDX-License-Identifier: MIT
 *
 * A binary search without branches: the list is filled up with all ones to a power of two less one.
 * Elements equal to a splitter are dealt by a random number for their position, so that each rank
 * gets its share of a heavy value, whoever has it. Under -u keys stay together instead: splitters
 * have no payload, and equal elements beyond the first are not even sent. Records that no element
 * holds are left to record_ranges.c.
 */
#include "sort/cluster/ranges.h"

#include "sort/keys/vectors.h"

#include "common/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Any will do, for no rank's data have been made to fit it. */
#define DEAL_SEED 0x6465616cU

/* The most splitters that are all compared. */
#define COMPARED_MOST 8

enum gs_status gs_ranges_open(struct gs_ranges *ranges, const struct gs_options *options,
                              unsigned count, struct gs_error *err)
{
    *ranges =
        (struct gs_ranges){.options = options, .count = count, .element_bytes = options->key_bytes};
    while ((1U << ranges->levels) < count)
        ranges->levels++;
    size_t listed = (size_t)1 << ranges->levels;
    ranges->splitters = aligned_alloc(16, listed * 16);
    ranges->shares = calloc(listed, sizeof *ranges->shares);
    ranges->dropping = calloc(listed, sizeof *ranges->dropping);
    if (ranges->splitters == NULL || ranges->shares == NULL || ranges->dropping == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%u ranges", count);
    memset(ranges->splitters, 0xff, listed * 16);
    if (options->records == NULL || options->shuffled)
        return GS_OK;
    ranges->records = calloc(1, sizeof *ranges->records);
    if (ranges->records == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%u ranges", count);
    return gs_record_ranges_open(ranges->records, options, count, err);
}

void gs_ranges_close(struct gs_ranges *ranges)
{
    free(ranges->splitters);
    free(ranges->shares);
    free(ranges->dropping);
    if (ranges->records != NULL)
        gs_record_ranges_close(ranges->records);
    free(ranges->records);
    gs_places_free(&ranges->places);
    *ranges = (struct gs_ranges){.count = 0};
}

/* Where an element goes that equals the splitter below range `range`. */
static uint16_t deal_equal(struct gs_ranges *ranges, uint16_t range, uint64_t position)
{
    const struct gs_options *options = ranges->options;
    const char *splitters = ranges->splitters;
    const size_t bytes = ranges->element_bytes;
    const char *value = splitters + (size_t)(range - 1) * bytes;
    if (options->unique) {
        bool drop = gs_payload_bits(options) == 0 &&
                    atomic_exchange_explicit(&ranges->dropping[range], true, memory_order_relaxed);
        return drop ? (uint16_t)ranges->count : range;
    }
    uint64_t draw = gs_random(DEAL_SEED, position) >> 32;
    while (range > 0 && draw < ranges->shares[range - 1] &&
           memcmp(splitters + (size_t)(range - 1) * bytes, value, bytes) == 0)
        range--;
    return range;
}

/* The search for elements of one type. Few splitters are all compared, which compilers do by
 * vectors. Whether an element equals a splitter is no branch either: which one it would be is
 * random. Blocks that have such elements are gone through once more. */
#define DEFINE_SEARCH(name, type)                                                                  \
    GS_CLONES static void name(struct gs_ranges *ranges, const void *records, size_t count,        \
                               type mask, uint64_t position, uint16_t *found)                      \
    {                                                                                              \
        const type *splitters = ranges->splitters;                                                 \
        const type *elements = records;                                                            \
        const size_t half = ((size_t)1 << ranges->levels) / 2;                                     \
        const size_t last = ranges->count - 1;                                                     \
        unsigned equal = 0;                                                                        \
        if (last <= COMPARED_MOST) {                                                               \
            memset(found, 0, count * sizeof *found);                                               \
            for (size_t at = 0; at < last; at++)                                                   \
                for (size_t i = 0; i < count; i++) {                                               \
                    const type element = elements[i] & mask;                                       \
                    found[i] = (uint16_t)(found[i] + (splitters[at] <= element));                  \
                    equal |= splitters[at] == element;                                             \
                }                                                                                  \
        } else {                                                                                   \
            for (size_t i = 0; i < count; i++) {                                                   \
                const type element = elements[i] & mask;                                           \
                size_t below = 0;                                                                  \
                for (size_t step = half; step > 0; step /= 2)                                      \
                    below += splitters[below + step - 1] <= element ? step : 0;                    \
                below = below < last ? below : last;                                               \
                found[i] = (uint16_t)below;                                                        \
                equal |= splitters[below - (below > 0)] == element;                                \
            }                                                                                      \
        }                                                                                          \
        for (size_t i = 0; i < count && equal; i++)                                                \
            if (found[i] > 0 && splitters[found[i] - 1] == (elements[i] & mask))                   \
                found[i] = deal_equal(ranges, found[i], position + i);                             \
    }

DEFINE_SEARCH(search_32, uint32_t)
DEFINE_SEARCH(search_64, uint64_t)
DEFINE_SEARCH(search_128, gs_u128)

/* Equal parts of the output, for fewer records than 2^48. */
static void find_places(const struct gs_ranges *ranges, size_t count, uint64_t position,
                        uint16_t *found)
{
    const struct gs_places *places = &ranges->places;
    for (size_t i = 0; i < count; i++)
        found[i] = (uint16_t)(places->list[position + i] * ranges->count / places->total);
}

void gs_ranges_find(struct gs_ranges *ranges, const void *records, size_t count, uint64_t position,
                    uint16_t *found)
{
    _Alignas(64) char decoded[GS_RANGES_BLOCK * 16];
    const struct gs_options *options = ranges->options;
    const gs_u128 mask = gs_ranges_mask(options);
    if (ranges->places.list != NULL) {
        find_places(ranges, count, position, found);
        return;
    }
    if (ranges->records != NULL) {
        gs_record_ranges_find(ranges->records, records, count, position, found);
        return;
    }
    if (options->codec != NULL) {
        gs_codec_load(options->codec, records, decoded, count);
        records = decoded;
    }
    if (ranges->element_bytes == 4)
        search_32(ranges, records, count, (uint32_t)mask, position, found);
    else if (ranges->element_bytes == 8)
        search_64(ranges, records, count, (uint64_t)mask, position, found);
    else
        search_128(ranges, records, count, mask, position, found);
    if (options->reverse)
        for (size_t i = 0; i < count; i++)
            if (found[i] < ranges->count)
                found[i] = (uint16_t)(ranges->count - 1 - found[i]);
}
