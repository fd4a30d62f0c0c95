// SPDX-License-Identifier: Apache-2.0
// Finds a merged trace among its source traces, and reports that claim the same rank and step.
#include "core/trace/repeated_work.h"

#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct RepeatedReport {
    std::string name;
    std::vector<int64_t> pids;                  // each with two kernels
    std::vector<int64_t> starts_ns = {0, 1000}; // start of the first kernel of each pid
    int64_t zero_ns = 1'700'000'000'000'000'000;
    int rank = -1, step = -1;
    std::string kernel = "gemm";
    std::string role = {};
};

std::shared_ptr<const Report> frozenReport(const RepeatedReport& what)
{
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance.path = what.name;
    report.clock.utcAtZero_ns = what.zero_ns;
    if (what.rank >= 0) report.identity.rank.learn(what.rank, "test", Confidence::stated);
    if (what.step >= 0) report.identity.step.learn(what.step, "test", Confidence::stated);
    if (!what.role.empty()) report.identity.role.learn(what.role, "test", Confidence::stated);
    if (what.pids.size() == 1) report.identity.pid.learn(what.pids[0], "test", Confidence::stated);
    SliceBatch batch;
    for (size_t i = 0; i < what.pids.size(); ++i) {
        const ProcessId process = builder.process(static_cast<uint64_t>(what.pids[i]), what.pids[i]);
        const TrackId track =
            builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 0});
        for (const int64_t offset_ns : {0, 500}) {
            SliceRow row;
            row.start_ns = what.starts_ns[i] + offset_ns;
            row.duration_ns = 100;
            row.source = SourceRow::of(0, i * 2 + (offset_ns > 0));
            row.kind = RowKind::kernel;
            row.name = builder.intern(what.kernel);
            batch.add(track, row);
        }
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

Workspace workspaceOfReports(const std::vector<RepeatedReport>& all)
{
    Workspace workspace;
    for (const RepeatedReport& one : all)
        workspace.add(frozenReport(one));
    return workspace;
}

} // namespace

class RepeatedWorkTest : public QObject {
    Q_OBJECT

  private slots:
    void mergedTraceIsFoundAmongItsSources()
    {
        const RepeatedReport merged{"merged", {1, 2}}, one{"one", {1}}, two{"two", {2}, {1000}};
        for (const auto& order : {std::vector{merged, one, two}, std::vector{two, merged, one}}) {
            const Workspace all = workspaceOfReports(order);
            const auto found = findRepeatedWork(all);
            QCOMPARE(found.size(), size_t(1));
            QCOMPARE(all.report(found[0].report).provenance.path.string(), std::string("merged"));
            QCOMPARE(partsText(all, found[0]), std::string("one, two"));
            QCOMPARE(withoutRepeatedWork(all).size(), size_t(2));
        }
    }

    // Timestamps of the source traces may count from another zero.
    void timesAreOnTheWallClock()
    {
        const Workspace all = workspaceOfReports(
            {{"merged", {1, 2}}, {"one", {1}, {100}, 1'699'999'999'999'999'900}, {"two", {2}, {1000}}});
        QCOMPARE(findRepeatedWork(all).size(), size_t(1));
    }

    void differentTraceIsNotARepetition_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<int>("start_ns");
        QTest::newRow("another name") << "copy" << 1000;
        QTest::newRow("another time") << "gemm" << 1001;
    }

    void differentTraceIsNotARepetition()
    {
        QFETCH(QString, kernel);
        QFETCH(int, start_ns);
        RepeatedReport two{"two", {2}, {start_ns}};
        two.kernel = kernel.toStdString();
        QVERIFY(findRepeatedWork(workspaceOfReports({{"merged", {1, 2}}, {"one", {1}}, two})).empty());
    }

    // Two traces of one process may be those of two ranks: their names decide.
    void equalTracesOfOneProcessAreKept()
    {
        QVERIFY(findRepeatedWork(workspaceOfReports({{"one", {1}}, {"other", {1}}})).empty());
    }

    void rivalsClaimOneRankAndStep()
    {
        RepeatedReport one{"first", {1}}, two{"second", {2}};
        one.rank = two.rank = 3;
        one.step = two.step = 5;
        const Workspace all = workspaceOfReports({one, two});
        const auto conflicts = findConflictingReports(all);
        QCOMPARE(conflicts.size(), size_t(1));
        const std::string text = conflictText(all, conflicts[0]);
        QVERIFY2(text.starts_with("2 reports claim rank 3, step 5: first, second"), text.c_str());
    }

    void rolesAndStagesAreNotRivals()
    {
        RepeatedReport actor{"actor", {1}}, critic{"critic", {2}}, early{"early", {1}},
            late{"late", {1}, {50'000}};
        for (RepeatedReport* const one : {&actor, &critic, &early, &late}) {
            one->rank = 3;
            one->step = 5;
        }
        actor.role = "actor";
        critic.role = "critic";
        QVERIFY(findConflictingReports(workspaceOfReports({actor, critic})).empty());
        QVERIFY(findConflictingReports(workspaceOfReports({early, late})).empty()); // one process, sequential
        late.step = 6;
        QVERIFY(findConflictingReports(workspaceOfReports({early, late})).empty());
        early.step = -1;
        QVERIFY(findConflictingReports(workspaceOfReports({early, late})).empty());
    }
};

LOCKSTEP_TEST(RepeatedWorkTest, "repeated_work_test")
#include "repeated_work_test.moc"
