/* test_npy.c -- headers of .npy files: what is read from them, what is refused, a count changed.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/npy.h"
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
    gs_npy_free(&npy);
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
            !CHECK(gs_npy_format(&format, &npy, names, name_count, "a.npy", &err) == GS_OK)) {
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
        st = gs_npy_format(&format, &npy, &keys, keys != NULL, "a.npy", &err);
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
    means("{\"shape\":(12,),'fortran_order':True,'descr':'<u8'}", "", 12, "-R 8 -k 0:u64");
    means("{'descr': '<u8', 'fortran_order': False, 'shape': ()}", "", 1, "-R 8 -k 0:u64");
    means("{'descr': '<u8', 'fortran_order': False, 'shape': (0,)}", "", 0, "-R 8 -k 0:u64");
    means(FIELDS("('x', '|u1'), ('id', '<u8'), ('', '|V7'), ('v', '<f4', (3,))"), "id x:r", 7,
          "-R 28 -k 1:u64 -k 0:u8r");
    means(FIELDS("('a', '>u2'), ('', '|V2'), ('b', '<f4')"), "", 7, "-R 8 -k 0:u16be -k 4:f32");
    means(FIELDS("(('title', 'a'), '<u2'), ('p', [('x', '<f4'), ('y', '<f4', (2,))]), "
                 "('t', '<M8[ns]'), ('a:r', '<i8')"),
          "a:r a", 7, "-R 30 -k 22:i64 -k 0:u16");
    means(PLAIN("<M8[ns]"), "", 7, "-R 8 -k 0:M8[ns]");
    means(PLAIN(">m8[1s]"), "", 7, "-R 8 -k 0:m8[s]be");
    means(PLAIN("M8"), "", 7, "-R 8 -k 0:M8");
    means(PLAIN("M8[generic]"), "", 7, "-R 8 -k 0:M8");
    means(FIELDS("('a', '<u4'), ('t', '<m8[25us]')"), "t:r", 7, "-R 12 -k 4:m8[25us]r");
}

static void test_rows(void)
{
    static const char rows[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (5, 3), }";
    means(rows, "", 5, "-R 12 -k 0:i32 -k 4:i32 -k 8:i32");
    means(rows, "2:r 0", 5, "-R 12 -k 8:i32r -k 0:i32");
    means(rows, "2,0:r", 5, "-R 12 -k 8:i32 -k 0:i32r");
    means(rows, "zorder(0,1:r)r,2", 5, "-R 12 -k 0:i32r -k 4:i32 -k 8:i32");
    means("{'descr': '|u1', 'fortran_order': False, 'shape': (5, 300), }", "", 5,
          "-R 300 -k 0:b300");
    means("{'descr': '>u4', 'fortran_order': False, 'shape': (5, 2), }", "", 5, "-R 8 -k 0:b8");
    means("{'descr': '<u4', 'fortran_order': True, 'shape': (5, 1), }", "", 5, "-R 4 -k 0:u32");
    refuses(rows, "3", "there is no column '3': they are 0 to 2");
    refuses("{'descr': '<i4', 'fortran_order': True, 'shape': (5, 3), }", NULL, "Fortran order");
    refuses("{'descr': '<i4', 'fortran_order': False, 'shape': (5, 0), }", NULL, "no columns");
    refuses("{'descr': '<i4', 'fortran_order': False, 'shape': (5, 16385), }", NULL,
            "rows are larger than 65536");
    refuses("{'descr': '<i4', 'fortran_order': False, 'shape': (5, 65), }", NULL,
            "more than 64 fields");
    refuses("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (5, 3), }", NULL,
            "rows are of structures");
    refuses("{'descr': '<i4', 'fortran_order': False, 'shape': (5, 4000000000000000000), }", NULL,
            "rows are larger");
    refuses("{'descr': '<i4', 'fortran_order': False, 'shape': (4000000000000000000, 3), }", NULL,
            "no file has as many");
}

static void test_refused(void)
{
    refuses(PLAIN("|O"), NULL, "Python objects");
    refuses(FIELDS("('a', '<u4'), ('b', '|O')"), "a", "Python objects");
    refuses(PLAIN("<U4"), NULL, "text of type U");
    refuses(PLAIN("<c8"), NULL, "complex numbers");
    refuses(PLAIN("<f16"), NULL, "of this size");
    static const char *const unknown[] = {"<u3",  "b2",    "?1",     "M4",   "<i16", "f12",
                                          "<f8,", "M8[x]", "M8[s]x", "M8[]", "8",    "="};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary, PLAIN("%s"), unknown[i]);
        refuses(dictionary, NULL, "its type is unknown");
    }
    refuses(PLAIN("|S0"), NULL, "no bytes");
    refuses(PLAIN("<S65537"), NULL, "larger than 65536");
    refuses(PLAIN("<U16385"), NULL, "larger than 65536");
    refuses(FIELDS("('a', '<u4'), ('a', '<u2')"), NULL, "same name");
    refuses(FIELDS("('a', '<u4'), (('a', 'b'), '<u2')"), NULL, "same name");
    refuses(PLAIN("<x4"), NULL, "unknown");
    refuses(PLAIN(""), NULL, "unknown");
    refuses(PLAIN("<u4x"), NULL, "unknown");
    refuses(PLAIN("<u4"), "a", "no fields");
    refuses(FIELDS("('aa', '<u4'), ('bb', '<u4')"), "c", "its fields are: aa bb");
    refuses(FIELDS("('a', '<u4', (2,)), ('b', '<u4')"), "a", "array");
    refuses(FIELDS("('a', [('b', '<u4')])"), "a", "structure");
    refuses(FIELDS("('a', [('b', '<u4')])"), NULL, "structure");
    refuses(FIELDS("('a', '<u4', (0,)), ('b', '<u2')"), "a", "no bytes");
    refuses(FIELDS("('a', '<u4', (0,))"), "a", "no bytes");
    refuses(FIELDS("('a', '<u4', (65536, 65536))"), "a", "too large");
    refuses(FIELDS("('a', '|V65536'), ('b', '|V1')"), "a", "larger than 65536");
    refuses(FIELDS(""), "a", "no bytes");
    refuses("{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4, 1), }", NULL,
            "more than two dimensions");
    static const char *const damaged[] = {
        "",
        "{",
        "{}",
        "{'descr': '<u4', 'fortran_order': False, }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (03,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3l,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (True,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3.0,), }",
        "{'descr': b'<u4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }\n {}",
        "{'descr': '<u4', 'fortran_order': 0, 'shape': (3,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': 3, }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (-3,), }",
        "{'descr': '<u4', 'descr': '<u4', 'shape': (3,), }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), 'more': 1, }",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), } x",
        "{'descr': '<u4', 'fortran_order': False, 'shape: (3,), }",
        "{'descr': [('a', '<u4'], 'fortran_order': False, 'shape': (3,), }",
        "{'descr': {'names': ['a']}, 'fortran_order': False, 'shape': (3,), }",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        refuses(damaged[i], NULL, "damaged .npy header");
    static const char *const counts[] = {"18446744073709551616", "2305843009213693952",
                                         "4611686018427387904"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<u8', 'fortran_order': False, 'shape': (%s,), }", counts[i]);
        refuses(dictionary, NULL, "no file has as many records");
    }
    CHECK(parse("{'descr': '<u8', 'fortran_order': False, 'shape': (3L,), }", 2) == GS_OK);
    CHECK(parse("{'descr': '<u8', 'fortran_order': False, 'shape': (3L,), }", 3) == GS_ERR_INPUT);
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
    gs_npy_free(&npy);
    for (size_t size = 0; size < bytes; size++)
        CHECK(gs_npy_parse(&npy, header, size, "a.npy", NULL) == GS_ERR_INPUT);
    header[6] = 4;
    CHECK(gs_npy_parse(&npy, header, bytes, "a.npy", NULL) == GS_ERR_INPUT);
    header[6] = 2;
    header[11] = 1;
    CHECK(gs_npy_parse(&npy, header, bytes, "a.npy", NULL) == GS_ERR_INPUT);
}

/* What two headers say of their records is the same, or not. */
static bool agree(const char *a, const char *b)
{
    struct gs_npy first;
    CHECK(parse(a, 1) == GS_OK);
    first = npy;
    npy = (struct gs_npy){.count = 0};
    CHECK(parse(b, 1) == GS_OK);
    const bool same = gs_npy_agree(&first, &npy);
    gs_npy_free(&first);
    return same;
}

