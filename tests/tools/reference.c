/* reference.c -- a plain sort of keys and records, which the tests compare gsort's output with.
 * SPDX-License-Identifier: MIT
 *
 *     reference [-rus] [-t TYPE] [-R SIZE] [-k OFFSET:TYPE[r]]... [--argsort=u32|u64] FILE...
 *
 * or, for one record of each key: --count=u8 to u64, --repeated, --single.
 *
 * On purpose, it shares no code with gsort. It reads all keys, sorts them by LSD radix sort, three
 * stable counting passes over a third of the bits each, and writes them. Keys are taken from their
 * bytes and made to bytes one by one, so that the file format is defined here independently. With
 * one of -s, -t, -R and -k, records are sorted by comparing (reference_records.c).
 */
#include "tests/tools/reference_fail.h"
#include "tests/tools/reference_records.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 4, DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS, BLOCK = 1 << 16 };

/* Append the bytes of a file ("-": standard input) to the *n in *bytes, which has room for *room.
 */
static void read_bytes(const char *name, unsigned char **bytes, size_t *n, size_t *room)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    if (file == NULL)
        reference_die(name, "cannot open");
    size_t got;
    do {
        if (*room - *n < BLOCK) {
            const size_t more = *room * 2 + BLOCK;
            unsigned char *moved = reference_allocate(more);
            if (*n > 0)
                memcpy(moved, *bytes, *n);
            free(*bytes);
            *bytes = moved;
            *room = more;
        }
        got = fread(*bytes + *n, 1, BLOCK, file); /* fewer than asked for: end or error */
        *n += got;
    } while (got == BLOCK);
    if (ferror(file))
        reference_die(name, "cannot read");
    if (file != stdin)
        fclose(file);
}

/* One stable counting pass over the bits from `shift` on. */
static void sort_by_digit(const uint32_t *from, uint32_t *to, size_t n, int shift)
{
    size_t start[DIGIT_VALUES + 1] = {0};
    for (size_t i = 0; i < n; i++)
        start[(from[i] >> shift) % DIGIT_VALUES + 1]++;
    for (int v = 0; v < DIGIT_VALUES; v++)
        start[v + 1] += start[v];
    for (size_t i = 0; i < n; i++)
        to[start[(from[i] >> shift) % DIGIT_VALUES]++] = from[i];
}

/* Sort the keys in the bytes, which are overwritten, to standard output. */
static void sort_keys(const struct reference_order *order, unsigned char *bytes, size_t size)
{
    const size_t n = size / KEY_BYTES;
    if (size % KEY_BYTES != 0)
        reference_die("input", "not a whole number of keys");
    uint32_t *keys = reference_allocate(size);
    uint32_t *other = reference_allocate(size);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *b = bytes + i * KEY_BYTES;
        keys[i] =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    }
    for (int shift = 0; shift < 32; shift += DIGIT_BITS) {
        sort_by_digit(keys, other, n, shift);
        uint32_t *swap = keys;
        keys = other;
        other = swap;
    }
    size_t end = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = order->reverse ? n - 1 - i : i;
        if (order->unique && at > 0 && keys[at - 1] == keys[at])
            continue; /* the first of equals stands for all, in both directions */
        uint32_t k = keys[at];
        unsigned char *b = bytes + end;
        b[0] = (unsigned char)k;
        b[1] = (unsigned char)(k >> 8);
        b[2] = (unsigned char)(k >> 16);
        b[3] = (unsigned char)(k >> 24);
        end += KEY_BYTES;
    }
    fwrite(bytes, 1, end, stdout);
    free(keys);
    free(other);
}

/* Take the option at argv[a], and its value; returns how many words these are, 0 for a file. */
static int take_option(struct reference_order *order, char **argv, int a)
{
    const char *option = argv[a];
    const char *value = argv[a + 1];
    if (strncmp(option, "--argsort=u", 11) == 0) {
        order->index = strtoul(option + 11, NULL, 10) / 8;
        order->stable = 1;
        return 1;
    }
    if (strncmp(option, "--count=u", 9) == 0) {
        order->count = strtoul(option + 9, NULL, 10) / 8;
        return 1;
    }
    if (strcmp(option, "--repeated") == 0 || strcmp(option, "--single") == 0) {
        *(option[2] == 'r' ? &order->repeated : &order->single) = 1;
        return 1;
    }
    if (strcmp(option, "-t") != 0 && strcmp(option, "-R") != 0 && strcmp(option, "-k") != 0) {
        if (option[0] != '-' || option[strspn(option, "-rus")] != '\0' || option[1] == '\0')
            return 0;
        order->reverse |= strchr(option, 'r') != NULL;
        order->unique |= strchr(option, 'u') != NULL;
        order->stable |= strchr(option, 's') != NULL;
        return 1;
    }
    if (value == NULL || order->key_count == REFERENCE_KEYS_MAX)
        reference_die(option, "no value, or too many");
    if (option[1] == 't')
        order->type = value;
    else if (option[1] == 'R')
        order->record = strtoul(value, NULL, 10);
    else
        order->keys[order->key_count++] = value;
    return 2;
}

int main(int argc, char **argv)
{
    struct reference_order order = {.type = NULL};
    unsigned char *bytes = NULL;
    size_t n = 0;
    size_t room = 0;
    int files = 0;
    for (int a = 1; a < argc;) {
        const int words = take_option(&order, argv, a);
        if (words == 0) {
            read_bytes(argv[a], &bytes, &n, &room);
            files++;
        }
        a += words > 0 ? words : 1;
    }
    if (files == 0)
        read_bytes("-", &bytes, &n, &room);
    const int combines = order.count > 0 || order.repeated || order.single;
    if ((order.stable || combines) && order.type == NULL && order.record == 0)
        order.type = "u32";
    if (order.type != NULL || order.record > 0 || order.key_count > 0)
        reference_sort_records(&order, bytes, n);
    else
        sort_keys(&order, bytes, n);
    if (fflush(stdout) != 0 || ferror(stdout))
        reference_die("standard output", "cannot write");
    free(bytes);
    return 0;
}
