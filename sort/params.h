/* params.h -- every tunable of the sample sort, once.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PARAMS_H
#define GS_PARAMS_H

#include "sort/limits.h"

/* Bins of one pass. More bins make smaller ones, until their write buffers (64 bytes each) push
 * each other out of the second-level cache and their pages out of the TLB. */
#define GS_BINS_MAX GS_OPTION_BINS_MAX

/* Keys a bin should hold: it and its scratch copy fit the second-level cache together. */
#define GS_BIN_KEYS 49152

/* Oversampling: sample keys for each bin. At 32 the largest of 4096 bins of random keys is about
 * 1.7 times the mean. */
#define GS_OVERSAMPLING 32

/* The largest sample: beyond it qsort costs more than better balance saves. */
#define GS_SAMPLES_MAX GS_OPTION_SAMPLES_MAX

/* Below this an input is one bin: a sort in cache beats any distribution pass. */
#define GS_ONE_BIN_KEYS 65536

/* Keys that a thread claims at once in count and scatter: a tile is read while it is in cache. */
#define GS_TILE_KEYS 65536

/* From this input size on, scattered lines go past the caches: they would not stay there until
 * their bin is sorted. */
#define GS_PAST_CACHE_KEYS (4 << 20)

/* Parts of the input for each thread: enough that a late thread leaves work to others. */
#define GS_PARTS_PER_THREAD 4

/* Cells of the classifier's guide: a cell is a range of keys and knows its first candidate bin. */
#define GS_GUIDE_LOG2  13
#define GS_GUIDE_CELLS (1 << GS_GUIDE_LOG2)

/* The sample's seed: fixed, so the same input gives the same run. */
#define GS_SAMPLE_SEED 0x6773U

#endif
