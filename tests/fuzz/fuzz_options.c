/* fuzz_options.c -- run gsort with many random command lines, most of them wrong.
 * SPDX-License-Identifier: MIT
 *
 *     fuzz_options GSORT COUNT SEED
 *
 * Whatever its arguments, gsort must exit within two minutes, with status 0, 1 (only after -c or
 * -C) or 2; with 2 it says why in a line that names the program, and writes no keys. Runs in the
 * current directory, which should hold keys.bin, odd.bin and directory/. A seed always gives the
 * same command lines. One that is not answered well is printed, quoted for the shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 8, ARG_BYTES = 64, STDERR_MAX = 65536, SECONDS_MAX = 120 };

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const long_names[] = {
    "output",      "reverse", "unique",   "check",   "engine",
    "device",      "samples", "bins",     "lists",   "buffer-size",
    "verify",      "stats",   "progress", "version", "temporary-directory",
    "parallel",    "help",    "usage",    "chekc",   "device-memory",
    "no-such-one", "",        "rev",      "p",       "compress-program",
    "merge",       "plan",    "fsync",    "direct",  "format",
    "type",        "record",  "key",      "stable",  "skip",
};

static const char *const values[] = {
    "",      "0",         "1",          "2",     "3",          "7",         "256",
    "257",   "4096",      "65536",      "-1",    "+5",         "1k",        "1K",
    "64M",   "8G",        "1E",         "1Y",    "99999Z",     "25%",       "101%",
    "-5%",   "%",         "1e3",        "0x10",  "1.5M",       " 4",        "4 ",
    "auto",  "cpu",       "atomicmin",  "hybrd", "hybrid",     "reduction", "samplesort",
    "text",  "json",      "xml",        "JSON",  "always",     "never",     "sometimes",
    "quiet", "quiet,",    "diagnose",   "out",   "/dev/null",  "directory", "missing/out",
    "nan",   "inf",       "4294967295", "%s%n",  "4294967296", "\xff\xfe",  "18446744073709551616",
    "1b",    "999999999", "1G1",        "1KB",   "keys.bin",   "f64",       "u32be",
    "b3",    "0:u8",      "2:i16r",     "16",    "100",
};

static const char *const operands[] = {"keys.bin",      "keys.bin", "odd.bin", "no-such-file",
                                       "directory",     "-",        "--",      "",
                                       "keys.bin/file", "/dev/null"};

static const char short_letters[] = "oruccCeSTtRkshVxz?-=";

static uint64_t state;

/* A random number below n, from a generator of its own: xorshift64* [Vigna, 2016]. */
static size_t below(size_t n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (size_t)((state * UINT64_C(2685821657736338717) >> 33) % n);
}

/* Random bytes without '/' and '.', so that a file of that name stays in this directory. */
static void make_junk(char *arg)
{
    size_t length = below(12);
    for (size_t i = 0; i < length; i++) {
        char c = (char)(1 + below(255));
        arg[i] = c == '/' || c == '.' ? '-' : c;
    }
    arg[length] = '\0';
}

static void make_arg(char *arg)
{
    switch (below(8)) {
    case 0:
    case 1:
        snprintf(arg, ARG_BYTES, "--%s=%s", long_names[below(LENGTH(long_names))],
                 values[below(LENGTH(values))]);
        break;
    case 2:
        snprintf(arg, ARG_BYTES, "--%s", long_names[below(LENGTH(long_names))]);
        break;
    case 3:
        snprintf(arg, ARG_BYTES, "-%c%s", short_letters[below(sizeof short_letters - 1)],
                 values[below(LENGTH(values))]);
        break;
    case 4:
        snprintf(arg, ARG_BYTES, "-%c%c%c", short_letters[below(sizeof short_letters - 1)],
                 short_letters[below(sizeof short_letters - 1)],
                 short_letters[below(sizeof short_letters - 1)]);
        break;
    case 5:
        make_junk(arg);
        break;
    case 6:
        snprintf(arg, ARG_BYTES, "%s", values[below(LENGTH(values))]);
        break;
    default:
        snprintf(arg, ARG_BYTES, "%s", operands[below(LENGTH(operands))]);
        break;
    }
}

/* Print a command line, quoted for printf '%b'. */
static void print_command(char **argv, const char *why)
{
    printf("%s:", why);
    for (; *argv != NULL; argv++) {
        printf(" '");
        for (const char *c = *argv; *c != '\0'; c++) {
            if (*c > ' ' && *c < 127 && *c != '\'' && *c != '\\')
                putchar(*c);
            else
                printf("\\x%02x", (unsigned)(unsigned char)*c);
        }
        putchar('\'');
    }
    putchar('\n');
}

static int run_one(char **argv, int out, int err)
{
    static const char *const mine[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        alarm(SECONDS_MAX);
        execve(argv[0], argv, (char *const *)(uintptr_t)mine);
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Returns what was wrong with the run, or NULL. */
static const char *judge(char **argv, int status, int out, int err)
{
    static char text[STDERR_MAX];
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "did not end" : "killed by a signal";
    off_t out_bytes = lseek(out, 0, SEEK_END);
    ssize_t err_bytes = pread(err, text, sizeof text - 1, 0);
    if (err_bytes < 0 || err_bytes == (ssize_t)sizeof text - 1)
        return "too much on standard error";
    text[err_bytes] = '\0';
    size_t lines = 0;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    switch (WEXITSTATUS(status)) {
    case 0:
        return NULL;
    case 1:
        for (; *argv != NULL; argv++) {
            if (argv[0][0] == '-' && strpbrk(*argv, "cC") != NULL)
                return NULL;
        }
        return "status 1 without a check";
    case 2:
        if (out_bytes != 0)
            return "failed and wrote to standard output";
        if (strstr(text, "gsort: ") == NULL)
            return "failed without saying why";
        if (lines > 2)
            return "failed with more than a line and a hint";
        return NULL;
    default:
        return "another status than 0, 1 and 2";
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: fuzz_options GSORT COUNT SEED\n");
        return 2;
    }
    size_t count = strtoull(argv[2], NULL, 10);
    state = strtoull(argv[3], NULL, 10) * 2 + 1;
    int out = memfd_create("out", MFD_CLOEXEC);
    int err = memfd_create("err", MFD_CLOEXEC);
    if (out < 0 || err < 0) {
        perror("fuzz_options: memfd_create");
        return 2;
    }
    size_t bad = 0;
    size_t statuses[3] = {0};
    for (size_t i = 0; i < count; i++) {
        static char args[ARGS_MAX][ARG_BYTES];
        char *line[ARGS_MAX + 2] = {argv[1]};
        size_t n = 1 + below(ARGS_MAX - 1);
        for (size_t a = 0; a < n; a++) {
            make_arg(args[a]);
            line[a + 1] = args[a];
        }
        if (ftruncate(out, 0) != 0 || ftruncate(err, 0) != 0 || lseek(out, 0, SEEK_SET) != 0 ||
            lseek(err, 0, SEEK_SET) != 0)
            return 2;
        int status = run_one(line, out, err);
        const char *why = judge(line, status, out, err);
        if (why != NULL) {
            bad++;
            print_command(line, why);
        } else {
            statuses[WEXITSTATUS(status)]++;
        }
    }
    printf("%zu command lines: %zu gave 0, %zu gave 1, %zu gave 2, %zu were not answered well\n",
           count, statuses[0], statuses[1], statuses[2], bad);
    return bad != 0;
}
