/* draw.c -- numbers of a random order, many at a time: loops for vectors.
 * SPDX-License-Identifier: MIT
 *
 * AVX-512 DQ multiplies numbers of 64 bits in one instruction: it takes less than half of the time.
 */
#include "sort/shuffle/draw.h"
#include "sort/keys/vectors.h"

#include <stdbool.h>
#include <string.h>

#define LOOP static inline __attribute__((always_inline))
#if GS_HAS_AVX512
#define AVX512_DQ __attribute__((target("avx512f,avx512dq")))
#else
#define AVX512_DQ
#endif

static bool has_dq(void)
{
#if GS_HAS_AVX512
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

LOOP void draw_each(uint64_t node, uint64_t index, uint32_t count, uint64_t mask,
                    char *restrict room)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t number = gs_random(node, index + i) & mask;
        memcpy(room + i * sizeof number, &number, sizeof number);
    }
}

GS_CLONES static void draw_plain(uint64_t node, uint64_t index, uint32_t count, uint64_t mask,
                                 char *room)
{
    draw_each(node, index, count, mask, room);
}

AVX512_DQ static void draw_dq(uint64_t node, uint64_t index, uint32_t count, uint64_t mask,
                              char *room)
{
    draw_each(node, index, count, mask, room);
}

static void draw(uint64_t node, uint64_t index, uint32_t count, uint64_t mask, char *room)
{
    (has_dq() ? draw_dq : draw_plain)(node, index, count, mask, room);
}

const uint16_t *gs_shuffle_draw(uint64_t node, uint64_t first, uint32_t count,
                                uint16_t room[GS_SHUFFLE_ROOM])
{
    const uint32_t before = (uint32_t)(first % 4);
    draw(node, first / 4, (before + count + 3) / 4,
         (GS_SHUFFLE_BINS - 1) * UINT64_C(0x0001000100010001), (char *)room);
    return room + before;
}

static uint32_t number_at(const struct gs_shuffle_numbers *numbers, uint64_t index)
{
    return (uint32_t)(gs_random(numbers->node, index / 2) >> (index % 2 * 32));
}

static uint32_t place_below(struct gs_shuffle_numbers *numbers, uint32_t end)
{
    uint64_t product;
    do
        product = (uint64_t)number_at(numbers, numbers->index++) * end;
    while ((uint32_t)product < end && (uint32_t)product < -end % end);
    return (uint32_t)(product >> 32);
}

/* Multiply pairs of numbers by end and end - 1, end - 2 and end - 3, and so on: the high halves of
 * the products are places. Are all as likely, for sure? */
LOOP bool multiply_each(const char *restrict numbers, uint32_t end, uint32_t pairs,
                        char *restrict places)
{
    const uint64_t half = UINT32_MAX;
    uint64_t again = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        uint64_t pair;
        memcpy(&pair, numbers + i * sizeof pair, sizeof pair);
        const uint64_t low = (pair & half) * (end - 2 * i);
        const uint64_t high = (pair >> 32) * (end - 2 * i - 1);
        again |= ((low & half) - end) | ((high & half) - end);
        pair = low >> 32 | (high & ~half);
        memcpy(places + i * sizeof pair, &pair, sizeof pair);
    }
    return again >> 63 == 0;
}

GS_CLONES static bool multiply_plain(const char *numbers, uint32_t end, uint32_t pairs,
                                     char *places)
{
    return multiply_each(numbers, end, pairs, places);
}

AVX512_DQ static bool multiply_dq(const char *numbers, uint32_t end, uint32_t pairs, char *places)
{
    return multiply_each(numbers, end, pairs, places);
}

static bool multiply(const char *numbers, uint32_t end, uint32_t pairs, char *places)
{
    return (has_dq() ? multiply_dq : multiply_plain)(numbers, end, pairs, places);
}

void gs_shuffle_places(struct gs_shuffle_numbers *numbers, uint32_t end, uint32_t count,
                       uint32_t places[GS_SHUFFLE_PLACES])
{
    char room[(GS_SHUFFLE_PLACES / 2 + 1) * sizeof(uint64_t)];
    const uint32_t pairs = (count + 1) / 2;
    draw(numbers->node, numbers->index / 2, pairs + 1, UINT64_MAX, room);
    if (multiply(room + numbers->index % 2 * sizeof(uint32_t), end, pairs, (char *)places))
        numbers->index += count;
    else
        for (uint32_t i = 0; i < count; i++)
            places[i] = place_below(numbers, end - i);
}
