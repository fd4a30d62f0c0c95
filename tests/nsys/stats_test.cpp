// SPDX-License-Identifier: Apache-2.0
// Compares our tables with those of the vendor's `nsys stats` 2022.4 for the same file, to the printed digit.
// First, wording that later versions changed is replaced in theirs: "[CUDA memcpy DtoH]", and ranges of the
// default domain without a leading ':'.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <QDebug>

#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/csv_rows.h"
#include "tests/support/places.h"
#include "tests/support/real_nsys.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kUnifiedRows = R"(
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes,
  copyKind, virtualAddress) SELECT column1, column2, 0, 1, 7, 0, (SELECT max(globalPid) FROM CUPTI_ACTIVITY_KIND_KERNEL),
  column3, column4, column5 FROM (VALUES (900000000, 900001000, 65536, 11, 140000000000),
  (900002000, 900003500, 131072, 11, 140000000000), (900004000, 900004700, 4096, 12, 140000000000),
  (900005000, 900005250, 2097152, 12, 140000065536), (900006000, 900006000, 4096, 11, 140000131072),
  (900007000, 900008000, 8192, 11, 140000262144));
INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS(start, globalPid, address, CpuInstruction, module) VALUES
  (900000100, 0, 140000000000, 1, 1), (900000200, 0, 140000000000, 1, 1), (900000300, 0, 999, 1, 1);
INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS(start, end, globalPid, deviceId, address, numberOfPageFaults, faultAccessType)
  VALUES (900000100, 900000200, 0, 0, 140000065536, 7, 1), (900000300, 900000400, 0, 0, 140000065536, 3, 2),
  (900000300, 900000400, 0, 0, 140000000000, 5, 2);
)";

struct Pair {
    const char* theirs; // the report's name in 2022.4
    const char* ours;
};
constexpr std::array kPairs{Pair{"cudaapisum", "cuda_api_sum"},
                            Pair{"gpumemtimesum", "cuda_gpu_mem_time_sum"},
                            Pair{"gpumemsizesum", "cuda_gpu_mem_size_sum"},
                            Pair{"gpusum", "cuda_gpu_sum"},
                            Pair{"apigpusum", "cuda_api_gpu_sum"},
                            Pair{"nvtxsum", "nvtx_sum"},
                            Pair{"nvtxppsum", "nvtx_pushpop_sum"},
                            Pair{"nvtxsesum", "nvtx_startend_sum"},
                            Pair{"osrtsum", "osrt_sum"},
                            Pair{"gpukernsum", "cuda_gpu_kern_gb_sum"},
                            Pair{"gputrace", "cuda_gpu_trace"},
                            Pair{"cudaapitrace", "cuda_api_trace"},
                            Pair{"kernexectrace", "cuda_kern_exec_trace"},
                            Pair{"kernexecsum", "cuda_kern_exec_sum"},
                            Pair{"nvtxpptrace", "nvtx_pushpop_trace"},
                            Pair{"nvtxkernsum", "nvtx_kern_sum"},
                            Pair{"nvtxgpuproj", "nvtx_gpu_proj_trace"}};

// All differences between the texts of 2022.4 and ours, with the version since which theirs equals ours.
// Everything else is equal to the printed digit.
struct Difference {
    const char* ours;
    const char* column; // in ours
    const char* theirs;
    const char* since; // "never": ours is exact, theirs is not
};
constexpr std::array kDifferences{
    Difference{"all", "names of copies", "[CUDA memcpy DtoH]", "2023: [CUDA memcpy Device-to-Host]"},
    Difference{"nvtx tables", "names of ranges", "no ':' before ranges of the default domain", "2023"},
    Difference{"cuda_api_sum, cuda_api_trace", "Name", "no [backtrace] behind what is there twice", "never"},
    Difference{"cuda_gpu_trace", "Throughput (MB/s)", "Throughput (MBps)", "2024 or before"},
    Difference{"cuda_gpu_trace", "Throughput (MB/s)", "bytes * (10^9 / duration), in whole numbers", "never"},
    Difference{"cuda_gpu_trace", "Device", "' (0)' where the file names no device", "never"},
    Difference{"cuda_gpu_trace", "all", "no table without TARGET_INFO_GPU, as in 2026.2", "never"},
    Difference{"um_sum", "headers", "size, ' GPU Page Faults', MBps", "2024 or before"},
    Difference{"um_sum", "Migration Throughput (MB/s)", "bytes * (10^9 / duration), in whole numbers",
               "never"},
    Difference{"um_sum", "Virtual Address", "negative above 2^63", "never"},
    Difference{"cuda_kern_exec_*", "all", "a kernel twice where its call has a backtrace row", "never"},
    Difference{"nvtx_pushpop_trace", "Lvl and such", "places as if stamps were 32-bit floats", "never"},
};

