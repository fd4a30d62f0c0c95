// SPDX-License-Identifier: Apache-2.0
// Measures the trace table of an export of many kernels, written row by row: its memory in excess of the
// report's, relative to the same table held in memory. Also measures the cost per row, relative to a table
// whose rows need no details from the file. Arguments: [--smoke] [kernels].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/analysis/analysis.h"
#include "core/base/memory_budget.h"
#include "core/base/text.h"
#include "core/export/table_writer.h"
#include "core/readers/reader.h"
#include "tests/bench/bench.h"
#include "tests/support/launch_run.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::trace_export_bench {

namespace {

// Kernels on eight overlapping streams, ordered by their ends, as CUPTI delivers them.
std::string manyKernelsSql(long kernels)
{
    return "BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
           std::to_string(kernels) +
           ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 500 - i * 7919 % 3000, i * 500 + 900, 0, 1, 7 + i % 8, "
           "i + 1, 281476654432256, 1000 + i % 500, 1000 + i % 500, NULL, 16 + i % 200, 1 + i % 500 * 8, 1, 1, 128, 1, 1, "
           "i % 49152, 0 FROM n; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499) INSERT "
           "INTO StringIds SELECT 1000 + i, 'void kernels::gemm_' || i || '<float, 128>(float*)' FROM n; COMMIT;";
}

uint64_t statusBytes(const char* key)
{
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        uint64_t kib = 0;
        if (word == key && status >> kib) return kib << 10;
    }
    return 0;
}

// Runs `work`. Returns its time, and by how much the peak resident memory exceeded the size before.
struct Cost {
    double seconds = 0;
    uint64_t peak_bytes = 0;
};
Cost costOf(const auto& work)
{
    returnFreeMemory();                            // earlier work's reusable memory must not count
    std::ofstream("/proc/self/clear_refs") << "5"; // resets the peak
    const uint64_t before = statusBytes("VmRSS:");
    const auto begin = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const uint64_t peak = statusBytes("VmHWM:");
    return {seconds, peak > before ? peak - before : 0};
}

void tellCost(const char* what, const Cost& cost, long rows, double baseline)
{
    std::printf("%-44s %7.2f s, %6.0f ns a row (%5.2f of the baseline), peak + %s\n", what, cost.seconds,
                cost.seconds * 1e9 / static_cast<double>(rows), cost.seconds / baseline,
                byteText(static_cast<int64_t>(cost.peak_bytes)).c_str());
    std::fflush(stdout);
}

void check(const Status& status)
{
    if (status) return;
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    std::exit(1);
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const long kernels = argc > 1 && !isSmoke ? std::atol(argv[1]) : isSmoke ? 20'000 : 1'000'000;
    const test::TempDir folder;
    const std::filesystem::path path = folder.path() / "many.sqlite";
    if (!test::runSql(path, test::LaunchRun().nsysSql() + manyKernelsSql(kernels))) return 1;
    const Progress progress(test::machineWorkers());
    Workspace workspace;
    const Cost opening = costOf([&] { workspace.add(readReport(path, progress).value()); });
    std::printf("%ld kernels, the file %s, opened in %.2f s, + %s\n", kernels,
                byteText(static_cast<int64_t>(std::filesystem::file_size(path))).c_str(), opening.seconds,
                byteText(static_cast<int64_t>(opening.peak_bytes)).c_str());
    const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
    uint64_t written = 0;
    const auto write = [&](const char* what, TableFormat format) {
        const auto rows = openRows(what, *scene, {}, progress).value();
        RowStream* const only = rows.get();
        check(writeRows(
            {&only, 1}, format, {}, [&](std::string_view text) { written += text.size(); }, progress));
    };
    // The baseline: the same rows without any details.
    Workspace mute;
    auto bare = readReport(path, progress).value();
    const_cast<Report&>(*bare).rowFacts = {};
    mute.add(bare);
    const ScenePtr muteScene = makeHeadlessScene(mute, alignReports(mute, {}));
    const Cost baseline = costOf([&] {
        const auto rows = openRows("cuda_gpu_trace", *muteScene, {}, progress).value();
        RowStream* const only = rows.get();
        check(writeRows(
            {&only, 1}, TableFormat::csv, {}, [&](std::string_view text) { written += text.size(); },
            progress));
    });
    tellCost("cuda_gpu_trace without facts, csv", baseline, kernels, baseline.seconds);
    tellCost("cuda_gpu_trace, csv", costOf([&] { write("cuda_gpu_trace", TableFormat::csv); }), kernels,
             baseline.seconds);
    tellCost("cuda_gpu_trace, json", costOf([&] { write("cuda_gpu_trace", TableFormat::json); }), kernels,
             baseline.seconds);
    tellCost("cuda_gpu_trace, table (two passes)",
             costOf([&] { write("cuda_gpu_trace", TableFormat::table); }), kernels, baseline.seconds);
    tellCost("cuda_gpu_kern_gb_sum", costOf([&] { write("cuda_gpu_kern_gb_sum", TableFormat::csv); }),
             kernels, baseline.seconds);
    const Cost held = costOf([&] {
        const auto rows = openRows("cuda_gpu_trace", *scene, {}, progress).value();
        const Table table = collectTable(*rows, static_cast<size_t>(kernels), progress).value();
        written += table.rowCount();
    });
    tellCost("cuda_gpu_trace held whole, not written", held, kernels, baseline.seconds);
    std::printf("%s written\n", byteText(static_cast<int64_t>(written)).c_str());
    return 0;
}

const test::Bench kBench("trace_export_bench", bench);

} // namespace

} // namespace lockstep::trace_export_bench
