/* refuse.c -- preloaded into gsort, it has the kernel refuse one system call, as sandboxes do.
 * SPDX-License-Identifier: MIT
 *
 *     LD_PRELOAD=refuse.so GSORT_REFUSE="NUMBER ERRNO" gsort ...
 *
 * From the start of main() on, which a call of getppid(2) marks for strace, each system call of
 * this number fails with this errno, wherever it comes from: gsort, the C library or OpenMP's. It
 * is a seccomp filter: where that is not permitted, the exit status is 125. Writes to standard
 * error are not refused: they are the messages that say what was.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELD(name) (unsigned)offsetof(struct seccomp_data, name)

static int (*program_main)(int, char **, char **);

static void refuse(unsigned number, unsigned error_number)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(args[0])), /* its lower half */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDERR_FILENO, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error_number),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(125);
}

static int refused_main(int argc, char **argv, char **environment)
{
    unsigned number, error_number;
    const char *request = getenv("GSORT_REFUSE");
    (void)getppid();
    if (request != NULL && sscanf(request, "%u %u", &number, &error_number) == 2)
        refuse(number, error_number);
    return program_main(argc, argv, environment);
}

/* The C library starts the program by this. main() is wrapped: ld.so's calls are not refused. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return next(refused_main, argc, argv, init, fini, rtld_fini, stack_end);
}
