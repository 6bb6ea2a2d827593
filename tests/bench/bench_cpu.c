/* bench_cpu.c -- keys in memory: gsort and the sorts that Debian packages, measured in one run.
 * SPDX-License-Identifier: MIT
 *
 * usage: [ONLY="DISTRIBUTION..."] [PEERS="NAME..."] bench_cpu [-t THREADS] [-r ROUNDS] [LOG2_N...]
 *
 * Prints a Markdown table of Mkeys/s for each distribution of keygen and each size (default 20 24
 * 28). gsort sorts from one array to another, its peers in place. gsort and parallel peers use
 * THREADS threads (default: all processors); vqsort, spreadsort, std::sort and numpy have one.
 * The last columns are ratios of gsort's speed to that of the fastest peer, above 1 if gsort is
 * faster: "in place" with the peer as it is, "copied" with a memcpy before it, so that it does what
 * gsort does, as numpy.sort(keys) would.
 *
 * In a round each sorts the same keys once, in an order that is reversed every other round, so that
 * drifts of the machine's speed affect all alike. A figure is the median of ROUNDS (default 5)
 * after one warm-up. A sort that takes longer than SLOW_NS runs no more; if that was the warm-up,
 * its time is the figure. Each output is checked: ascending, and of the input's fingerprint.
 *
 * bench_cpu_64 does that with keys of 64 bits.
 *
 * Built with -DGS_BENCH_AVX2 and a library without wider instructions, all use AVX2 at most.
 */
#include "common/clock.h"
#include "common/memory/memory.h"
#include "common/random.h"
#include "data/dist.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"
#include "sort/sorter/sorter.h"
#include "sort/types/types.h"
#include "tests/bench/median.h"
#include "tests/bench/peers.h"
#include "tests/bench/picked.h"

#include <fcntl.h>
#include <inttypes.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef GS_BENCH_AVX2
#define AVX2_ONLY true
#else
#define AVX2_ONLY false
#endif

enum { ROUNDS_MAX = 99, RUNNERS_MAX = 16 };
static const uint64_t SLOW_NS = 3000000000U;

/* A sort to measure. gsort is first, then come the peers, numpy is last. */
struct runner {
    const char *name;
    const struct peer *peer; /* NULL: gsort or numpy */
    int rounds;
    bool slow;
    uint64_t ns[ROUNDS_MAX];
    uint64_t copied_ns[ROUNDS_MAX]; /* including the copy, which gsort does not need */
};

/* A Python process that sorts, on request, an array in a file mapped by both processes. */
struct numpy {
    FILE *to, *from;
    gs_key *shared;
    size_t bytes;
    pid_t pid;
};

struct bench {
    struct gs_options options;
    struct runner runners[RUNNERS_MAX];
    int count;
    int rounds;
    struct numpy numpy;
    gs_key *in, *out;
    uint64_t n;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_cpu: %s\n", what);
    exit(2);
}

/* The key at position i of a distribution, whose keys have 32 bits: wider ones have bits below it
 * that depend on it, so that equal keys stay equal. */
static gs_key draw_key(const struct gs_dist *dist, uint64_t n, uint64_t i)
{
    const uint32_t key = (uint32_t)dist->draw(n, n, i);
    return GS_KEY_BITS == 32 ? key : (gs_key)((uint64_t)key << 32 | gs_random(n, key) >> 32);
}

/* ---- numpy ---- */

#if GS_BITS == 64
#define BYTES "8"
#else
#define BYTES "4"
#endif

static const char numpy_script[] =
    "import mmap, sys, time, numpy\n"
    "shared = numpy.frombuffer(mmap.mmap(int(sys.argv[1]), int(sys.argv[2])), '<u" BYTES "')\n"
    "print(numpy.__version__, flush=True)\n"
    "for line in sys.stdin:\n"
    "    keys = numpy.full(int(line), 0xa5a5a5a5, '<u" BYTES "')\n"
    "    begin = time.perf_counter_ns()\n"
    "    keys[:] = shared[:int(line)]\n"
    "    start = time.perf_counter_ns()\n"
    "    keys.sort()\n"
    "    end = time.perf_counter_ns()\n"
    "    shared[:int(line)] = keys\n"
    "    print(start - begin, end - start, flush=True)\n";

/* In the child: never returns. */
static void become_numpy(int in, int out, int fd, size_t bytes)
{
    char number[16];
    char size[32];
    snprintf(number, sizeof number, "%d", fd);
    snprintf(size, sizeof size, "%zu", bytes);
    if (AVX2_ONLY)
        setenv("NPY_DISABLE_CPU_FEATURES",
               "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL", 1);
    const char *python = getenv("PYTHON");
    python = python != NULL ? python : "python3";
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC); /* hides its message if there is no numpy */
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        _exit(127);
    execlp(python, python, "-c", numpy_script, number, size, (char *)NULL);
    _exit(127);
}

