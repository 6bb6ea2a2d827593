/* reference.c -- a plain sort of u32 keys, which the tests compare gsort's output with.
 * SPDX-License-Identifier: MIT
 *
 *     reference [-r] [-u] FILE... > OUT
 *
 * On purpose, it shares no code with gsort. It reads all keys, sorts them by LSD radix sort, one
 * stable counting pass for each byte, and writes them. Keys are read and written byte by byte, so
 * that the file format is defined here independently.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 4, BYTE_VALUES = 256, BLOCK = 1 << 16 };

static void die(const char *name, const char *what)
{
    fprintf(stderr, "reference: %s: %s\n", name, what);
    exit(2);
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL)
        die("memory", "exhausted");
    return memory;
}

/* Append the keys of a file ("-": standard input) to the *n in *keys, which has room for *room. */
static void read_keys(const char *name, uint32_t **keys, size_t *n, size_t *room)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    if (file == NULL)
        die(name, "cannot open");
    static unsigned char block[BLOCK];
    size_t got;
    do {
        got = fread(block, 1, BLOCK, file); /* fewer than asked for: end or error */
        if (*room - *n < BLOCK / KEY_BYTES) {
            size_t more = *room * 2 + BLOCK;
            uint32_t *moved = allocate(more * sizeof **keys);
            if (*n > 0)
                memcpy(moved, *keys, *n * sizeof **keys);
            free(*keys);
            *keys = moved;
            *room = more;
        }
        for (const unsigned char *b = block; b + KEY_BYTES <= block + got; b += KEY_BYTES)
            (*keys)[(*n)++] =
                (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    } while (got == BLOCK);
    if (ferror(file))
        die(name, "cannot read");
    if (got % KEY_BYTES != 0)
        die(name, "not a whole number of keys");
    if (file != stdin)
        fclose(file);
}

/* One stable counting pass over the byte at `shift`. */
static void sort_by_byte(const uint32_t *from, uint32_t *to, size_t n, int shift)
{
    size_t start[BYTE_VALUES + 1] = {0};
    for (size_t i = 0; i < n; i++)
        start[(from[i] >> shift & 0xff) + 1]++;
    for (int v = 0; v < BYTE_VALUES; v++)
        start[v + 1] += start[v];
    for (size_t i = 0; i < n; i++)
        to[start[from[i] >> shift & 0xff]++] = from[i];
}

int main(int argc, char **argv)
{
    int reverse = 0;
    int unique = 0;
    uint32_t *keys = NULL;
    size_t n = 0;
    size_t room = 0;
    int files = 0;

    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "-r") == 0) {
            reverse = 1;
        } else if (strcmp(argv[a], "-u") == 0) {
            unique = 1;
        } else if (strcmp(argv[a], "-ru") == 0) {
            reverse = unique = 1;
        } else {
            read_keys(argv[a], &keys, &n, &room);
            files++;
        }
    }
    if (files == 0)
        read_keys("-", &keys, &n, &room);

    uint32_t *other = allocate(n * sizeof *other);
    for (int shift = 0; shift < 32; shift += 8) {
        sort_by_byte(keys, other, n, shift);
        uint32_t *swap = keys;
        keys = other;
        other = swap;
    }

    for (size_t i = 0; i < n; i++) {
        size_t at = reverse ? n - 1 - i : i;
        if (unique && at > 0 && keys[at - 1] == keys[at])
            continue; /* the first of equals stands for all, in both directions */
        uint32_t k = keys[at];
        putc_unlocked((int)(k & 0xff), stdout);
        putc_unlocked((int)(k >> 8 & 0xff), stdout);
        putc_unlocked((int)(k >> 16 & 0xff), stdout);
        putc_unlocked((int)(k >> 24), stdout);
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        die("standard output", "cannot write");
    free(keys);
    free(other);
    return 0;
}
