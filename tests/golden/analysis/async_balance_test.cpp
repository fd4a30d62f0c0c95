// SPDX-License-Identifier: Apache-2.0
// Tests the async_balance table with steps computed by hand.
#include "core/analysis/analysis.h"

#include "core/readers/registry.h"
#include "tests/support/places.h"
#include "tests/support/sample_run.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::SampleRun;

namespace {

Table tableOf(const std::shared_ptr<const Report>& report, const char* what = "async_balance",
              const Scope& scope = {})
{
    Workspace workspace;
    workspace.add(report);
    auto table = runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                             Progress(test::workers()));
    return table ? *std::move(table) : Table("error", table.error().message);
}

// Returns "wall=100000000000 train=..." for these columns; empty cells are left out.
QString cellsOf(const Table& table, size_t row, std::initializer_list<const char*> columns)
{
    QStringList cells;
    for (const char* const name : columns) {
        for (size_t column = 0; column < table.columnCount(); ++column) {
            const std::string cell = table.cell(column, row);
            if (table.column(column).name == name && !cell.empty())
                cells << QString("%1=%2").arg(name, QString::fromStdString(cell));
        }
    }
    return cells.join(' ');
}

bool hasRule(const Table& table, std::string_view begin)
{
    return std::ranges::any_of(table.source.rules,
                               [&](const std::string& rule) { return rule.starts_with(begin); });
}

constexpr std::initializer_list<const char*> kParts{
    "step",   "wall",     "train",  "exposed_generation", "buffer_wait", "weight_sync", "pause",
    "gather", "transfer", "resume", "unattributed",       "other"};

} // namespace

class AsyncBalanceTest : public QObject {
    Q_OBJECT

  private slots:
    // Steps of slime and miles: the trainer waits, which includes the weight update, and trains.
    void recordedPhases()
    {
        SampleRun run;
        for (const double at : {0.0, 100.0}) {
            run.addPhase("train_wait", at, at + 45);
            run.addPhase("update_weights", at + 25, at + 40, SpanKind::weightUpdate);
            run.addPhase("update_weights_implementation", at + 27, at + 38, SpanKind::weightTransfer);
            run.addPhase("finalize_and_resume_engines", at + 38, at + 39, SpanKind::weightResume);
            run.addPhase("train", at + 45, at + 95);
            run.addPhase("actor_train", at + 60, at + 95);
        }
        run.addPhase("train_wait", 200, 230); // begins the next step, whose end is not recorded
        run.add("a", "R0", 0, 80);
        const Table table = tableOf(run.made());
        QCOMPARE(table.rowCount(), size_t(2));
        QCOMPARE(cellsOf(table, 0, kParts),
                 "step=0 wall=100000000000 train=50000000000 exposed_generation=30000000000 "
                 "weight_sync=15000000000 transfer=11000000000 resume=1000000000 unattributed=3000000000 "
                 "other=5000000000");
        QCOMPARE(cellsOf(table, 0, {"moved", "bandwidth", "generation", "overlap", "lacks_gpus"}),
                 "moved=16.000 bandwidth=1.45 generation=80000000000 overlap=62.50 lacks_gpus=rollout");
        QCOMPARE(cellsOf(table, 1, {"step", "generation", "overlap", "lacks_gpus"}), "step=1");
    }

    // verl's timers. update_weights runs within sync_rollout_weights, and generate_async during the step.
    void timers()
    {
        SampleRun run;
        const auto add = [&](int64_t step, std::initializer_list<std::pair<const char*, double>> values) {
            for (const auto& [name, value] : values)
                run.addStepValue(name, step, value);
        };
        add(12, {{"timing_s/step", 100},
                 {"timing_s/gen", 30},
                 {"timing_s/update_actor", 40},
                 {"timing_s/old_log_prob", 10},
                 {"timing_s/sync_rollout_weights", 15},
                 {"timing_s/update_weights", 14.5},
                 {"timing_s/generate_async", 90},
                 {"timing_s/testing", 50},
                 {"timing_per_token_ms/gen", 3},
                 {"training/off_policy/trajectory_staleness/mean", 0.9}});
        add(13, {{"timing_s/step", 100}, {"timing_s/gen", 30}, {"timing_s/update_actor", 80}});
        add(14, {{"timing_s/gen", 30}}); // no step
        add(15, {{"timing_s/step", 100}, {"timing_s/gen", 30}});
        const auto report = run.made();
        const Table table = tableOf(report);
        QCOMPARE(table.rowCount(), size_t(3));
        QCOMPARE(cellsOf(table, 2, kParts),
                 "step=15 wall=100000000000 exposed_generation=30000000000 other=70000000000");
        QCOMPARE(cellsOf(table, 0, kParts),
                 "step=12 wall=100000000000 train=50000000000 exposed_generation=30000000000 "
                 "weight_sync=15000000000 other=5000000000");
        QCOMPARE(cellsOf(table, 0, {"staleness", "lacks_gpus", "not_computed"}),
                 "staleness=0.90 lacks_gpus=rollout not_computed=weight sync: split not recorded");
        QVERIFY(
            cellsOf(table, 2, {"lacks_gpus", "not_computed"}).startsWith("not_computed=")); // may take turns
        QCOMPARE(cellsOf(table, 1, kParts), "step=13 wall=100000000000");
        QVERIFY(cellsOf(table, 1, {"not_computed"})
                    .endsWith("the parts exceed the step by 10 %: timers that overlap"));
        QVERIFY(hasRule(table,
                        "timers that nest count once: subtracted update_weights from sync_rollout_weights"));
        Scope scope;
        QVERIFY(scope.addFilter("step", "13").has_value());
        QCOMPARE(tableOf(report, "async_balance", scope).rowCount(), size_t(1));
    }

