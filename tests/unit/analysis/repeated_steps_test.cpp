// SPDX-License-Identifier: Apache-2.0
// Counts the wall time of a step once if two processes of one rank show it: the program's process and one
// that the profiler created for the device.
#include "core/align/alignment.h"
#include "core/analysis/analysis.h"
#include "core/scene/scene.h"
#include "core/trace/report_builder.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kRepeated_ns = 10'000'000;

// Two steps of rank 0, marked on the program's thread, on the device's process, or on both.
ScenePtr twoSteps(bool isMarkedByProgram, bool isMarkedOnDevice, int ranks = 1)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance.path = "trace.json";
    if (ranks == 1) report.identity.rank.learn(0, "test", Confidence::stated);
    SliceBatch batch;
    uint64_t source = 0;
    const auto add = [&](TrackId track, RowKind kind, const std::string& name, int64_t start_ns,
                         int64_t duration_ns) {
        SliceRow row;
        row.kind = kind;
        row.category = kind == RowKind::kernel ? SliceCategory::compute : SliceCategory::nvtx;
        row.name = builder.intern(name);
        row.start_ns = start_ns;
        row.duration_ns = duration_ns;
        row.source = SourceRow::of(0, ++source);
        batch.add(track, row);
    };
    const ProcessId program = builder.process(100, 100), device = builder.process(7, 7);
    if (ranks == 2) {
        report.processes[program.value].identity.rank.learn(0, "test", Confidence::stated);
        report.processes[device.value].identity.rank.learn(1, "test", Confidence::stated);
    }
    const auto marks = [&](ProcessId process) {
        return builder.track({TrackKind::ops, process, builder.thread(process, 1), {}, 0, 0});
    };
    const TrackId stream = builder.track({TrackKind::gpuStream, device, {}, builder.device(device, 0), 7, 0});
    for (int step = 0; step < 2; ++step) {
        const std::string name = "ProfilerStep#" + std::to_string(step + 1);
        const int64_t at_ns = step * kRepeated_ns;
        if (isMarkedByProgram) add(marks(program), RowKind::userAnnotation, name, at_ns, kRepeated_ns);
        if (isMarkedOnDevice) add(marks(device), RowKind::userAnnotation, name, at_ns, kRepeated_ns);
        add(stream, RowKind::kernel, "gemm", at_ns + 2'000'000, 6'000'000);
    }
    builder.adopt(std::move(batch));
    Workspace workspace;
    workspace.add(builder.freeze(Progress()).value());
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

Table tableOf(const char* what, const Scene& scene)
{
    return runAnalysis(what, scene, {}, Progress(workers())).value();
}

} // namespace

class RepeatedStepsTest : public QObject {
    Q_OBJECT

  private slots:
    void wallTimeCountsOnce_data()
    {
        QTest::addColumn<bool>("byProgram");
        QTest::addColumn<bool>("onDevice");
        QTest::newRow("device") << false << true;
        QTest::newRow("both") << true << true;
    }

    void wallTimeCountsOnce()
    {
        QFETCH(bool, byProgram);
        QFETCH(bool, onDevice);
        const ScenePtr scene = twoSteps(byProgram, onDevice);
        const Table table = tableOf("step_breakdown", *scene);
        QCOMPARE(table.rowCount(), size_t(2));
        for (size_t row = 0; row < 2; ++row) {
            QCOMPARE(table.number(table.columnNamed("wall"), row), kRepeated_ns);
            QCOMPARE(table.number(table.columnNamed("busy"), row), int64_t(6'000'000));
        }
        const Table path = tableOf("critical_path", *scene);
        QVERIFY(path.rowCount() > 0);
        for (const std::string& name : columnCells(path, "name"))
            QVERIFY2(name.find("nothing recorded") == std::string::npos, tableText(path).c_str());
    }

    // Two ranks in one file that are in the same step count separately.
    void twoRanksAreTwoMembers()
    {
        const Table table = tableOf("step_breakdown", *twoSteps(true, true, 2));
        QCOMPARE(table.rowCount(), size_t(2));
        QCOMPARE(columnCells(table, "members").front(), std::string("2"));
    }
};

LOCKSTEP_TEST(RepeatedStepsTest, "repeated_steps_test")
#include "repeated_steps_test.moc"
