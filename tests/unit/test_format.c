/* test_format.c -- types, record sizes and keys: what is accepted, and what a refusal says.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/format.h"
#include "tests/unit/check.h"
#include "tests/unit/typed_keys.h"

#include <stdlib.h>

/* Options in one string: "-R 16 -k 8:f64r". */
static enum gs_status parse(const char *text, struct gs_format *format, struct gs_error *err)
{
    static char words[512];
    struct gs_format_options options = {.type = NULL};
    err->status = GS_OK;
    err->text[0] = '\0';
    snprintf(words, sizeof words, "%s", text);
    for (char *option = strtok(words, " "); option != NULL; option = strtok(NULL, " ")) {
        const char *value = strtok(NULL, " ");
        if (option[1] == 't')
            options.type = value;
        else if (option[1] == 'R')
            options.record = value;
        else if (gs_format_add_key(&options, value, err) != GS_OK)
            return GS_ERR_USAGE;
    }
    return gs_format_parse(format, &options, err);
}

/* Print a format as options that mean the same. */
static void accepts(const char *text, const char *wanted, uint32_t element_bytes)
{
    struct gs_format format;
    struct gs_error err;
    char got[512];
    char type[GS_KEY_TYPE_TEXT];
    if (!CHECK(parse(text, &format, &err) == GS_OK)) {
        fprintf(stderr, "\"%s\": %s\n", text, err.text);
        return;
    }
    int used = snprintf(got, sizeof got, "-R %u", (unsigned)format.record_bytes);
    for (uint32_t i = 0; i < format.key_count; i++) {
        gs_key_type_name(&format.keys[i].type, type);
        used +=
            snprintf(got + used, sizeof got - (size_t)used, " -k %u:%s%s",
                     (unsigned)format.keys[i].offset, type, format.keys[i].descending ? "r" : "");
    }
    if (!CHECK(strcmp(got, wanted) == 0))
        fprintf(stderr, "\"%s\" means \"%s\"\n", text, got);
    CHECK_EQUAL(format.element_bytes, element_bytes);
}

static void refuses(const char *text, const char *reason)
{
    struct gs_format format;
    struct gs_error err;
    CHECK(parse(text, &format, &err) == GS_ERR_USAGE);
    if (!CHECK(strstr(err.text, reason) != NULL) || !CHECK(strchr(err.text, '\n') == NULL))
        fprintf(stderr, "\"%s\": %s\n", text, err.text);
}