static void test_agree(void)
{
    /* All of one size: no two agree. */
    static const char *const types[] = {PLAIN("<f8"),
                                        PLAIN(">f8"),
                                        PLAIN("<u8"),
                                        PLAIN("<i8"),
                                        PLAIN("<c8"),
                                        PLAIN("<M8"),
                                        PLAIN("<M8[s]"),
                                        PLAIN("<M8[ns]"),
                                        PLAIN("<M8[25s]"),
                                        PLAIN("<m8[s]"),
                                        PLAIN(">M8[s]"),
                                        PLAIN("|S8"),
                                        PLAIN("|V8"),
                                        PLAIN("<U2"),
                                        PLAIN(">U2"),
                                        FIELDS("('a', '<f8')"),
                                        FIELDS("('b', '<f8')"),
                                        FIELDS("(('t', 'a'), '<f8')"),
                                        FIELDS("(('u', 'a'), '<f8')"),
                                        FIELDS("('a', '<f4', 2)"),
                                        FIELDS("('a', '<f4', (1, 2))"),
                                        FIELDS("('a', '<f4', (2, 1))"),
                                        FIELDS("('a', '<f4'), ('b', '<f4')"),
                                        FIELDS("('b', '<f4'), ('a', '<f4')"),
                                        FIELDS("('a', '<f4'), ('', '|V4')"),
                                        FIELDS("('', '|V4'), ('a', '<f4')"),
                                        FIELDS("('a', [('x', '<f8')])"),
                                        FIELDS("('a', [('y', '<f8')])"),
                                        FIELDS("('a', '<M8[s]')"),
                                        FIELDS("('a', '<M8[us]')"),
                                        FIELDS("('a', '<c8')"),
                                        FIELDS("('a', '|V8')"),
                                        FIELDS("('a', '<f8'), ('z', '|S0')")};
    const size_t count = sizeof types / sizeof *types;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (!CHECK(agree(types[i], types[j]) == (i == j)))
                fprintf(stderr, "%s, %s\n", types[i], types[j]);
    CHECK(agree(PLAIN("<f8"), PLAIN("=f8")));
    CHECK(agree(PLAIN("|u1"), PLAIN("<u1")));
    CHECK(agree(PLAIN("?"), PLAIN("|b1")));
    CHECK(agree(PLAIN("<M8[1s]"), PLAIN("<M8[s]")));
    CHECK(agree(FIELDS("('a', '<f4', 2)"), FIELDS("['a', u'<f4', (2, ), ]")));
    CHECK(
        agree(FIELDS("('a', '<f4'), ('', '|V4')"), FIELDS("('a', '<f4', ()), ('', '|V1', (4,))")));
}

