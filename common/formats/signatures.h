/* signatures.h -- the bytes by which files that hold no plain keys are known.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SIGNATURES_H
#define GS_SIGNATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many first bytes of a file are looked at: the last field of the table ends here. */
#define GS_HEAD_BYTES 65608

/* The first bytes of an input, as far as they have come. */
struct gs_head {
    const unsigned char *bytes;
    size_t count;
    uint64_t file_bytes; /* the size of the file, or 0 if that is not known */
    uint64_t skip;       /* bytes in front that --skip names */
};

enum { GS_SIGNATURE_FIELDS = 6 };

/* Some fixed bytes, or, with a mask, bits. */
struct gs_signature_field {
    uint32_t offset;
    uint32_t size; /* 0 behind the last field */
    const char *bytes;
    const char *mask; /* NULL: all bits */
};

struct gs_signature {
    const char *what; /* with its article, for messages */
    struct gs_signature_field fields[GS_SIGNATURE_FIELDS];
    /* A second look, where the fields alone are too few bits, or NULL. It may want more bytes than
     * have come: then it says no, and is asked again. */
    bool (*look)(const struct gs_head *head);
    const char *command; /* that makes plain data of it, to be followed by the file's name, or */
    const char *advice;  /* instead of a command; or NULL */
};

/* All of them, ended by one whose `what` is NULL. */
extern const struct gs_signature gs_signatures[];

/* Does the file begin so? */
bool gs_signature_fits(const struct gs_signature *signature, const struct gs_head *head);

/* The second looks. */
bool gs_look_npy(const struct gs_head *head);
bool gs_look_gzip(const struct gs_head *head);
bool gs_look_zstd(const struct gs_head *head);
bool gs_look_compress(const struct gs_head *head);
bool gs_look_tiff(const struct gs_head *head);
bool gs_look_pe(const struct gs_head *head);
bool gs_look_json(const struct gs_head *head);

#endif
