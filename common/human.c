/* human.c -- sizes and times as people read them.
 * SPDX-License-Identifier: MIT
 */
#include "common/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *gs_human_bytes(uint64_t bytes, char text[GS_HUMAN_TEXT])
{
    static const char prefixes[] = "KMGTPE";
    int i = -1;
    double amount = (double)bytes;
    /* 1023.95 would be printed as 1024.0. */
    for (; amount >= 1023.95 && prefixes[i + 1] != '\0'; i++)
        amount /= 1024;
    if (i < 0)
        snprintf(text, GS_HUMAN_TEXT, "%" PRIu64 " bytes", bytes);
    else
        snprintf(text, GS_HUMAN_TEXT, "%.1f %ciB", amount, prefixes[i]);
    return text;
}

const char *gs_human_exact(uint64_t bytes, char text[GS_HUMAN_TEXT])
{
    char human[GS_HUMAN_TEXT];
    gs_human_bytes(bytes, human);
    if (bytes < 1024)
        memcpy(text, human, sizeof human);
    else
        snprintf(text, GS_HUMAN_TEXT, "%" PRIu64 " bytes (%.12s)", bytes, human);
    return text;
}

const char *gs_human_time(double seconds, char text[GS_HUMAN_TEXT])
{
    if (seconds < 59.95) {
        snprintf(text, GS_HUMAN_TEXT, "%.1f s", seconds);
        return text;
    }
    const uint64_t whole = seconds < 1e15 ? (uint64_t)(seconds + 0.5) : (uint64_t)1e15;
    snprintf(text, GS_HUMAN_TEXT, "%" PRIu64 ":%02d:%02d", whole / 3600, (int)(whole / 60 % 60),
             (int)(whole % 60));
    return text;
}
