/* gpu_pages.c -- bins in pages whose sizes end where a page does, or where the next one is taken.
 * SPDX-License-Identifier: MIT
 *
 * Each bin's pages must hold its keys and no others, and no more pages may be taken than there is
 * memory for; for shuffled keys, and for keys in the order of the bins, which have runs as long as
 * a tile. A bin that needs more pages than it may have must be reported. A page that nobody takes
 * would be waited for forever: after two minutes that is a failure. Needs a GPU: without one it
 * says so and exits with 77.
 */
#include "common/random.h"
#include "sort/device/device_sort.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/pages/page_launchers.h"
#include "sort/keys/fingerprint.h"
#include "tests/gpu/add_room.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BINS = 16,
    EQUAL_BIN = 5,
    PAGE = GS_GPU_PAGE_KEYS,
    AHEAD = GS_GPU_AHEAD_KEYS,
    SECONDS = 120
};

/* Keys of each bin; the largest fills three pages. */
static const uint32_t sizes[BINS] = {
    PAGE,
    PAGE - 1,
    PAGE + 1,
    PAGE - AHEAD,
    PAGE - AHEAD + 1,
    5000,
    2 * PAGE,
    2 * PAGE - 1,
    2 * PAGE + 1,
    0,
    2 * PAGE - AHEAD,
    2 * PAGE - AHEAD + 1,
    3 * PAGE,
    3 * PAGE - AHEAD,
    AHEAD + 7,
    1,
};

struct test {
    struct gs_device_sorter sorter;
    uint64_t n;
    gs_key *keys;
    gs_key *d_keys, *d_other;
    uint64_t wanted[BINS]; /* fingerprints */
};

/* The last key of a bin, which is its splitter. */
static gs_key last_of(uint32_t bin)
{
    return bin == EQUAL_BIN ? last_of(bin - 1) + 1 : (gs_key)((uint64_t)(bin + 1) * (1U << 28) - 1);
}

static gs_key first_of(uint32_t bin)
{
    return bin == 0 ? 0 : last_of(bin - 1) + 1;
}

/* Make the keys of all bins, one bin after the other or shuffled. */
static void make_keys(struct test *test, bool shuffled)
{
    uint64_t i = 0;
    for (uint32_t bin = 0; bin < BINS; bin++) {
        test->wanted[bin] = 0;
        for (uint32_t j = 0; j < sizes[bin]; j++, i++) {
            const uint64_t width = (uint64_t)last_of(bin) - first_of(bin) + 1;
            test->keys[i] = first_of(bin) + (gs_key)(gs_random(bin, j) % width);
            test->wanted[bin] += gs_fingerprint(&test->keys[i], 1);
        }
    }
    for (i = test->n - 1; shuffled && i > 0; i--) {
        const uint64_t other = gs_random(99, i) % (i + 1);
        const gs_key key = test->keys[i];
        test->keys[i] = test->keys[other];
        test->keys[other] = key;
    }
    must(cudaMemcpy(test->d_keys, test->keys, test->n * sizeof(gs_key), cudaMemcpyHostToDevice));
}

static void make_tables(struct test *test)
{
    const struct gs_gpu_work *work = &test->sorter.work;
    static struct gs_gpu_tables tables;
    tables.count = BINS - 1;
    for (uint32_t bin = 0; bin + 1 < BINS; bin++)
        tables.splitter[bin] = last_of(bin);
    must(cudaMemset(work->state, 0, sizeof *work->state));
    must(cudaMemcpy(work->tables, &tables, sizeof tables, cudaMemcpyHostToDevice));
    must(gs_build_tables_gpu(work, BINS, NULL));
    /* As if the sample had shown disorder, and no value twice. */
    must(cudaMemset(&work->tables->twins, 0, sizeof work->tables->twins));
    must(cudaMemset(&work->state->sample_order, GS_GPU_DESCENT | GS_GPU_ASCENT, 1));
}

/* Pages that a bin of `size` keys takes, if it may have at most `most`. */
static uint32_t pages_of(uint64_t size, uint32_t most)
{
    uint32_t pages = 1;
    while (pages < most && (uint64_t)pages * PAGE - AHEAD < size)
        pages++;
    return pages;
}

