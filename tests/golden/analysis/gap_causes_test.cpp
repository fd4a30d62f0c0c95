// SPDX-License-Identifier: Apache-2.0
// Tests the causes of GPU gaps on generated rows: late launches, synchronization, copies, queued work, and
// gaps without a recorded cause. Checks that gpu_gaps, idle_breakdown and the findings agree.
#include <algorithm>

#include "core/analysis/analysis.h"
#include "core/analysis/comparison.h"
#include "core/analysis/training/findings.h"
#include "core/trace/report_builder.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;

namespace {

using Cells = std::vector<std::string>;

// A report of one process with one device. Work runs on stream 7 and calls on thread 9, unless stated.
class CallReport {
  public:
    CallReport() : m_process(m_builder.process(5, 5)), m_device(m_builder.device(m_process, 0)) {}

    SourceRow call(const char* name, int64_t start, int64_t end, int64_t tid = 9)
    {
        return add({TrackKind::cudaApi, m_process, m_builder.thread(m_process, tid), {}, 0, 0},
                   RowKind::runtimeApi, name, start, end);
    }
    SourceRow work(RowKind kind, int64_t start, int64_t end, int64_t stream = 7)
    {
        return add({TrackKind::gpuStream, m_process, {}, m_device, stream, 1}, kind, "work", start, end);
    }
    // Adds a launch call of 5 ns and its kernel.
    void launch(int64_t call_ns, int64_t start, int64_t end, int64_t stream = 7)
    {
        link(call("cudaLaunchKernel_v7000", call_ns, call_ns + 5), work(RowKind::kernel, start, end, stream));
    }
    void link(SourceRow call, SourceRow work) { m_builder.addLink(call, work, LinkKind::launch); }

    Workspace made()
    {
        m_builder.report().provenance.path = "made.sqlite";
        Workspace workspace;
        workspace.add(m_builder.freeze(Progress()).value());
        return workspace;
    }

  private:
    SourceRow add(const TrackKey& track, RowKind kind, const char* name, int64_t start, int64_t end)
    {
        SliceRow row;
        row.kind = kind;
        row.name = m_builder.intern(name);
        row.start_ns = start;
        row.duration_ns = end - start;
        row.source = SourceRow::of(0, ++m_rows);
        SliceBatch batch;
        batch.add(m_builder.track(track), row);
        m_builder.adopt(std::move(batch));
        return row.source;
    }

