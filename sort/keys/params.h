/* params.h -- the sizes that the stages of the sample sort share.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PARAMS_H
#define GS_PARAMS_H

#include "common/formats/keys.h"
#include "sort/types/limits.h"

/* Caches and pages have sizes in bytes: as many keys as that are. */
#define GS_KEYS_IN(kib) ((kib)*1024 / GS_KEY_BYTES)

/* The most bins of one distribution pass. */
#define GS_BINS_MAX GS_OPTION_BINS_MAX

/* Keys a bin should hold: the bin and its scratch copy fit the L2 cache together. More keys mean
 * more bins, up to GS_BINS_WANTED, or up to GS_BINS_WANTED_FEW for up to 2^27 keys and 8 threads:
 * with more, the runs in a chunk get short, and the scatter has many cache lines open. From there
 * on bins grow instead, up to GS_BIN_KEYS_LARGE, or to GS_BIN_KEYS_HUGE where the processor sorts
 * those about as fast thanks to its L3 cache; only then does their number grow again. */
#define GS_BIN_KEYS        GS_KEYS_IN(192)
#define GS_BINS_WANTED     1024
#define GS_BINS_WANTED_FEW 512
#define GS_BIN_KEYS_LARGE  GS_KEYS_IN(1024)
#define GS_BIN_KEYS_HUGE   GS_KEYS_IN(4096)

/* A bin that one thread sorts whole holds at most 1 / GS_BINS_PER_THREAD of the thread's share of
 * the keys (or what fits the cache, if that is more): no thread waits long for another's last bin,
 * and bin buffers stay a small part of the memory. */
#define GS_BINS_PER_THREAD 32

/* From this many keys on, input from a pipe is distributed to bins while the rest is being read
 * (fewer keys are sorted in a moment anyway). The number of bins has to be fixed before the number
 * of keys is known; if it proves too small, the work is discarded. One thread draws and sorts the
 * sample, while another reads. */
#ifndef GS_INCOMING_KEYS /* tests: few */
#define GS_INCOMING_KEYS GS_KEYS_IN(32768)
#endif
#define GS_INCOMING_BINS         2048
#define GS_INCOMING_OVERSAMPLING 16

/* Oversampling: sample keys per bin. With 32, the largest of 4096 bins of random keys is about 1.7
 * times the mean. */
#define GS_OVERSAMPLING 32

/* The largest sample that options may ask for. */
#define GS_SAMPLES_MAX GS_OPTION_SAMPLES_MAX

/* Up to this many keys an input is one bin: sorting in cache beats any distribution pass. */
#define GS_ONE_BIN_KEYS GS_KEYS_IN(256)

/* Keys of a tile: what a thread claims at once when it scans or copies ordered input. */
#define GS_TILE_KEYS GS_KEYS_IN(256)

/* Keys of a chunk, which a CPU thread orders by bin in its L2 cache: MAX, or fewer, down to MIN, if
 * there would be less than GS_CHUNKS_PER_THREAD chunks for each thread. */
#define GS_CHUNK_KEYS_MAX    GS_KEYS_IN(512)
#define GS_CHUNK_KEYS_MIN    GS_KEYS_IN(64)
#define GS_CHUNKS_PER_THREAD 8

/* Keys whose bins are found at once: they stay in the first-level cache until they are placed. */
#define GS_ROOMS_BLOCK GS_KEYS_IN(8)

/* Counting tables per chunk: each counts one part of it, and a key of each part goes next, so that
 * equal keys in a row do not wait for each other's stores, and yet stay in input order. */
#define GS_CHUNK_TABLES 4

/* Up to this many keys, bins are smaller and have fewer samples than in large sorts, so that all
 * threads get some. */
#define GS_FEW_KEYS         GS_KEYS_IN(8192)
#define GS_FEW_BIN_KEYS     GS_KEYS_IN(64)
#define GS_FEW_OVERSAMPLING 16

/* Up to GS_SHARES_KEYS keys, where vector code can do it, each thread filters its share of the keys
 * out of the whole input (shares.h) instead of looking up each key's bin: for more keys, reading
 * them all takes a thread longer than scattering its part. If the sink has to be written to, the
 * limit is GS_SHARES_KEYS_WRITTEN: all shares finish and are written at the same time, whereas the
 * writing of one bin overlaps the sorting of others. */
#define GS_SHARES_KEYS         GS_KEYS_IN(16384)
#define GS_SHARES_KEYS_WRITTEN GS_KEYS_IN(4096)

/* The least average length wanted of a run, which is the keys of one bin in one chunk: each run's
 * entry in the table of runs takes as much memory as one key. */
#define GS_RUN_KEYS_MIN 32

/* Keys of a large input that a thread claims at once: at least a huge page (2 MiB), since two
 * threads that touch the same huge page first at the same time both clear one; and up to four huge
 * pages, as long as that is at most 1 / GS_CHUNKS_PER_THREAD of its share of the keys left. */
#define GS_CLAIM_KEYS     GS_KEYS_IN(2048)
#define GS_CLAIM_KEYS_MAX GS_KEYS_IN(8192)

/* From this many keys on, sorted bins are copied to the sink's memory by non-temporal stores: they
 * would not stay in cache until they are read anyway. */
#define GS_PAST_CACHE_KEYS GS_KEYS_IN(16384)

/* From this many threads on, some of them create a mapped file's pages while the others distribute
 * keys to a separate copy. With fewer threads all pages are created first, and the keys are
 * distributed within them. */
#define GS_THREADS_TO_SPARE 4

/* Cells of the classifier's guide table: a cell is a range of keys and stores the first bin that
 * these may be in. */
#define GS_GUIDE_LOG2  13
#define GS_GUIDE_CELLS (1 << GS_GUIDE_LOG2)

/* The sample's seed: fixed, so that the same input always gives the same run. */
#define GS_SAMPLE_SEED 0x6773U

#endif
