/* version.c -- which gsort this is, and how it was built.
 * SPDX-License-Identifier: MIT
 *
 * The only file that is compiled with the version, the commit and the GPU's architectures: when one
 * of these changes, nothing else is compiled again.
 */
#include "cli/version.h"

#include "cli/report.h"
#include "sort/cluster.h"

#include <stdio.h>
#include <string.h>

const char gs_version[] = GS_VERSION;
const char gs_commit[] = GS_COMMIT;

#ifdef __clang__
static const char compiler[] = __VERSION__; /* which begins with its name */
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

void gs_version_print(void)
{
    const char *name = gs_report_program();
    const bool renamed = strncmp(name, "gsort", strlen("gsort")) != 0;
    printf("%s%s %s\nCommit: %s\nCompiler: %s\n", name, renamed ? " (gsort)" : "", gs_version,
           gs_commit, compiler);
    printf("CUDA: %s\nHighway: %s\nHDF5: %s\nMPI: %s\nLicense: MIT\n",
           GS_CUDA ? "yes, for " GS_GPU_ARCHS : "no", GS_HIGHWAY ? "yes" : "no",
           GS_HDF5 ? "yes" : "no", gs_cluster_library() != NULL ? gs_cluster_library() : "no");
}
