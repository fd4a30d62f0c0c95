// SPDX-License-Identifier: Apache-2.0
// Compares tables of steps with a plain count of nanoseconds: parts add up to the whole, unions never exceed
// it, two halves of the time add up, and the number of workers changes no byte.
#include <rapidcheck.h>

#include "core/analysis/analysis.h"
#include "core/lanes/rl_phase.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::RowReport;
using lockstep::test::tableText;

namespace {

constexpr int64_t kRunLength = 300;
constexpr std::array<const char*, 5> kRangeNames{"gen", "reward", "update_actor", "train_batch",
                                                 "nobody knows"};

struct MadeRange {
    size_t name;
    int64_t begin, end;
    bool isOpen;
};
struct MadeWork {
    int of; // 0 computes, 1 communicates
    int64_t begin, end;
};
struct CreatedRun {
    std::vector<MadeRange> ranges;
    std::vector<MadeWork> work;
    std::vector<int64_t> steps; // start times of the steps; the last one ends the run
};

CreatedRun randomRun()
{
    const auto time = rc::gen::inRange<int64_t>(0, kRunLength);
    CreatedRun run;
    for (const auto& [name, begin, length] :
         *rc::gen::container<std::vector<std::tuple<size_t, int64_t, int64_t>>>(rc::gen::tuple(
             rc::gen::inRange<size_t>(0, kRangeNames.size()), time, rc::gen::inRange<int64_t>(0, 120))))
        run.ranges.push_back({name, begin, std::min(begin + length, kRunLength), length % 7 == 6});
    for (const auto& [of, begin, length] :
         *rc::gen::container<std::vector<std::tuple<int, int64_t, int64_t>>>(
             rc::gen::tuple(rc::gen::inRange(0, 2), time, rc::gen::inRange<int64_t>(0, 60))))
        run.work.push_back({of, begin, std::min(begin + length, kRunLength)});
    run.steps = *rc::gen::container<std::vector<int64_t>>(time);
    run.steps.push_back(0);
    run.steps.push_back(kRunLength);
    std::ranges::sort(run.steps);
    run.steps.erase(std::unique(run.steps.begin(), run.steps.end()), run.steps.end());
    return run;
}

Workspace workspaceOf(const CreatedRun& run)
{
    RowReport report;
    for (size_t i = 0; i + 1 < run.steps.size(); ++i)
        report.range(("step " + std::to_string(i)).c_str(), run.steps[i], run.steps[i + 1]);
    for (const MadeRange& range : run.ranges) {
        if (range.isOpen) {
            report.openRange(kRangeNames[range.name], range.begin, kRunLength);
        } else {
            report.range(kRangeNames[range.name], range.begin, range.end, 0, true);
        }
    }
    for (const MadeWork& work : run.work)
        report.kernel(work.of == 0 ? "gemm" : "nccl", work.begin, work.end,
                      work.of == 0 ? SliceCategory::compute : SliceCategory::communication, 7 + work.of);
    return report.made();
}

Table tableFor(const std::string& what, const Workspace& workspace, const Scope& scope = {},
               const Workers& workers = test::workers())
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(workers))
        .value();
}

int64_t cellOf(const Table& table, std::string_view column, size_t row)
{
    const size_t at = table.columnNamed(column);
    RC_ASSERT(at < table.columnCount());
    return table.hasNumber(at, row) ? table.number(at, row) : 0;
}

int64_t sumOf(const Table& table, std::string_view column)
{
    int64_t sum = 0;
    for (size_t row = 0; row < table.rowCount(); ++row)
        sum += cellOf(table, column, row);
    return sum;
}

// Returns the step that owns this nanosecond, or -1. Unclosed ranges end by the same rule as in the tables.
std::vector<int> ownersOf(const CreatedRun& run)
{
    std::vector<MadeRange> ranges;
    for (const MadeRange& range : run.ranges) {
        if (kRangeNames[range.name] != std::string_view("nobody knows")) ranges.push_back(range);
    }
    std::vector<int> owners(size_t(kRunLength), -1);
    std::vector<std::pair<int64_t, int64_t>> held(size_t(kRunLength), {-1, 0}); // begin minus the duration
    for (const MadeRange& range : ranges) {
        int64_t end = range.end;
        if (range.isOpen) {
            end = kRunLength;
            for (const MadeRange& other : ranges) {
                if (other.begin > range.begin) end = std::min(end, other.begin);
            }
            for (const int64_t step : run.steps) {
                if (step > range.begin) end = std::min(end, step);
            }
        }
        const auto phase = int(*rlPhaseOf(kRangeNames[range.name], ""));
        for (int64_t t = range.begin; t < end; ++t) {
            const std::pair<int64_t, int64_t> rank{range.begin, -(end - range.begin)};
            if (std::pair(rank, phase) < std::pair(held[size_t(t)], owners[size_t(t)])) continue;
            held[size_t(t)] = rank;
            owners[size_t(t)] = phase;
        }
    }
    return owners;
}

