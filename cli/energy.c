/* energy.c -- what the processors took of energy while gsort ran, where the machine tells.
 * SPDX-License-Identifier: MIT
 *
 * Linux counts microjoules of each processor in files below /sys/class/powercap, which usually only
 * root may read. Parts of a processor have directories of their own there, with a second colon in
 * their names.
 */
#include "cli/energy.h"

#include "common/clock.h"

#include <glob.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DOMAINS "/sys/class/powercap/intel-rapl:*"

enum { PROCESSORS_MAX = 64, PATH_BYTES = 256 };

/* A counter goes round after some minutes of a processor's full power. */
#define MOST_WATTS 1000

static struct {
    char directory[PATH_BYTES];
    uint64_t begin, range; /* in microjoules; it counts from 0 to range */
} processors[PROCESSORS_MAX];
static size_t processor_count;
static uint64_t begin_ns;

/* Read a file of a directory into text; false if that is not possible. */
static bool read_text(const char *directory, const char *name, char text[PATH_BYTES])
{
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool read = fgets(text, PATH_BYTES, file) != NULL;
    fclose(file);
    return read;
}

static bool read_number(const char *directory, const char *name, uint64_t *number)
{
    char text[PATH_BYTES];
    return read_text(directory, name, text) && sscanf(text, "%" SCNu64, number) == 1;
}

/* Only what is named package-N is a processor; psys is the whole machine. */
static bool is_processor(const char *directory)
{
    char name[PATH_BYTES];
    return strchr(strchr(directory, ':') + 1, ':') == NULL && read_text(directory, "name", name) &&
           strncmp(name, "package", 7) == 0;
}

void gs_energy_start(void)
{
    glob_t found;
    begin_ns = gs_now_ns();
    if (glob(DOMAINS, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc && processor_count < PROCESSORS_MAX; i++) {
        const char *directory = found.gl_pathv[i];
        if (strlen(directory) >= PATH_BYTES || !is_processor(directory) ||
            !read_number(directory, "energy_uj", &processors[processor_count].begin) ||
            !read_number(directory, "max_energy_range_uj", &processors[processor_count].range))
            continue;
        memcpy(processors[processor_count++].directory, directory, strlen(directory) + 1);
    }
    globfree(&found);
}

bool gs_energy_joules(double *joules)
{
    const double seconds = (double)(gs_now_ns() - begin_ns) / 1e9;
    uint64_t sum = 0;
    for (size_t i = 0; i < processor_count; i++) {
        const uint64_t begin = processors[i].begin;
        uint64_t end;
        if (seconds * MOST_WATTS * 1e6 > (double)processors[i].range ||
            !read_number(processors[i].directory, "energy_uj", &end))
            return false;
        sum += end >= begin ? end - begin : processors[i].range - begin + end;
    }
    *joules = (double)sum / 1e6;
    return processor_count > 0;
}
