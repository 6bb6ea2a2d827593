/* human_bytes.h -- numbers of bytes as people read them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HUMAN_BYTES_H
#define GS_HUMAN_BYTES_H

#include <stdint.h>

#define GS_HUMAN_TEXT 48

/* "512 bytes", "1.5 KiB", "22.9 MiB". Returns text. */
const char *gs_human_bytes(uint64_t bytes, char text[GS_HUMAN_TEXT]);

/* "512 bytes", "24000000 bytes (22.9 MiB)". Returns text. */
const char *gs_human_exact(uint64_t bytes, char text[GS_HUMAN_TEXT]);

#endif
