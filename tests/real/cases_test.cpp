// SPDX-License-Identifier: Apache-2.0
// Tests the cases made after public bug reports, with the right values of their expected.json: clocks, names,
// folders and foreign files. Traces, snapshots and launch scripts have their own tests.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <QMetaMethod>

#include "core/align/alignment.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/readers/reader.h"
#include "core/readers/report_search.h"
#include "core/trace/process_groups.h"
#include "tests/support/case_files.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

class CasesTest : public QObject {
    Q_OBJECT

  private slots:
    // A time zone in one node's clock: two hours.
    void a01NodeTwoHoursAhead()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("A01");
        const Workspace workspace = openedCase("A01");
        const Alignment alignment = alignReports(workspace, {});
        const auto most_ns = expected["bound_at_most_ns"].get<int64_t>();
        for (int rank = 4; rank < 8; ++rank) {
            const auto off_ns = expected["offset_ns_of_ranks_4_to_7"].get<int64_t>();
            QVERIFY2(std::abs(ahead_ns(workspace, alignment, rank) - off_ns) <= most_ns,
                     std::to_string(ahead_ns(workspace, alignment, rank)).c_str());
            const ClockMap& map = alignment.map(reportOfRank(workspace, rank));
            QVERIFY2(map.bound_ns && *map.bound_ns <= most_ns, map.reason.c_str());
        }
        for (int rank = 1; rank < 4; ++rank)
            QVERIFY(std::abs(ahead_ns(workspace, alignment, rank)) <= most_ns);
        QVERIFY(alignment.extent(workspace).length() < Duration{3'000'000'000});
    }

    void a03EqualCollectives()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("A03");
        const auto off_ns = expected["offset_ns_of_rank_1"].get<int64_t>();
        for (const char* const folder : {"comms_id_number", "comms_id_text", "seq"}) {
            const Workspace workspace = openedCase(std::string("A03/") + folder);
            const Alignment alignment = alignReports(workspace, {});
            QVERIFY2(std::abs(ahead_ns(workspace, alignment, 1) - off_ns) < 50'000, folder);
            const Table table = tableOf("stragglers", workspace);
            QCOMPARE(cell(table, "collectives"), expected["collectives"]["both"].get<int64_t>());
        }
        const Workspace workspace = openedCase("A03/no_ids");
        const Alignment alignment = alignReports(workspace, {});
        const ClockMap& map = alignment.map(reportOfRank(workspace, 1));
        QVERIFY2(!map.bound_ns || *map.bound_ns >= 10'000'000, map.reason.c_str());
        const Table table = tableOf("stragglers", workspace);
        QCOMPARE(table.rowCount(), size_t(2)); // both listed, with the reason
        QVERIFY(has(columnCells(table, "not_timed").front(), "several offsets fit"));
    }

    // Rank 2 lost five collectives in the middle.
    void a04LossesInTheMiddle()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("A04");
        const Workspace workspace = openedCase("A04");
        const Alignment alignment = alignReports(workspace, {});
        const auto most_ns = expected["bound_at_most_ns"].get<int64_t>();
        for (int rank = 1; rank < 4; ++rank) {
            const auto off_ns = expected["offsets_ns"][std::to_string(rank)].get<int64_t>();
            QVERIFY2(std::abs(ahead_ns(workspace, alignment, rank) - off_ns) < 50'000,
                     std::to_string(ahead_ns(workspace, alignment, rank)).c_str());
            const ClockMap& map = alignment.map(reportOfRank(workspace, rank));
            QVERIFY2(map.bound_ns && *map.bound_ns <= most_ns, map.reason.c_str());
        }
        const Table table = tableOf("stragglers", workspace);
        QCOMPARE(table.rowCount(), size_t(4));
        QVERIFY2(has(rulesOf(table), "rank 2 lacks 5 of the"), rulesOf(table).c_str());
    }

