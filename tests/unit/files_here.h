/* files_here.h -- how many files the current directory has, for tests of what is left there.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_FILES_HERE_H
#define GS_FILES_HERE_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Hidden ones, too. */
static inline unsigned files_here(void)
{
    unsigned files = 0;
    DIR *here = opendir(".");
    if (here == NULL)
        abort();
    for (const struct dirent *entry; (entry = readdir(here)) != NULL;)
        files += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(here);
    return files;
}

#endif
