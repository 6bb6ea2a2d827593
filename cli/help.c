/* help.c -- the answer of -h; --help is argp's.
 * SPDX-License-Identifier: MIT
 */
#include "cli/help.h"

#include "cli/report.h"

#include <stdio.h>

/* A screen of 24 lines, with the command and the next prompt. */
void gs_help_short(void)
{
    const char *name = gs_report_program();
    printf("Usage: %s [OPTION...] [FILE...]\n"
           "Sort binary files of numbers or records; without FILE, or for -, standard input.\n",
           name);
    fputs("  -o FILE   write to FILE, which may be an input, instead of to standard output\n"
          "  -t TYPE   u8 to u128, i8 to i128, f16 bf16 f32 f64, bN for N bytes, u64be if\n"
          "            big-endian (default u32); u64,u32r: records of such fields, in order\n"
          "  -R SIZE   records of SIZE bytes, by all of them or by\n"
          "  -k KEY    OFFSET:TYPE, :TYPEr to descend; of a .npy file FIELD or FIELD:r\n"
          "  -r        descending order\n"
          "  -u        one of each key\n"
          "  -s        leave equal keys in the order of the input\n"
          "  -c        check the order instead of sorting\n"
          "  -m        merge files that are in order\n"
          "  -S SIZE   memory to use, as 4G or 50%\n"
          "  -T DIR    for temporary files, if memory does not suffice\n"
          "  --stats   say how long each stage took\n"
          "  --plan    only say what would be done\n"
          "  --print   show records as text, in their order in the files\n"
          "  --help    all options; the manual page has the rest\n",
          stdout);
    puts("Examples:");
    printf("  %s in.bin -o out.bin                        unsigned 32-bit integers\n", name);
    printf("  %s -t f64 in.bin -o in.bin                  doubles, into the same file\n", name);
    printf("  %s -R 16 -k 8:f64r -k 0:u64 in -o out       pairs, the largest double first\n", name);
    printf("  producer | %s -u | consumer                 a pipe, each key once\n", name);
}
