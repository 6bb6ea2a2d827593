/* vector_steps_absent.c -- whether halving steps are cheap: not for wider keys, nor here.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/u32/vector_steps.h"

bool gs_vector_steps(void)
{
    return false;
}
