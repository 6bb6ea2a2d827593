/* kmers.c -- an example of libgsort: count the k-mers of a sequence, through a sorter.
 * SPDX-License-Identifier: MIT
 *
 *     cc kmers.c $(pkg-config --cflags --libs gsort) -pthread -o kmers; ./kmers SEQUENCE
 *
 * Two threads push, each those of half of the sequence; what memory has no room for goes to
 * $TMPDIR.
 */
#include <gsort.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 5, BATCH = 4096 };

struct part {
    struct gsort_sorter *sorter;
    const char *bases;
    size_t count; /* k-mers that begin here */
};

/* A k-mer is a number, of two bits for each base. */
static void *push_kmers(void *context)
{
    const struct part *part = context;
    struct gsort_error error = GSORT_ERROR_INIT;
    uint32_t kmers[BATCH], kmer = 0;
    size_t used = 0;
    for (size_t i = 0; i < part->count + K - 1; i++) {
        kmer =
            (kmer << 2 | (uint32_t)(strchr("ACGT", part->bases[i]) - "ACGT")) & ((1u << 2 * K) - 1);
        if (i >= K - 1)
            kmers[used++] = kmer;
        if (used == BATCH || i == part->count + K - 2) {
            if (gsort_sorter_push(part->sorter, kmers, used, &error) != GSORT_OK)
                fprintf(stderr, "kmers: %s\n", error.line); /* and so will the pull */
            used = 0;
        }
    }
    return NULL;
}

/* Equal ones are next to each other now. A batch may end between them. */
static int count_kmers(void *context, const void *records, uint64_t count)
{
    uint64_t *counts = context; /* the last k-mer, and how many there were */
    for (const uint32_t *kmer = records; count-- > 0; kmer++) {
        if (counts[1] > 0 && *kmer != counts[0]) {
            for (int i = K - 1; i >= 0; i--)
                putchar("ACGT"[counts[0] >> 2 * i & 3]);
            printf(" %llu\n", (unsigned long long)counts[1]);
            counts[1] = 0;
        }
        counts[0] = *kmer;
        counts[1]++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *bases = argc > 1 ? argv[1] : "";
    const size_t length = strlen(bases), count = length >= K ? length - K + 1 : 0, half = count / 2;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("u32", &error);
    const struct gsort_format *const orders[] = {format};
    struct gsort_sorter *sorter = gsort_sorter_open(orders, 1, NULL, 0, NULL, &error);
    struct part parts[] = {{sorter, bases, half}, {sorter, bases + half, count - half}};
    pthread_t other;
    uint64_t counts[2] = {0, 0};
    if (length != strspn(bases, "ACGT") || count < 2 || sorter == NULL ||
        pthread_create(&other, NULL, push_kmers, &parts[1]) != 0) {
        fprintf(stderr, "kmers: %s\n", sorter == NULL ? error.line : "usage: kmers SEQUENCE");
        return 2;
    }
    push_kmers(&parts[0]);
    pthread_join(other, NULL);
    if (gsort_sorter_finish(sorter, &error) != GSORT_OK ||
        gsort_sorter_each(sorter, 0, count_kmers, counts, &error) != GSORT_OK) {
        fprintf(stderr, "kmers: %s\n", error.line);
        return 2;
    }
    count_kmers(counts, &(uint32_t){~(uint32_t)counts[0]}, 1); /* print the last one */
    gsort_sorter_free(sorter);
    gsort_format_free(format);
    return 0;
}
