/* sort_forecast.h -- predict a sort of elements.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_FORECAST_H
#define GS_SORT_FORECAST_H

#include "sort/types/forecast.h"

/* As forecast of struct gs_width (sort/types/calls.h). */
void gs_sort_forecast(const struct gs_options *options, uint64_t count,
                      struct gs_forecast *forecast);

#endif
