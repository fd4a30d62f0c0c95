// SPDX-License-Identifier: Apache-2.0
// Tests that the same file gives the same bytes, for any number of workers, any timing between them, and any
// order of its columns: the report as it is stored, and tables made from it.
#include <sstream>

#include <QDebug>

#include "core/align/alignment.h"
#include "core/analysis/analysis.h"
#include "core/base/sha256.h"
#include "core/export/table_writer.h"
#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/disk_place.h"
#include "tests/support/gzip_text.h"
#include "tests/support/places.h"
#include "tests/support/small_disk.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::DiskPlace;
using lockstep::test::sharedData;
using lockstep::test::SmallDisk;
using lockstep::test::TempDir;
namespace fs = std::filesystem;

namespace {

constexpr std::array<size_t, 4> kWorkers{1, 2, 3, 8};
constexpr int kRepeats = 10;

// Makes some windows of events of many processes, threads and kinds, with flaws in each, so that a worker's
// first events depend on the windows that it got.
std::string crowdedTrace()
{
    std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    for (int i = 0; i < 30'000; ++i) {
        const std::string n = std::to_string(i), few = std::to_string(i * 7919 % 13),
                          who = "\"pid\": " + std::to_string(1000 - i * 7919 % 37) + ", \"tid\": " + few;
        const std::string at = ", \"ts\": " + std::to_string(10 * i) + ", ";
        text += "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op " + std::to_string(i * 7919 % 4001) +
                "\", " + who + at + "\"dur\": 5, \"args\": {\"filler\": \"" + std::string(60, 'x') +
                "\"}},\n";
        if (i % 5 == 0)
            text += "{\"ph\": \"b\", \"cat\": \"cat" + few + "\", \"id\": " + n + ", \"name\": \"wait\", " +
                    who + at + "\"x\": 1},\n{\"ph\": \"e\", \"cat\": \"cat" + few + "\", \"id\": " + n +
                    ", \"name\": \"wait\", " + who + ", \"ts\": " + std::to_string(10 * i + 3) + "},\n";
        if (i % 7 == 0)
            text += "{\"ph\": \"C\", \"name\": \"level" + few + "\", " + who + at + "\"args\": {\"v\": " + n +
                    "}},\n";
        if (i % 11 == 0)
            text += "{\"ph\": \"s\", \"cat\": \"f\", \"name\": \"f\", \"id\": " + n + ", " + who + at +
                    "\"y\": 1},\n" +
                    "{\"ph\": \"f\", \"cat\": \"f\", \"name\": \"f\", \"bp\": \"e\", \"id\": " + n + ", " +
                    who + ", \"ts\": " + std::to_string(10 * i + 2) + "},\n";
        if (i % 501 == 0)
            text += "{\"ph\": \"E\", \"name\": \"never begun\", \"pid\": \"Text" + few + "\", \"tid\": 1" +
                    at + "\"z\": 1},\n";
        if (i % 503 == 0) text += "{\"ph\": \"B\", \"name\": \"never ended\", " + who + at + "\"z\": 1},\n";
        if (i % 1009 == 0) text += "{\"ph\": \"X\", \"name\": \"no time " + few + "\", " + who + "},\n";
        if (i % 2003 == 0)
            text += "{\"ph\": \"M\", \"name\": \"thread_name\", " + who + ", \"args\": {\"name\": \"t" + n +
                    "\"}},\n";
    }
    return text +
           "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1000, \"args\": {\"name\": \"python\"}}]}\n";
}

// Writes a run's event log: counters each second, a step now and then, and lines without content.
std::string longLog()
{
    std::string text = "{\"seq\":1,\"t_ns\":1000,\"kind\":\"started\",\"command\":0,\"name\":\"train\"}\n";
    for (int i = 2; i < 4'000; ++i) {
        const std::string head =
            "{\"seq\":" + std::to_string(i) + ",\"t_ns\":" + std::to_string(1000 * i) + ",\"kind\":";
        if (i % 50 == 0) {
            text += head + "\"step\",\"command\":0,\"step\":" + std::to_string(i / 50) + "}\n";
        } else if (i % 301 == 0) {
            text += head + "\"none\",\n";
        } else {
            text += head + "\"gpu\",\"cpu_percent\":" + std::to_string(i % 101) +
                    ",\"gpus\":[{\"index\":0,\"busy_percent\":" + std::to_string(i * 7919 % 101) + "}]}\n";
        }
    }
    return text;
}

// Makes tasks of an Ascend device on four streams, each started by a call of its thread; some end before they
// begin.
std::string ascendSql()
{
    std::string sql = R"(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, taskType INTEGER, opType INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER PRIMARY
  KEY, name INTEGER);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
INSERT INTO RANK_DEVICE_MAP VALUES (5, 3);
INSERT INTO ENUM_API_TYPE VALUES (20000, 'acl');
BEGIN;
)";
    for (int i = 0; i < 40; ++i)
        sql +=
            "INSERT INTO STRING_IDS VALUES (" + std::to_string(i) + ", 'name " + std::to_string(i) + "');\n";
    for (int64_t i = 0; i < 3'000; ++i) {
        const int64_t start_ns = 1'700'000'000'000'000'000 + i * 1'000;
        const auto text = [](int64_t number) { return std::to_string(number) + ", "; };
        const std::string connection = text(i + 1), name = std::to_string(i * 7919 % 40);
        sql += "INSERT INTO TASK VALUES (" + text(start_ns + 500) + text(start_ns + (i % 97 == 0 ? 0 : 900)) +
               "3, " + connection + text(i) + "77, 1, 0, " + text(i % 4) + text(i) + "0);\n" +
               "INSERT INTO COMPUTE_TASK_INFO VALUES (" + name + ", " + text(i) + "1, 1);\n" +
               "INSERT INTO CANN_API VALUES (" + text(start_ns) + text(start_ns + 400) +
               "20000, 77 * 4294967296 + " + text(79 + i % 3) + connection + name + ");\n";
    }
    return sql + "COMMIT;";
}

