// SPDX-License-Identifier: Apache-2.0
// Measures a gigabyte of memory history (10^7 entries as PyTorch pickles them): time relative to Python's own
// pickle.load of the same file, peak memory relative to the file's size, the replay, levels of detail, a
// layout, a move of the cursor, the reaction to a stop, and the file cut in half. --smoke: 10^4 entries.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "core/lanes/report_memory.h"
#include "core/memory/allocator_state.h"
#include "core/memory/memory_layout.h"
#include "core/memory/memory_lod.h"
#include "core/readers/reader.h"
#include "tests/bench/bench.h"
#include "tests/support/history_pickle.h"
#include "tests/support/temp_dir.h"
#include "tests/support/training_history.h"
#include "tests/support/workers.h"

namespace lockstep::memory_pickle_bench {

namespace {

template<class Work>
double millisecondsOf(Work work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double peakMegabytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024 / 1e6;
    }
    return 0;
}

// Runs `work` in a child process, so that no measurement includes the memory of another. Returns whether
// `work` returned true.
template<class Work>
bool isTrueAlone(const Work& work)
{
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        std::ofstream("/proc/self/clear_refs") << "5"; // resets the peak to the current resident size
        const bool isTrue = work();
        std::fflush(stdout);
        _exit(isTrue ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool showViews(const std::shared_ptr<const Report>& report)
{
    Result<AllocatorReplay> replay = makeError(ErrorKind::invalid, "");
    const double replay_ms = millisecondsOf([&] { replay = replayAllocator(*report, Progress()); });
    if (!replay || replay->devices.empty()) return false;
    const DeviceReplay& device = replay->devices[0];
    const std::vector<MemoryCategory> categories(report->memory->stackCount(), MemoryCategory::other);
    size_t lod_bytes = 0, areas = 0, blocks = 0;
    const double lod_ms =
        millisecondsOf([&] { lod_bytes = MemoryLod(device, categoryGroups(categories)).residentBytes(); });
    MemoryLayoutRequest request;
    request.columns = columnsOfMoments(0, device.lastMoment(), 3840);
    const double layout_ms = millisecondsOf(
        [&] { areas = layOutMemory(device, request, categories, Progress()).value().stack.areas.size(); });
    std::printf("replay %.0f ms, levels of detail %.0f ms (%.0f MB), areas by block in 3840 columns %.0f ms "
                "(%zu areas)\n",
                replay_ms, lod_ms, static_cast<double>(lod_bytes) / 1e6, layout_ms, areas);
    double slowest_ms = 0;
    for (const uint64_t part : {1u, 33u, 50u, 90u, 100u}) {
        const auto moment = static_cast<MemoryMoment>(uint64_t(device.lastMoment()) * part / 100);
        slowest_ms = std::max(slowest_ms, millisecondsOf([&] {
                                  const AllocatorState state = stateAt(device, moment);
                                  blocks = std::max(blocks, state.blocks.size());
                              }));
    }
    std::printf("a move of the scrubber, the slowest of 5: %.1f ms (target 16), up to %zu blocks\n",
                slowest_ms, blocks);
    return true;
}

bool readAndShow(const std::filesystem::path& path)
{
    const auto size = static_cast<double>(std::filesystem::file_size(path));
    std::shared_ptr<const Report> report;
    const std::clock_t begin = std::clock();
    const double read_ms = millisecondsOf([&] {
        if (auto read = readReport(path, Progress(test::machineWorkers()))) report = *read;
    });
    if (!report) return false;
    std::printf("our reader: %zu entries in %.2f s, of them %.2f s on a core, %.0f MB/s; peak %.0f MB, %.2f "
                "times the file (target 2)\n",
                report->memory->entries.size(), read_ms / 1e3,
                static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, size / 1e3 / read_ms,
                peakMegabytes(), peakMegabytes() * 1e6 / size);
    if (!showViews(report)) return false;
    std::printf("peak with all of it: %.2f times the file\n", peakMegabytes() * 1e6 / size);
    return true;
}

// Returns the longest time for which work(progress) continues after a stop. The stops are at a tenth, a half
// and nine tenths of its duration.
template<class Work>
double longestStop_ms(const Work& work)
{
    const double whole_ms = millisecondsOf([&] { (void)work(Progress()); });
    double longest_ms = 0;
    for (const double part : {0.1, 0.5, 0.9}) {
        std::stop_source stop;
        std::chrono::steady_clock::time_point asked;
        std::jthread asking([&] {
            std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(whole_ms * part));
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        const bool isWhole = work(Progress(stop.get_token()));
        const auto end = std::chrono::steady_clock::now();
        asking.join();
        if (!isWhole)
            longest_ms = std::max(longest_ms, std::chrono::duration<double, std::milli>(end - asked).count());
    }
    return longest_ms;
}

bool stops(const std::filesystem::path& path)
{
    std::shared_ptr<const Report> report;
    const double read_ms = longestStop_ms([&](const Progress& progress) {
        auto read = readReport(path, progress);
        if (read) report = *read;
        return read.has_value();
    });
    const double replay_ms =
        longestStop_ms([&](const Progress& progress) { return replayMemory(*report, progress) != nullptr; });
    std::printf(
        "from a stop to the return: reading %.0f ms, replay with levels of detail %.0f ms (target 100)\n",
        read_ms, replay_ms);
    return true;
}

bool readsCut(const std::filesystem::path& path)
{
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    const auto report = readReport(path, Progress(test::machineWorkers()));
    if (!report || !(*report)->memory) return false;
    for (const ImportNote& note : (*report)->notes.all()) {
        if (note.kind != "file.truncated") continue;
        std::printf("cut in half: %zu entries; %s (%s)\n", (*report)->memory->entries.size(),
                    note.text.c_str(), note.example.c_str());
        return true;
    }
    return false;
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const test::TempDir folder;
    const std::filesystem::path path = folder.path() / "torch_memory_rank0_pid1.pickle";
    const size_t entries = isSmoke ? 10'000 : 10'000'000;
    if (!isTrueAlone([&] { return test::HistoryPickle(path).write(*test::trainingHistory(entries)); }))
        return 1;
    std::printf("%.0f MB\n", static_cast<double>(std::filesystem::file_size(path)) / 1e6);
    const std::string python =
        "python3 -c 'import pickle, sys, time; t = time.perf_counter(); c = time.process_time(); "
        "f = open(sys.argv[1], \"rb\"); p = pickle.load(f); "
        "print(\"Python: pickle.load in %.2f s, of them %.2f s on a core\" % "
        "(time.perf_counter() - t, time.process_time() - c), "
        "flush=True); import os; os._exit(0)' '" +
        path.string() + "'";
    std::fflush(stdout);
    if (std::system(python.c_str()) != 0) std::printf("Python: not to be had here\n");
    const bool isRead = isTrueAlone([&] { return readAndShow(path); });
    const bool isStopped = isTrueAlone([&] { return stops(path); });
    const bool isCutRead = isTrueAlone([&] { return readsCut(path); });
    return isRead && isStopped && isCutRead ? 0 : 1;
}

const test::Bench kBench("memory_pickle_bench", bench);

} // namespace

} // namespace lockstep::memory_pickle_bench
