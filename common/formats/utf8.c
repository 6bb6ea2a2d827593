/* utf8.c -- characters as bytes of UTF-8.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/utf8.h"

/* The least character that has as many bytes behind the first. */
static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};

bool gs_utf8_is(const void *text, size_t size)
{
    const unsigned char *bytes = text;
    for (size_t i = 0; i < size;) {
        const unsigned char c = bytes[i++];
        const uint32_t more = c < 0x80 ? 0 : c < 0xc0 ? 4 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        uint32_t code = more == 0 ? c : c & (0x3fu >> more);
        if (more == 4 || c > 0xf4 || size - i < more)
            return false;
        for (uint32_t k = 0; k < more; k++, i++) {
            if ((bytes[i] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (bytes[i] & 0x3fu);
        }
        if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return false;
    }
    return true;
}

uint32_t gs_utf8_write(char *to, uint32_t code)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    uint32_t more = 0;
    while (more < 3 && code >= least[more + 1])
        more++;
    for (uint32_t i = more; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(first[more] | code);
    return more + 1;
}