    void stalenessOfSamples()
    {
        SampleRun run;
        int number = 0;
        for (const int version : {9, 9, 10, 10, 10, 10, 10, 11, 11, 11}) {
            Sample& sample = run.add("s" + std::to_string(number++), "R0", 0, 10);
            sample.step = 12;
            sample.firstVersion = version;
            sample.lastVersion = version == 9 ? 10 : version;
        }
        run.addStepValue("timing_s/step", 12, 100);
        const auto report = run.made();
        const std::initializer_list<const char*> columns{"trained_version", "samples",       "staleness",
                                                         "staleness_p50",   "staleness_p90", "staleness_max",
                                                         "newest"};
        QCOMPARE(
            cellsOf(tableOf(report, "async_balance:trained=-1"), 0, columns),
            "trained_version=11 samples=10 staleness=0.90 staleness_p50=1 staleness_p90=2 staleness_max=2 "
            "newest=0.70");
        const Table unknown = tableOf(report);
        QCOMPARE(cellsOf(unknown, 0, columns), "samples=10");
        QVERIFY(cellsOf(unknown, 0, {"not_computed"}).contains("(argument trained)"));
    }

    // What the kernels of the trainer show counts where the parts of the update are not recorded.
    void partsFromKernels()
    {
        SampleRun run;
        for (const double at : {0.0, 100.0}) {
            run.addPhase("train_wait", at, at + 45);
            run.addPhase("update_weights", at + 30, at + 45, SpanKind::weightUpdate);
            run.addPhase("train", at + 45, at + 95);
            run.addKernel("ncclDevKernel_AllGather_RING_LL(x)", at + 31, at + 34);
            run.addKernel("ncclDevKernel_Broadcast_RING_LL(x)", at + 33, at + 41);
            run.addKernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", at + 60, at + 61);
        }
        run.addPhase("train_wait", 200, 230);
        const Table table = tableOf(run.made());
        QCOMPARE(cellsOf(table, 0, kParts),
                 "step=0 wall=100000000000 train=50000000000 exposed_generation=30000000000 "
                 "weight_sync=15000000000 gather=3000000000 transfer=7000000000 unattributed=5000000000 "
                 "other=5000000000");
    }

    // The same steps in ranges and in a log are listed once.
    void stepsInRangesAndInALog()
    {
        SampleRun run;
        for (const double at : {0.0, 100.0}) {
            run.addPhase("train_wait", at, at + 45);
            run.addPhase("train", at + 45, at + 95);
        }
        run.addPhase("train_wait", 200, 230);
        run.addStepValue("timing_s/step", 12, 100);
        run.addStepValue("timing_s/gen", 12, 30);
        const Table table = tableOf(run.made());
        QCOMPARE(table.rowCount(), size_t(2));
        QVERIFY(hasRule(table, "logs with one value per step are left out"));
    }

    void whatIsAskedInVain()
    {
        SampleRun run;
        run.addStepValue("timing_s/step", 12, 100);
        run.addStepValue("timing_s/gen", 12, 30);
        run.identify("node0", 3);
        const auto report = run.made();
        QCOMPARE(tableOf(report, "async_balance:trained=x").title(),
                 std::string("async_balance: trained=x: not a whole number"));
        Scope scope;
        scope.by = GroupBy::rank;
        scope.time = TimeRange{{0}, {1}};
        const Table table = tableOf(report, "async_balance", scope);
        QVERIFY(hasRule(table, "not grouped by rank") && hasRule(table, "steps of logs have no times"));
        QVERIFY(scope.addFilter("rank", "4").has_value() && scope.addFilter("step", "12").has_value());
        QCOMPARE(tableOf(report, "async_balance", scope).rowCount(), size_t(0));
    }

    // ROLL updates the weights at the start of a step, which has a number of its own after a resumption. A
    // generation of an environment that was killed is no phase of a trainer.
    void resumedRunOfRoll()
    {
        const auto path = test::sourceFolder() / "tests/golden/samples/roll_resumed.jsonl";
        const Table table = tableOf(readReport(path, Progress(test::workers())).value());
        QCOMPARE(table.rowCount(), size_t(2));
        const std::initializer_list<const char*> columns{"step",    "weight_sync", "trained_version",
                                                         "samples", "staleness",   "staleness_max"};
        const QString values(
            " weight_sync=1900000000 trained_version=%1 samples=1 staleness=0.00 staleness_max=0");
        QCOMPARE(cellsOf(table, 0, columns), "step=100" + values.arg(100));
        QCOMPARE(cellsOf(table, 1, columns), "step=101" + values.arg(101));
    }

    // A process that only trains, or only waits, says nothing about the balance.
    void oneSideOnly()
    {
        SampleRun run;
        run.addPhase("train_wait", 0, 45);
        run.addPhase("train_wait", 100, 145);
        QCOMPARE(tableOf(run.made()).rowCount(), size_t(0));
    }
};

LOCKSTEP_TEST(AsyncBalanceTest, "async_balance_test")
#include "async_balance_test.moc"
