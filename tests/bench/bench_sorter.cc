/* bench_sorter.cc -- rows of 24 bytes, pushed into a sorter and pulled in order.
 * SPDX-License-Identifier: MIT
 *
 * usage: bench_sorter gsort|orders|stxxl|rocksdb ROWS MIB DIRECTORY
 *
 * Prints seconds from the first push to the last row pulled, user and system seconds, and the peak
 * resident MiB. Rows are three random numbers of 64 bits, ordered by all of them: each is made when
 * it is pushed, and compared with the one before when it is pulled. orders: pulled in three orders,
 * by each of the numbers first. Temporary files go to DIRECTORY. Exit status 77: not built with
 * that.
 */
#include <gsort.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <tuple>
#include <unistd.h>
#include <vector>

#ifdef BENCH_STXXL
#include <stxxl/sorter>
#endif
#ifdef BENCH_ROCKSDB
#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/options.h>
#endif

namespace
{

struct row {
    uint64_t number[3];
};

/* splitmix64 [Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014]. */
uint64_t random_number(uint64_t i)
{
    uint64_t z = i * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

row make_row(uint64_t i)
{
    return {{random_number(3 * i + 1), random_number(3 * i + 2), random_number(3 * i + 3)}};
}

[[noreturn]] void fail(const char *what)
{
    std::fprintf(stderr, "bench_sorter: %s\n", what);
    std::exit(2);
}

/* Are rows in order, by this number first, and as many as were pushed? */
struct proof {
    unsigned first = 0;
    row last = {};
    uint64_t count = 0, sum = 0;

    std::tuple<uint64_t, uint64_t, uint64_t> key(const row &of) const
    {
        return {of.number[first], of.number[(first + 1) % 3], of.number[(first + 2) % 3]};
    }
    void add(const row &next)
    {
        if (key(next) < key(last))
            fail("out of order");
        last = next;
        count++;
        sum += next.number[0] ^ next.number[1] ^ next.number[2];
    }
    void close(uint64_t rows, uint64_t pushed) const
    {
        if (count != rows || sum != pushed)
            fail("other rows than were pushed");
    }
};

uint64_t sum_of(const row &of)
{
    return of.number[0] ^ of.number[1] ^ of.number[2];
}

void check(enum gsort_status status, const struct gsort_error &error)
{
    if (status != GSORT_OK)
        fail(error.line);
}

void use_gsort(uint64_t rows, uint64_t bytes, const char *directory, unsigned orders)
{
    static const char *const texts[] = {"R24 k0:u64 k8:u64 k16:u64", "R24 k8:u64 k16:u64 k0:u64",
                                        "R24 k16:u64 k0:u64 k8:u64"};
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    options.memory_bytes = bytes;
    const struct gsort_format *formats[3];
    for (unsigned i = 0; i < orders; i++)
        formats[i] = gsort_format_parse(texts[i], &error);
    struct gsort_sorter *sorter =
        gsort_sorter_open(formats, orders, &directory, 1, &options, &error);
    check(error.status, error);
    std::vector<row> batch(4096);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rows;) {
        size_t used = 0;
        for (; used < batch.size() && i < rows; i++) {
            batch[used] = make_row(i);
            sum += sum_of(batch[used++]);
        }
        check(gsort_sorter_push(sorter, batch.data(), used, &error), error);
    }
    check(gsort_sorter_finish(sorter, &error), error);
    for (unsigned i = 0; i < orders; i++) {
        proof all;
        all.first = i;
        const void *records;
        uint64_t count;
        while (check(gsort_sorter_pull(sorter, i, &records, &count, &error), error), count > 0)
            for (uint64_t k = 0; k < count; k++)
                all.add(static_cast<const row *>(records)[k]);
        all.close(rows, sum);
    }
    gsort_sorter_free(sorter);
}

#ifdef BENCH_STXXL
struct row_order {
    bool operator()(const row &a, const row &b) const
    {
        return std::tie(a.number[0], a.number[1], a.number[2]) <
               std::tie(b.number[0], b.number[1], b.number[2]);
    }
    row min_value() const
    {
        return {{0, 0, 0}};
    }
    row max_value() const
    {
        const uint64_t most = std::numeric_limits<uint64_t>::max();
        return {{most, most, most}};
    }
};

void use_stxxl(uint64_t rows, uint64_t bytes)
{
    stxxl::sorter<row, row_order> sorter(row_order(), bytes);
    proof all;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const row next = make_row(i);
        sum += sum_of(next);
        sorter.push(next);
    }
    for (sorter.sort(); !sorter.empty(); ++sorter)
        all.add(*sorter);
    all.close(rows, sum);
}
#endif

#ifdef BENCH_ROCKSDB
void use_rocksdb(uint64_t rows, uint64_t bytes, const char *directory)
{
    rocksdb::Options options;
    options.create_if_missing = true;
    options.memtable_factory.reset(new rocksdb::VectorRepFactory());
    options.allow_concurrent_memtable_write = false;
    options.disable_auto_compactions = true;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1 << 20;
    options.compression = rocksdb::kNoCompression;
    options.write_buffer_size =
        bytes / 4; /* one that is filled, one that is written, and their sort */
    options.max_write_buffer_number = 2;
    rocksdb::WriteOptions writing;
    writing.disableWAL = true;
    rocksdb::DB *db = nullptr;
    const std::string name = std::string(directory) + "/rocksdb";
    if (!rocksdb::DB::Open(options, name, &db).ok())
        fail("rocksdb: cannot be opened");
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const row next = make_row(i);
        uint64_t key[3];
        sum += sum_of(next);
        for (int k = 0; k < 3; k++)
            key[k] = __builtin_bswap64(next.number[k]);
        if (!db->Put(writing, rocksdb::Slice(reinterpret_cast<char *>(key), sizeof key), "").ok())
            fail("rocksdb: cannot be written");
    }
    if (!db->Flush(rocksdb::FlushOptions()).ok())
        fail("rocksdb: cannot be flushed");
    proof all;
    rocksdb::Iterator *at = db->NewIterator(rocksdb::ReadOptions());
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
        row next;
        std::memcpy(next.number, at->key().data(), sizeof next.number);
        for (uint64_t &number : next.number)
            number = __builtin_bswap64(number);
        all.add(next);
    }
    all.close(rows, sum);
    delete at;
    delete db;
    rocksdb::DestroyDB(name, options);
}
#endif

double seconds(const struct timeval &time)
{
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: bench_sorter gsort|orders|stxxl|rocksdb ROWS MIB DIRECTORY");
    const std::string which = argv[1];
    const uint64_t rows = std::strtoull(argv[2], nullptr, 10);
    const uint64_t bytes = std::strtoull(argv[3], nullptr, 10) << 20;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (which == "gsort" || which == "orders")
        use_gsort(rows, bytes, argv[4], which == "gsort" ? 1 : 3);
#ifdef BENCH_STXXL
    else if (which == "stxxl")
        use_stxxl(rows, bytes);
#endif
#ifdef BENCH_ROCKSDB
    else if (which == "rocksdb")
        use_rocksdb(rows, bytes, argv[4]);
#endif
    else
        return 77;
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    std::printf("%s %.2f %.2f %.2f %ld\n", argv[1],
                static_cast<double>(end.tv_sec - begin.tv_sec) +
                    static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9,
                seconds(used.ru_utime), seconds(used.ru_stime), used.ru_maxrss >> 10);
    return 0;
}