std::string tablesOf(const Workspace& workspace, const Progress& progress)
{
    std::string text;
    const Alignment alignment = alignReports(workspace, {}, progress).value();
    const ScenePtr scene = makeHeadlessScene(workspace, alignment);
    for (const Analysis& analysis : analyses()) {
        const Table table = runAnalysis(analysis.name, *scene, {}, progress).value();
        const Table* const tables[] = {&table};
        writeTables(tables, TableFormat::csv, {}, [&](std::string_view piece) { text += piece; });
    }
    return text;
}

// Returns the first line that differs, from both; empty if none does.
std::string firstDifference(const std::string& a, const std::string& b)
{
    std::istringstream left(a), right(b);
    std::string one, other;
    while (std::getline(left, one) && std::getline(right, other)) {
        if (one != other) return one + "\n" + other;
    }
    return a == b ? "" : "one ends before the other";
}

// Returns {digest of the stored report, tables}, or {problem, ""} if the file cannot be read.
std::pair<std::string, std::string> outcome(const fs::path& file, const fs::path& stored,
                                            const Workers& workers, ColumnPlace place = {})
{
    const Progress progress({}, {}, workers, std::move(place));
    auto workspace = readReports(file, progress);
    if (!workspace) return {workspace.error().message, ""};
    const auto saved = saveWorkspaceFile(stored, *workspace, {}, progress);
    if (!saved) return {saved.error().message, ""};
    return {sha256OfFile(stored, progress).value(), tablesOf(*workspace, progress)};
}

} // namespace

class SameBytesTest : public QObject {
    Q_OBJECT

