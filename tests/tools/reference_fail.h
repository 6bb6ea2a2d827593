/* reference_fail.h -- what all files of the reference use: errors and memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_REFERENCE_FAIL_H
#define GS_REFERENCE_FAIL_H

#include <stddef.h>

_Noreturn void reference_die(const char *name, const char *what);

/* Memory to be freed, or the end. */
void *reference_allocate(size_t bytes);

#endif
