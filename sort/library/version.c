/* version.c -- the version of the library.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

const char *gsort_version(void)
{
    return GS_VERSION;
}