  private slots:
    void anyNumberOfWorkers_data()
    {
        QTest::addColumn<QString>("file"); // or what is generated here
        for (const char* const file :
             {"made JSON", "made JSON, packed", "made run events", "made Ascend database",
              "nsys/h100_2gpu_nccl_2026.2.sqlite", "nsys/saxpy_mpi_2022.2.sqlite", "nsys/osrt_2021.2.sqlite",
              "kineto/vit_h100.json.gz", "kineto/nccl_metadata.json.gz", "ray/ray_timeline_2019.json.gz",
              "ascend/rank0.trace_view.json.gz", "perfetto/nested_tracks.perfetto-trace",
              "memory/snapshot_expandable.pkl", "capture/torch_step.lsc", "capture/all.lsc"}) {
            QTest::newRow(file) << file;
        }
    }
    void anyNumberOfWorkers()
    {
        const TempDir folder;
        const fs::path path = fileIn(folder);
        if (path.empty()) LOCKSTEP_NEED_SHARED_DATA();
        const auto first = outcome(path, folder.path() / "first.lockstep", Workers());
        QVERIFY2(!first.second.empty(), first.first.c_str());
        for (int repeat = 0; repeat < kRepeats; ++repeat) {
            for (const size_t workers : kWorkers) {
                const Workers pool(std::make_shared<TaskPool>(workers - 1));
                const auto again = outcome(path, folder.path() / "again.lockstep", pool);
                const std::string where =
                    std::to_string(workers) + " workers, repeat " + std::to_string(repeat);
                const std::string unequal = firstDifference(again.second, first.second);
                QVERIFY2(unequal.empty(), (where + "\n" + unequal).c_str());
                QVERIFY2(again.first == first.first, where.c_str());
            }
        }
    }

    void onHeapOrDisk_data() { anyNumberOfWorkers_data(); }
    void onHeapOrDisk()
    {
        const TempDir folder;
        const fs::path path = fileIn(folder);
        if (path.empty()) LOCKSTEP_NEED_SHARED_DATA();
        const Workers workers(std::make_shared<TaskPool>(1));
        const auto onHeap = outcome(path, folder.path() / "heap.lockstep", workers);
        const DiskPlace disk;
        for (const char* const how : {"read onto disk", "as it was kept"}) {
            const auto onDisk = outcome(path, folder.path() / "disk.lockstep", workers, disk.place().value());
            const std::string unequal = firstDifference(onDisk.second, onHeap.second);
            QVERIFY2(unequal.empty(), (std::string(how) + "\n" + unequal).c_str());
            QVERIFY2(onDisk.first == onHeap.first, how);
            QCOMPARE(disk.keptFiles(), size_t(1));
        }
        const auto reopened = outcome(folder.path() / "heap.lockstep", folder.path() / "again.lockstep",
                                      workers, disk.place().value());
        QVERIFY(reopened.first == onHeap.first && reopened.second == onHeap.second);
    }

    void everyReaderReportsAFullDisk_data() { anyNumberOfWorkers_data(); }
    void everyReaderReportsAFullDisk()
    {
        const TempDir folder;
        const fs::path path = fileIn(folder);
        if (path.empty()) LOCKSTEP_NEED_SHARED_DATA();
        const SmallDisk disk(folder.path() / "disk", "16K");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        const ColumnPlace place(SpillFile::create(folder.path() / "disk", nullptr).value(),
                                SpillFile::create(folder.path() / "disk", nullptr).value());
        const Workers workers(std::make_shared<TaskPool>(1));
        const auto [problem, tables] = outcome(path, folder.path() / "none.lockstep", workers, place);
        QVERIFY2(tables.empty() && problem.find("No space left on device") != problem.npos, problem.c_str());
    }

  private:
    // Empty if the file does not exist.
    static fs::path fileIn(const TempDir& folder)
    {
        QFETCH(QString, file);
        if (file == "made JSON") return folder.write("made.json", crowdedTrace());
        if (file == "made JSON, packed")
            return folder.write("made.json", lockstep::test::gzipped(crowdedTrace()));
        if (file == "made run events") return folder.write("node0.events.jsonl", longLog());
        if (file == "made Ascend database") {
            const fs::path made = folder.path() / "ascend_pytorch_profiler_5.db";
            return lockstep::test::runSql(made, ascendSql()) ? made : fs::path();
        }
        const fs::path ours = lockstep::test::sourceFolder() / "tests/data" / file.toStdString();
        if (fs::exists(ours)) return ours;
        const fs::path path = sharedData(file.toStdString());
        return fs::exists(path) ? path : fs::path();
    }
};

LOCKSTEP_TEST(SameBytesTest, "same_bytes_test")
#include "same_bytes_test.moc"