/* Start the Python process. False if there is no Python with numpy. */
static bool open_numpy(struct numpy *numpy, size_t bytes)
{
    int down[2];
    int up[2];
    char version[64];
    int fd = memfd_create("bench_cpu", 0);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0 || pipe(down) != 0 || pipe(up) != 0)
        die("no pipes");
    numpy->bytes = bytes;
    numpy->shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (numpy->shared == MAP_FAILED)
        die("no memory to share");
    numpy->pid = fork();
    if (numpy->pid < 0)
        die("cannot fork");
    if (numpy->pid == 0) {
        close(down[1]); /* else it would never read end of file */
        close(up[0]);
        become_numpy(down[0], up[1], fd, bytes);
    }
    close(fd);
    close(down[0]);
    close(up[1]);
    numpy->to = fdopen(down[1], "w");
    numpy->from = fdopen(up[0], "r");
    return numpy->to != NULL && numpy->from != NULL &&
           fgets(version, sizeof version, numpy->from) != NULL;
}

static void close_numpy(struct numpy *numpy)
{
    if (numpy->shared == NULL)
        return;
    if (numpy->to != NULL)
        fclose(numpy->to);
    if (numpy->from != NULL)
        fclose(numpy->from);
    waitpid(numpy->pid, NULL, 0);
    munmap(numpy->shared, numpy->bytes);
    numpy->shared = NULL;
}

/* Copies to and from the shared file are not timed; the copy within Python is *copy_ns. */
static uint64_t run_numpy(struct bench *bench, uint64_t *copy_ns)
{
    char line[64];
    uint64_t ns = 0;
    struct numpy *numpy = &bench->numpy;
    memcpy(numpy->shared, bench->in, bench->n * sizeof *bench->in);
    fprintf(numpy->to, "%" PRIu64 "\n", bench->n);
    if (fflush(numpy->to) != 0 || fgets(line, sizeof line, numpy->from) == NULL ||
        sscanf(line, "%" SCNu64 " %" SCNu64, copy_ns, &ns) != 2)
        die("numpy failed");
    memcpy(bench->out, numpy->shared, bench->n * sizeof *bench->out);
    return ns;
}

/* ---- the others ---- */

static uint64_t run_gsort(struct bench *bench)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_span span = {.keys = bench->in, .count = bench->n, .name = "memory"};
    struct gs_sink sink = {.memory = bench->out};
    struct gs_stats stats = {0};
    uint64_t start = gs_now_ns();
    if (gs_sort(&bench->options, &span, 1, &sink, NULL, &stats, &err) != GS_OK)
        die(err.text);
    return gs_now_ns() - start;
}

static uint64_t run_peer(struct bench *bench, const struct peer *peer, uint64_t *copy_ns)
{
    uint64_t begin = gs_now_ns();
    memcpy(bench->out, bench->in, bench->n * sizeof *bench->out);
    uint64_t start = gs_now_ns();
    peer->sort(bench->out, bench->n);
    *copy_ns = start - begin;
    return gs_now_ns() - start;
}

static uint64_t run_once(struct bench *bench, const struct runner *runner, uint64_t *copy_ns)
{
    *copy_ns = 0;
    memset(bench->out, 0xa5, bench->n * sizeof *bench->out);
    uint64_t ns = runner == bench->runners ? run_gsort(bench)
                  : runner->peer != NULL   ? run_peer(bench, runner->peer, copy_ns)
                                           : run_numpy(bench, copy_ns);
    if (gs_first_disorder(&bench->options, bench->out, bench->n, NULL) != bench->n ||
        gs_fingerprint(bench->in, bench->n) != gs_fingerprint(bench->out, bench->n)) {
        fprintf(stderr, "bench_cpu: %s, %" PRIu64 " keys: wrong result\n", runner->name, bench->n);
        exit(1);
    }
    return ns;
}

/* Median speed of some rounds, in Mkeys/s. */
static double speed(const struct bench *bench, uint64_t *ns, int rounds)
{
    return (double)bench->n * 1e3 / median(ns, (size_t)rounds);
}

