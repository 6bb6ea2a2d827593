/* redirection.h -- an input that is also standard output, and would be lost.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_REDIRECTION_H
#define GS_REDIRECTION_H

#include "common/files/input.h"
#include "common/files/output.h"

/* An input is also standard output, so the shell has emptied it, or would have it grow. */
enum gs_status gs_refuse_redirection(const struct gs_inputs *inputs, const struct gs_output *output,
                                     struct gs_error *err);

/* The same for --print. */
enum gs_status gs_refuse_shown(const struct gs_inputs *inputs, struct gs_error *err);

#endif