std::string knownDifferences()
{
    std::string text = "known to be different:\n";
    for (const Difference& each : kDifferences)
        text += std::string(each.ours) + ", " + each.column + ": " + each.theirs + "; like ours since " +
                each.since + "\n";
    return text;
}

// Returns our rows with the wording of 2022.4.
void useOldWords(std::vector<Row>& rows)
{
    const std::set<std::string> kRanges{"Range", "NVTX Range", "Name", "NameTree"};
    const Row header = rows.empty() ? Row() : rows[0];
    for (Row& row : rows) {
        for (size_t i = 0; i < row.size() && i < header.size(); ++i) {
            const size_t colon = row[i].find_first_not_of('-');
            if (kRanges.contains(header[i]) && colon < row[i].size() && row[i][colon] == ':')
                row[i].erase(colon, 1);
        }
        constexpr std::string_view kBacktrace = " [backtrace]";
        for (std::string& cell : row) {
            if (cell.ends_with(kBacktrace)) cell.resize(cell.size() - kBacktrace.size());
        }
        std::string& name = row.back();
        if (!name.starts_with("[CUDA memcpy ")) continue;
        QString words = QString::fromStdString(name);
        words.replace("Host", "H").replace("Device", "D").replace("Peer", "P").replace("-to-", "to");
        name = words.toStdString();
    }
}

// Their CSV does not double a quote inside a name.
void dropQuotes(std::vector<Row>& rows)
{
    for (Row& row : rows) {
        for (std::string& cell : row) {
            std::erase(cell, '"');
            if (cell == "None") cell.clear();
        }
    }
}

void dropColumns(std::vector<Row>& rows, const std::set<std::string>& names)
{
    if (rows.empty()) return;
    for (size_t column = rows[0].size(); column-- > 0;) {
        if (!names.contains(rows[0][column])) continue;
        for (Row& row : rows)
            row.erase(row.begin() + static_cast<ptrdiff_t>(column));
    }
}

size_t columnOf(const std::vector<Row>& rows, std::string_view name)
{
    return rows.empty() ? 0 : static_cast<size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
}

