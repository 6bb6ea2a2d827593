/* gsort.h -- the library's public calls: sort keys, check an order, prove an output.
 * SPDX-License-Identifier: MIT
 *
 * The library never prints and never exits. Counts and positions are in keys, sizes in bytes, times
 * in nanoseconds. The caller owns every buffer it passes. A call that has returned keeps nothing,
 * except a GPU's runtime once it has started, and, with options.leave_device, the GPU's buffers and
 * references to the input that filled them: that input must then stay where it is.
 */
#ifndef GS_GSORT_H
#define GS_GSORT_H

#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"
#include "sort/run/plan.h"
#include "sort/run/verify.h"
#include "sort/sorter/sorter.h"
#include "sort/types/limits.h"
#include "sort/types/types.h"

#endif
