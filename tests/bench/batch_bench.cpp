// SPDX-License-Identifier: Apache-2.0
// Measures a batch of many reports under a memory limit: ten tables, made by tasks and a merge. The baseline
// is one pass that opens the same reports one after another and closes each. Prints the peak memory of the
// batch's largest process relative to the limit, and the cost of a second start. Clocks are those recorded in
// the files: all files have the same rows, so collectives match in any way. Arguments: [--smoke] [reports]
// [slices per report] [memory limit].
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/readers/reader.h"
#include "tests/bench/bench.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_writer.h"
#include "tests/support/workers.h"
#include "tests/support/zstd_text.h"

namespace lockstep::batch_bench {

namespace {

namespace fs = std::filesystem;

double secondsOf(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Writes compressed reports of as many ranks. Each has its own first frame with its rank, followed by the
// same rows.
void writeReports(const fs::path& folder, size_t reports, size_t slices)
{
    const fs::path one = folder / "one.json";
    test::writeKinetoTrace(one, slices * 3 / 2); // a third of the events are flows
    const std::string text = test::contentOf(one);
    fs::remove(one);
    fs::create_directories(folder / "reports");
    const size_t brace = text.find('{') + 1;
    const std::string rows = test::zstdOf(std::string_view(text).substr(brace));
    for (size_t rank = 0; rank < reports; ++rank) {
        const std::string own =
            "{\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(rank) +
            ", \"world_size\": " + std::to_string(reports) + "},\n";
        std::ofstream(folder / "reports" / ("rank" + std::to_string(rank) + ".json.zst"), std::ios::binary)
            << test::zstdOf(own) << rows;
    }
}

// The tables most often requested, for every kind of row that such files have.
constexpr const char* kTables =
    "inventory, alignment, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum, "
    "cuda_api_sum, nvtx_sum, osrt_sum, temporal_breakdown, cuda_gpu_time_util_map";

struct Ended {
    int status = -1;
    uint64_t peak_bytes = 0; // of the largest process
};

// Runs the program with these arguments. Its output goes to this program's output.
Ended runProgram(const std::vector<std::string>& words)
{
    const std::string program = test::builtProgram("lockstep").toStdString();
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& word : words)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execv(program.c_str(), argv.data());
        ::_exit(127);
    }
    int status = 0;
    rusage used = {};
    ::wait4(child, &status, 0, &used); // the maximum over the child and all children that it waited for
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, uint64_t(used.ru_maxrss) << 10};
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const auto argument = [&](int position, size_t usual) {
        const auto number = argc > position && !isSmoke ? parseBytes(argv[position]) : std::nullopt;
        return number ? static_cast<size_t>(*number) : usual;
    };
    const size_t reports = argument(1, isSmoke ? 6 : 256), slices = argument(2, isSmoke ? 3'000 : 100'000);
    const size_t limit_bytes = argument(3, size_t(isSmoke ? 400 : 1024) << 20);
    const test::TempDir folder;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("%zu reports of %zu slices, memory limit %s\n", reports, slices,
                byteText(static_cast<int64_t>(limit_bytes)).c_str());
    writeReports(folder.path(), reports, slices);
    size_t seen = 0;
    const double bare = secondsOf([&] {
        for (const auto& entry : fs::directory_iterator(folder.path() / "reports")) {
            const auto read = readReports(entry.path(), Progress(test::machineWorkers()));
            seen += read ? read->report(read->keys().front()).slices.size() : 0;
        }
    });
    std::printf("%-46s %8.2f s, %zu slices\n", "bare pass: each report read, nothing made", bare, seen);
    std::ofstream(folder.path() / "plan.yaml")
        << "inputs: [reports]\noutput: out\nformat: csv\nalign: wallclock\nmemory_limit: " << limit_bytes
        << "\nexport: [" << kTables << "]\n";
    const std::string plan = (folder.path() / "plan.yaml").string();
    bool isGood = seen > 0;
    for (const char* what : {"batch: ten tables", "second start: ten tables, nothing read"}) {
        Ended ended;
        const double time = secondsOf([&] { ended = runProgram({"-q", "--batch", plan}); });
        std::printf("%-46s %8.2f s, %.2f of the bare pass; largest process %s, %.2f of the limit\n", what,
                    time, time / bare, byteText(static_cast<int64_t>(ended.peak_bytes)).c_str(),
                    static_cast<double>(ended.peak_bytes) / static_cast<double>(limit_bytes));
        isGood &= ended.status == 0 && ended.peak_bytes <= limit_bytes;
    }
    uint64_t stored_bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder.path() / "out/.batch/reports"))
        stored_bytes += entry.file_size();
    std::printf("%-46s %s\n", "results on disk", byteText(static_cast<int64_t>(stored_bytes)).c_str());
    if (!isGood) std::printf("a batch did not end well, or passed the limit\n");
    return isGood ? 0 : 1;
}

const test::Bench kBench("batch_bench", bench);

} // namespace

} // namespace lockstep::batch_bench
