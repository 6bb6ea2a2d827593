/* reference_records.h -- the reference's sort of records with typed keys.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_REFERENCE_RECORDS_H
#define GS_REFERENCE_RECORDS_H

#include <stddef.h>

enum { REFERENCE_KEYS_MAX = 64 };

struct reference_order {
    const char *type;                     /* -t, or NULL */
    const char *keys[REFERENCE_KEYS_MAX]; /* -k */
    size_t key_count;
    size_t record; /* -R, or 0 */
    int reverse;
    int unique;
    int stable;
    size_t count; /* --count: bytes of that, or 0 */
    int repeated, single;
    size_t index; /* --argsort: bytes of the index that is written instead of a record, or 0 */
};

/* Sort the records in `bytes` and write them to standard output. */
void reference_sort_records(const struct reference_order *order, const unsigned char *bytes,
                            size_t size);

#endif