static void test_accepted(void)
{
    accepts("", "-R 4 -k 0:u32", 4);
    accepts("-t u8", "-R 1 -k 0:u8", 4);
    accepts("-t i128be", "-R 16 -k 0:i128be", 16);
    accepts("-t bf16be", "-R 2 -k 0:bf16be", 4);
    accepts("-t M8[ns]", "-R 8 -k 0:M8[ns]", 8);
    accepts("-t <m8", "-R 8 -k 0:m8", 8);
    accepts("-t >M8[1us]", "-R 8 -k 0:M8[us]be", 8);
    accepts("-t timedelta64[25s]be", "-R 8 -k 0:m8[25s]be", 8);
    accepts("-R 12 -k 4:datetime64[D]r", "-R 12 -k 4:M8[D]r", 16);
    accepts("-R 12 -k zorder(4:i32,0:u32r)r", "-R 12 -k 4:i32r -k 0:u32", 16);
    accepts("-R 40 -k 0:u8 -k ZORDER(8:f64,16:f64,24:f64,32:u64)",
            "-R 40 -k 0:u8 -k 8:f64 -k 16:f64 -k 24:f64 -k 32:u64", 0);
    accepts("-t f64", "-R 8 -k 0:f64", 8);
    accepts("-t b10", "-R 10 -k 0:b10", 16);
    accepts("-t b100", "-R 100 -k 0:b100", 0);
    accepts("-R 5", "-R 5 -k 0:b5", 8);
    accepts("-R 17", "-R 17 -k 0:b17", 0);
    accepts("-R 65536", "-R 65536 -k 0:b65536", 0);
    accepts("-R 16 -k 8:f64r -k 0:u64", "-R 16 -k 8:f64r -k 0:u64", 16);
    accepts("-R 100 -k 0:b10", "-R 100 -k 0:b10", 0);
    accepts("-k 1:i16ber -R 3", "-R 3 -k 1:i16ber", 4);
    accepts("-R 12 -k 0:u8r", "-R 12 -k 0:u8r", 16);
    accepts("-t u64,u32", "-R 12 -k 0:u64 -k 8:u32", 16);
    accepts("-t i8r,f64beR,b3,u16,<f4", "-R 18 -k 0:i8r -k 1:f64ber -k 9:b3 -k 12:u16 -k 14:f32",
            0);
    accepts("-t u64,uint32_tr -R 12", "-R 12 -k 0:u64 -k 8:u32r", 16);
    accepts("-R 8 -t double", "-R 8 -k 0:f64", 8);
    accepts("-R 12B", "-R 12 -k 0:b12", 16);
    accepts("-R 1k", "-R 1024 -k 0:b1024", 0);
    accepts("-R 0x10 -k 0x8:u32", "-R 16 -k 8:u32", 16);
    static const char *const spelled[][2] = {
        {"double", "f64"},   {"Float32", "f32"},     {"half", "f16"},       {"float64", "f64"},
        {"FLOAT16", "f16"},  {"float32be", "f32be"}, {"bfloat16", "bf16"},  {"int32", "i32"},
        {"uint32_t", "u32"}, {"int8_t", "i8"},       {"uint64be", "u64be"}, {"uint128", "u128"},
        {"F64", "f64"},      {"U32BE", "u32be"},     {"u32le", "u32"},      {"B10", "b10"},
        {">u4", "u32be"},    {"<f8", "f64"},         {">i2", "i16be"},      {"<u1", "u8"},
        {"be32", "u32be"},   {"le64", "u64"},        {"BE16", "u16be"},     {"BF16", "bf16"}};
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
        struct gs_key_type type;
        struct gs_error err;
        char name[GS_KEY_TYPE_TEXT];
        if (!CHECK(gs_key_type_parse("-t", spelled[i][0], &type, &err) == GS_OK))
            continue;
        gs_key_type_name(&type, name);
        if (!CHECK(strcmp(name, spelled[i][1]) == 0))
            fprintf(stderr, "%s means %s\n", spelled[i][0], name);
    }
    accepts("-R 8 -k 0:doubler", "-R 8 -k 0:f64r", 8);
    accepts("-R 4 -k 0:>u4R", "-R 4 -k 0:u32ber", 4);
    for (int t = 0; t < ALL_TYPES; t++) {
        char name[GS_KEY_TYPE_TEXT];
        const struct gs_key_type type = type_of(all_types[t]);
        gs_key_type_name(&type, name);
        CHECK(strcmp(name, all_types[t]) == 0);
    }
}

