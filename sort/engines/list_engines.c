/* list_engines.c -- which engines sort by lists, how many keys they take, and in how many lists.
 * SPDX-License-Identifier: MIT
 */
#include "sort/engines/list_engines.h"

#include <assert.h>
#include <inttypes.h>

static_assert(GS_KEY_BYTES != 4 || GS_ENGINE_CAPACITY == 38656,
              "as README.md, the man page and --help say");
static_assert((GS_ENGINE_CAPACITY + GS_ENGINE_CAPACITY / 2) * GS_KEY_BYTES <=
                  GS_ENGINE_SHARED_BYTES,
              "lists and scratch lists fit a block");

bool gs_engine_uses_lists(enum gs_engine engine)
{
    return engine == GS_ENGINE_ATOMICMIN || engine == GS_ENGINE_REDUCTION ||
           engine == GS_ENGINE_HYBRID;
}

enum gs_list_merge gs_engine_list_merge(enum gs_engine engine)
{
    if (engine == GS_ENGINE_ATOMICMIN)
        return GS_LIST_MERGE_ATOMICMIN;
    return engine == GS_ENGINE_REDUCTION ? GS_LIST_MERGE_REDUCTION : GS_LIST_MERGE_HYBRID;
}

/* On the GPU, a merge step costs the same for any number of lists up to a warp's 32, and the more
 * lists, the faster they are sorted. With more than 32, warps wait for each other in every step.
 * (H200, ms with 8, 32 and 128 lists: 1024 keys atomicmin 0.31 0.24 0.23, reduction 0.28 0.23 0.35,
 * hybrid 0.23 0.17 0.24; 38656 keys atomicmin 10.5 8.0 7.7, reduction 9.6 7.5 12.2, hybrid 7.8 5.7
 * 7.8.) */
#define LISTS_GPU 32

/* On one core, every additional list makes the merge slower and sorting no faster: one list is
 * fastest. Only up to this many keys, lists of one key each are faster, since nothing is to be
 * sorted. (One core of a Xeon with AVX-512, uniform keys, us with one list and with a list per key:
 * 8 keys 3.4 and 1.8, 32 keys 3.5 and 2.6, 64 keys 6.3 and 7.0, 256 keys 18 and 61; 38656 keys with
 * 1 list 2410, 8 lists 3630, 32 lists 5630.) */
#define ONE_KEY_LISTS_CPU 32

uint32_t gs_engine_default_lists(enum gs_device device, uint32_t n)
{
    uint32_t lists = 1;
    if (device == GS_DEVICE_GPU)
        return LISTS_GPU;
    while (n <= ONE_KEY_LISTS_CPU && lists < n)
        lists *= 2;
    return lists;
}

enum gs_status gs_engine_check_count(enum gs_engine engine, uint64_t count, uint32_t capacity,
                                     const char *where, struct gs_error *err)
{
    if (!gs_engine_uses_lists(engine) || count <= capacity)
        return GS_OK;
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "--engine=%s takes at most %" PRIu32 " keys%s: use --engine=samplesort",
                   gs_engine_name(engine), capacity, where);
}
