// SPDX-License-Identifier: Apache-2.0
// Tests step_breakdown, role_breakdown and step_statistics on small generated runs, with complete expected
// tables, and on edge cases: no steps, one step, empty ranges, unclosed ranges, steps that some ranks lack.
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/demo_files.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::RowReport;
using lockstep::test::tableText;

namespace {

using Cells = std::vector<std::string>;

Table stepTableOf(const std::string& what, const Workspace& workspace, const Scope& scope = {},
                  const Workers& workers = test::workers())
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(workers))
        .value();
}

Scope groupedBy(GroupBy by)
{
    Scope scope;
    scope.by = by;
    return scope;
}

// Two ranks of a hybrid worker over two steps of verl, each with a rollout engine on its own GPUs.
// worker: log probs 1000..1300, update 1300..1900 with the weights at its end, busy 1000..1800
// engine: generates 0..1000, busy 100..900
Workspace rlRun()
{
    Workspace workspace;
    for (int rank = 0; rank < 2; ++rank) {
        for (int step = 1; step <= 2; ++step) {
            const int64_t late = rank * 10;
            RowReport worker("worker.sqlite");
            worker.identify(rank, "actor", step, "node0", rank == 0 ? "GPU-0" : "GPU-1");
            worker.setUtc(1'000'000 + step * 10'000);
            worker.range("step", 0, 2000);
            worker.range("actor_compute_log_prob", 1000, 1300, 0, true);
            worker.range("actor_update", 1300, 1900, 0, true);
            worker.range("train_batch", 1310, 1800, 0, true);
            worker.range("update_weights", 1850, 1900);
            worker.kernel("gemm", 1000 + late, 1600);
            worker.kernel("ncclDevKernel_AllReduce", 1500, 1800, SliceCategory::communication, 8);
            workspace.add(worker.finish());
            RowReport engine("engine.json");
            engine.identify(rank, "rollout", step, "node0", rank == 0 ? "GPU-2" : "GPU-3");
            engine.setUtc(1'000'000 + step * 10'000);
            engine.range("step", 0, 2000);
            engine.range("rollout_generate", 0, 1000, 0, true);
            engine.kernel("paged_attention", 100, 900 + late);
            workspace.add(engine.finish());
        }
    }
    return workspace;
}

// One process with steps of these durations, one after another from 0, each busy for its first half.
Workspace stepsOfLengths(const std::vector<int64_t>& lengths, int first = 1)
{
    RowReport report;
    int64_t at = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        report.range(("step " + std::to_string(first + static_cast<int>(i))).c_str(), at, at + lengths[i]);
        report.kernel("gemm", at, at + lengths[i] / 2);
        at += lengths[i];
    }
    return report.made();
}

} // namespace

class StepTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void completeRun()
    {
        const QStringList lines = QString::fromStdString(tableText(stepTableOf("step_breakdown", rlRun(),
                                                                               groupedBy(GroupBy::role))))
                                      .split('\n');
        QCOMPARE(lines.size(), qsizetype(6));
        QCOMPARE(
            lines[0],
            QString(
                "Role | step | step_from | members | missing | parts | span_ns | wall_ns | generation_ns | reward_ns | "
                "ref_ns | old_log_prob_ns | values_ns | adv_ns | update_critic_ns | update_actor_ns | weight_sync_ns | "
                "waiting_ns | other_ns | outside_ns | overlap_ns | open | device_wall_ns | busy_ns | compute_ns | "
                "exposed_communication_ns | exposed_copies_ns | bubble_ns | bubble_pctg | communication_ns | "
                "copies_ns | phases_from"));
        const QString actor =
            "range 'step', numbered like its report | 2 | 0 | 2 | 2000 | 4000 |  |  |  | 600 "
            "|  |  |  | 1100 | 100 |  |  | 2200 | 100 | 0 | 4000 | 1590 | 1190 | 400 | 0 | "
            "2410 | 60.25 | 600 | 0 | old_log_prob: actor_compute_log_prob; update_actor: "
            "actor_update, train_batch; weight_sync: update_weights";
        const QString rollout = "range 'step', numbered like its report | 2 | 0 | 2 | 2000 | 4000 | 2000 "
                                "|  |  |  |  |  |  |  |  |  |  | 2000 | 0 | 0 | 4000 | 1610 | 1610 | 0 | 0 "
                                "| 2390 | 59.75 | 0 | 0 | generation: rollout_generate";
        QCOMPARE(lines[1], "actor | 1 | " + actor);
        QCOMPARE(lines[2], "actor | 2 | " + actor);
        QCOMPARE(lines[3], "rollout | 1 | " + rollout);
        QCOMPARE(lines[4], "rollout | 2 | " + rollout);
        const Table processes = stepTableOf("step_breakdown", rlRun(), groupedBy(GroupBy::process));
        QCOMPARE(columnCells(processes, "Process"), (Cells{"node0:9", "node0:9"}));
        const Table all = stepTableOf("step_breakdown", rlRun());
        QCOMPARE(columnCells(all, "step"), (Cells{"1", "2"}));
        QCOMPARE(columnCells(all, "wall"), (Cells{"8000", "8000"}));
        QCOMPARE(columnCells(all, "span"), (Cells{"2000", "2000"}));
        QCOMPARE(columnCells(all, "members"), (Cells{"4", "4"}));
    }

    void roleIdlesWhileAnotherWorks()
    {
        const Table table = stepTableOf("role_breakdown", rlRun());
        QCOMPARE(columnCells(table, "role"), (Cells{"actor", "rollout"}));
        // The engines work from 100 to 910, the workers from 1000 to 1800, over 2 ranks and 2 steps each.
        QCOMPARE(columnCells(table, "idle_while_others"), (Cells{"3240", "3200"}));
        QCOMPARE(columnCells(table, "on_same_device"), (Cells{"0", "0"}));
        QCOMPARE(columnCells(table, "role_bubble"), (Cells{"3240", "3200"}));
        QCOMPARE(columnCells(table, "role_bubble_pctg"), (Cells{"40.50", "40.00"}));
        QCOMPARE(columnCells(table, "steps"), (Cells{"2", "2"}));
        QCOMPARE(columnCells(table, "parts"), (Cells{"4", "4"}));
        // If one GPU does all of the work, nothing is idle.
        Workspace shared;
        for (const char* const role : {"actor", "rollout"}) {
            RowReport report;
            report.identify(0, role, 1, "node0", "GPU-0");
            report.setUtc(1'000'000);
            report.range("step", 0, 1000);
            const bool isActor = std::string_view(role) == "actor";
            report.kernel("k", isActor ? 0 : 500, isActor ? 500 : 900);
            shared.add(report.finish());
        }
        const Table same = stepTableOf("role_breakdown", shared);
        QCOMPARE(columnCells(same, "idle_while_others"), (Cells{"400", "500"}));
        QCOMPARE(columnCells(same, "on_same_device"), (Cells{"400", "500"}));
        QCOMPARE(columnCells(same, "role_bubble"), (Cells{"0", "0"}));
    }

    void unalignedClocksAreNotCompared()
    {
        Workspace workspace;
        for (const char* const role : {"actor", "rollout"}) {
            RowReport report;
            report.identify(0, role, 1);
            if (std::string_view(role) == "actor") report.setUtc(1'000'000);
            report.range("step", 0, 1000);
            report.kernel("k", 0, 500);
            workspace.add(report.finish());
        }
        const Table table = stepTableOf("role_breakdown", workspace);
        QCOMPARE(columnCells(table, "role_bubble"), (Cells{"", ""}));
        QVERIFY(std::ranges::any_of(table.source.rules, [](const std::string& rule) {
            return rule.starts_with("1 parts belong to reports that could not be aligned");
        }));
        QCOMPARE(columnCells(stepTableOf("step_breakdown", workspace), "span"), Cells{""});
    }

    void openRangesEndWithTheNextPhase()
    {
        RowReport report;
        report.range("step 1", 0, 1000);
        report.range("step 2", 1000, 2000);
        report.openRange("gen", 100, 3000); // until reward begins
        report.range("reward", 400, 600, 0, true);
        report.openRange("update_actor", 700, 3000); // until its step ends
        report.range("step 3", 2000, 3000);
        report.openRange("update_critic", 2500, 3000); // until the end of the last closed range
        const Table table = stepTableOf("step_breakdown", report.made());
        QCOMPARE(columnCells(table, "generation"), (Cells{"300", "", ""}));
        QCOMPARE(columnCells(table, "reward"), (Cells{"200", "", ""}));
        QCOMPARE(columnCells(table, "update_actor"), (Cells{"300", "", ""}));
        QCOMPARE(columnCells(table, "update_critic"), (Cells{"", "", "500"}));
        QCOMPARE(columnCells(table, "open"), (Cells{"2", "0", "1"}));
        QCOMPARE(columnCells(table, "outside"), (Cells{"200", "1000", "500"}));
    }

    void stepsThatSomeRanksLackAreCounted()
    {
        Workspace workspace;
        for (int rank = 0; rank < 3; ++rank) {
            RowReport report;
            report.identify(rank);
            report.range("step 1", 0, 100);
            if (rank != 1) report.range("step 2", 100, 200);
            workspace.add(report.finish());
        }
        const Table table = stepTableOf("step_breakdown", workspace);
        QCOMPARE(columnCells(table, "members"), (Cells{"3", "2"}));
        QCOMPARE(columnCells(table, "missing"), (Cells{"0", "1"}));
        QCOMPARE(columnCells(stepTableOf("step_breakdown", workspace, groupedBy(GroupBy::step)), "missing"),
                 (Cells{"0", "1"}));
    }

    void numbersOfDifferentKindsAreNotJoined()
    {
        Workspace workspace;
        RowReport counted, profiled, whole, capture, unknown;
        counted.range("step", 0, 100);
        counted.range("step", 100, 200);
        profiled.range("ProfilerStep#1", 0, 100);
        whole.identify({}, "", 1);
        whole.kernel("k", 0, 100);
        capture.report().identity.captureIndex.learn(1, "made", Confidence::stated);
        capture.kernel("k", 0, 100);
        unknown.kernel("k", 0, 100);
        for (RowReport* const report : {&counted, &profiled, &whole, &capture, &unknown})
            workspace.add(report->finish());
        const Table table = stepTableOf("step_breakdown", workspace);
        QCOMPARE(columnCells(table, "step"), (Cells{"1", "1", "0", "1", "1", ""}));
        QCOMPARE(columnCells(table, "parts"), (Cells{"1", "1", "1", "1", "1", "1"}));
        Scope one;
        QVERIFY(one.addFilter("step", "1"));
        QCOMPARE(columnCells(stepTableOf("step_breakdown", workspace, one), "step_from"),
                 (Cells{"the whole report as its recorded step", "ranges 'ProfilerStep#N'",
                        "ranges 'step', counted from 0"}));
    }

    void profilerStepsInsideTrainingStepsDoNotCount()
    {
        RowReport report;
        report.identify(0, "actor", 5);
        report.range("ProfilerStep#0", 0, 100);
        report.range("ProfilerStep#1", 100, 200);
        report.range("update_actor", 0, 200);
        const Table table = stepTableOf("step_breakdown", report.made());
        QCOMPARE(columnCells(table, "step"), Cells{"5"});
        QCOMPARE(columnCells(table, "update_actor"), Cells{"200"});
    }

    void iterationsInsideStepsDoNotCount()
    {
        RowReport report;
        report.range("step 7", 0, 1000);
        for (int i = 0; i < 5; ++i)
            report.range(("iteration " + std::to_string(i)).c_str(), i * 200, i * 200 + 200);
        QCOMPARE(columnCells(stepTableOf("step_breakdown", report.made()), "step"), Cells{"7"});
        RowReport named;
        named.range("step 7", 0, 1000);
        named.range("epoch", 0, 400);
        named.range("epoch", 400, 700);
        QCOMPARE(columnCells(stepTableOf("step_breakdown:steps=epoch", named.made()), "wall"),
                 (Cells{"400", "300"}));
    }

    void overlappingAndUnclosedStepsAreReported()
    {
        RowReport report;
        report.range("step 1", 0, 100, 1);
        report.range("step 2", 60, 200, 2);
        report.openRange("step 3", 200, 300);
        report.range("last", 250, 260);
        const Table table = stepTableOf("step_breakdown", report.made());
        QCOMPARE(columnCells(table, "wall"), (Cells{"100", "140", "100"}));
        QCOMPARE(columnCells(table, "step_from")[2],
                 std::string("ranges 'step N', never closed: it ends with the capture"));
        QVERIFY(std::ranges::any_of(table.source.rules, [](const std::string& rule) {
            return rule.starts_with("1 steps begin before an earlier step");
        }));
    }

    void oddReportsMakeNoRowsOrCorrectOnes()
    {
        for (const char* const what :
             {"step_breakdown", "role_breakdown", "step_statistics", "step_statistics:series"}) {
            QCOMPARE(stepTableOf(what, Workspace()).rowCount(), size_t(0));
            RowReport ops; // no step, no phase, no device work
            ops.op(1, "aten::mm", 0, 10);
            QCOMPARE(stepTableOf(what, ops.made()).rowCount(), size_t(0));
            RowReport points;
            points.range("step 1", 10, 10);
            points.range("gen", 5, 5);
            points.kernel("k", 7, 7);
            for (const std::string& wall : columnCells(stepTableOf("step_breakdown", points.made()), "wall"))
                QVERIFY(wall != "-1");
        }
        RowReport points; // an empty step does not count: the whole report is one
        points.range("step 1", 10, 10);
        points.kernel("k", 0, 40);
        const Table table = stepTableOf("step_breakdown", points.made());
        QCOMPARE(columnCells(table, "step"), Cells{""});
        QCOMPARE(columnCells(table, "busy"), Cells{"40"});
    }

    void statisticsOfKnownNumbers()
    {
        // 1000 is warm-up. For 1, 2, 3, 4 scipy gives 0.4457 to 4.5543.
        const Table table = stepTableOf("step_statistics", stepsOfLengths({1000, 10, 20, 30, 40}));
        QCOMPARE(columnCells(table, "metric"),
                 (Cells{"wall", "outside", "busy", "compute", "exposed_communication", "exposed_copies",
                        "bubble", "communication", "copies", "gemm"}));
        const auto first = [&](const char* column) { return columnCells(table, column)[0]; };
        QCOMPARE(first("n"), std::string("4"));
        QCOMPARE(first("skipped"), std::string("1"));
        QCOMPARE(first("mean"), std::string("25.0"));
        QCOMPARE(first("median"), std::string("25.0"));
        QCOMPARE(first("stddev"), std::string("12.9"));
        QCOMPARE(first("min"), std::string("10"));
        QCOMPARE(first("max"), std::string("40"));
        QCOMPARE(first("ci95_low"), std::string("4.5"));
        QCOMPARE(first("ci95_high"), std::string("45.5"));
        QCOMPARE(first("cv_pctg"), std::string("51.64"));
        QCOMPARE(columnCells(table, "wall_pctg").back(), std::string("50.00"));
        QCOMPARE(first("outliers"), std::string("0"));
        // With two steps none is excluded as warm-up, and the table says so. One step has no interval.
        const Table two = stepTableOf("step_statistics", stepsOfLengths({10, 20}));
        QCOMPARE(columnCells(two, "n")[0], std::string("2"));
        QVERIFY(std::ranges::find(two.source.rules,
                                  "none of the 2 steps is excluded as warm-up: too few would remain") !=
                two.source.rules.end());
        QCOMPARE(columnCells(stepTableOf("step_statistics", stepsOfLengths({10})), "ci95_low")[0],
                 std::string());
        QCOMPARE(columnCells(stepTableOf("step_statistics:skip=0", stepsOfLengths({1000, 10, 20, 30, 40})),
                             "n")[0],
                 std::string("5"));
    }

    void outliersAreReported()
    {
        const std::vector<int64_t> lengths{5000, 1000, 1004, 996, 1002, 1500, 998};
        const Table table = stepTableOf("step_statistics", stepsOfLengths(lengths, 10));
        QCOMPARE(columnCells(table, "outlier_steps")[0], std::string("15"));
        QCOMPARE(columnCells(stepTableOf("step_statistics:outliers=200", stepsOfLengths(lengths, 10)),
                             "outliers")[0],
                 std::string("0"));
        // A difference within 1 % is not a change, however alike the other steps are.
        QCOMPARE(
            columnCells(stepTableOf("step_statistics:skip=0", stepsOfLengths({1000, 1000, 1000, 1000, 1009})),
                        "outliers")[0],
            std::string("0"));
        const Table series = stepTableOf("step_statistics:series", stepsOfLengths(lengths, 10));
        QCOMPARE(columnCells(series, "counts"),
                 (Cells{"warm-up", "yes", "yes", "yes", "yes", "outlier", "yes"}));
        QCOMPARE(columnCells(series, "wall"), (Cells{"5000", "1000", "1004", "996", "1002", "1500", "998"}));
        QCOMPARE(columnCells(series, "bubble"), (Cells{"2500", "500", "502", "498", "501", "750", "499"}));
    }

    void kinetoAndNsysFilesOfOneRunAgree()
    {
        const test::TempDir folder;
        const test::DemoPart part = test::demoTraining(1, 2);
        QVERIFY(test::writeNsysExport(part, folder.path() / "a.sqlite"));
        QVERIFY(test::writeKinetoTrace(part, folder.path() / "a.json"));
        Identity stated;
        stated.rank.learn(1, "test", Confidence::stated);
        stated.role.learn("actor", "test", Confidence::stated);
        stated.step.learn(2, "test", Confidence::stated);
        for (const char* const what :
             {"step_breakdown", "role_breakdown", "step_statistics:kernels=0", "step_statistics:series"}) {
            Cells texts;
            for (const char* const name : {"a.sqlite", "a.json"}) {
                Workspace workspace;
                workspace.add(readReport(folder.path() / name, Progress()).value(), stated);
                texts.push_back(tableText(stepTableOf(what, workspace)));
            }
            QCOMPARE(QString::fromStdString(texts[1]), QString::fromStdString(texts[0]));
            QVERIFY(texts[0].find("step") != std::string::npos);
        }
    }
};

LOCKSTEP_TEST(StepTablesTest, "step_tables_test")
#include "step_tables_test.moc"
