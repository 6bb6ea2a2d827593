/* pace.c -- write a file through the page cache or past it, whichever is faster just now.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/pace.h"

/* Pages that come at once take 0.3 ns a byte; a disk, for each of two threads, 1.1 ns. What it
 * takes is assumed until it is known: it is not tried before the page cache is slower than that. */
#define DIRECT_PS 1000

/* A new time has this share in the one of late, in MiB: a single wait does not count for much. */
#define RECENT_MIB 16

/* What is not used is tried again: after so many MiB, the time that it took counts half. */
#define FORGET_MIB 1024

/* The share of a write in the last `mib` MiB, in units of 1/WHOLE. */
#define WHOLE 1024
static uint64_t weigh(uint64_t bytes, uint64_t mib)
{
    uint64_t share = bytes / mib >> 10;
    return share < WHOLE ? share : WHOLE;
}

bool gs_pace_chooses_direct(struct gs_pace *pace, enum gs_direct direct, unsigned gain)
{
    if (direct != GS_DIRECT_AUTO)
        return direct == GS_DIRECT_ALWAYS;
    uint64_t past = atomic_load_explicit(&pace->direct, memory_order_relaxed);
    return atomic_load_explicit(&pace->cached, memory_order_relaxed) >
           (past > 0 ? past : DIRECT_PS) * gain;
}

void gs_pace_book(struct gs_pace *pace, bool direct, uint64_t bytes, uint64_t ns)
{
    if (bytes == 0)
        return;
    atomic_uint_fast64_t *own = direct ? &pace->direct : &pace->cached;
    uint64_t late = atomic_load_explicit(own, memory_order_relaxed);
    uint64_t now = ns * 1000 / bytes;
    /* The first direct write tells what is not known yet. */
    uint64_t share = direct && late == 0 ? WHOLE : weigh(bytes, RECENT_MIB);
    late = (late * (WHOLE - share) + now * share) / WHOLE;
    atomic_store_explicit(own, late > 0 ? late : 1, memory_order_relaxed);
    if (direct) { /* so that the page cache is tried again */
        uint64_t cached = atomic_load_explicit(&pace->cached, memory_order_relaxed);
        cached -= cached * weigh(bytes, FORGET_MIB) / WHOLE;
        atomic_store_explicit(&pace->cached, cached, memory_order_relaxed);
    }
}
