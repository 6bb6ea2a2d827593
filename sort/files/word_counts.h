/* word_counts.h -- how often each word of 4, 8 or 16 bytes came: a part table without slots.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_WORD_COUNTS_H
#define GS_WORD_COUNTS_H

#include "sort/files/part_form.h"

/* Is a part nothing but a word, which is the key, and its number? */
bool gs_counts_words(const struct gs_part_form *form);

/* gs_part_table_add() for those. */
uint64_t gs_word_counts_add(struct gs_part_table *table, const char *words, uint64_t count);

/* Let the parts lie one behind the other. After that, none is added until it is cleared. */
void gs_word_counts_pack(struct gs_part_table *table);

#endif
