/* peers.h -- other sorts of keys in memory, behind one shape: for bench_cpu.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PEERS_H
#define GS_PEERS_H

#include "common/keys.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts keys[0 .. count) in place. */
struct peer {
    const char *name;
    void (*sort)(gs_key *keys, size_t count); /* NULL: it was not there when this was built, */
    const char *package;                      /* but would be with this package of Debian's */
};

/* All of them, ended by one whose name is NULL. */
extern const struct peer peers[];

/* Call before anything else: how many threads the peers may use, and whether instructions wider
 * than AVX2 are masked for Highway (for gsort's use of it, too). */
void peers_open(unsigned threads, bool avx2_only);
void peers_close(void);

#ifdef __cplusplus
}
#endif

#endif
