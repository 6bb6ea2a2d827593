/* test_magic.c -- how often are random bytes taken for another format, and text for text?
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/magic.h"
#include "common/random.h"
#include "tests/unit/check.h"

#include <math.h>

/* Heads that are tried of each signature, with its fields and random bytes elsewhere. */
#define TRIES 200000

#define FILES 1000000

static unsigned char bytes[GS_HEAD_BYTES + FILES];

static void fill(uint64_t seed, unsigned char *to, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        const uint64_t random = gs_random(seed, i);
        memcpy(to + i, &random, size - i < 8 ? size - i : 8);
    }
}

/* The bits of the fields; and write them to the head. */
static unsigned set_fields(const struct gs_signature *signature, unsigned char *head)
{
    unsigned bits = 0;
    for (int i = 0; i < GS_SIGNATURE_FIELDS && signature->fields[i].size > 0; i++) {
        const struct gs_signature_field *field = &signature->fields[i];
        for (uint32_t k = 0; k < field->size; k++) {
            const unsigned mask = field->mask != NULL ? (unsigned char)field->mask[k] : 0xff;
            unsigned char *at = head + field->offset + k;
            *at = (unsigned char)((*at & ~mask) | (unsigned char)field->bytes[k]);
            bits += (unsigned)__builtin_popcount(mask);
        }
    }
    return bits;
}

/* Masks leave bits that can match, and the last field ends in the head. */
static void check_fields(const struct gs_signature *signature)
{
    for (int i = 0; i < GS_SIGNATURE_FIELDS && signature->fields[i].size > 0; i++) {
        const struct gs_signature_field *field = &signature->fields[i];
        CHECK(field->offset + field->size <= GS_HEAD_BYTES);
        for (uint32_t k = 0; field->mask != NULL && k < field->size; k++)
            CHECK(((unsigned char)field->bytes[k] & ~(unsigned)(unsigned char)field->mask[k]) == 0);
    }
}

/* The part of heads with these fields that the second look lets pass. The file is of 1 GiB. */
static double find_passing(const struct gs_signature *signature)
{
    unsigned passed = 0;
    if (signature->look == NULL)
        return 1;
    fill(0, bytes, GS_HEAD_BYTES);
    for (unsigned i = 0; i < TRIES; i++) {
        fill(i, bytes, 64);
        set_fields(signature, bytes);
        const struct gs_head head = {bytes, GS_HEAD_BYTES, (uint64_t)1 << 30, 0};
        passed += gs_signature_fits(signature, &head);
    }
    return (passed + 1.0) / TRIES;
}

static void test_probability(void)
{
    double sum = 0;
    unsigned count = 0;
    for (const struct gs_signature *each = gs_signatures; each->what != NULL; each++, count++) {
        check_fields(each);
        const double chance = ldexp(find_passing(each), -(int)set_fields(each, bytes));
        if (!CHECK(chance < ldexp(1, -36)))
            fprintf(stderr, "%s: 2^%.1f\n", each->what, log2(chance));
        sum += chance;
    }
    CHECK(count >= 100);
    if (!CHECK(sum < ldexp(1, -33)))
        fprintf(stderr, "together: 2^%.1f\n", log2(sum));
}

static bool is_refused(const unsigned char *head, size_t size, enum gs_looks looks)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_magic magic = {.looks = looks, .head = {head, size, 0, 0}};
    return gs_magic_check(&magic, true, "in", &err) != GS_OK;
}

static void test_random_files(void)
{
    unsigned refused = 0;
    fill(0, bytes, sizeof bytes);
    for (unsigned i = 0; i < FILES; i++)
        refused += is_refused(bytes + i, GS_HEAD_BYTES, GS_LOOKS_ALL);
    CHECK_EQUAL(refused, 0);
}

/* A magic alone is a key that may well occur. */
static void test_single_keys(void)
{
    static const char *const magics[] = {"\x1f\x8b\x08\0",
                                         "PK\3\4",
                                         "\x28\xb5\x2f\xfd",
                                         "PAR1",
                                         "II*\0",
                                         "GRIB",
                                         "RIFF",
                                         "BM\1\0",
                                         "MZ\x90\0",
                                         "CDF\1",
                                         "\xca\xfe\xba\xbe",
                                         "\xff\xd8\xff\xe0",
                                         "hsqs",
                                         "GGUF",
                                         "\x1f\x9d\x90\1",
                                         "OggS",
                                         "root",
                                         "XFSB",
                                         "ID3\3"};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        unsigned refused = 0;
        for (unsigned seed = 0; seed < 1000; seed++) {
            fill(seed, bytes, 8192);
            memcpy(bytes, magics[i], 4);
            refused += is_refused(bytes, 8192, GS_LOOKS_ALL);
        }
        if (!CHECK(refused <= 30)) /* one in 30: what is left of 36 bits behind 32 */
            fprintf(stderr, "%s: %u\n", magics[i], refused);
    }
}

static void test_text(void)
{
    for (size_t i = 0; i < 8192; i++)
        bytes[i] = i % 8 == 7 ? '\n' : (unsigned char)('0' + i % 10);
    CHECK(is_refused(bytes, 8192, GS_LOOKS_ALL));
    CHECK(is_refused(bytes, 16, GS_LOOKS_ALL));
    CHECK(!is_refused(bytes, 15, GS_LOOKS_ALL));
    CHECK(!is_refused(bytes, 8192, GS_LOOKS_FORMATS));
    bytes[4095] = 1;
    CHECK(!is_refused(bytes, 8192, GS_LOOKS_ALL));
}

/* Bytes that come one by one are judged as early as they tell. */
static void test_feed(void)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_magic magic = {.looks = GS_LOOKS_ALL};
    enum gs_status st = GS_OK;
    size_t i = 0;
    memset(bytes, 0, 512);
    memcpy(bytes + 257, "ustar", 6);
    for (; i < 512 && st == GS_OK; i++) {
        CHECK(gs_magic_feed(&magic, bytes + i, 1, "in", &err) == GS_OK);
        st = gs_magic_check(&magic, false, "in", &err);
    }
    CHECK_EQUAL(i, 263);
    CHECK(strstr(err.text, "in: looks like a tar archive") != NULL);
    gs_magic_end(&magic);
    CHECK(magic.own == NULL && magic.looks == GS_LOOKS_NONE);
}

int main(void)
{
    test_probability();
    test_random_files();
    test_single_keys();
    test_text();
    test_feed();
    return check_failures();
}
