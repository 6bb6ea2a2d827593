/* params.h -- the sizes that stages of the sample sort share.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PARAMS_H
#define GS_PARAMS_H

#include "sort/limits.h"

/* Bins of one pass. */
#define GS_BINS_MAX GS_OPTION_BINS_MAX

/* Keys a bin should hold: it and its scratch copy fit the second-level cache together. Beyond
 * GS_BINS_WANTED_FEW bins, of up to 2^27 keys and by up to 8 threads, and GS_BINS_WANTED, whose
 * runs in a chunk would get short and whose open lines in the scatter many, bins grow before there
 * are more of them: up to GS_BIN_KEYS_LARGE, or GS_BIN_KEYS_HUGE where the processor sorts those
 * about as fast, by its third-level cache. */
#define GS_BIN_KEYS        49152
#define GS_BINS_WANTED     1024
#define GS_BINS_WANTED_FEW 512
#define GS_BIN_KEYS_LARGE  (1 << 18)
#define GS_BIN_KEYS_HUGE   (1 << 20)

/* A bin that a thread sorts whole is at most this part of its share of the keys, so that nobody
 * waits long for one, and buffers for them are a small part of the memory. */
#define GS_BINS_PER_THREAD 32

/* Keys that come through a pipe are taken to their bins while more come, when there are so many
 * (fewer are sorted in a moment). To how many bins is to be said before anybody knows how many keys
 * there will be; where these turn out to be too few, what was done is not used. The sample is drawn
 * and sorted by one thread, meanwhile. */
#ifndef GS_INCOMING_KEYS /* tests: few */
#define GS_INCOMING_KEYS (8 << 20)
#endif
#define GS_INCOMING_BINS         2048
#define GS_INCOMING_OVERSAMPLING 16

/* Oversampling: sample keys for each bin. At 32 the largest of 4096 bins of random keys is about
 * 1.7 times the mean. */
#define GS_OVERSAMPLING 32

/* The largest sample that may be asked for. */
#define GS_SAMPLES_MAX GS_OPTION_SAMPLES_MAX

/* Below this an input is one bin: a sort in cache beats any distribution pass. */
#define GS_ONE_BIN_KEYS 65536

/* Keys of a tile: what a thread claims at once where order is looked at or copied. */
#define GS_TILE_KEYS 65536

/* Keys of a chunk, which the CPU orders by bin in its second-level cache: up to MAX; fewer where
 * each thread would not get GS_CHUNKS_PER_THREAD, down to MIN. */
#define GS_CHUNK_KEYS_MAX    131072
#define GS_CHUNK_KEYS_MIN    16384
#define GS_CHUNKS_PER_THREAD 8

/* Counts of a chunk are made in so many tables, of keys i by i % GS_CHUNK_TABLES. */
#define GS_CHUNK_TABLES 4

/* Up to so many keys go straight to the places of their bins, when all are counted: input and
 * output stay in the caches, more or less, and to touch fresh memory for a copy would take longer
 * than to read the input again. Their bins are smaller, too: they are spread wider, and sorted as
 * keys of 32 bits. */
#define GS_DIRECT_KEYS         (2 << 20)
#define GS_DIRECT_BIN_KEYS     16384
#define GS_DIRECT_OVERSAMPLING 16

/* Up to so many keys, no bin is made for each of them to be looked up, but a share for each thread
 * (shares.h), where vectors can do that: more take each thread longer to read than to scatter. And
 * if they are written from there: shares are sorted all at the same time, and so would be written,
 * which bins are one after the other, under the sorting of others. */
#define GS_SHARES_KEYS         (4 << 20)
#define GS_SHARES_KEYS_WRITTEN (1 << 20)

/* Up to so many values in the sample, each has an equality bin of its own on the CPU, however few
 * bins are planned: so few are compared with all keys, of which none has to be moved then. More of
 * them where the keys are too many for shares, which are faster than 17 comparisons. */
#define GS_VALUES_COMPARED      16
#define GS_VALUES_COMPARED_MOST 24

/* Keys that a run, a bin's keys in one chunk, should have on average at least: its place in the
 * table of runs takes as much memory as one key. */
#define GS_RUN_KEYS_MIN 32

/* Keys that a thread claims at once of a large input: a huge page full, since two threads that
 * touch one for the first time at once would both clear it; and up to four, as long as that is no
 * more than 1 / GS_CHUNKS_PER_THREAD of its share of what is left. */
#define GS_CLAIM_KEYS     (1 << 19)
#define GS_CLAIM_KEYS_MAX (1 << 21)

/* From this input size on, sorted bins go past the caches to the sink's memory: they would not stay
 * there until somebody reads them. */
#define GS_PAST_CACHE_KEYS (4 << 20)

/* From so many threads on, some of them can make the pages of a file's memory while the others
 * distribute keys, to a copy; fewer have them all made first, and distribute keys in them. */
#define GS_THREADS_TO_SPARE 4

/* Threads, unless more are asked for. More wait in the kernel, for pages and for each other's
 * translations to be dropped, and gain little where memory is what binds: on 64 processors, to
 * ext4, 2^24 keys took 64, 32 and 16 threads 21, 14 and 14 ms, 2^26 53, 45 and 38, 2^28 209, 135
 * and 133. */
#define GS_THREADS_DEFAULT 32

/* Cells of the classifier's guide: a cell is a range of keys and knows its first candidate bin. */
#define GS_GUIDE_LOG2  13
#define GS_GUIDE_CELLS (1 << GS_GUIDE_LOG2)

/* The sample's seed: fixed, so the same input gives the same run. */
#define GS_SAMPLE_SEED 0x6773U

#endif
