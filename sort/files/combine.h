/* combine.h -- what is made of sorted records: sets, and one of each key with counts and sums.
 * SPDX-License-Identifier: MIT
 *
 * It is a sink in front of the output: the sort runs as without it, and hands over records
 * in their total order, one piece after the other. Neighbours whose keys are equal become one, the
 * first of them, so results depend on nothing but the input: not on memory, threads or the way.
 * Before that, those that a set has are left out, or kept, by reading it alongside.
 *
 * Larger inputs are combined in parts first, whose order is that of their records:
 *
 *   | record, the first of its key | how many there were, u32 | each field: sum, least, greatest |
 *
 * without the number where nothing depends on it. If that, or a sum, has no room, there are several
 * parts of a key.
 */
#ifndef GS_COMBINE_H
#define GS_COMBINE_H

#include "common/formats/npy.h"
#include "sort/sort.h"

/* Of the number in a part. */
#define GS_TIMES_BYTES ((uint32_t)sizeof(uint32_t))

enum gs_combine_option {
    GS_COMBINE_COUNT,
    GS_COMBINE_REPEATED,
    GS_COMBINE_SINGLE,
    GS_COMBINE_SUM,
    GS_COMBINE_MIN,
    GS_COMBINE_MAX,
    GS_COMBINE_MINUS,
    GS_COMBINE_COMMON,
    GS_COMBINE_LAST = GS_COMBINE_COMMON
};

/* A file in order, and whether records that it has are kept or left out. */
struct gs_set {
    const char *option, *name; /* or NULL */
    bool kept;
    const void *records;
    uint64_t count;
};

/* A field that is combined. */
struct gs_combined_field {
    enum gs_combine_option fold; /* SUM, MIN or MAX */
    const char *text;            /* as given */
    struct gs_key_field field;
    struct gs_key_field part;     /* the same in a part; a sum there has 8 bytes, or 16 */
    struct gs_record_order order; /* by the field, for the least and the greatest */
};

struct gs_combine {
    const char *option;     /* the first that asks for it */
    bool folds;             /* one record of each key; else all, and keys are in the set as often as
                             * there; */
    bool repeated;          /* only keys that come more than once; */
    bool single;            /* only those that come once */
    const char *count_text; /* --count, or NULL */
    struct gs_key_type count;
    bool counts; /* it matters how many there were */
    bool alike;  /* records of a key differ in combined fields only: any can be the first */
    struct gs_set set;
    struct gs_record_order order; /* of the records */
    uint32_t record_bytes;        /* of what is combined, and of the results: */
    uint32_t output_bytes;
    uint32_t part_bytes; /* of a part, or 0: it matters in which order all are combined */
    uint32_t field_count;
    struct gs_combined_field fields[GS_FORMAT_KEYS_MAX];
};

/* Add an option of the command line; the first one makes *combine. GS_ERR_USAGE if its value is
 * malformed, or it goes not with another. */
enum gs_status gs_combine_add(struct gs_combine **combine, enum gs_combine_option option,
                              const char *arg, struct gs_error *err);

/* Now that the format of the records is known: find the fields, by the names in a .npy file's
 * header if npy is not NULL, and check that they are no keys. unique: -u was given. */
enum gs_status gs_combine_prepare(struct gs_combine *combine, const struct gs_format *format,
                                  bool unique, const struct gs_npy *npy, const char *name,
                                  struct gs_error *err);

/* Where combined records go: `count` of them, from the output's record `position` on. */
typedef enum gs_status gs_combined(void *context, const void *records, uint64_t count,
                                   uint64_t position, struct gs_error *err);

struct gs_combiner;

/* Combine records, or parts of them, in order. name is the output's, for messages; NULL: no memory.
 */
struct gs_combiner *gs_combiner_new(const struct gs_options *options, const char *name, bool parts,
                                    gs_combined *put, void *context);

/* The next `count` records. */
enum gs_status gs_combiner_add(struct gs_combiner *combiner, const void *records, uint64_t count,
                               struct gs_error *err);

/* There are no more: *written is the number of results. */
enum gs_status gs_combiner_end(struct gs_combiner *combiner, uint64_t *written,
                               struct gs_error *err);
void gs_combiner_free(struct gs_combiner *combiner);

/* Bytes of what is written for each record, and whether some records are not. */
static inline unsigned gs_written_bytes(const struct gs_options *options)
{
    return options->own.combine != NULL ? options->own.combine->output_bytes
                                        : gs_output_bytes(options);
}

static inline bool gs_writes_fewer(const struct gs_options *options)
{
    return options->unique || options->own.combine != NULL;
}

#endif
