/* vector_steps.h -- whether halving steps are cheap, since vectors of keys take them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VECTOR_STEPS_H
#define GS_VECTOR_STEPS_H

#include <stdbool.h>

bool gs_vector_steps(void);

#endif
