/* test_npy.c -- headers of .npy files: what is read from them, what is refused, a count changed.
 * SPDX-License-Identifier: MIT
 */
#include "common/npy.h"
#include "tests/unit/check.h"

#include <string.h>

static struct gs_npy npy;
static struct gs_error err;
static char header[4096];

/* Parse a header with this dictionary, filled up as numpy does. */
static enum gs_status parse(const char *dictionary, int version)
{
    const size_t prefix = version == 1 ? 10 : 12;
    const size_t total = (prefix + strlen(dictionary) + 1 + 63) / 64 * 64;
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY", 6);
    header[6] = (char)version;
    header[7] = 0;
    const size_t length = total - prefix;
    memcpy(header + 8, &(uint32_t){(uint32_t)length}, prefix - 8);
    memcpy(header + prefix, dictionary, strlen(dictionary));
    header[total - 1] = '\n';
    err.status = GS_OK;
    err.text[0] = '\0';
    return gs_npy_parse(&npy, header, total, "a.npy", &err);
}

/* Parse, and print the format with these keys as options. */
static void means(const char *dictionary, const char *keys, uint64_t count, const char *wanted)
{
    struct gs_format format;
    char words[128];
    char got[256];
    char type[GS_KEY_TYPE_TEXT];
    const char *names[8];
    uint32_t name_count = 0;
    snprintf(words, sizeof words, "%s", keys);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        names[name_count++] = word;
    for (int version = 1; version <= 3; version++) {
        if (!CHECK(parse(dictionary, version) == GS_OK) ||
            !CHECK(gs_npy_format(&format, &npy, header, names, name_count, "a.npy", &err) ==
                   GS_OK)) {
            fprintf(stderr, "%s: %s\n", dictionary, err.text);
            return;
        }
        CHECK_EQUAL(npy.count, count);
        CHECK_EQUAL(npy.header_bytes % 64, 0);
        int used = snprintf(got, sizeof got, "-R %u", (unsigned)format.record_bytes);
        for (uint32_t i = 0; i < format.key_count; i++) {
            gs_key_type_name(&format.keys[i].type, type);
            used += snprintf(got + used, sizeof got - (size_t)used, " -k %u:%s%s",
                             (unsigned)format.keys[i].offset, type,
                             format.keys[i].descending ? "r" : "");
        }
        if (!CHECK(strcmp(got, wanted) == 0))
            fprintf(stderr, "%s means %s\n", dictionary, got);
    }
}

static void refuses(const char *dictionary, const char *keys, const char *reason)
{
    struct gs_format format;
    enum gs_status st = parse(dictionary, 1);
    if (st == GS_OK)
        st = gs_npy_format(&format, &npy, header, &keys, keys != NULL, "a.npy", &err);
    CHECK(st != GS_OK);
    if (!CHECK(strstr(err.text, reason) != NULL) || !CHECK(strncmp(err.text, "a.npy: ", 7) == 0))
        fprintf(stderr, "%s: %s\n", dictionary, err.text);
}

#define PLAIN(descr) "{'descr': '" descr "', 'fortran_order': False, 'shape': (7,), }"
#define FIELDS(list) "{'descr': [" list "], 'fortran_order': False, 'shape': (7,), }"

static void test_read(void)
{
    means(PLAIN("<f8"), "", 7, "-R 8 -k 0:f64");
    means(PLAIN(">i4"), "", 7, "-R 4 -k 0:i32be");
    means(PLAIN("|u1"), "", 7, "-R 1 -k 0:u8");
    means(PLAIN("|b1"), "", 7, "-R 1 -k 0:u8");
    means(PLAIN("<f2"), "", 7, "-R 2 -k 0:f16");
    means(PLAIN("|S10"), "", 7, "-R 10 -k 0:b10");
    means(PLAIN("|V3"), "", 7, "-R 3 -k 0:b3");
    means("{\"shape\":(12L,),'fortran_order':True,'descr':'<u8'}", "", 12, "-R 8 -k 0:u64");
    means("{'descr': '<u8', 'fortran_order': False, 'shape': ()}", "", 1, "-R 8 -k 0:u64");
    means("{'descr': '<u8', 'fortran_order': False, 'shape': (0,)}", "", 0, "-R 8 -k 0:u64");
    means(FIELDS("('x', '|u1'), ('id', '<u8'), ('', '|V7'), ('v', '<f4', (3,))"), "id x:r", 7,
          "-R 28 -k 1:u64 -k 0:u8r");
    means(FIELDS("('a', '>u2'), ('', '|V2'), ('b', '<f4')"), "", 7, "-R 8 -k 0:u16be -k 4:f32");
    means(FIELDS("(('title', 'a'), '<u2'), ('p', [('x', '<f4'), ('y', '<f4', (2,))]), "
                 "('t', '<M8[ns]'), ('a:r', '<i8')"),
          "a:r a", 7, "-R 30 -k 22:i64 -k 0:u16");
}

