/* human.h -- sizes and times as people read them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HUMAN_H
#define GS_HUMAN_H

#include <stdint.h>

#define GS_HUMAN_TEXT 48

/* "512 bytes", "1.5 KiB", "22.9 MiB". Returns text. */
const char *gs_human_bytes(uint64_t bytes, char text[GS_HUMAN_TEXT]);

/* "512 bytes", "24000000 bytes (22.9 MiB)". Returns text. */
const char *gs_human_exact(uint64_t bytes, char text[GS_HUMAN_TEXT]);

/* "0.8 s", or from a minute on "h:mm:ss". Returns text. */
const char *gs_human_time(double seconds, char text[GS_HUMAN_TEXT]);

#endif
