/* width.h -- the tables of calls, one for each width that the library is compiled for.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_WIDTH_H
#define GS_WIDTH_H

#include "sort/types/calls.h"

extern const struct gs_width gs_width_32, gs_width_64, gs_width_128;

#endif