static void test_refused(void)
{
    static const char *const no_types[] = {
        "-t x",
        "-t u",
        "-t u7",
        "-t u3",
        "-t f128",
        "-t u32x",
        "-t b",
        "-t b0",
        "-t b65537",
        "-t b-1",
        "-t b10be",
        "-t u1280",
        "-t bf32",
        "-t f8",
        "-t u32b",
        "-t uint",
        "-t int33",
        "-t u32_t",
        "-t f64_t",
        "-t float65",
        "-t be8",
        "-t be32be",
        "-t >u3",
        "-t <f1",
        "-t >b4",
        "-t >u",
        "-t float",
        "-t doubled",
        "-t 0x4",
        "-R 4 -k 0:x",
        "-R 4 -k 0:u32rr",
        "-R 4 -k 0:",
        "-R 4 -k 0:u32rbe",
        "-t u64,",
        "-t ,u64",
        "-t u64,,u32",
        "-t u64,u32rr",
        "-t u64,x",
        "-t u64;u32",
        "-t M8[x]",
        "-t M8[ns",
        "-t M8[]",
        "-t M8[2147483648ns]",
        "-t M4",
        "-R 8 -k zorder(0:u32,4:x)",
        "-t b99999999999999999999",
    };
    for (size_t i = 0; i < sizeof no_types / sizeof *no_types; i++)
        refuses(no_types[i], "u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64");
    refuses("-t f64r", "-r reverses");
    refuses("-R 0", "1 to 65536");
    refuses("-R 65537", "1 to 65536");
    refuses("-R x", "1 to 65536");
    refuses("-R 65k", "1 to 65536");
    refuses("-R 4kB", "1 to 65536");
    refuses("-R 0x", "1 to 65536");
    refuses("-R 4 -k u32", "OFFSET:TYPE");
    refuses("-R 8 -k zorder()", "OFFSET:TYPE");
    refuses("-R 8 -k zorder(0:u32,)", "OFFSET:TYPE");
    refuses("-R 8 -k zorder(0:u32,4:u32", "OFFSET:TYPE");
    refuses("-R 8 -k zorder(0:u32)", "two to four numbers");
    refuses("-R 8 -k zorder(0:u8,1:u8,2:u8,3:u8,4:u8)", "two to four numbers");
    refuses("-R 8 -k zorder(0:u32,4:u16)", "two to four numbers of the same size");
    refuses("-R 8 -k zorder(0:b4,4:b4)", "two to four numbers");
    refuses("-R 32 -k zorder(0:u128,16:u128)", "at most 8 bytes");
    refuses("-R 8 -k zorder(0:u32,2:u32)", "overlap");
    refuses("-R 4 -k :u32", "OFFSET:TYPE");
    refuses("-R 4 -k -1:u8", "OFFSET:TYPE");
    refuses("-R 4 -k 65537:u8", "OFFSET:TYPE");
    refuses("-R 4 -k 0,u8", "OFFSET:TYPE");
    refuses("-k 0:u32", "-R SIZE");
    refuses("-t u64 -k 0:u32", "-R SIZE");
    refuses("-t u64 -R 16", "-t u64 has 8 bytes, but -R 16");
    refuses("-t u64,u32 -R 16", "-t u64,u32 has 12 bytes, but -R 16");
    refuses("-t u64,u32 -R x", "1 to 65536");
    refuses("-t u64,u32 -k 0:u64", "-R SIZE");
    refuses("-t b65000,b537", "more than 65536 bytes");
    refuses("-R 8 -k 4:u32 -k 5:u32be", "key 5:u32be ends at byte 9, but a record has 8 bytes");
    refuses("-R 1 -k 1:u8r", "key 1:u8r ends at byte 2, but a record has 1 bytes");
    refuses("-R 8 -k 0:u32 -k 3:u8", "keys 0:u32 and 3:u8 overlap");
    refuses("-R 8 -k 2:u8 -k 0:f64", "keys 2:u8 and 0:f64 overlap");
    refuses("-R 8 -k 2:u8 -k 2:u8", "overlap");
}

/* As many keys as there is room for, and no more. */
static void test_many_keys(void)
{
    struct gs_format_options options = {.record = "200"};
    static char texts[GS_FORMAT_KEYS_MAX][16];
    struct gs_error err = {.status = GS_OK};
    struct gs_format format;
    for (int i = 0; i < GS_FORMAT_KEYS_MAX; i++) {
        snprintf(texts[i], sizeof texts[i], "%d:u16", 2 * i);
        CHECK(gs_format_add_key(&options, texts[i], &err) == GS_OK);
    }
    CHECK(gs_format_parse(&format, &options, &err) == GS_OK);
    CHECK_EQUAL(format.keys[GS_FORMAT_KEYS_MAX - 1].offset, 2 * (GS_FORMAT_KEYS_MAX - 1));
    CHECK(gs_format_add_key(&options, "199:u8", &err) == GS_ERR_USAGE);
    CHECK(strstr(err.text, "199:u8") != NULL);
}

static void prints(const char *type, test_wide bits, const char *wanted)
{
    const struct gs_key_field key = {.offset = 3, .type = type_of(type)};
    unsigned char record[32] = {0};
    char text[GS_KEY_TEXT];
    write_bits(&key.type, record + 3, bits);
    gs_key_print(&key, record, text);
    if (!CHECK(strcmp(text, wanted) == 0))
        fprintf(stderr, "%s: %s, wanted %s\n", type, text, wanted);
}