/* Check that a bin's keys are in its pages, and that no other bin has these pages. */
static void check_bin(const struct test *test, uint32_t bin, const uint32_t *page,
                      const gs_key *out, const gs_key *spare, bool *used)
{
    const struct gs_gpu_pages *pages = &test->sorter.work.pages;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sizes[bin]; i += PAGE) {
        const uint32_t number = page[bin * pages->most + i / PAGE];
        const uint32_t size = sizes[bin] - i < PAGE ? sizes[bin] - i : PAGE;
        if (!CHECK(number > 0 && number <= pages->whole + 2 * BINS) || !CHECK(!used[number]))
            return;
        used[number] = true;
        sum += gs_fingerprint(number <= pages->whole
                                  ? out + (uint64_t)(number - 1) * PAGE
                                  : spare + (uint64_t)(number - 1 - pages->whole) * PAGE,
                              size);
    }
    CHECK_EQUAL(sum, test->wanted[bin]);
}

/* The kernel has not ended; it ends with the process. */
static void give_up(int number)
{
    static const char text[] = "gpu_pages: a page is waited for that nobody takes\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(written < 0 ? 2 : 1);
}

static void check_pages(struct test *test, uint32_t most, unsigned processors)
{
    const struct gs_gpu_work *work = &test->sorter.work;
    struct gs_gpu_pages *pages = &test->sorter.work.pages;
    bool used[1000] = {false};
    uint64_t taken = 0;
    uint64_t largest = 0;
    alarm(SECONDS);
    *pages = test->sorter.room.bin_pages;
    make_tables(test);
    must(cudaMemset(test->d_other, 0xa5, test->n * sizeof(gs_key)));
    must(cudaMemset(pages->spare, 0xa5, (size_t)2 * BINS * PAGE * sizeof(gs_key)));
    pages->whole = (uint32_t)(test->n / PAGE);
    pages->most = most;
    must(gs_begin_pages_gpu(work, BINS, NULL));
    must(gs_scatter_pages_gpu(work, test->d_keys, test->d_other, test->n, BINS, 2 * BINS,
                              processors, NULL));
    must(gs_plan_pages_gpu(work, test->n, 2, 0, NULL));
    struct gs_gpu_state *state = get(work->state, sizeof *state);
    uint32_t *page = get(pages->page, (size_t)BINS * most * sizeof *page);
    gs_key *out = get(test->d_other, test->n * sizeof *out);
    gs_key *spare = get(pages->spare, (size_t)2 * BINS * PAGE * sizeof *spare);
    for (uint32_t bin = 0; bin < BINS; bin++)
        if (bin != EQUAL_BIN) {
            taken += pages_of(sizes[bin], most);
            largest = sizes[bin] > largest ? sizes[bin] : largest;
        }
    CHECK_EQUAL(state->pages, taken);
    CHECK(taken <= pages->whole + BINS + (BINS * AHEAD + PAGE - 1) / PAGE);
    const bool fits = largest <= (uint64_t)most * PAGE;
    CHECK_EQUAL(state->outcome, fits ? GS_GPU_UNSORTED : GS_GPU_UNCOUNTED);
    for (uint32_t bin = 0; fits && bin < BINS; bin++)
        if (bin != EQUAL_BIN)
            check_bin(test, bin, page, out, spare, used);
    free(spare);
    free(out);
    free(page);
    free(state);
    alarm(0);
}

int main(void)
{
    struct gs_error err = {.status = GS_OK};
    struct test test = {.n = 0};
    require_gpu();
    signal(SIGALRM, give_up);
    for (uint32_t bin = 0; bin < BINS; bin++)
        test.n += sizes[bin];
    test.keys = malloc(test.n * sizeof *test.keys);
    if (test.keys == NULL)
        abort();
    enum gs_status st = gs_device_sorter_open(&test.sorter, test.n, &err);
    if (st != GS_OK) {
        fprintf(stderr, "gpu_pages: %s\n", err.text);
        exit(2);
    }
    void *room = add_room(&test.sorter, 1, 0);
    must(cudaMalloc((void **)&test.d_keys, test.n * sizeof(gs_key)));
    must(cudaMalloc((void **)&test.d_other, test.n * sizeof(gs_key)));
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        make_keys(&test, shuffled);
        for (uint32_t most = 2; most <= 5; most++)
            check_pages(&test, most, most == 4 ? test.sorter.processors : 1);
    }
    gs_device_sorter_close(&test.sorter);
    cudaFree(room);
    cudaFree(test.d_keys);
    cudaFree(test.d_other);
    free(test.keys);
    return check_failures();
}
