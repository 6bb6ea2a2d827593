/* vector_steps.c -- whether halving steps are cheap: they are for 32-bit keys.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/u32/vector_steps.h"

bool gs_vector_steps(void)
{
    return true;
}
