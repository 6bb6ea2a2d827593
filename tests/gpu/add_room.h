/* add_room.h -- pages for a test's sorter, from as few keys on as the test says.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ADD_ROOM_H
#define GS_ADD_ROOM_H

#include "sort/device/pages/pages.h"
#include "tests/gpu/gpu_test.h"

/* Once in a sorter's life; the caller frees the memory after closing it. */
static inline void *add_room(struct gs_device_sorter *sorter, uint64_t paged_keys,
                             uint64_t split_keys)
{
    void *memory = NULL;
    sorter->room.paged_keys = paged_keys;
    sorter->room.split_keys = split_keys;
    const size_t bytes = gs_device_sorter_room(sorter);
    if (bytes > 0) {
        must(cudaMalloc(&memory, bytes));
        gs_device_sorter_place_room(sorter, memory);
    }
    return memory;
}

#endif