    // Expert-parallel groups whose names differ by rank, tensor-parallel groups of one name.
    void a05GroupsAreTheirRanks()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("A05");
        const Workspace workspace = openedCase("A05");
        const Alignment alignment = alignReports(workspace, {});
        for (int rank = 1; rank < 8; ++rank) {
            const auto off_ns = expected["offsets_ns"][std::to_string(rank)].get<int64_t>();
            QVERIFY2(std::abs(ahead_ns(workspace, alignment, rank) - off_ns) < 50'000,
                     std::to_string(ahead_ns(workspace, alignment, rank)).c_str());
        }
        const Table table = tableOf("stragglers", workspace);
        for (const std::string& count : columnCells(table, "collectives"))
            QVERIFY2(std::stoi(count) >= expected["collectives_of_a_rank"].get<int>() - 2, count.c_str());
        const Table groups = tableOf("stragglers", workspace, GroupBy::communicator);
        const auto cells = columnCells(groups, "Communicator");
        const std::set<std::string> names(cells.begin(), cells.end());
        const Json& count = expected["groups"];
        QCOMPARE(names.size(),
                 count["tp"].get<size_t>() + count["dp"].get<size_t>() + count["ep"].get<size_t>());
    }

    // Counts the work of each rank once if a merged trace is next to its source traces.
    void a08MergedTrace()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("A08");
        const auto merged = reportOfCase("A08/merged-1784592000.5.trace.json.gz");
        QCOMPARE(kindCount(*merged, RowKind::kernel), expected["merged"]["kernels"].get<int64_t>());
        std::set<ProcessId> owners;
        std::set<DeviceId> devices;
        for (const Track& track : merged->tracks) {
            if (track.key.kind != TrackKind::gpuStream) continue;
            owners.insert(track.key.process);
            devices.insert(track.key.device);
        }
        QCOMPARE(owners.size(), expected["merged"]["processes"].get<size_t>());
        QCOMPARE(devices.size(), expected["merged"]["gpus"].get<size_t>());
        QCOMPARE(merged->links.size(), size_t(120));
        QVERIFY(!merged->identity.rank.isKnown());
        const Workspace folder = openedCase("A08");
        QCOMPARE(folder.size(), size_t(3));
        QCOMPARE(findProcessGroups(folder).size(), size_t(3)); // rank 0 of two engines is two processes
        for (const ReportKey key : folder.keys())
            QCOMPARE(kindCount(folder.report(key), RowKind::kernel),
                     expected["kernels_of_a_rank"].get<int64_t>());
    }

    // Reads ranks, steps, roles and pids from file names; anything a name does not state is at most a guess.
    void a09Names()
    {
        LOCKSTEP_NEED_CASES();
        std::ifstream table(caseFile("A09/expected.csv"));
        std::string line;
        std::getline(table, line);
        size_t files = 0;
        for (; std::getline(table, line); ++files) {
            const QStringList cells = QString::fromStdString(line).split(',');
            const auto check = [&](const QString& wanted, const auto& part, const char* what) {
                const std::string where = cells[0].toStdString() + ": " + what;
                std::ostringstream value;
                if (part.isKnown()) value << *part.value;
                if (!part.isKnown() && cells[6].startsWith("or unknown")) return;
                if (wanted.isEmpty())
                    QVERIFY2(part.confidence <= Confidence::guessed, where.c_str());
                else
                    QVERIFY2(value.str() == wanted.toStdString(), (where + " is " + value.str()).c_str());
            };
            const fs::path path = caseFile("A09") / cells[0].toStdString();
            Report report;
            report.provenance.path = path;
            const Identity identity = resolveIdentity(report).identity;
            check(cells[1], identity.rank, "rank");
            check(cells[2], identity.step, "step");
            check(cells[3], identity.role, "role");
            check(cells[4], identity.pid, "pid");
        }
        QCOMPARE(files, expectedOf("A09")["files"].get<size_t>());
    }

    // Ray's session folders: links, sessions without reports, one pid on two nodes.
    void a10RaySessions()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("A10");
        const Workspace ray = openedCase("A10/tmp");
        QCOMPARE(ray.size(), expected["tmp_ray"]["reports"].get<size_t>());
        std::set<std::string> runs;
        for (const ReportKey key : ray.keys()) {
            runs.insert(ray.identity(key).run.value.value_or(""));
            QVERIFY(!ray.identity(key).step.isKnown()); // .1 to .3 are captures
        }
        QCOMPARE(runs.size(), expected["tmp_ray"]["sessions"].get<size_t>());
        const auto found = findReports({caseFile("A10/tmp")}, Progress(test::workers())).value();
        const auto isTold = [&](const char* ending) {
            return std::ranges::any_of(
                       found.skippedFiles,
                       [&](const SkippedFile& file) { return file.path.string().ends_with(ending); }) ||
                   std::ranges::any_of(found.reports,
                                       [&](const fs::path& path) { return path.string().ends_with(ending); });
        };
        QVERIFY(isTold("worker_process_900.qdstrm") && isTold("empty.nsys-rep"));
        const Workspace slurm = openedCase("A10/slurm");
        QCOMPARE(slurm.size(), expected["slurm"]["reports"].get<size_t>());
        std::set<int> ranks;
        for (const ReportKey key : slurm.keys())
            ranks.insert(slurm.identity(key).rank.value.value_or(-1));
        QVERIFY(ranks == expected["slurm"]["ranks"].get<std::set<int>>());
        std::set<std::string> hosts; // one pid on two nodes is two processes
        for (const ReportKey key : slurm.keys())
            hosts.insert(slurm.identity(key).host.value.value_or(""));
        QCOMPARE(hosts.size(), size_t(2));
        QCOMPARE(openedCase("A10/loop").size(), expected["loop"]["reports"].get<size_t>());
    }

    // Two machines of one host name.
    void f1SharedHostName()
    {
        LOCKSTEP_NEED_CASES();
        const Workspace workspace = openedCase("F1_same_hostname");
        const Alignment alignment = alignReports(workspace, {});
        for (const ReportKey key : workspace.keys()) {
            const ClockMap& map = alignment.map(key);
            QVERIFY2(map.method != AlignMethod::host, map.reason.c_str());
            QVERIFY2(map.confidence != ClockConfidence::exact || map.method == AlignMethod::reference,
                     map.reason.c_str());
        }
        QVERIFY(alignment.map(workspace.keys()[0]).domain != alignment.map(workspace.keys()[1]).domain);
    }

    // The file's own OVERLAP_ANALYSIS, to the nanosecond.
    void f2AscendTasks()
    {
        LOCKSTEP_NEED_CASES();
        Workspace workspace;
        workspace.add(
            readReport(caseFile("F2_ascend_db_hccl_tasks/level1_rank0.db"), Progress(test::workers()))
                .value());
        const Table overlap = tableOf("temporal_breakdown", workspace);
        QCOMPARE(cell(overlap, "compute_time"), int64_t(8'903'431));
        const Table classes = tableOf("kernel_breakdown", workspace);
        std::map<std::string, int64_t> sums;
        const auto names = columnCells(classes, "kernel_type");
        for (size_t row = 0; row < names.size(); ++row)
            sums[names[row]] = cell(classes, "sum", row);
        int64_t communication = 0, exposed = 0;
        for (const auto& [name, ns] : sums) {
            if (!has(name, "COMMUNICATION")) continue;
            communication += ns;
            if (!has(name, "COMPUTATION")) exposed += ns;
        }
        QCOMPARE(communication, int64_t(102'108'100));
        QCOMPARE(exposed, int64_t(98'071'947));
    }

    void j02BareDescriptions()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J02");
        const Workspace workspace = openedCase("J02");
        const Report& damaged = workspace.report(reportOfRank(workspace, 1));
        QCOMPARE(noteCountOf(damaged, "event.repaired"),
                 expected["defective_events_on_rank_1"].get<uint64_t>());
        const Alignment alignment = alignReports(workspace, {});
        const auto off_ns = expected["offset_ns_of_rank_1_to_rank_0"].get<int64_t>();
        QVERIFY(std::abs(ahead_ns(workspace, alignment, 1) - off_ns) < 50'000);
        const Table table = tableOf("stragglers", workspace);
        QCOMPARE(cell(table, "collectives"), expected["pairs"].get<int64_t>());
        QCOMPARE(cell(table, "times_last"), int64_t(12));
    }

    // Names the kind of a file that is not a report.
    void foreignFiles_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* file, const char* sentence) {
            QTest::newRow(file) << file << sentence;
        };
        row("X02/memory_256.pickle", "Git LFS pointer, not the file itself (734");
        row("X02/rank0.pftrace", "git lfs pull");
        row("X02/report1.nsys-rep", "git lfs pull");
        row("X02/report1.sqlite", "git lfs pull");
        row("X02/trace.json.gz", "git lfs pull");
        row("X02/trace_view.json", "git lfs pull");
        row("X02/annex.json", "git annex get");
        row("X02/denied.json", "Request has expired");
        row("X02/error.json", "error response from a web service");
        row("X02/login.pt.trace.json.gz", "HTML page");
        row("X02/not_ready.sqlite", "Processing events...");
        row("M12/git_lfs_pointer.pickle", "Git LFS pointer, not the file itself (41");
        row("M12/hostile.pickle", "posix.system");
        row("M12/saved_by_torch_save.pickle", "torch.save");
        row("M12/tensor_like.pickle", "saved by torch.save");
        row("M12/vocabulary.pickle", "not a memory snapshot");
        row("M12/list_of_numbers.pkl", "not a memory snapshot");
        row("M12/snapshot_with_a_class.pickle", "names Python code");
        row("N01/worker_process_70000.1.jsonl", "nsys export -t sqlite");
        row("N01/rows_before_strings.jsonl", "nsys export -t sqlite");
        row("N11/trace.json", "nsys export -t sqlite");
        row("N11/with_strings.json", "nsys export -t sqlite");
        row("A11/nccl_trace_rank_0", "torchfrtrace");
        row("A11/nccl_trace_rank_container-node02_3", "torchfrtrace");
        row("A11/trace_rank_0.json", "torchfrtrace");
        row("X05/resnet_2gpu_et.json.gz", "execution trace (nodes, schema 1.1.0-chakra");
        row("X01/traces.zip", "zip archive; unpack it");
        row("X01/traces.tar.gz", "compressed tar archive; unpack it");
        row("X01/traces.tgz", "compressed tar archive; unpack it");
        row("X01/merged_by_perfetto.tar", "tar archive; unpack it");
        row("X01/split.pt.trace.json.gz.part-aa", "one part of a split file");
    }

    void foreignFiles()
    {
        LOCKSTEP_NEED_CASES();
        QFETCH(QString, file);
        QFETCH(QString, sentence);
        const std::string refusal = refusalOf(file.toStdString());
        QVERIFY2(has(refusal, sentence.toStdString()), refusal.c_str());
        QVERIFY(!fs::exists("/tmp/lockstep_holdout_was_executed"));
        QVERIFY(!fs::exists("/tmp/lockstep_holdout_escape"));
        // The folder search gives the same description for files that it skips.
        const fs::path path = caseFile(file.toStdString());
        const auto found = findReports({path.parent_path()}, Progress(test::workers())).value();
        const auto passed = std::ranges::find(found.skippedFiles, path, &SkippedFile::path);
        if (passed != found.skippedFiles.end())
            QVERIFY2(has(refusal, passed->reason), passed->reason.c_str());
    }

    // Fails if a case folder has no test function of its name.
    void everyCaseHasATest()
    {
        LOCKSTEP_NEED_CASES();
        std::set<std::string> tested{"A11", "M12", "N01", "N11",
                                     "X01", "X02", "X05", "P02"}; // foreignFiles(), p01...
        for (const auto& [name, make] : testRegistry()) {
            if (!name.ends_with("cases_test")) continue;
            const auto test = make();
            for (int i = 0; i < test->metaObject()->methodCount(); ++i)
                tested.insert(test->metaObject()->method(i).name().left(3).toUpper().toStdString());
        }
        for (const auto& entry : fs::directory_iterator(caseFile(""))) {
            const std::string name =
                entry.path().filename().string().substr(0, entry.path().filename().string().find('_'));
            const std::string prefix = name.size() < 3 ? name + (name == "F1" ? "S" : "A") : name;
            if (entry.is_directory()) QVERIFY2(tested.contains(prefix), name.c_str());
        }
    }
};

LOCKSTEP_TEST(CasesTest, "cases_test")
#include "cases_test.moc"
