/* pages_absent.c -- the functions of pages.h for wider keys: bins are counted.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/pages/pages.h"

size_t gs_device_sorter_room(struct gs_device_sorter *sorter)
{
    (void)sorter;
    return 0;
}

void gs_device_sorter_place_room(struct gs_device_sorter *sorter, void *memory)
{
    (void)sorter;
    (void)memory;
}