bool isBusy(const CreatedRun& run, int of, int64_t t)
{
    return std::ranges::any_of(
        run.work, [&](const MadeWork& work) { return work.of == of && work.begin <= t && t < work.end; });
}

} // namespace

class StepTimesPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void partsEqualACountAndAddUp()
    {
        QVERIFY(rc::check("any ranges and work", [] {
            const CreatedRun run = randomRun();
            const Table table = tableFor("step_breakdown", workspaceOf(run));
            RC_ASSERT(table.rowCount() == run.steps.size() - 1);
            const std::vector<int> owners = ownersOf(run);
            for (size_t row = 0; row < table.rowCount(); ++row) {
                const int64_t begin = run.steps[row], end = run.steps[row + 1];
                int64_t phases = cellOf(table, "outside", row);
                for (size_t i = 0; i < kRlPhases; ++i) {
                    const int64_t time = cellOf(table, rlPhaseName(static_cast<RlPhase>(i)), row);
                    RC_ASSERT(time == std::count(owners.begin() + begin, owners.begin() + end, int(i)));
                    phases += time;
                }
                RC_ASSERT(phases == end - begin);
                RC_ASSERT(cellOf(table, "wall", row) == end - begin);
                RC_ASSERT(cellOf(table, "span", row) == end - begin);
                if (run.work.empty()) continue;
                int64_t computing = 0, exposed = 0;
                for (int64_t t = begin; t < end; ++t) {
                    computing += isBusy(run, 0, t) ? 1 : 0;
                    exposed += isBusy(run, 1, t) && !isBusy(run, 0, t) ? 1 : 0;
                }
                RC_ASSERT(cellOf(table, "compute", row) == computing);
                RC_ASSERT(cellOf(table, "exposed_communication", row) == exposed);
                RC_ASSERT(cellOf(table, "busy", row) == computing + exposed);
                RC_ASSERT(cellOf(table, "busy", row) + cellOf(table, "bubble", row) == end - begin);
            }
        }));
    }

    void twoHalvesOfTheTimeAddUp()
    {
        QVERIFY(rc::check("any cut", [] {
            const CreatedRun run = randomRun();
            const Workspace workspace = workspaceOf(run);
            const int64_t cut = *rc::gen::inRange<int64_t>(1, kRunLength);
            Scope first, second;
            first.time = TimeRange{{0}, {cut}};
            second.time = TimeRange{{cut}, {kRunLength}};
            const Table whole = tableFor("step_breakdown", workspace);
            const Table a = tableFor("step_breakdown", workspace, first),
                        b = tableFor("step_breakdown", workspace, second);
            for (size_t column = 0; column < whole.columnCount(); ++column) {
                const std::string& name = whole.column(column).name;
                if (whole.column(column).type == ColumnType::time)
                    RC_ASSERT(sumOf(a, name) + sumOf(b, name) == sumOf(whole, name));
            }
        }));
    }

    void truncatedSlicesAreExcludedOnRequest()
    {
        QVERIFY(rc::check("any cut", [] {
            const CreatedRun run = randomRun();
            Scope scope;
            scope.time = TimeRange{{*rc::gen::inRange<int64_t>(0, kRunLength / 2)},
                                   {*rc::gen::inRange<int64_t>(kRunLength / 2 + 1, kRunLength + 1)}};
            scope.clip = Clip::exclude;
            const Table table = tableFor("step_breakdown", workspaceOf(run), scope);
            size_t whole = 0;
            for (size_t i = 0; i + 1 < run.steps.size(); ++i)
                whole +=
                    scope.time->begin.ns <= run.steps[i] && run.steps[i + 1] <= scope.time->end.ns ? 1 : 0;
            RC_ASSERT(table.rowCount() == whole);
        }));
    }

    void rolesAddUpToSteps()
    {
        QVERIFY(rc::check("any two roles", [] {
            const Workspace one = workspaceOf(randomRun()), other = workspaceOf(randomRun());
            Workspace both;
            Identity actor, rollout;
            actor.role.learn("actor", "test", Confidence::stated);
            rollout.role.learn("rollout", "test", Confidence::stated);
            both.add(one.shared(one.keys()[0]), actor);
            both.add(other.shared(other.keys()[0]), rollout);
            const Table steps = tableFor("step_breakdown", both), roles = tableFor("role_breakdown", both);
            for (const char* const name : {"wall", "outside", "busy", "bubble", "generation", "update_actor"})
                RC_ASSERT(sumOf(steps, name) == sumOf(roles, name));
            for (size_t row = 0; row < roles.rowCount(); ++row) {
                RC_ASSERT(cellOf(roles, "idle_while_others", row) <= cellOf(roles, "bubble", row));
                RC_ASSERT(cellOf(roles, "role_bubble", row) <= cellOf(roles, "idle_while_others", row));
                RC_ASSERT(cellOf(roles, "on_same_device", row) <= cellOf(roles, "idle_while_others", row));
            }
        }));
    }

    void criticalPathsFillTheirSteps()
    {
        QVERIFY(rc::check("any calls and work", [] {
            const auto time = rc::gen::inRange<int64_t>(0, kRunLength);
            RowReport report;
            const CreatedRun run = randomRun();
            for (size_t i = 0; i + 1 < run.steps.size(); ++i)
                report.range(("step " + std::to_string(i)).c_str(), run.steps[i], run.steps[i + 1]);
            const size_t calls = *rc::gen::inRange<size_t>(0, 20);
            for (size_t i = 0; i < calls; ++i) {
                const int64_t begin = *time, length = *rc::gen::inRange<int64_t>(0, 60);
                const int64_t tid = *rc::gen::inRange<int64_t>(8, 11);
                switch (*rc::gen::inRange(0, 4)) {
                case 0:
                    report.call("cudaStreamSynchronize_v3020", begin, begin + length, tid);
                    break;
                case 1:
                    report.op(tid, "aten::mm", begin, begin + length);
                    break;
                case 2: // clocks of host and device may disagree: work before its call
                    report.launch("gemm", begin, *time, *time + length, tid);
                    break;
                default:
                    report.kernel("nccl", begin, begin + length, SliceCategory::communication,
                                  *rc::gen::inRange<int64_t>(7, 9));
                }
            }
            const Workspace workspace = report.made();
            const Table table = tableFor("critical_path", workspace);
            std::map<int64_t, int64_t> sums;
            for (size_t row = 0; row < table.rowCount(); ++row) {
                RC_ASSERT(cellOf(table, "time", row) > 0);
                sums[cellOf(table, "step", row)] += cellOf(table, "time", row);
            }
            for (size_t i = 0; i + 1 < run.steps.size(); ++i)
                RC_ASSERT(sums[int64_t(i)] == run.steps[i + 1] - run.steps[i]);
        }));
    }

    void oneAndFourWorkersGiveTheSameForAThousandRanks()
    {
        Workspace workspace;
        for (int rank = 0; rank < 1000; ++rank) {
            RowReport report;
            report.identify(rank, rank % 2 == 0 ? "actor" : "rollout");
            report.setUtc(1'000'000'000);
            for (int step = 1; step <= 3; ++step) {
                const int64_t begin = step * 1000;
                report.range(("step " + std::to_string(step)).c_str(), begin, begin + 1000);
                report.range(rank % 2 == 0 ? "update_actor" : "gen", begin + rank % 97,
                             begin + 500 + rank % 89);
                report.kernel("gemm", begin + rank % 31, begin + 700);
            }
            workspace.add(report.finish());
        }
        for (const GroupBy by : {GroupBy::total, GroupBy::rank, GroupBy::role, GroupBy::step}) {
            Scope scope;
            scope.by = by;
            for (const char* const what : {"step_breakdown", "role_breakdown", "step_statistics",
                                           "step_statistics:series", "critical_path"})
                QVERIFY(tableText(tableFor(what, workspace, scope, Workers())) ==
                        tableText(tableFor(what, workspace, scope)));
        }
        const Table table = tableFor("step_breakdown", workspace);
        QCOMPARE(table.rowCount(), size_t(3));
        QCOMPARE(table.cell(table.columnNamed("members"), 0), std::string("1000"));
        QCOMPARE(table.cell(table.columnNamed("wall"), 0), std::string("1000000"));
    }
};

LOCKSTEP_TEST(StepTimesPropertyTest, "step_times_property_test")
#include "step_times_property_test.moc"
