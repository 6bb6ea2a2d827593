/* launcher.h -- is this process one of several that a launcher of parallel jobs has started?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LAUNCHER_H
#define GS_LAUNCHER_H

#include "common/status.h"

/* The environment's variable that says so under mpirun, srun and the like with more than one
 * process, or NULL. */
const char *gs_launcher_variable(void);

/* The rank that a launcher has given this process, 0 if none has. */
int gs_launcher_rank(void);

/* GS_ERR_USAGE: each would sort all the input, and they would race to one name. */
enum gs_status gs_launcher_refuse(const char *variable, struct gs_error *err);

#endif
