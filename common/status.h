/* status.h -- how functions report that they failed.
 * SPDX-License-Identifier: MIT
 *
 * A fallible function returns enum gs_status and takes struct gs_error *err last. The first failure
 * fills *err by gs_fail(); callers pass status and error on unchanged; cli/report.c prints it.
 * GS_TRY needs `st` and a `cleanup:` label in scope: one exit per function.
 */
#ifndef GS_STATUS_H
#define GS_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum gs_status {
    GS_OK = 0,
    GS_ERR_USAGE,         /* options that contradict each other or the build */
    GS_ERR_INPUT,         /* an input that cannot be sorted: missing, odd size, changed meanwhile */
    GS_ERR_OUTPUT,        /* the output cannot be created, written or published */
    GS_ERR_MEMORY,        /* more memory than there is or than -S allows */
    GS_ERR_DEVICE,        /* no usable GPU, or a GPU call failed */
    GS_ERR_DEVICE_MEMORY, /* more memory than the GPU has or may use */
    GS_ERR_VERIFY,        /* --verify found that the output is not the input, sorted */
    GS_ERR_INTERNAL,      /* a broken invariant: a bug in gsort */
    GS_ERR_CANCELLED      /* the caller did not want it any more */
};

/* Room for a path and what is wrong with it. */
#define GS_ERROR_BYTES (4096 + 512)

struct gs_error {
    enum gs_status status;
    char text[GS_ERROR_BYTES]; /* "FILE: what", one line, without the program's name */
};

/* What an errno means to people. */
const char *gs_reason(int errnum);

/* Fill *err (unless it already holds a failure) and return status. errnum, when not 0, adds its
 * reason after the message. */
enum gs_status gs_fail(struct gs_error *err, enum gs_status status, int errnum, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

#define GS_TRY(call)                                                                               \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st != GS_OK)                                                                           \
            goto cleanup;                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