static void test_refused(void)
{
    refuses(PLAIN("|O"), NULL, "Python objects");
    refuses(FIELDS("('a', '<u4'), ('b', '|O')"), "a", "Python objects");
    refuses(PLAIN("<U4"), NULL, "text of type U");
    refuses(PLAIN("<c8"), NULL, "complex numbers");
    refuses(PLAIN("<M8[ns]"), NULL, "dates");
    refuses(PLAIN("<f16"), NULL, "of this size");
    refuses(PLAIN("<u3"), NULL, "of this size");
    refuses(PLAIN("|S0"), NULL, "no bytes");
    refuses(PLAIN("<S65537"), NULL, "unknown");
    refuses(PLAIN("<U65536"), NULL, "too many");
    refuses(PLAIN("<x4"), NULL, "unknown");
    refuses(PLAIN(""), NULL, "unknown");
    refuses(PLAIN("<u4x"), NULL, "unknown");
    refuses(PLAIN("<u4"), "a", "no fields");
    refuses(FIELDS("('aa', '<u4'), ('bb', '<u4')"), "c", "its fields are: aa bb");
    refuses(FIELDS("('a', '<u4', (2,)), ('b', '<u4')"), "a", "array");
    refuses(FIELDS("('a', [('b', '<u4')])"), "a", "structure");
    refuses(FIELDS("('a', [('b', '<u4')])"), NULL, "structure");
    refuses(FIELDS("('a', '<u4', (0,))"), "a", "no size");
    refuses(FIELDS("('a', '<u4', (65536, 65536))"), "a", "too large");
    refuses(FIELDS("('a', '|V65536'), ('b', '|V1')"), "a", "larger than 65536");
    refuses(FIELDS(""), "a", "no fields");
    refuses("{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4), }", NULL, "one dimension");
    static const char *const damaged[] = {
        "",
        "{",
        "{}",
        "{'descr': '<u4', 'fortran_order': False, }",
        "{'descr': '<u4', 'fortran_order': 0, 'shape': (3,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': 3, }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (-3,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (18446744073709551616,), }",
        "{'descr': '<u4', 'descr': '<u4', 'shape': (3,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), 'more': 1, }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), } x",
        "{'descr': '<u4', 'fortran_order': False, 'shape: (3,), }",
        "{'descr': [('a', '<u4'], 'fortran_order': False, 'shape': (3,), }",
        "{'descr': {'names': ['a']}, 'fortran_order': False, 'shape': (3,), }",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        refuses(damaged[i], NULL, "damaged .npy header");
}

/* Other versions, headers that end early or have no sane length, and files of another size. */
static void test_bounds(void)
{
    struct gs_error none = {.status = GS_OK};
    CHECK(parse(PLAIN("<f8"), 1) == GS_OK);
    const size_t bytes = npy.header_bytes;
    CHECK(gs_npy_is(header, bytes) && gs_npy_is(header, 6) && !gs_npy_is(header, 5));
    CHECK(gs_npy_check_size(&npy, bytes + 56, "a.npy", &none) == GS_OK);
    CHECK(gs_npy_check_size(&npy, bytes + 55, "a.npy", NULL) == GS_ERR_INPUT);
    CHECK(gs_npy_check_size(&npy, bytes + 57, "a.npy", NULL) == GS_ERR_INPUT);
    for (size_t size = 0; size < bytes; size++)
        CHECK(gs_npy_parse(&npy, header, size, "a.npy", NULL) == GS_ERR_INPUT);
    header[6] = 4;
    CHECK(gs_npy_parse(&npy, header, bytes, "a.npy", NULL) == GS_ERR_INPUT);
    header[6] = 2;
    header[11] = 1;
    CHECK(gs_npy_parse(&npy, header, bytes, "a.npy", NULL) == GS_ERR_INPUT);
    CHECK(parse("{'descr': '<u8', 'fortran_order': False, 'shape': (9999999999999999999,), }", 1) ==
          GS_OK);
    CHECK(gs_npy_check_size(&npy, 8, "a.npy", NULL) == GS_ERR_INPUT);
}

/* A count is changed in place if the header has room; the rest of it stays, and so its length. */
static void test_set_count(void)
{
    static const uint64_t counts[] = {7, 0, 5, 12345, 99, UINT64_C(12345678901234)};
    char before[64];
    CHECK(parse(FIELDS("('a', '<u4'), ('b', '<u4')"), 1) == GS_OK);
    const uint32_t bytes = npy.header_bytes;
    memcpy(before, header, 64);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CHECK(gs_npy_set_count(&npy, header, counts[i], "a.npy", NULL) == GS_OK);
        CHECK(gs_npy_parse(&npy, header, bytes, "a.npy", NULL) == GS_OK);
        CHECK_EQUAL(npy.count, counts[i]);
        CHECK_EQUAL(npy.header_bytes, bytes);
        CHECK(memcmp(before, header, 64) == 0 && header[bytes - 1] == '\n');
    }
    CHECK(parse("{'descr': '<u8', 'fortran_order': False, 'shape': ()}", 1) == GS_OK);
    CHECK(gs_npy_set_count(&npy, header, 1, "a.npy", NULL) == GS_OK);
    CHECK(gs_npy_set_count(&npy, header, 2, "a.npy", NULL) == GS_ERR_INPUT);
    CHECK(parse("{'descr': '<u8', 'fortran_order': False, 'shape': (7,)}", 1) == GS_OK);
    while (header[npy.header_bytes - 2] == ' ')
        npy.header_bytes--; /* as if there were no room to grow */
    CHECK(gs_npy_set_count(&npy, header, 8, "a.npy", NULL) == GS_OK);
    CHECK(gs_npy_set_count(&npy, header, 10, "a.npy", NULL) == GS_ERR_INPUT);
}

int main(void)
{
    test_read();
    test_refused();
    test_bounds();
    test_set_count();
    return check_failures();
}