// Orders both rows by time, so that theirs is what ours would be with their rounding. The rest of both rows
// has no throughput.
std::string takeThroughput(std::vector<Row>& theirs, std::vector<Row>& ours)
{
    const size_t duration = columnOf(theirs, "Duration (ns)"), bytes = columnOf(theirs, "Bytes (MB)");
    const size_t their = columnOf(theirs, "Throughput (MBps)"), our = columnOf(ours, "Throughput (MB/s)");
    if (theirs.size() != ours.size() || theirs.empty()) return "another number of rows";
    if (their == theirs[0].size() || our != their) return "no throughput";
    std::ranges::sort(theirs.begin() + 1, theirs.end());
    std::ranges::sort(ours.begin() + 1, ours.end());
    for (size_t i = 1; i < theirs.size(); ++i) {
        const int64_t length_ns = std::stoll(theirs[i][duration]);
        if (theirs[i][their].empty() != ours[i][our].empty() && length_ns > 0)
            return joined(theirs[i]) + "\n" + joined(ours[i]);
        if (theirs[i][their].empty() || length_ns == 0) continue;
        const auto whole = static_cast<double>(1'000'000'000 / length_ns); // computed as they do
        const double exact = std::stod(ours[i][our]) * static_cast<double>(length_ns) / 1e9 * whole;
        // One digit of ours is 0.0005 MB/s. Bytes (MB) has even fewer digits and must match as well.
        const double allowed = 0.0011, moved = std::stod(theirs[i][bytes]) * whole;
        if (std::abs(exact - std::stod(theirs[i][their])) > allowed ||
            std::abs(moved - std::stod(theirs[i][their])) > 0.00051 * whole + allowed)
            return joined(theirs[i]) + "\n" + joined(ours[i]);
    }
    dropColumns(theirs, {"Throughput (MBps)"});
    dropColumns(ours, {"Throughput (MB/s)"});
    return {};
}

// Merges kernels of one name with any grid and block, as far as printed numbers allow.
std::vector<Row> byNameAlone(const std::vector<Row>& rows)
{
    struct Sum {
        int64_t total = 0, count = 0;
        int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
    };
    std::map<std::string, Sum> sums;
    for (size_t i = 1; i < rows.size(); ++i) {
        Sum& sum = sums[rows[i].back()];
        sum.total += std::stoll(rows[i][1]);
        sum.count += std::stoll(rows[i][2]);
        sum.least = std::min<int64_t>(sum.least, std::stoll(rows[i][5]));
        sum.most = std::max<int64_t>(sum.most, std::stoll(rows[i][6]));
    }
    std::vector<Row> out{{"Total", "Instances", "Min", "Max", "Name"}};
    for (const auto& [name, sum] : sums)
        out.push_back({std::to_string(sum.total), std::to_string(sum.count), std::to_string(sum.least),
                       std::to_string(sum.most), name});
    return out;
}

// Returns the tables of nsys stats for an export, by report; a report without rows is missing.
std::map<std::string, std::vector<Row>> theirTables(const fs::path& scratch, const fs::path& file)
{
    QStringList names;
    for (const Pair& pair : kPairs)
        names << pair.theirs;
    // A copy, because nsys writes into the folder of its input.
    fs::copy_file(file, scratch / "asked.sqlite", fs::copy_options::overwrite_existing);
    fs::permissions(scratch / "asked.sqlite", fs::perms::owner_all);
    const NsysRun run = runNsys(scratch, {"stats", "-q", "-r", names.join(','), "--format", "csv",
                                          "--force-overwrite", "true", "-o", "stats", "asked.sqlite"});
    if (run.status != 0) qWarning() << run.output;
    std::map<std::string, std::vector<Row>> tables;
    for (const Pair& pair : kPairs) {
        std::vector<Row> rows = csvRows(textOfFile(scratch / (std::string("stats_") + pair.theirs + ".csv")));
        if (rows.size() <= 1) continue;
        dropQuotes(rows);
        tables[pair.theirs] = std::move(rows);
    }
    return tables;
}

std::vector<Row> ourTable(const char* what, const Workspace& workspace)
{
    const Table table = runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                                    Progress(test::workers()))
                            .value();
    std::vector<Row> rows = csvRows(csvText(table));
    // Lockstep prefixes an apostrophe to text that a spreadsheet would take for a formula; nsys does not.
    for (Row& row : rows) {
        for (std::string& cell : row) {
            if (cell.size() > 1 && cell[0] == '\'' &&
                std::string_view("=+-@\t").find(cell[1]) != std::string_view::npos)
                cell.erase(0, 1);
        }
    }
    if (rows.size() <= 1) rows.clear();
    useOldWords(rows);
    dropQuotes(rows);
    return rows;
}

bool holdsBacktraces(const Workspace& workspace)
{
    const SliceTable& slices = workspace.report(workspace.keys()[0]).slices;
    for (size_t row = 0; row < slices.size(); ++row) {
        if (slices.kind[row] == RowKind::span && slices.category[row] == SliceCategory::cudaApi) return true;
    }
    return false;
}

// Late in a recording, their output counts ranges within 10 us of another's boundary as children of none, as
// if stamps were 32-bit floats. At 155 s those are 16 us apart.
constexpr int64_t kPlacedWell_ns = 10'000'000'000;

// Compares every report of one export. Returns how many had rows.
size_t compareAll(const fs::path& scratch, const fs::path& file, std::string& difference)
{
    auto theirs = theirTables(scratch, file);
    Workspace workspace;
    workspace.add(readReport(file, Progress(test::workers())).value());
    for (const Pair& pair : kPairs) {
        std::vector<Row> their = theirs[pair.theirs], our = ourTable(pair.ours, workspace);
        // Their output counts a launch twice if it was also recorded with its backtrace.
        const bool areLaunches = our.size() > 1 && std::ranges::find(our[0], "Kernel Name") != our[0].end();
        if (areLaunches && holdsBacktraces(workspace)) continue;
        if (workspace.report(workspace.keys()[0]).extent.end.ns > kPlacedWell_ns) {
            const std::set<std::string> kPlaces{"Lvl",      "NumChild",      "ParentId",        "RangeStack",
                                                "NameTree", "DurChild (ns)", "DurNonChild (ns)"};
            dropColumns(their, kPlaces);
            dropColumns(our, kPlaces);
        }
        const bool isGpuTrace = std::string_view(pair.theirs) == "gputrace";
        if (isGpuTrace && their.empty()) continue; // without TARGET_INFO_GPU they have no rows
        std::string unequal = isGpuTrace && !our.empty() ? takeThroughput(their, our) : std::string();
        if (unequal.empty()) unequal = firstDifference(their, our);
        if (!unequal.empty()) difference += std::string(pair.ours) + "\n" + unequal + "\n";
    }
    const std::string unequal = firstDifference(byNameAlone(theirs["gpukernsum"]),
                                                byNameAlone(ourTable("cuda_gpu_kern_sum", workspace)));
    if (!unequal.empty()) difference += "cuda_gpu_kern_sum\n" + unequal + "\n";
    if (!difference.empty()) difference += knownDifferences();
    return static_cast<size_t>(
        std::ranges::count_if(theirs, [](const auto& t) { return !t.second.empty(); }));
}

} // namespace

