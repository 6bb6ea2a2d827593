/* sift.h -- which records may be among the first or the last ones of the output?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SIFT_H
#define GS_SIFT_H

#include "sort/types/sift_by.h"

gs_sift_by gs_keys_sift;

#endif
