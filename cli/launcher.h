/* launcher.h -- is this process one of several that a launcher of parallel jobs has started?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LAUNCHER_H
#define GS_LAUNCHER_H

#include "common/status.h"

/* GS_ERR_USAGE under mpirun, srun and the like with more than one process: each would sort all the
 * input, and they would race to one name. */
enum gs_status gs_launcher_check(struct gs_error *err);

#endif