/* Measure all sorts with one distribution and size, and print their line of the table. */
static void measure(struct bench *bench, const struct gs_dist *dist, int log2_n)
{
    /* The previous sort's threads spin for some milliseconds, waiting for work. */
    const struct timespec pause = {.tv_nsec = 20000000};
    double best = 0;
    double best_copied = 0;
#pragma omp parallel for num_threads(bench->options.threads)
    for (uint64_t i = 0; i < bench->n; i++)
        bench->in[i] = draw_key(dist, bench->n, i);
    for (int round = -1; round < bench->rounds; round++)
        for (int i = 0; i < bench->count; i++) {
            struct runner *runner = &bench->runners[round % 2 == 0 ? i : bench->count - 1 - i];
            if (round == -1)
                runner->slow = false;
            if (runner->slow)
                continue;
            nanosleep(&pause, NULL);
            uint64_t copy_ns;
            uint64_t ns = run_once(bench, runner, &copy_ns);
            runner->slow = ns > SLOW_NS;
            runner->rounds = round < 0 ? 1 : round + 1;
            runner->ns[runner->rounds - 1] = ns;
            runner->copied_ns[runner->rounds - 1] = ns + copy_ns;
        }
    printf("| 2^%d | %s |", log2_n, dist->name);
    double own = speed(bench, bench->runners[0].ns, bench->runners[0].rounds);
    printf(" %.0f |", own);
    for (int i = 1; i < bench->count; i++) {
        struct runner *peer = &bench->runners[i];
        double mkeys = speed(bench, peer->ns, peer->rounds);
        double copied = speed(bench, peer->copied_ns, peer->rounds);
        best = mkeys > best ? mkeys : best;
        best_copied = copied > best_copied ? copied : best_copied;
        printf(" %.0f |", mkeys);
    }
    printf(" %.2f | %.2f |\n", best > 0 ? own / best : 0, best > 0 ? own / best_copied : 0);
    fflush(stdout);
}

static void add_runner(struct bench *bench, const char *name, const struct peer *peer)
{
    bench->runners[bench->count++] = (struct runner){.name = name, .peer = peer};
}

/* Find the sorts to measure, and print which are not available. */
static void find_runners(struct bench *bench, size_t bytes)
{
    const char *only = getenv("PEERS");
    add_runner(bench, "gsort", NULL);
    for (const struct peer *peer = peers; peer->name != NULL; peer++) {
        if (peer->sort == NULL)
            printf("%s: not here (Debian: %s)\n", peer->name, peer->package);
        else if (is_picked(only, peer->name))
            add_runner(bench, peer->name, peer);
    }
    if (!is_picked(only, "numpy"))
        return;
    if (open_numpy(&bench->numpy, bytes))
        add_runner(bench, "numpy", NULL);
    else
        printf("numpy: not here (Debian: python3-numpy)\n");
}

static void print_head(const struct bench *bench)
{
    printf("Mkeys/s, %u threads, medians of %d rounds%s:\n\n| n | keys |", bench->options.threads,
           bench->rounds, AVX2_ONLY ? ", AVX2 at most" : "");
    for (int i = 0; i < bench->count; i++)
        printf(" %s |", bench->runners[i].name);
    printf(" in place | copied |\n|---|---|---|---|");
    for (int i = 0; i < bench->count; i++)
        printf("---|");
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static char *sizes[] = {"20", "24", "28", NULL};
    struct bench bench = {.rounds = 5, .options.threads = (unsigned)omp_get_num_procs()};
    const char *only = getenv("ONLY");
    int most = 0;
    for (int letter; (letter = getopt(argc, argv, "t:r:")) != -1;) {
        if (letter == 't')
            bench.options.threads = (unsigned)atoi(optarg);
        else if (letter == 'r')
            bench.rounds = atoi(optarg);
        else
            return 2;
    }
    char **list = optind < argc ? argv + optind : sizes;
    for (char **size = list; *size != NULL; size++)
        most = atoi(*size) > most ? atoi(*size) : most;
    if (bench.rounds < 1 || bench.rounds > ROUNDS_MAX || bench.options.threads < 1 || most < 1 ||
        most > 40)
        die("usage: bench_cpu [-t THREADS] [-r ROUNDS] [LOG2_N...]");
    size_t bytes = sizeof(gs_key) << most;
    signal(SIGPIPE, SIG_IGN); /* as Python without numpy closes the pipe */
    find_runners(&bench, bytes);
    peers_open(bench.options.threads, AVX2_ONLY);
    bench.in = gs_pages_alloc(bytes);
    bench.out = gs_pages_alloc(bytes);
    if (bench.in == NULL || bench.out == NULL)
        die("not enough memory");
    print_head(&bench);
    for (char **size = list; *size != NULL; size++) {
        bench.n = (uint64_t)1 << atoi(*size);
        for (const struct gs_dist *dist = gs_dists; dist->name != NULL; dist++)
            if (is_picked(only, dist->name))
                measure(&bench, dist, atoi(*size));
    }
    gs_pages_free(bench.in, bytes);
    gs_pages_free(bench.out, bytes);
    close_numpy(&bench.numpy);
    peers_close();
    return 0;
}
