/* steps.h -- prefixes of tags that are steps of words.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STEPS_H
#define GS_STEPS_H

#include "sort/tags/tags.h"

/* Let prefixes be steps of the first words of strings, which count up to byte `most` behind what
 * all share, if steps tell more than bytes, which may skip some. */
void gs_tags_choose_steps(struct gs_tags *tags, const struct gs_tiles *tiles, uint32_t most);

/* Where in the strings the part begins that a tag's steps don't tell. */
uint32_t gs_tags_next_behind_steps(const struct gs_tags *tags, gs_key tag);

#endif
