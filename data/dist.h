/* dist.h -- the named distributions of keys that keygen writes.
 * SPDX-License-Identifier: MIT
 *
 * A distribution is a pure function of (seed, n, i) that gives the key at position i of n. It has
 * no state: any part of a file can be made without the rest, in any order. README.md defines them.
 */
#ifndef GS_DIST_H
#define GS_DIST_H

#include "common/formats/keys.h"

#include <stdint.h>

/* The most keys that a distribution is defined for: positions stay exact in a double. */
#define GS_DIST_MAX_KEYS (UINT64_C(1) << 40)

struct gs_dist {
    const char *name;
    const char *what; /* its description for --list, one line */
    gs_key (*draw)(uint64_t seed, uint64_t n, uint64_t i);
};

/* All distributions, ended by one whose name is NULL. */
extern const struct gs_dist gs_dists[];

/* The distribution of that name, or NULL. */
const struct gs_dist *gs_dist_find(const char *name);

#endif
