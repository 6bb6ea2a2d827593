/* engine_absent.c -- the functions of engine.h for wider keys: the engines sort keys of 32 bits.
 * SPDX-License-Identifier: MIT
 */
#include "sort/engines/engine.h"

enum gs_status gs_engine_run(struct gs_run *run, enum gs_device device, struct gs_error *err)
{
    (void)run;
    (void)device;
    return gs_fail(err, GS_ERR_USAGE, 0, "this engine sorts keys of 4 bytes");
}

uint64_t gs_engine_memory(uint64_t count)
{
    (void)count;
    return 0;
}
