/* wide.h -- one sort of records under way: what its steps share.
 * SPDX-License-Identifier: MIT
 *
 *   records --> tags --> the CPU's stages, on tags --> bins of tags --> ties --> gather --> output
 */
#ifndef GS_WIDE_H
#define GS_WIDE_H

#include "sort/run/run.h"
#include "sort/tags/part.h"
#include "sort/tags/tags.h"
#include "sort/check/trail.h"

struct gs_wide {
    struct gs_run run;                /* the sort of the tags */
    const struct gs_options *options; /* the caller's */
    struct gs_options tag_options;    /* those of the sort of tags: ascending, nothing dropped */
    struct gs_tag_part *part;         /* which this is, or NULL */
    unsigned output_bytes;            /* of what the sink gets for each record */
    struct gs_sink *sink;             /* the caller's */
    struct gs_sink tag_sink;          /* what the stages see of it: whether it is a stream */
    struct gs_tags tags;
    const char *records;   /* of the only span; NULL: there are several */
    struct gs_trail trail; /* of the sink */
};

/* The bins that records lie in already, or NULL. */
static inline struct gs_tag_bins *gs_wide_bins(const struct gs_wide *wide)
{
    return wide->part != NULL ? wide->part->bins : NULL;
}

/* The record at an index of the concatenated spans. */
static inline const char *gs_wide_record(const struct gs_wide *wide, uint64_t index)
{
    if (wide->records != NULL)
        return wide->records + index * wide->tags.tagger.record_bytes;
    return gs_tiles_part(&wide->run.tiles, index, 1).records;
}

/* The record of a tag. */
static inline const char *gs_wide_tagged(const struct gs_wide *wide, gs_key tag)
{
    return gs_wide_record(wide, gs_tag_index(&wide->tags, tag));
}

#endif
