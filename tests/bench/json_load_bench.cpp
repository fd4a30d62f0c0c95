// SPDX-License-Identifier: Apache-2.0
// Measures loading of a Kineto file relative to a plain parse of the same file: two threads, 1 MB windows
// over mmap cut at event boundaries, a reused simdjson parser, every event visited with all arguments. Also
// prints the peak resident memory above that of the empty program, measured in a child process. With up to
// 10^6 events, the file is also compressed with gzip: loading relative to plain decompression, and finding
// the details of a row. Arguments: [--smoke] [events ...].
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <simdjson.h>
#include <zlib.h>

#include "core/readers/reader.h"
#include "tests/bench/bench.h"
#include "tests/bench/load_measures.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_writer.h"
#include "tests/support/workers.h"

namespace lockstep::json_load_bench {

namespace {

using test::peakOf;
using test::secondsSince;
using test::visit;

constexpr size_t kWindow = 1024 * 1024;
constexpr double kTimeTarget = 2.3;
constexpr double kPeakTarget = 120;

// The plain parse. The mapping is private and writable, so that a window's brackets can replace the commas
// around it.
class BareWalk {
  public:
    explicit BareWalk(const std::filesystem::path& path)
    {
        const int fd = ::open(path.c_str(), O_RDONLY);
        struct stat status = {};
        ::fstat(fd, &status);
        m_size = size_t(status.st_size);
        m_text =
            static_cast<char*>(::mmap(nullptr, m_size + kWindow, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
        ::close(fd);
        m_next = static_cast<char*>(memmem(m_text, kWindow, "\"traceEvents\": [", 16)) + 15;
        m_end = static_cast<char*>(memrchr(m_text, ']', m_size));
    }
    ~BareWalk() { ::munmap(m_text, m_size + kWindow); }

    size_t run()
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&] { work(); });
        threads.clear();
        return m_events;
    }

  private:
    // Finds the bracket or comma before the window's first event, and the one after its last. Returns false
    // at the end.
    bool take(char*& begin, char*& end)
    {
        const std::scoped_lock lock(m_mutex);
        begin = m_next;
        if (begin >= m_end) return false;
        end = m_end;
        if (size_t(m_end - begin) > kWindow) { // an event ends with a brace at the start of a line
            end = begin + kWindow;
            while (std::memcmp(end, "\n  },\n", 6) != 0)
                --end;
            end += 4;
        }
        m_next = end + 1; // the line break after the comma, so that two windows never share a byte
        return true;
    }

    void work()
    {
        simdjson::ondemand::parser parser;
        size_t events = 0, sum = 0;
        char *begin = nullptr, *end = nullptr;
        while (take(begin, end)) {
            *begin = '[';
            *end = ']';
            auto document = parser.iterate(begin, size_t(end - begin) + 1, size_t(end - begin) + 1 + 64);
            for (auto element : document.get_array()) {
                sum += visit(element.value());
                ++events;
            }
        }
        m_events += events;
        m_sum += sum;
    }

    char* m_text = nullptr;
    size_t m_size = 0;
    char* m_next = nullptr;
    char* m_end = nullptr;
    std::mutex m_mutex;
    std::atomic<size_t> m_events = 0;
    std::atomic<size_t> m_sum = 0;
};

// Compresses a file as gzip does, chunk by chunk.
void packFile(const std::filesystem::path& path, const std::filesystem::path& packed)
{
    std::ifstream in(path, std::ios::binary);
    const gzFile out = ::gzopen(packed.c_str(), "wb6");
    std::vector<char> piece(kWindow);
    while (in.read(piece.data(), std::streamsize(piece.size())) || in.gcount() > 0)
        ::gzwrite(out, piece.data(), unsigned(in.gcount()));
    ::gzclose(out);
}

bool runPacked(const std::filesystem::path& plain, double plain_s)
{
    const std::filesystem::path path = plain.string() + ".gz";
    packFile(plain, path);
    auto start = std::chrono::steady_clock::now();
    const gzFile file = ::gzopen(path.c_str(), "rb");
    std::vector<char> piece(kWindow);
    while (::gzread(file, piece.data(), unsigned(piece.size())) > 0) {
    }
    ::gzclose(file);
    const double bare = secondsSince(start);
    start = std::chrono::steady_clock::now();
    const auto report = readReport(path, Progress(test::machineWorkers()));
    const double load = secondsSince(start);
    if (!report) return false;
    const size_t slices = (*report)->slices.size();
    double worst = 0, sum = 0;
    constexpr size_t kRows = 50;
    for (size_t row = 0; row < kRows; ++row) { // spread over the file
        start = std::chrono::steady_clock::now();
        const auto details = readSliceDetails(**report, SliceId(row * 7919 % kRows * (slices / kRows)));
        if (!details) return false;
        worst = std::max(worst, secondsSince(start));
        sum += secondsSince(start);
    }
    std::printf(
        "  gzip: load %.3f s, bare unpacking by zlib %.3f s (%.2f), the plain file %.3f s; details of a "
        "row: mean %.1f ms, worst of %zu %.1f ms (target 100)\n",
        load, bare, load / bare, plain_s, sum / kRows * 1e3, kRows, worst * 1e3);
    return true;
}

bool run(size_t events)
{
    const test::TempDir folder;
    const std::filesystem::path path = folder.path() / "trace.json";
    const uint64_t size = test::writeKinetoTrace(path, events);
    const int64_t empty = peakOf([] {});
    size_t slices = 0, resident = 0;
    const int64_t full = peakOf([&] { (void)readReport(path, Progress(test::machineWorkers())); });
    double best = 1e9, walk = 1e9;
    size_t walked = 0;
    for (int round = 0; round < (events > 2'000'000 ? 2 : 5); ++round) {
        auto start = std::chrono::steady_clock::now();
        walked = BareWalk(path).run();
        walk = std::min(walk, secondsSince(start));
        start = std::chrono::steady_clock::now();
        const auto report = readReport(path, Progress(test::machineWorkers()));
        best = std::min(best, secondsSince(start));
        if (!report) return false;
        slices = (*report)->slices.size();
        resident = (*report)->residentBytes();
    }
    const double peak = double(full - empty) / double(events);
    std::printf("%zu events, %.0f bytes each, %zu slices\n", events, double(size) / double(events), slices);
    std::printf("  load / bare walk: %.2f (target %.1f)   load %.3f s, walk %.3f s = %.2f GB/s\n",
                best / walk, kTimeTarget, best, walk, double(size) / walk * 1e-9);
    std::printf("  resident peak above the empty program: %.1f bytes an event (target %.0f); store %.1f "
                "bytes a slice\n",
                peak, kPeakTarget, double(resident) / double(slices));
    return (events > 2'000'000 || runPacked(path, best)) && walked == events;
}

int bench(int argc, char** argv)
{
    std::vector<size_t> sizes;
    for (int i = 1; i < argc; ++i)
        sizes.push_back(std::strcmp(argv[i], "--smoke") == 0 ? 20'000 : std::stoull(argv[i]));
    if (sizes.empty()) sizes = {1'000'000, 10'000'000};
    bool ok = true;
    for (const size_t size : sizes)
        ok = run(size) && ok;
    return ok ? 0 : 1;
}

const test::Bench kBench("json_load_bench", bench);

} // namespace

} // namespace lockstep::json_load_bench
