/* same_files.c -- do all ranks see the same inputs?
 * SPDX-License-Identifier: MIT
 */
#include "cli/same_files.h"

#include "cli/sight.h"
#include "common/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number that differs, in all likelihood, where bytes or their places do. */
static uint64_t fingerprint(const char *bytes, uint64_t first, uint64_t end, unsigned threads)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (uint64_t at = first; at < end; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, end - at < 8 ? (size_t)(end - at) : 8);
        sum += gs_random(word, at);
    }
    return sum;
}

/* The same of all inputs, or of this rank's share of them among the ranks of its machine. */
static uint64_t fingerprint_share(const struct gs_cluster *cluster, const struct gs_inputs *inputs,
                                  unsigned threads)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        const uint64_t words = input->size / 8 + 1;
        const uint64_t each = (words / (uint64_t)cluster->local_size + 1) * 8;
        const uint64_t first = each * (uint64_t)cluster->local_rank;
        const uint64_t end = first + each < input->size ? first + each : input->size;
        sum += gs_random(i, fingerprint(input->bytes, first, end, threads));
    }
    return sum;
}

/* What ranks tell each other of all their inputs. */
struct view {
    int host;
    uint64_t files; /* a number that differs where devices or inodes do */
    bool copies;    /* they are not rank 0's, by inode or time */
    uint64_t sum;   /* fingerprint of this rank's share */
};

/* Compare what this rank sees with what rank 0 does: *view tells what is left to compare. */
static enum gs_status compare_sights(const struct gs_cluster *cluster,
                                     const struct gs_inputs *inputs, const struct gs_sight *own,
                                     const struct gs_sight *first, struct view *view,
                                     struct gs_error *err)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const bool same = gs_sight_is_same(&own[i], &first[i]);
        if (own[i].size != first[i].size || own[i].kind != first[i].kind ||
            (own[i].host == first[i].host && !same))
            return gs_fail(err, GS_ERR_INPUT, 0,
                           "%s: rank %d sees another file than rank 0: inputs must be on a file "
                           "system that all ranks share",
                           inputs->list[i].name, cluster->rank);
        view->copies = view->copies || !same;
        view->files = gs_random(gs_random(view->files, own[i].device), own[i].inode);
    }
    return GS_OK;
}

/* Of ranks on machines without rank 0: do they see what the first rank of theirs does? */
static enum gs_status compare_neighbours(const struct gs_cluster *cluster,
                                         const struct gs_inputs *inputs, const struct view *views,
                                         struct gs_error *err)
{
    if (views[cluster->rank].files == views[cluster->host].files)
        return GS_OK;
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: rank %d sees other files than rank %d",
                   inputs->list[0].name, cluster->rank, cluster->host);
}

/* Add up the fingerprints of each machine, and compare them. */
static enum gs_status compare_sums(const struct gs_cluster *cluster, const struct gs_inputs *inputs,
                                   const struct view *views, struct gs_error *err)
{
    uint64_t own = 0;
    uint64_t first = 0;
    for (int i = 0; i < cluster->size; i++) {
        own += views[i].host == cluster->host ? views[i].sum : 0;
        first += views[i].host == 0 ? views[i].sum : 0;
    }
    if (own == first || !views[cluster->rank].copies)
        return GS_OK;
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: the machine of rank %d has other bytes than that of rank 0: inputs must be "
                   "on a file system that all ranks share, or copies of each other",
                   inputs->list[0].name, cluster->rank);
}

/* The views of all ranks are known, but for fingerprints: take these where machines have copies. */
static enum gs_status compare_copies(const struct gs_cluster *cluster,
                                     const struct gs_inputs *inputs, unsigned threads,
                                     struct view *view, struct view *views, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool copies = false;
    for (int i = 0; i < cluster->size; i++)
        copies = copies || views[i].copies;
    if (!copies)
        return GS_OK;
    if (view->copies || view->host == 0)
        view->sum = fingerprint_share(cluster, inputs, threads);
    GS_TRY(gs_cluster_agree(cluster, GS_OK, err)); /* which waits without spinning */
    GS_TRY(gs_cluster_gather(view, sizeof *view, views, err));
    st = compare_sums(cluster, inputs, views, err);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}

enum gs_status gs_same_files(const struct gs_cluster *cluster, const struct gs_inputs *inputs,
                             unsigned threads, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct view view;
    struct gs_sight *own = calloc(2 * inputs->count, sizeof *own);
    struct view *views = calloc((size_t)cluster->size, sizeof *views);
    if (own == NULL || views == NULL)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%zu inputs", inputs->count);
    st = gs_cluster_agree(cluster, st, err);
    if (st != GS_OK || own == NULL || views == NULL)
        goto cleanup;
    struct gs_sight *first = own + inputs->count;
    memset(&view, 0, sizeof view);
    view.host = cluster->host;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        own[i] = gs_sight_of(cluster, input->name);
        own[i].device = input->device; /* of what has been opened, should the name have moved on */
        own[i].inode = input->inode;
        own[i].size = input->size;
    }
    memcpy(first, own, inputs->count * sizeof *own);
    GS_TRY(gs_cluster_share(first, inputs->count * sizeof *first, err));
    st = compare_sights(cluster, inputs, own, first, &view, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(gs_cluster_gather(&view, sizeof view, views, err));
    st = compare_neighbours(cluster, inputs, views, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = compare_copies(cluster, inputs, threads, &view, views, err);
cleanup:
    free(own);
    free(views);
    return st;
}
