/* gpu_array.h -- sort a caller's records, or their positions, with the caller's memory and stream.
 * SPDX-License-Identifier: MIT
 *
 *     records in `in` --load--> elements in `out`, or in temp --sort, with temp--> the same
 * --store--> records in `out`
 *
 * Elements that are the records themselves, or have a door (gpu_door.h), take no passes: the sort's
 * first level finds them in `in`. Built without CUDA, all of this is in gpu_array_absent.c.
 */
#ifndef GS_GPU_ARRAY_H
#define GS_GPU_ARRAY_H

#include "sort/types/calls.h"

/* gs_width's sort_device. */
enum gs_status gs_gpu_array_sort(const struct gs_options *options, struct gs_device_array *array,
                                 struct gs_error *err);

#endif
