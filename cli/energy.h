/* energy.h -- what the processors took of energy while gsort ran, where the machine tells.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ENERGY_H
#define GS_ENERGY_H

#include <stdbool.h>

/* Read the counters, before the work begins. */
void gs_energy_start(void);

/* Joules since then, of all processors of the machine and for all that runs there; false if there
 * are no counters, they may not be read, or they may have begun anew more than once. */
bool gs_energy_joules(double *joules);

#endif
