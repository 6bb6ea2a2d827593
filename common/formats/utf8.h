/* utf8.h -- characters as bytes of UTF-8.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_UTF8_H
#define GS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is this UTF-8, without surrogates? */
bool gs_utf8_is(const void *text, size_t size);

/* Write a character up to U+10FFFF: 1 to 4 bytes, as many as are returned. */
uint32_t gs_utf8_write(char *to, uint32_t code);

#endif
