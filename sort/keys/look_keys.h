/* look_keys.h -- are keys in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LOOK_KEYS_H
#define GS_LOOK_KEYS_H

#include "sort/types/look.h"

/* Look at keys, or at records where options->codec says so. */
gs_look_at gs_keys_look;

#endif
