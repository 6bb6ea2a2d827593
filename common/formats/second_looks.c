/* second_looks.c -- what else a file has where its signature is only a few bits.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/signatures.h"

#include <string.h>

static uint32_t read_le(const unsigned char *bytes, unsigned size)
{
    uint32_t value = 0;
    while (size-- > 0)
        value = value << 8 | bytes[size];
    return value;
}

static uint32_t read_be(const unsigned char *bytes, unsigned size)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Who skips just the header of a .npy file knows what he does. */
bool gs_look_npy(const struct gs_head *head)
{
    if (head->count < 12)
        return false;
    const unsigned char *bytes = head->bytes;
    const uint64_t header =
        bytes[6] == 1 ? 10 + read_le(bytes + 8, 2) : (uint64_t)12 + read_le(bytes + 8, 4);
    return head->skip != header;
}

/* RFC 1952: the operating system is one of 14, or 255, not known. */
bool gs_look_gzip(const struct gs_head *head)
{
    return head->bytes[9] <= 13 || head->bytes[9] == 255;
}

/* RFC 8878: the header of the first block, whose place the header of the frame tells. */
bool gs_look_zstd(const struct gs_head *head)
{
    static const unsigned char dictionary_bytes[] = {0, 1, 2, 4};
    static const unsigned char size_bytes[] = {0, 2, 4, 8};
    const unsigned frame = head->bytes[4];
    const bool single = (frame & 0x20) != 0;
    size_t at = 5 + (size_t)dictionary_bytes[frame & 3] + size_bytes[frame >> 6];
    at += single && frame >> 6 == 0; /* the size takes a byte then */
    at += !single;                   /* the size of the window */
    if (head->count < at + 3)
        return false;
    const uint32_t block = read_le(head->bytes + at, 3);
    return (block >> 1 & 3) != 3 && block >> 3 <= 1 << 17;
}

/* LZW's codes have 9 bits at first, and none is used before it is given a meaning. */
bool gs_look_compress(const struct gs_head *head)
{
    enum { CODES = 24, BITS = 9 };
    const unsigned bits = head->bytes[2] & 0x1f;
    if (bits < 9 || bits > 16 || head->count < 3 + CODES * BITS / 8)
        return false;
    for (unsigned i = 0; i < CODES; i++) {
        const uint32_t two = read_le(head->bytes + 3 + i * BITS / 8, 2);
        if ((two >> i * BITS % 8 & 0x1ff) > (i == 0 ? 255 : 256 + i))
            return false;
    }
    return true;
}

/* Where the first directory is: its first entry has one of the lowest tags. Behind the bytes that
 * were read, it has to be in the file at least, at an even place: in one of a moderate size, or
 * near the end. */
bool gs_look_tiff(const struct gs_head *head)
{
    if (head->count < 8)
        return false;
    uint32_t (*const read)(const unsigned char *, unsigned) =
        head->bytes[0] == 'I' ? read_le : read_be;
    const uint32_t at = read(head->bytes + 4, 4);
    if (at < 8 || at % 2 != 0)
        return false;
    if (at + (uint64_t)6 > head->count) {
        const uint64_t size = head->file_bytes;
        return at + (uint64_t)6 < size && (size <= (1 << 28) || size - at <= (1 << 20));
    }
    const unsigned char *directory = head->bytes + at;
    const uint32_t entries = read(directory, 2);
    const uint32_t tag = read(directory + 2, 2);
    const uint32_t type = read(directory + 4, 2);
    return entries >= 1 && entries <= 512 && tag >= 254 && tag <= 259 && type >= 1 && type <= 4;
}

/* Behind the program for DOS there is one for Windows. */
bool gs_look_pe(const struct gs_head *head)
{
    const size_t at = read_le(head->bytes + 60, 2);
    return at >= 64 && at + 4 <= head->count && memcmp(head->bytes + at, "PE\0", 4) == 0;
}

/* An object's first name follows. */
bool gs_look_json(const struct gs_head *head)
{
    enum { FIRST = 10, COUNT = 32 };
    if (head->count < FIRST + COUNT)
        return false;
    for (size_t i = FIRST; i < FIRST + COUNT; i++)
        if (head->bytes[i] < 0x20 || head->bytes[i] > 0x7e)
            return false;
    return true;
}