class StatsTest : public QObject {
    Q_OBJECT

  private slots:
    void publicFiles()
    {
        LOCKSTEP_NEED_NSYS();
        LOCKSTEP_NEED_SHARED_DATA();
        const TempDir scratch;
        size_t files = 0, tables = 0;
        for (const auto& entry : fs::directory_iterator(sharedData("nsys"))) {
            if (entry.path().extension() != ".sqlite") continue;
            ++files;
            std::string difference;
            tables += compareAll(scratch.path(), entry.path(), difference);
            QVERIFY2(difference.empty(), (entry.path().string() + "\n" + difference).c_str());
        }
        QVERIFY(files >= 7);
        QVERIFY2(tables >= 80, std::to_string(tables).c_str());
    }

    // Migrated pages and page faults, in an export that has tables for them: their output divides integers
    // and prints addresses above 2^63 as negative.
    void unifiedMemory()
    {
        LOCKSTEP_NEED_NSYS();
        LOCKSTEP_NEED_SHARED_DATA();
        const TempDir scratch;
        const fs::path file = scratch.path() / "asked.sqlite";
        fs::copy_file(sharedData("nsys/saxpy_mpi_2022.2.sqlite"), file);
        fs::permissions(file, fs::perms::owner_all);
        QVERIFY(runSql(file, kUnifiedRows));
        const NsysRun run =
            runNsys(scratch.path(), {"stats", "-q", "-r", "unifiedmemory", "--format", "csv",
                                     "--force-overwrite", "true", "-o", "um", "asked.sqlite"});
        QVERIFY2(run.status == 0, run.output.constData());
        std::vector<Row> their = csvRows(textOfFile(scratch.path() / "um_unifiedmemory.csv"));
        dropQuotes(their);
        Workspace workspace;
        workspace.add(readReport(file, Progress(test::workers())).value());
        std::vector<Row> our = ourTable("um_sum", workspace);
        QCOMPARE(their.size(), size_t(6));
        QCOMPARE(their[0], (Row{"Virtual Address", "HtoD Migration size (MB)", "DtoH Migration size (MB)",
                                "CPU Page Faults", " GPU Page Faults", "Migration Throughput (MBps)"}));
        QCOMPARE(our[0], (Row{"Virtual Address", "HtoD Migration Size (MB)", "DtoH Migration Size (MB)",
                              "CPU Page Faults", "GPU Page Faults", "Migration Throughput (MB/s)"}));
        their.erase(their.begin());
        our.erase(our.begin());
        const std::string difference = firstDifference(their, our);
        QVERIFY2(difference.empty(), (difference + "\n" + knownDifferences()).c_str());
    }

    void freshRecordings_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<QString>("options");
        QTest::newRow("ranges and OS calls") << 5 << "--trace=nvtx,osrt";
        QTest::newRow("every OS call") << 3 << "--trace=nvtx,osrt --osrt-threshold=1";
        QTest::newRow("CUDA requested without CUDA") << 2 << "--trace=cuda,nvtx,osrt";
        QTest::newRow("a range of the program")
            << 4
            << "--trace=nvtx,osrt --capture-range=nvtx --nvtx-capture=step "
               "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0 --capture-range-end=stop";
    }
    void freshRecordings()
    {
        LOCKSTEP_NEED_NSYS();
        QFETCH(int, steps);
        QFETCH(QString, options);
        const TempDir scratch;
        record(scratch.path(), "fresh", steps, options.split(' '));
        const NsysRun exported =
            runNsys(scratch.path(), {"export", "-t", "sqlite", "-o", "fresh.sqlite", "fresh.nsys-rep"});
        QVERIFY2(exported.status == 0, exported.output.constData());
        std::string difference;
        const size_t tables = compareAll(scratch.path(), scratch.path() / "fresh.sqlite", difference);
        QVERIFY2(difference.empty(), difference.c_str());
        QVERIFY2(tables >= 4, std::to_string(tables).c_str());
    }
};

LOCKSTEP_TEST(StatsTest, "stats_test")
#include "stats_test.moc"
