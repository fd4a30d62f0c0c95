// SPDX-License-Identifier: Apache-2.0
// Tests TableColumns: tables made from typed rows and their columns; and that the rows of analyses equal the
// cells of their tables.
#include "core/analysis/table_columns.h"

#include "core/analysis/straggler_table.h"
#include "core/analysis/table_header.h"
#include "core/analysis/training/step_breakdown.h"
#include "tests/support/made_reports.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::columnCells;

namespace {

using Cells = std::vector<std::string>;

struct BaseRow {
    GroupKey group;
    SliceRef longest;
};

struct MadeRow : BaseRow {
    std::string name;
    std::optional<int64_t> wait_ns;
    uint32_t count = 0;
    TimeRange range;
    std::string note;

    int64_t tenths() const { return count * 10; }
};

AnalysisRows<MadeRow> madeRows()
{
    AnalysisRows<MadeRow> made;
    const SliceRef slice{ReportKey(0u), SliceId(7u)};
    made.rows.push_back({{{false, 3, "c"}, slice}, "gemm", 250, 2, {{5}, {9}}, "first"});
    made.rows.push_back({{{true, 0, {}}, {}}, "", std::nullopt, 0, {}, ""});
    made.source.rows = "made rows";
    return made;
}

TableColumns<MadeRow> madeColumns(GroupBy by)
{
    TableColumns<MadeRow> columns(HeaderStyle::identifier);
    columns.group(by)
        .text(&MadeRow::name, "name", "name of the row")
        .time(&MadeRow::wait_ns, "wait", "wait of the row")
        .summed()
        .count([](const MadeRow& row) { return row.count; }, "count", "count of the row")
        .add(&MadeRow::tenths, {"tenths", "%", ColumnType::percent, 1, "tenths of the row"})
        .range(&MadeRow::range)
        .note(&MadeRow::note);
    return columns;
}

} // namespace

class TableColumnsTest : public QObject {
    Q_OBJECT

  private slots:
    void columnsAreInOrder()
    {
        const Table table = madeColumns(GroupBy::total).table("made:x", "Made table", madeRows());
        QCOMPARE(table.name(), std::string("made:x"));
        QCOMPARE(table.title(), std::string("Made table"));
        QCOMPARE(table.source.rows, std::string("made rows"));
        QCOMPARE(table.columnCount(), size_t(4));
        QCOMPARE(fileHeader(table, 1), std::string("wait_ns"));
        QCOMPARE(table.column(2).doc, std::string("count of the row"));
        QVERIFY(table.column(1).isSum && !table.column(2).isSum);
    }

    void cellsAreTheMembers()
    {
        const Table table = madeColumns(GroupBy::total).table("made", "", madeRows());
        QCOMPARE(columnCells(table, "name"), (Cells{"gemm", ""}));
        QCOMPARE(columnCells(table, "wait"), (Cells{"250", ""})); // a nullopt leaves the cell empty
        QCOMPARE(columnCells(table, "count"), (Cells{"2", "0"}));
        QCOMPARE(columnCells(table, "tenths"), (Cells{"2.0", "0.0"}));
        QVERIFY(table.longest(0).isValid() && !table.longest(1).isValid());
        QCOMPARE(table.range(0)->length().ns, int64_t(4));
        QCOMPARE(table.note(0), std::string_view("first"));
    }

    void groupsComeFirst()
    {
        const Table byRank = madeColumns(GroupBy::rank).table("made", "", madeRows());
        QCOMPARE(columnCells(byRank, "Rank"), (Cells{"3", ""})); // an unknown group has no number
        const Table byRole = madeColumns(GroupBy::role).table("made", "", madeRows());
        QCOMPARE(byRole.column(0).name, std::string("Role"));
        QCOMPARE(columnCells(byRole, "Role"), (Cells{"c", ""}));
    }

    void rowsEqualTheirTable()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(2, 2));
        const auto late = rowsOf("stragglers", stragglers, *scene, {}, Progress()).value();
        const Table lateTable = runAnalysis("stragglers", *scene, {}, Progress()).value();
        Cells waits;
        for (const StragglerRow& row : late.rows)
            waits.push_back(row.causedWait_ns ? std::to_string(*row.causedWait_ns) : "");
        QCOMPARE(waits.size(), size_t(4));
        QCOMPARE(columnCells(lateTable, "caused_wait"), waits);
        const auto steps = rowsOf("step_breakdown", stepBreakdown, *scene, {}, Progress()).value();
        const Table stepTable = runAnalysis("step_breakdown", *scene, {}, Progress()).value();
        Cells walls;
        for (const StepRow& row : steps.rows)
            walls.push_back(std::to_string(row.times.wall_ns));
        QCOMPARE(columnCells(stepTable, "wall"), walls);
    }

    void errorsAreThoseOfTheTable()
    {
        const Scene none;
        Scope byCommunicator;
        byCommunicator.by = GroupBy::communicator;
        QCOMPARE(rowsOf("step_breakdown", stepBreakdown, none, byCommunicator, Progress()).error().kind,
                 ErrorKind::invalid);
        QCOMPARE(rowsOf("stragglers:x=1", stragglers, none, {}, Progress()).error().kind, ErrorKind::invalid);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(rowsOf("stragglers", stragglers, none, {}, Progress(stop.get_token())).error().kind,
                 ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(TableColumnsTest, "table_columns_test")
#include "table_columns_test.moc"