static void test_text(void)
{
    prints("u8", 255, "255");
    prints("i8", 128, "-128");
    prints("i16be", 65535, "-1");
    prints("u32", 4000000000U, "4000000000");
    prints("i64", (test_wide)1 << 63, "-9223372036854775808");
    prints("u128", ~(test_wide)0, "340282366920938463463374607431768211455");
    prints("i128be", (test_wide)1 << 127, "-170141183460469231731687303715884105728");
    prints("i128", ((test_wide)1 << 127) - 1, "170141183460469231731687303715884105727");
    prints("u64be", 0, "0");
    prints("f32", 0x3dcccccd, "0.1");
    prints("f32be", 0x80000000, "-0");
    prints("f32", 0x7f800000, "inf");
    prints("f32", 0xff800000, "-inf");
    prints("f32", 0x7fc00001, "nan(0x400001)");
    prints("f32", 0xff800001, "-nan(0x1)");
    prints("f32", 1, "1e-45");
    prints("f32", 0x7f7fffff, "3.4028235e+38");
    prints("f64", 0x3fb999999999999aU, "0.1");
    prints("f64", 0x3fd5555555555555U, "0.3333333333333333");
    prints("f64be", 0xfff8000000000000U, "-nan");
    prints("f64", 0x7ff8000000000001U, "nan(0x8000000000001)");
    prints("f64", 0x7fefffffffffffffU, "1.7976931348623157e+308");
    prints("f64", 0x10000000000000U, "2.2250738585072014e-308");
    prints("f64", 0x40c3880000000000U, "10000");
    prints("f64", 1, "5e-324");
    prints("f16", 0x3c00, "1");
    prints("f16", 0x7bff, "6.55e+04");
    prints("f16", 0x0001, "6e-08");
    prints("f16", 0x83ff, "-6.1e-05");
    prints("f16", 0xfc00, "-inf");
    prints("f16be", 0x7e01, "nan(0x201)");
    prints("bf16", 0x3f80, "1");
    prints("bf16be", 0xc0a0, "-5");
    prints("f16", 0x2e66, "0.1");
    prints("f16", 0x7e00, "nan");
    prints("f32", 0xffc00000, "-nan");
    prints("bf16", 0x7f7f, "3.39e+38");
    prints("bf16", 0x3dcd, "0.1");
    prints("bf16", 0x7fc1, "nan(0x41)");
    prints("b3", 0x010203, "0x010203");
}

/* Is the text of a number read as this value, rather than as one beside it? */
static bool is_nearest(const struct gs_key_type *type, uint32_t bits, const char *text)
{
    const double value = float_value(type, bits);
    const double read = strtod(text, NULL);
    const double off = fabs(read - value);
    const double above = float_value(type, bits + 1);
    if (isinf(value) || value == 0)
        return read == value && signbit(read) == signbit(value);
    return off < fabs(read - float_value(type, bits - 1)) &&
           off < (isinf(above) ? ldexp(1, type->kind == GS_TYPE_BFLOAT ? 119 : 4)
                               : fabs(read - above));
}

/* Every number of two bytes is printed so that it is read back; long bytes are cut, and say so. */
static void test_text_reads_back(void)
{
    static const char *const names[] = {"f16", "bf16"};
    char text[GS_KEY_TEXT];
    for (uint32_t bits = 0; bits < 2 << 16; bits++) {
        const struct gs_key_field key = {.type = type_of(names[bits >> 16])};
        unsigned char record[2];
        write_bits(&key.type, record, bits & 0xffff);
        gs_key_print(&key, record, text);
        if (!isnan(float_value(&key.type, bits & 0xffff)) &&
            !CHECK(is_nearest(&key.type, bits & 0xffff, text)))
            fprintf(stderr, "%x: %s\n", (unsigned)bits, text);
    }
    unsigned char record[64] = {0xab};
    gs_key_print(&(struct gs_key_field){.type = type_of("b64")}, record, text);
    CHECK(strncmp(text, "0xab00", 6) == 0 && strlen(text) == 2 + 64 + 3);
}

int main(void)
{
    test_accepted();
    test_refused();
    test_many_keys();
    test_text();
    test_text_reads_back();
    return check_failures();
}
