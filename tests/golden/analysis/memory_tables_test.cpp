// SPDX-License-Identifier: Apache-2.0
// Tests the memory_* tables on snapshots that were recorded on a GPU (tests/golden/memory/snapshots).
#include <fstream>
#include <iterator>
#include <set>

#include "core/analysis/analysis.h"
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"
#include "tests/support/places.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

Workspace snapshots(std::initializer_list<const char*> names)
{
    Workspace workspace;
    int rank = 0;
    for (const char* name : names) {
        std::ifstream file(sourceFolder() / "tests/golden/memory/snapshots" / (std::string(name) + ".pickle"),
                           std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        Provenance provenance;
        provenance.path = std::string(name) + ".pickle";
        Identity stated;
        stated.rank.learn(rank++, "test", Confidence::stated);
        workspace.add(readMemorySnapshot(bytes, provenance, Progress()).value(), stated);
    }
    return workspace;
}

Table memoryTable(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope, Progress())
        .value();
}

std::string cellOf(const Table& table, std::string_view column, size_t row = 0)
{
    return table.cell(table.columnNamed(column), row);
}

bool saysRule(const Table& table, std::string_view part)
{
    return std::ranges::any_of(table.source.rules,
                               [&](const std::string& rule) { return rule.find(part) != std::string::npos; });
}

} // namespace

class MemoryTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void summaryOfAnAllocationThatFailed()
    {
        const Table table = memoryTable("memory_summary", snapshots({"oom"}));
        QCOMPARE(
            QString::fromStdString(tableText(table)),
            QString(
                "rank | report | device | entries | peak_active_B | peak_allocated_B | peak_requested_B | "
                "peak_reserved_B | peak_time_ns | mean_allocated_B | mean_reserved_B | "
                "memory_efficiency_% | end_active_B | end_allocated_B | end_reserved_B | peak_unused_B | "
                "peak_largest_gap_B | blocks_before | out_of_memory | out_of_memory_cause\n"
                "0 | oom.pickle | 0 | 25 | 201326592 | 201326592 | 201326592 | 201326592 | 82201000 | "
                "116149957 | 132604534 | 87.6 | 150994944 | 150994944 | 150994944 | 0 | 0 | 0 | 1 | "
                "140 MiB requested, 0 B free in the pool; 73.5 GiB free on the device; held by "
                "record_snapshots.py:63 tensor 144 MiB\n"));
    }

    void summariesByRank()
    {
        Scope scope;
        scope.by = GroupBy::rank;
        const Table table = memoryTable("memory_summary", snapshots({"plain", "random_late"}), scope);
        QCOMPARE(columnCells(table, "Rank"), (std::vector<std::string>{"0", "1"}));
        QCOMPARE(cellOf(table, "end_active", 0), std::string("68157440")); // of plain.truth.json
        QVERIFY(saysRule(table, "5 x only the requested size is known"));
        QVERIFY(scope.addFilter("rank", "1"));
        const Table one = memoryTable("memory_summary", snapshots({"plain", "random_late"}), scope);
        QCOMPARE(columnCells(one, "report"), (std::vector<std::string>{"random_late.pickle"}));
        QVERIFY(scope.addFilter("device", "1"));
        QCOMPARE(memoryTable("memory_summary", snapshots({"plain"}), scope).rowCount(), size_t(0));
    }

    void timelineKeepsPeaks()
    {
        const Table table = memoryTable("memory_timeline", snapshots({"plain"}));
        QCOMPARE(table.rowCount(), size_t(393)); // every moment: there are fewer than a thousand
        const size_t active = table.columnNamed("active");
        int64_t most = 0;
        for (size_t row = 0; row < table.rowCount(); ++row)
            most = std::max(most, table.number(active, row));
        QCOMPARE(std::to_string(most),
                 cellOf(memoryTable("memory_summary", snapshots({"plain"})), "peak_active"));
        Scope scope;
        scope.time = TimeRange{{table.number(table.columnNamed("time"), 100)},
                               {table.number(table.columnNamed("time"), 200)}};
        const Table part = memoryTable("memory_timeline:entries", snapshots({"plain"}), scope);
        QVERIFY(part.rowCount() > 50 && part.rowCount() <= 101);
        QVERIFY(std::stoll(cellOf(part, "entry")) >= 100);
        QVERIFY(saysRule(part, "points within the time range count"));
    }

    void peakByStack()
    {
        const Table table = memoryTable("memory_peak", snapshots({"plain"}));
        int64_t sum = 0;
        for (size_t row = 0; row < table.rowCount(); ++row)
            sum += table.number(table.columnNamed("peak_bytes"), row);
        QCOMPARE(std::to_string(sum),
                 cellOf(memoryTable("memory_summary", snapshots({"plain"})), "peak_active"));
        const std::string first = cellOf(table, "stack");
        QVERIFY2(first.find("torch/nn/modules/linear.py:") != std::string::npos ||
                     first.find("record_snapshots.py") != std::string::npos,
                 first.c_str());
        std::set<std::string> categories;
        for (const std::string& category : columnCells(table, "category"))
            categories.insert(category);
        QVERIFY(categories.contains("weights") && categories.contains("optimizer") &&
                categories.contains("activations"));
        Scope scope;
        QVERIFY(scope.addFilter("name", "adam.py"));
        const Table optimizer = memoryTable("memory_peak", snapshots({"plain"}), scope);
        QVERIFY(optimizer.rowCount() > 0 && optimizer.rowCount() < table.rowCount());
        for (const std::string& stack : columnCells(optimizer, "category"))
            QCOMPARE(stack, std::string("optimizer"));
    }

    void leaksByStep()
    {
        const Table table = memoryTable("memory_leaks", snapshots({"annotated"}));
        QCOMPARE(cellOf(table, "stack"),
                 std::string("record_snapshots.py:63 tensor < record_snapshots.py:208 annotated < "
                             "record_snapshots.py:317 record"));
        QCOMPARE(columnCells(table, "growth"), (std::vector<std::string>{"5242880", "4194304", ""}));
        QCOMPARE(columnCells(table, "unfreed"), (std::vector<std::string>{"6291456", "6291456", "512"}));
        QCOMPARE(columnCells(table, "growth_per_step"), (std::vector<std::string>{"2621440", "2097152", ""}));
        QCOMPARE(cellOf(table, "trend"), std::string("too few steps"));
        QVERIFY(saysRule(
            table, "annotated.pickle, device 0: allocated memory over 3 steps grows by 4718592 B per step"));
        QVERIFY(saysRule(memoryTable("memory_leaks", snapshots({"oom"})), "no annotation marks a step"));
    }

    void differenceOfTwoSnapshots()
    {
        const Table itself = memoryTable("memory_diff", snapshots({"plain", "plain"}));
        for (const std::string& change : columnCells(itself, "change"))
            QCOMPARE(change, std::string("0"));
        const Table table = memoryTable("memory_diff", snapshots({"plain", "graph"}));
        int64_t sum = 0;
        for (size_t row = 0; row < table.rowCount(); ++row)
            sum += table.number(table.columnNamed("change"), row);
        QCOMPARE(sum, int64_t(17826816 - 68157440)); // at_dump of both truths
        QVERIFY(saysRule(table, "before: plain.pickle, device 0, after entry 392"));
        const Table one = memoryTable("memory_diff", snapshots({"oom"}));
        QCOMPARE(columnCells(one, "before"), (std::vector<std::string>{"0"}));
        QCOMPARE(columnCells(one, "after"), (std::vector<std::string>{"150994944"}));
    }

    void withoutSnapshotsThereAreNoRows()
    {
        for (const char* what :
             {"memory_summary", "memory_timeline", "memory_peak", "memory_leaks", "memory_diff"})
            QCOMPARE(memoryTable(what, Workspace()).rowCount(), size_t(0));
    }
};

LOCKSTEP_TEST(MemoryTablesTest, "memory_tables_test")
#include "memory_tables_test.moc"