    ReportBuilder m_builder;
    ProcessId m_process;
    DeviceId m_device;
    uint64_t m_rows = 0;
};

ScenePtr gapScene(const Workspace& workspace)
{
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

Table gapTable(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *gapScene(workspace), scope, Progress(test::workers())).value();
}

// Returns "start: cause" for all gaps in chronological order.
Cells causesIn(const Workspace& workspace, const Scope& scope = {})
{
    Table table = gapTable("gpu_gaps:gap=0:rows=-1", workspace, scope);
    table.reorder(sortedRows(table, table.columnNamed("Start"), false));
    const Cells starts = columnCells(table, "Start"), causes = columnCells(table, "Cause");
    Cells out;
    for (size_t row = 0; row < starts.size(); ++row)
        out.push_back(starts[row] + ": " + causes[row]);
    return out;
}

// Returns the note of the longest gap.
std::string noteOf(CallReport& report)
{
    return std::string(gapTable("gpu_gaps:gap=0", report.made()).note(0));
}

// Five gaps that end with a launch that came too late, and three for which the launch came in time.
Workspace lateAndQueued()
{
    CallReport report;
    report.work(RowKind::kernel, 0, 100);
    report.launch(150, 200, 300); // late: no other call in 100..150
    report.call("cudaStreamSynchronize_v3020", 250, 380);
    report.launch(390, 400, 500); // 80 of 300..390 in synchronization
    report.call("cudaDeviceSynchronize_v3020", 450, 510);
    report.launch(590, 600, 700); // only 10 of 500..590 in synchronization
    report.call("cudaMemcpyAsync_v3020", 690, 780);
    report.launch(790, 800, 900); // 80 of 700..790 in a copy call
    report.call("cudaStreamSynchronize_v3020", 880, 960, 8);
    report.launch(950, 960, 1'000);       // another thread synchronizes
    report.launch(970, 1'010, 1'100);     // queued
    report.launch(1'100, 1'150, 1'200);   // launched at the moment when the work before it ended
    report.launch(1'150, 31'200, 31'300); // queued, waited for 30 us
    return report.made();
}

} // namespace

class GapCausesTest : public QObject {
    Q_OBJECT

  private slots:
    void lateLaunchesAndQueuedWork()
    {
        QCOMPARE(causesIn(lateAndQueued()),
                 (Cells{"100: host late to launch", "300: synchronization", "500: host late to launch",
                        "700: copy", "900: host late to launch", "1000: kernel wait", "1100: kernel wait",
                        "1200: other"}));
    }

    // A call that launches a copy blocks while the host copies pageable memory.
    void copiesThatBlock()
    {
        CallReport report;
        report.work(RowKind::kernel, 0, 100);
        report.link(report.call("cudaMemcpyAsync_v3020", 50, 150), report.work(RowKind::memcpy, 200, 300));
        report.link(report.call("cudaMemcpyAsync_v3020", 250, 349), report.work(RowKind::memcpy, 400, 500));
        QCOMPARE(causesIn(report.made()), (Cells{"100: copy", "300: kernel wait"}));
    }

    // With a filter by stream, work on other streams is not counted, so a copy can be in a gap.
    void copiesOnOtherStreams()
    {
        CallReport report;
        report.launch(0, 10, 100);
        report.launch(20, 200, 300);
        report.launch(30, 400, 500);
        report.work(RowKind::memcpy, 90, 150, 8);
        report.work(RowKind::memcpy, 300, 349, 8);
        Scope scope;
        scope.streams = {{7, 7}};
        QCOMPARE(causesIn(report.made(), scope), (Cells{"100: copy", "300: kernel wait"}));
    }

    void unknownCausesAreEmpty()
    {
        CallReport report;
        report.work(RowKind::kernel, 0, 100);
        report.work(RowKind::kernel, 200, 300);
        report.launch(290, 400, 500);
        report.work(RowKind::kernel, 600, 700);
        const Workspace workspace = report.made();
        QCOMPARE(causesIn(workspace), (Cells{"100: ", "300: kernel wait", "500: "}));
        const Table table = gapTable("gpu_gaps:gap=0", workspace);
        QVERIFY(std::ranges::find(table.source.rules,
                                  "2 of 3 gaps have no cause: no launch call is recorded for the work "
                                  "after them") != table.source.rules.end());
        const Table known = gapTable("gpu_gaps:gap=0", lateAndQueued());
        QVERIFY(std::ranges::none_of(known.source.rules, [](const std::string& rule) {
            return rule.find("no cause") != std::string::npos;
        }));
    }

    void notesExplainTheCause()
    {
        CallReport late, waiting, copying, queued, other, unknown;
        late.work(RowKind::kernel, 0, 100);
        late.launch(150, 200, 300);
        QCOMPARE(noteOf(late), std::string("Cause: host late to launch. cudaLaunchKernel started 50 ns after "
                                           "the GPU became idle."));
        waiting.work(RowKind::kernel, 0, 100);
        waiting.call("cudaEventSynchronize_v3020", 0, 140);
        waiting.launch(150, 200, 300);
        QCOMPARE(noteOf(waiting),
                 std::string("Cause: synchronization. The launching thread spent 40 ns of the "
                             "50 ns before cudaLaunchKernel in synchronization calls."));
        copying.work(RowKind::kernel, 0, 100);
        copying.call("cudaMemcpy_v3020", 0, 140);
        copying.launch(150, 200, 300);
        QCOMPARE(noteOf(copying), std::string("Cause: copy. The launching thread spent 40 ns of the 50 ns "
                                              "before cudaLaunchKernel in copy calls."));
        queued.work(RowKind::kernel, 0, 100);
        queued.launch(50, 200, 300);
        QCOMPARE(noteOf(queued), std::string("Cause: kernel wait. The work after the gap was launched before "
                                             "the gap began, and started within 30 \u00B5s."));
        other.work(RowKind::kernel, 0, 100);
        other.launch(50, 50'100, 50'200);
        QCOMPARE(noteOf(other), std::string("Cause: other. The work after the gap was launched 50 ns before "
                                            "the gap began. What it waited for is not recorded."));
        unknown.work(RowKind::kernel, 0, 100);
        unknown.work(RowKind::kernel, 200, 300);
        QCOMPARE(noteOf(unknown),
                 std::string("Cause unknown: no launch call is recorded for the work after the gap."));
    }

    // One decision: gaps of late launches are host waits, and kernel waits and other gaps are the same.
    void idleBreakdownAgrees()
    {
        const Workspace workspace = lateAndQueued();
        const Table idle = gapTable("idle_breakdown", workspace);
        QCOMPARE(columnCells(idle, "idle_category"), (Cells{"host_wait", "kernel_wait", "other"}));
        QCOMPARE(columnCells(idle, "idle_time"), (Cells{"460", "60", "30000"}));
        QCOMPARE(columnCells(idle, "waits"), (Cells{"5", "2", "1"}));
        const Table gaps = gapTable("gpu_gaps:gap=0", workspace);
        std::array<int64_t, 3> idle_ns{};
        for (size_t row = 0; row < gaps.rowCount(); ++row) {
            const std::string_view cause = gaps.text(gaps.columnNamed("Cause"), row);
            idle_ns[cause == "kernel wait" ? 1 : cause == "other" ? 2 : 0] += gaps.number(1, row);
        }
        QCOMPARE(idle_ns, (std::array<int64_t, 3>{460, 60, 30'000}));
    }

    // A gap is the same one before and after a change, whatever caused it.
    void comparisonsJoinGapsWithDifferentCauses()
    {
        CallReport before, after;
        for (CallReport* const report : {&before, &after}) {
            report->work(RowKind::kernel, 0, 100);
            report->launch(report == &before ? 50 : 150, 200, 300);
        }
        const Table first = gapTable("gpu_gaps:gap=0", before.made()),
                    second = gapTable("gpu_gaps:gap=0", after.made());
        QCOMPARE(columnCells(first, "Cause"), Cells{"kernel wait"});
        QCOMPARE(columnCells(second, "Cause"), Cells{"host late to launch"});
        QCOMPARE(joinRows(first, second).pairs.size(), size_t(1));
    }

    void findingsStateTheMainCause()
    {
        constexpr int64_t kSecond_ns = 1'000'000'000;
        CallReport report;
        report.work(RowKind::kernel, 0, kSecond_ns);
        report.launch(2 * kSecond_ns - 10, 2 * kSecond_ns, 3 * kSecond_ns);     // late, 1 s
        report.launch(4 * kSecond_ns - 10, 4 * kSecond_ns, 5 * kSecond_ns);     // late, 1 s
        report.work(RowKind::kernel, 6 * kSecond_ns, 7 * kSecond_ns);           // unknown, 1 s
        report.launch(6 * kSecond_ns + 9, 8 * kSecond_ns, 8 * kSecond_ns + 10); // other, 1 s
        const ScenePtr scene = gapScene(report.made());
        const RunFindings all = findingsOf(*scene, {}, Progress(test::workers())).value();
        const auto found = std::ranges::find(all.found, "gpu_gaps", &RunFinding::rule);
        QVERIFY(found != all.found.end());
        const auto cause = std::ranges::find(
            found->reasons, "main cause", [](const auto& reason) { return std::string_view(reason.first); });
        QVERIFY(cause != found->reasons.end());
        QCOMPARE(cause->second, std::string("host late to launch: 2 of 4 gaps, 50.0 % of their time"));
    }
};

LOCKSTEP_TEST(GapCausesTest, "gap_causes_test")
#include "gap_causes_test.moc"