/* A count is changed in place if the header has room; the rest of it stays, and so its length. */
static void test_count(void)
{
    static const uint64_t counts[] = {7, 0, 5, 12345, 99, UINT64_C(12345678901234)};
    static char out[4096];
    char before[64];
    CHECK(parse(FIELDS("('a', '<u4'), ('b', '<u4')"), 1) == GS_OK);
    const uint32_t bytes = npy.header_bytes;
    memcpy(before, header, 64);
    CHECK_EQUAL(gs_npy_room(&npy, INT64_MAX), bytes);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct gs_npy again;
        gs_npy_write(&npy, header, counts[i], out, bytes);
        CHECK(gs_npy_parse(&again, out, bytes, "a.npy", NULL) == GS_OK);
        CHECK_EQUAL(again.count, counts[i]);
        CHECK_EQUAL(again.header_bytes, bytes);
        CHECK(memcmp(before, out, 64) == 0 && out[bytes - 1] == '\n');
        gs_npy_free(&again);
    }
}

/* A header without room becomes longer: with spaces, or a comment, but not where it would help. */
static void test_growth(void)
{
    static char full[65600];
    static char out[70000];
    static const char *const dictionaries[] = {
        "{'descr': '<u8', 'fortran_order': False, 'shape': ()}",
        "({'shape':(7L,),'descr':'<u8','fortran_order':False})",
        "{'shape':(0x7,),'descr':'<u8','fortran_order':False}#",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (1, )}\n"};
    for (size_t i = 0; i < 8; i++) {
        struct gs_npy small;
        struct gs_npy again;
        const char *text = dictionaries[i / 2];
        const size_t blanks =
            i % 2 == 0 ? 0 : 65535 - strlen(text); /* as long as version 1 allows */
        const size_t length = blanks + strlen(text);
        memcpy(full, "\x93NUMPY\x01", 8);
        full[8] = (char)length;
        full[9] = (char)(length >> 8);
        memset(full + 10, ' ', blanks);
        memcpy(full + 10 + blanks, text, strlen(text));
        if (!CHECK(gs_npy_parse(&small, full, 10 + length, "a.npy", NULL) == GS_OK))
            continue;
        const uint32_t bytes = gs_npy_room(&small, INT64_MAX);
        CHECK(bytes > small.header_bytes && bytes % 64 == 0);
        gs_npy_write(&small, full, INT64_MAX / 8 - 99999, out, bytes);
        CHECK_EQUAL((unsigned char)out[6], 1 + i % 2);
        if (CHECK(gs_npy_parse(&again, out, bytes, "a.npy", NULL) == GS_OK)) {
            CHECK(again.count == INT64_MAX / 8 - 99999 && again.header_bytes == bytes);
            gs_npy_free(&again);
        }
        gs_npy_write(&small, full, small.count, out, small.header_bytes);
        CHECK(memcmp(full, out, small.header_bytes) == 0);
        gs_npy_free(&small);
    }
}

int main(void)
{
    test_read();
    test_rows();
    test_refused();
    test_bounds();
    test_agree();
    test_count();
    test_growth();
    gs_npy_free(&npy);
    return check_failures();
}
