/* peers.h -- other sorts of keys in memory behind one interface, for bench_cpu.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PEERS_H
#define GS_PEERS_H

#include "common/formats/keys.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sort of keys[0 .. count) in place. */
struct peer {
    const char *name;
    void (*sort)(gs_key *keys, size_t count); /* NULL: not available when this was built */
    const char *package;                      /* the Debian package that has it */
};

/* All peers; the last entry has the name NULL. */
extern const struct peer peers[];

/* Call before any peer sorts. threads: for each parallel peer. avx2_only: keep Highway, also within
 * gsort, from instructions wider than AVX2. */
void peers_open(unsigned threads, bool avx2_only);
void peers_close(void);

#ifdef __cplusplus
}
#endif

#endif
