/* reference_fail.c -- what all files of the reference use: errors and memory.
 * SPDX-License-Identifier: MIT
 */
#include "tests/tools/reference_fail.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void reference_die(const char *name, const char *what)
{
    fprintf(stderr, "reference: %s: %s\n", name, what);
    exit(2);
}

void *reference_allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL)
        reference_die("memory", "exhausted");
    return memory;
}
