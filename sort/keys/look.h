/* look.h -- are keys in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEYS_LOOK_H
#define GS_KEYS_LOOK_H

#include "sort/types/look.h"

/* Look at keys, or at records where options->codec says so. */
gs_look_at gs_keys_look;

#endif
