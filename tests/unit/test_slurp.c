/* test_slurp.c -- a stream is read whole, whatever its length and timing, or refused by the gate.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/memory.h"
#include "common/random.h"
#include "common/files/slurp.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the writing thread sends: `bytes` bytes, `piece` at a time. */
struct stream {
    int fd;
    size_t bytes;
    size_t piece;
};

static unsigned char byte_at(size_t i)
{
    return (unsigned char)gs_random(11, i);
}

static void *feed(void *argument)
{
    const struct stream *stream = argument;
    unsigned char *piece = malloc(stream->piece);
    if (piece == NULL)
        abort();
    for (size_t done = 0; done < stream->bytes;) {
        size_t here = stream->bytes - done < stream->piece ? stream->bytes - done : stream->piece;
        for (size_t i = 0; i < here; i++)
            piece[i] = byte_at(done + i);
        for (size_t sent = 0; sent < here;) {
            ssize_t n = write(stream->fd, piece + sent, here - sent);
            if (n < 0)
                goto end; /* the reader refused and has closed its end */
            sent += (size_t)n;
        }
        done += here;
    }
end:
    free(piece);
    close(stream->fd);
    return NULL;
}

/* A gate that refuses more than *context bytes. */
static enum gs_status refuse_above(void *context, uint64_t bytes, struct gs_error *err)
{
    const uint64_t *most = context;
    if (bytes > *most)
        return gs_fail(err, GS_ERR_MEMORY, 0, "too much");
    return GS_OK;
}

static void check_stream(size_t bytes, size_t piece, bool populates, uint64_t most)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    struct stream stream = {.fd = ends[1], .bytes = bytes, .piece = piece};
    pthread_t writer;
    if (pthread_create(&writer, NULL, feed, &stream) != 0)
        abort();
    struct gs_slurp slurp = {.bytes = NULL};
    struct gs_error err = {.status = GS_OK};
    const struct gs_slurp_watch watch = {.gate = refuse_above, .context = &most};
    enum gs_status st = gs_slurp_read(&slurp, ends[0], "pipe", populates, &watch, &err);
    close(ends[0]);
    pthread_join(writer, NULL);
    if (bytes > most) {
        CHECK(st == GS_ERR_MEMORY);
        CHECK(strcmp(err.text, "too much") == 0);
        CHECK(slurp.used > most && slurp.bytes[most] == (char)byte_at(most)); /* what was read */
    } else if (CHECK(st == GS_OK) && CHECK_EQUAL(slurp.used, bytes)) {
        size_t right = 0;
        while (right < bytes && (unsigned char)slurp.bytes[right] == byte_at(right))
            right++;
        CHECK_EQUAL(right, bytes);
    }
    gs_slurp_free(&slurp);
    gs_slurp_free(&slurp); /* harmless */
}

#ifndef __SANITIZE_ADDRESS__ /* which has terabytes mapped already */
/* A copy fails as a whole if there is address space for only a part of it. */
static void check_copy_without_room(void)
{
    const size_t size = (size_t)256 << 20;
    const uint64_t plenty = (uint64_t)1 << 40;
    struct rlimit limit = {0}, old = {0};
    struct gs_slurp slurp;
    struct gs_error err = {.status = GS_OK};
    char *bytes = gs_pages_alloc(size);
    CHECK(bytes != NULL && getrlimit(RLIMIT_AS, &old) == 0);
    limit = old;
    limit.rlim_cur = plenty;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = plenty - gs_address_space_left() + size / 4 * 3;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(gs_slurp_copy(&slurp, bytes, size, "copy", &err) == GS_ERR_MEMORY);
    CHECK(strncmp(err.text, "copy: ", 6) == 0);
    gs_slurp_free(&slurp);
    CHECK(setrlimit(RLIMIT_AS, &old) == 0);
    gs_pages_free(bytes, size);
}
#endif

/* What is there already stays in front. */
static void check_behind(void)
{
    int ends[2];
    struct gs_slurp slurp = {.bytes = NULL};
    struct gs_error err = {.status = GS_OK};
    uint64_t most = UINT64_MAX;
    const struct gs_slurp_watch watch = {.gate = refuse_above, .context = &most};
    if (pipe(ends) != 0 || write(ends[1], "behind", 6) != 6)
        abort();
    close(ends[1]);
    CHECK(gs_slurp_copy(&slurp, "before", 6, "pipe", &err) == GS_OK);
    CHECK(gs_slurp_read(&slurp, ends[0], "pipe", false, &watch, &err) == GS_OK);
    CHECK_EQUAL(slurp.used, 12);
    CHECK(memcmp(slurp.bytes, "beforebehind", 12) == 0);
    gs_slurp_free(&slurp);
    close(ends[0]);
}

int main(void)
{
    check_behind();
    static const size_t sizes[] = {0,
                                   1,
                                   3,
                                   65536,
                                   ((size_t)4 << 20) - 1,
                                   (size_t)4 << 20,
                                   ((size_t)4 << 20) + 1,
                                   ((size_t)17 << 20) + 5};
    signal(SIGPIPE, SIG_IGN);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        check_stream(sizes[s], 1 << 20, false, UINT64_MAX);
        check_stream(sizes[s], 4097, true, UINT64_MAX);
        check_stream(sizes[s], 70001, false, 1000000);
    }
    /* Long enough to start the thread that makes pages, and to move the buffer while it works. */
    check_stream(((size_t)300 << 20) + 3, 1 << 20, true, UINT64_MAX);
    check_stream(((size_t)300 << 20) + 3, 1 << 20, true, (uint64_t)200 << 20);

    struct gs_slurp slurp = {.bytes = NULL};
    struct gs_error err = {.status = GS_OK};
    uint64_t most = UINT64_MAX;
    const struct gs_slurp_watch watch = {.gate = refuse_above, .context = &most};
    CHECK(gs_slurp_read(&slurp, -1, "nothing", false, &watch, &err) == GS_ERR_INPUT);
    CHECK(strncmp(err.text, "nothing: ", 9) == 0);
    struct gs_error none = {.status = GS_OK};
    CHECK(gs_slurp_copy(&slurp, "abcd", 4, "copy", &none) == GS_OK);
    CHECK(slurp.used == 4 && memcmp(slurp.bytes, "abcd", 4) == 0);
    gs_slurp_free(&slurp);
    CHECK(gs_slurp_copy(&slurp, NULL, 0, "copy", &none) == GS_OK);
    gs_slurp_free(&slurp);
#ifndef __SANITIZE_ADDRESS__
    check_copy_without_room();
#endif
    return check_failures();
}
