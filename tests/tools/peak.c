/* peak.c -- run a command and print its peak resident memory in KiB to standard output.
 * SPDX-License-Identifier: MIT
 *
 * usage: peak COMMAND...     exit status: the command's, or 2 if it did not exit by itself
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t child = argc > 1 ? fork() : -1;
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child ||
        getrusage(RUSAGE_CHILDREN, &usage) != 0 || !WIFEXITED(status))
        return 2;
    printf("%ld\n", usage.ru_maxrss);
    return WEXITSTATUS(status);
}
