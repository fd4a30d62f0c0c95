// SPDX-License-Identifier: Apache-2.0
// The cases made after public bug reports, against the right values of their expected.json. A case is here
// once Lockstep gives the right values, or the sentence that the case accepts; the others are listed as open.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "core/align/alignment.h"
#include "core/analysis/analysis.h"
#include "core/base/json_fields.h"
#include "core/readers/identity/file_identity.h"
#include "core/readers/reader.h"
#include "core/readers/report_search.h"
#include "core/trace/process_groups.h"
#include "tests/support/places.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

fs::path caseFile(const std::string& name)
{
    return sharedData("cases") / name;
}

Json expectedOf(const std::string& name)
{
    std::ifstream file(caseFile(name + "/expected.json"));
    return Json::parse(file);
}

Workspace openedCase(const std::string& folder)
{
    Workspace workspace;
    const auto found = findReports({caseFile(folder)}, Progress(test::workers())).value();
    for (const fs::path& path : found.reports) {
        auto report = readReport(path, Progress(test::workers()));
        if (report) workspace.add(*report);
    }
    settleIdentities(workspace);
    return workspace;
}

Table tableOf(std::string_view what, const Workspace& workspace, GroupBy by = GroupBy::total)
{
    Scope scope;
    scope.by = by;
    return runAnalysis(what, *makeUndrawnScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

Table tableOfFile(std::string_view what, const std::string& file)
{
    Workspace workspace;
    workspace.add(readReport(caseFile(file), Progress(test::workers())).value());
    return tableOf(what, workspace);
}

int64_t cell(const Table& table, std::string_view column, size_t row = 0)
{
    return static_cast<int64_t>(std::llround(table.value(table.columnNamed(column), row)));
}

std::string rulesOf(const Table& table)
{
    std::string text;
    for (const std::string& rule : table.source.rules)
        text += rule + "\n";
    return text;
}

ReportKey reportOfRank(const Workspace& workspace, int rank)
{
    for (const ReportKey key : workspace.keys()) {
        if (workspace.identity(key).rank.value == rank && !workspace.report(key).memory) return key;
    }
    return {};
}

// How far a rank's clock is ahead of rank 0's, as the alignment has it.
int64_t ahead_ns(const Workspace& workspace, const Alignment& alignment, int rank)
{
    const auto zeroOf = [&](int of) {
        const ReportKey key = reportOfRank(workspace, of);
        const auto utc = workspace.report(key).clock.utcAtZero_ns.value_or(0);
        return utc - alignment.map(key).offset_ns;
    };
    return zeroOf(rank) - zeroOf(0);
}

std::string refusalOf(const std::string& file)
{
    const auto report = readReport(caseFile(file), Progress(test::workers()));
    return report ? std::string("opened") : report.error().message;
}

uint64_t noteCountOf(const Report& report, std::string_view kind)
{
    uint64_t count = 0;
    for (const ImportNote& note : report.notes.all())
        count += note.kind == kind ? note.count : 0;
    return count;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

#define LOCKSTEP_NEED_CASES()                                                                                \
    LOCKSTEP_NEED_SHARED_DATA();                                                                             \
    if (!fs::exists(caseFile("README.md"))) QSKIP("the folder of cases is not here")

} // namespace

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
        QVERIFY(has(columnCells(table, "not_timed").front(), "several displacements fit"));
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

    // Work of one stream is serial: five kernels end seconds after their successors began.
    void j05ImpossibleDurations()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J05");
        const auto damaged =
            readReport(caseFile("J05/impossible_durations.pt.trace.json.gz"), Progress(test::workers()))
                .value();
        QCOMPARE(std::ranges::count(damaged->slices.kind, RowKind::kernel),
                 expected["kernels"].get<int64_t>());
        QCOMPARE(noteCountOf(*damaged, "kernel.impossible_duration"), expected["impossible"].get<uint64_t>());
        const auto control =
            readReport(caseFile("J05/dependent_launch_is_fine.pt.trace.json.gz"), Progress(test::workers()))
                .value();
        QCOMPARE(std::ranges::count(control->slices.kind, RowKind::kernel), int64_t(1031));
        QVERIFY(control->notes.all().empty());
    }

    void j08OnlyMetadata()
    {
        LOCKSTEP_NEED_CASES();
        const auto report = readReport(caseFile("J08/only_metadata.json"), Progress(test::workers())).value();
        QCOMPARE(report->identity.rank.value.value_or(-1), 3);
        QCOMPARE(noteCountOf(*report, "report.empty"), uint64_t(1));
        QVERIFY(has(refusalOf("J15/header_only.pt.trace.json"), "cut in its head"));
    }

    // Stamps of 0 and lengths beyond reason do not stretch the axis.
    void j17ExtremeStamps()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J17");
        const auto report =
            readReport(caseFile("J17/extremes.pt.trace.json"), Progress(test::workers())).value();
        QCOMPARE(std::ranges::count(report->slices.kind, RowKind::kernel),
                 expected["good_kernels"].get<int64_t>());
        QVERIFY2(report->extent.length().ns <= expected["extent_ns_at_most"].get<int64_t>(),
                 std::to_string(report->extent.length().ns).c_str());
        QVERIFY(noteCountOf(*report, "rows.far_away") > 0);
    }

    void j13Encodings()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("J13");
        for (const char* const file : {"utf8_bom", "cr_only", "crlf", "leading_blank_and_comment",
                                       "utf16le_bom", "utf16be_bom", "utf16le_without_bom", "utf32le_bom"}) {
            const auto report =
                readReport(caseFile(std::string("J13/") + file + ".json"), Progress(test::workers()));
            QVERIFY2(report.has_value(), file);
            const auto& kinds = (*report)->slices.kind;
            QCOMPARE(std::ranges::count(kinds, RowKind::kernel),
                     expected["utf8_bom_cr_crlf_blank"]["kernels"]);
            QCOMPARE((*report)->identity.rank.value.value_or(-1), 2);
        }
    }

    // What is no report is named for what it is.
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
        row("X02/error.json", "error answer of a web service");
        row("X02/login.pt.trace.json.gz", "HTML page");
        row("X02/not_ready.sqlite", "Processing events...");
        row("M12/git_lfs_pointer.pickle", "Git LFS pointer, not the file itself (41");
        row("M12/hostile.pickle", "posix.system");
        row("M12/saved_by_torch_save.pickle", "torch.save");
        row("M12/tensor_like.pickle", "saved by torch.save");
        row("M12/vocabulary.pickle", "not a memory snapshot");
        row("M12/list_of_numbers.pkl", "no memory snapshot");
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
        // A folder's search says the same of what it passes over.
        const fs::path path = caseFile(file.toStdString());
        const auto found = findReports({path.parent_path()}, Progress(test::workers())).value();
        const auto passed = std::ranges::find(found.passedOver, path, &PassedOver::path);
        if (passed != found.passedOver.end()) QVERIFY2(has(refusal, passed->reason), passed->reason.c_str());
    }

    // Every protocol of pickle, and sizes that are those handed out.
    void m01SnapshotsOfAllProtocols()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M01")["of_each_but_the_cut"];
        for (const char* const file :
             {"from_cpp.pickle", "packed.pickle.gz", "protocol0.pickle", "protocol1.pickle",
              "protocol2.pickle", "protocol3.pickle", "protocol4.pickle", "protocol5.pickle"}) {
            const Table table = tableOfFile("memory_summary", std::string("M01/") + file);
            QCOMPARE(cell(table, "entries"), expected["entries"].get<int64_t>());
            QCOMPARE(cell(table, "peak_active"), expected["peak_active"].get<int64_t>());
            QCOMPARE(cell(table, "end_active"), expected["active_at_end"].get<int64_t>());
            QCOMPARE(cell(table, "end_reserved"), expected["reserved"].get<int64_t>());
        }
    }

    void m13CompletedFreesOnly()
    {
        LOCKSTEP_NEED_CASES();
        const Json expected = expectedOf("M13");
        const Table table = tableOfFile("memory_summary", "M13/output.pickle");
        QCOMPARE(cell(table, "entries"), expected["events"].get<int64_t>());
        QCOMPARE(cell(table, "peak_active"), expected["peak_from_trace_and_end_state"].get<int64_t>());
        QCOMPARE(cell(table, "end_active"), expected["bytes_allocated_at_end"].get<int64_t>());
        QCOMPARE(cell(table, "blocks_before"), expected["blocks_allocated_at_end"].get<int64_t>());
        QVERIFY(columnCells(table, "peak_unused").front().empty());
    }

    // Names of ranks, steps and roles, as far as they tell.
    void a09Names()
    {
        LOCKSTEP_NEED_CASES();
        const auto identityOf = [](const char* file) { return identityFromPath(caseFile("A09") / file); };
        QCOMPARE(identityOf("actor_compute_log_prob/prof_rank-1_031847.json.gz").role.value.value_or(""),
                 std::string("actor"));
        QCOMPARE(identityOf("titan/profile_traces/iteration_10/rank3_trace.json.gz").step.value.value_or(-1),
                 10);
        QCOMPARE(identityOf("titan/memory_snapshot/iteration_10_exit/rank3_memory_snapshot.pickle")
                     .step.value.value_or(-1),
                 10);
        QCOMPARE(identityOf("chakra/kineto_3.json").rank.value.value_or(-1), 3);
        const Identity nested = identityOf("TP8_PP4_EP8/global_rank_31/local_rank_7.json");
        QCOMPARE(nested.rank.value.value_or(-1), 31);
        QCOMPARE(nested.localRank.value.value_or(-1), 7);
        QCOMPARE(
            identityOf("lmms/memory_snapshot/oom_rank6_pid4242_1784592000.pickle").pid.value.value_or(-1),
            int64_t(4242));
        QCOMPARE(identityOf("dyno/libkineto_activities_44144.json").pid.value.value_or(-1), int64_t(44144));
    }
};

LOCKSTEP_TEST(CasesTest, "cases_test")
#include "cases_test.moc"
