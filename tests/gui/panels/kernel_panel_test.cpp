// SPDX-License-Identifier: Apache-2.0
// Tests KernelPanel: sums over ranges, ranks and names of a generated workspace; rows and bars lead to
// slices.
#include "ui/panels/kernel_panel.h"

#include <QButtonGroup>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>

#include "core/analysis/analysis.h"
#include "core/analysis/result_cache.h"
#include "core/analysis/summary.h"
#include "tests/support/made_reports.h"
#include "tests/support/part.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/kernel_chart.h"
#include "ui/panels/source_popover.h"
#include "ui/panels/table_view.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

int64_t sumOf(const Table& table, std::string_view column)
{
    int64_t sum = 0;
    const size_t at = table.columnNamed(column);
    for (size_t row = 0; row < table.rowCount(); ++row)
        sum += table.number(at, row);
    return sum;
}

} // namespace

class KernelPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_workspace = test::madeWorkspace(2, 1);
        m_alignment = alignReports(m_workspace, {});
        m_panel.reset();
        m_view = std::make_unique<ViewState>();
        m_panel = std::make_unique<KernelPanel>(*m_view, test::workers());
        m_panel->resize(1000, 300);
        m_panel->show();
        m_panel->setScene(makeScene(m_workspace, m_alignment, test::workers()));
        m_view->setScopeChoice(ScopeChoice::whole);
        QTRY_VERIFY(m_panel->table() != nullptr && !m_panel->isBusy());
    }

    void countsEveryKernel()
    {
        int64_t kernels = 0;
        for (const ReportKey key : m_workspace.keys()) {
            kernels += std::ranges::count(m_workspace.report(key).slices.kind, RowKind::kernel);
        }
        QVERIFY(kernels > 0);
        QCOMPARE(sumOf(*m_panel->table(), "Instances"), kernels);
        QCOMPARE(m_panel->view()->shownRows(), int(m_panel->table()->rowCount()));
    }

    void followsTheVisibleRange()
    {
        const int64_t whole = sumOf(*m_panel->table(), "Total Time");
        QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
        const TimeRange all = m_alignment.extent(m_workspace);
        m_view->setScopeChoice(ScopeChoice::visible);
        m_view->setVisible({all.begin, {all.begin.ns + all.length().ns / 3}});
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        const int64_t part = sumOf(*m_panel->table(), "Total Time");
        QVERIFY(part > 0 && part < whole);
    }

    void splitsByRank()
    {
        const size_t rows = m_panel->table()->rowCount();
        QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
        m_panel->setPerRank(true);
        QTRY_COMPARE(tables.count(), 1);
        QCOMPARE(m_panel->table()->rowCount(), 4 * rows);
        QCOMPARE(m_panel->table()->column(0).name, std::string("Rank"));
    }

    void reportsMissingData()
    {
        QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
        m_view->setScopeChoice(ScopeChoice::selected);
        QTRY_COMPARE(tables.count(), 1);
        const auto hasHint = [&](const QString& text) {
            return std::ranges::any_of(m_panel->findChildren<QLabel*>(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(text);
            });
        };
        QVERIFY(hasHint("No range selected"));
        m_view->setRange(m_alignment.extent(m_workspace));
        QTRY_COMPARE(tables.count(), 2);
        QVERIFY(m_panel->view()->isVisible());
    }

    void filterRowSurvivesNewTables()
    {
        auto* const filters = m_panel->findChild<QPushButton*>("filterRow");
        QVERIFY(filters != nullptr);
        filters->click();
        FilterHeader* const header = m_panel->view()->filterHeader();
        QTest::keyClicks(header->filterField(0), "1");
        header->filterField(0)->setFocus();
        for (int round = 0; round < 3; ++round) {
            QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
            m_view->setScopeChoice(ScopeChoice::selected); // nothing is selected: no columns are left
            QTRY_COMPARE(tables.count(), 1);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            m_panel->setPerRank(round == 1);
            m_view->setScopeChoice(ScopeChoice::whole);
            QTRY_VERIFY(m_panel->table() != nullptr && !m_panel->isBusy());
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            for (int i = 0; i < header->count(); ++i)
                QVERIFY(header->filterField(i) != nullptr);
            // Columns that disappeared and returned have the same order: the name follows the share.
            const auto place = [&](const char* name) {
                return header->visualIndex(static_cast<int>(m_panel->table()->columnNamed(name)));
            };
            QCOMPARE(place("Name"), place("Time") + 1);
        }
    }

    // Each bar has its total in a unit that keeps it short, and leads to its row.
    void chartShowsTotals()
    {
        QTRY_COMPARE(m_panel->chart()->title(), QString("Top kernels, whole workspace"));
        auto table = std::make_shared<Table>("short", "short");
        const TimeSummaryColumns columns(GroupBy::total);
        for (size_t column = 0; column < columns.labels; ++column)
            table->addColumn({"Time " + std::to_string(column), "ns", ColumnType::time, 0, "", {}, {}});
        table->addColumn({"Name", "", ColumnType::text, 0, "", {}, {}});
        for (const char* const kernel : {"gemm", "copy"}) {
            table->addRow();
            table->setNumber(columns.total, 40'000);
            table->setText(columns.labels, kernel);
        }
        KernelChart& chart = *m_panel->chart();
        chart.setTable(table.get(), GroupBy::total, "Kernels");
        QCOMPARE(chart.title(), QString("Kernels"));
        QCOMPARE(chart.accessibleDescription(), QString("gemm 40 \u00B5s; copy 40 \u00B5s"));
        const QSignalSpy clicked(&chart, &KernelChart::rowClicked);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rowRect(1).center());
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked[0][0].toInt(), 1);
        QVERIFY(chart.rowRect(2).isEmpty());
    }

    void rowsLeadToTheirLongestSlice()
    {
        std::optional<SliceRef> asked;
        connect(m_view.get(), &ViewState::revealRequested, this, [&](SliceRef slice) { asked = slice; });
        m_panel->view()->selectTableRow(0);
        QTest::keyClick(m_panel->view(), Qt::Key_Return);
        QVERIFY(asked.has_value());
        QCOMPARE(*asked, m_panel->table()->longest(0));
        emit m_panel->chart()->rowClicked(1);
        QCOMPARE(m_panel->view()->currentTableRow(), 1);
        QCOMPARE(*asked, m_panel->table()->longest(1)); // like the bars next to every other table
    }

    // The rows stay while the user goes through them, although each jump zooms to a slice.
    void jumpsKeepTheRows()
    {
        connect(m_view.get(), &ViewState::revealRequested, this, [&](SliceRef slice) {
            const Report& report = m_workspace.report(slice.report);
            const auto begin = TraceTime{report.slices.start_ns[slice.slice.value]};
            m_view->setVisible({begin, begin + Duration{100}});
        });
        auto* const visible = m_panel->findChild<QButtonGroup*>()->button(0);
        m_view->setVisible(m_alignment.extent(m_workspace));
        m_view->setScopeChoice(ScopeChoice::visible);
        QTRY_VERIFY(m_panel->table() != nullptr && !m_panel->isBusy());
        const size_t rows = m_panel->table()->rowCount();
        QVERIFY(rows > 1);
        for (int row = 0; row < 2; ++row) {
            emit m_panel->pane()->rowActivated(row);
            QVERIFY(!m_panel->isBusy());
            QCOMPARE(m_panel->table()->rowCount(), rows);
            QCOMPARE(visible->text(), QString("Kept range"));
            QVERIFY(m_panel->chart()->title().startsWith("Top kernels, kept range"));
        }
        QTest::mouseClick(visible, Qt::LeftButton);
        QCOMPARE(visible->text(), QString("Visible"));
        QTRY_VERIFY(m_panel->table()->rowCount() < rows);
    }

    // A table computed once, here or in another panel of the window, is not computed again.
    void tablesAreCachedForTheWindow()
    {
        ResultCache& results = *m_view->results();
        const Scope scope = *m_view->scope();
        QCOMPARE(results.find(m_panel->scene(), scope, "cuda_gpu_kern_sum:base").get(), m_panel->table());
        const auto made = std::make_shared<const Table>(
            *runAnalysis("cuda_gpu_kern_sum", *m_panel->scene(), scope, Progress()));
        results.keep(m_panel->scene(), scope, "cuda_gpu_kern_sum", made);
        m_panel->setFullNames(true);
        QTRY_COMPARE(m_panel->table(), made.get());
        QVERIFY(!m_panel->isBusy());
    }

    // Its chart differs from the analysis's chart but has the same position and the same switch. The largest
    // rows are first; tables by rank are ordered by rank.
    void chartIsNextToTheTable()
    {
        ChartedTable* const pane = m_panel->pane();
        QVERIFY(m_panel->chart()->isVisible() && test::part<QPushButton>(*m_panel, "chart").isVisible());
        QVERIFY(pane->charts() == nullptr);
        QTest::mouseClick(&test::part<QPushButton>(*m_panel, "chart"), Qt::LeftButton);
        QVERIFY(!m_panel->chart()->isVisible() && m_panel->view()->isVisible());
        QTest::mouseClick(&test::part<QPushButton>(*m_panel, "chart"), Qt::LeftButton);
        QVERIFY(m_panel->chart()->isVisible());
        m_panel->resize(720, 300);
        QVERIFY(m_panel->chart()->isVisible()); // a handle resizes it
        const auto isSorted = [&] {
            const QHeaderView* const header = m_panel->view()->horizontalHeader();
            return header->sortIndicatorOrder() == Qt::DescendingOrder &&
                   header->sortIndicatorSection() == int(m_panel->table()->columnNamed("Total Time"));
        };
        QVERIFY(isSorted());
        m_panel->setPerRank(true);
        QTRY_COMPARE(m_panel->table()->column(0).name, std::string("Rank"));
        QVERIFY(isSorted());
        QVERIFY(m_panel->chart()->title().startsWith("Kernels by rank, whole workspace"));
        m_view->setScopeChoice(ScopeChoice::selected); // nothing is selected
        QTRY_VERIFY(!m_panel->chart()->isVisible());
        QVERIFY(!m_panel->view()->isVisible() && !test::part<QPushButton>(*m_panel, "chart").isVisible());
        QVERIFY(pane->hint().contains("No range selected"));
    }

    void findsTextAndShowsProvenance()
    {
        ChartedTable* const pane = m_panel->pane();
        m_panel->setFullNames(true); // base names have no equivalent in SQL
        QTRY_COMPARE(m_panel->table()->name(), std::string("cuda_gpu_kern_sum"));
        const size_t name = m_panel->table()->columnNamed("Name");
        QTest::keyClicks(pane->findField(), QString::fromStdString(m_panel->table()->cell(name, 0)));
        QVERIFY(m_panel->view()->shownRows() < int(m_panel->table()->rowCount()));
        m_panel->view()->selectTableRow(0);
        QTest::keyClick(m_panel->view(), Qt::Key_Return, Qt::AltModifier);
        QVERIFY(test::part<SourcePopover>(*pane->window()).isVisible());
        const QString kernel = QString::fromStdString(m_panel->table()->cell(name, 0));
        QVERIFY2(test::part<SourcePopover>(*pane->window()).text().contains(kernel),
                 qPrintable(test::part<SourcePopover>(*pane->window()).text()));
        QSignalSpy queries(m_view.get(), &ViewState::queryRequested);
        QTest::mouseClick(&test::part<QPushButton>(test::part<SourcePopover>(*pane->window()), "sql"),
                          Qt::LeftButton);
        QCOMPARE(queries.size(), 1);
        // The card closes when a filter removes its row.
        QTest::keyClick(m_panel->view(), Qt::Key_Return, Qt::AltModifier);
        QSignalSpy activated(pane, &ChartedTable::rowActivated);
        m_panel->view()->setTextFilter("none of them");
        QCOMPARE(m_panel->view()->currentTableRow(), -1);
        emit test::part<SourcePopover>(*pane->window()).showRequested();
        QVERIFY(activated.isEmpty());
    }

    // Slices cut by the visible range: mentioned below the table, left out of the statistics, or counted if
    // the switch is on.
    void clippedSlicesAreReported()
    {
        QVERIFY(m_panel->footText().isEmpty()); // the whole range cuts none
        // Cuts through the middle of a kernel of the first report.
        const ReportKey key = m_workspace.keys()[0];
        const Report& report = m_workspace.report(key);
        const auto kernel = std::ranges::find(report.slices.kind, RowKind::kernel);
        const SliceId slice(static_cast<size_t>(kernel - report.slices.kind.begin()));
        const TimeRange range = m_alignment.map(key).alignedFromTrace(report.slices.range(slice));
        const TraceTime middle = range.begin + Duration{range.length().ns / 2};
        QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
        m_view->setScopeChoice(ScopeChoice::visible);
        m_view->setVisible({middle, m_alignment.extent(m_workspace).end});
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        const int64_t cut = m_panel->table()->source.cut.value_or(0);
        QVERIFY(cut >= 1);
        QVERIFY2(m_panel->footText().contains("beyond the visible range: counted in Total Time, not in Min"),
                 qPrintable(m_panel->footText()));
        const int64_t total = sumOf(*m_panel->table(), "Total Time"),
                      count = sumOf(*m_panel->table(), "Instances");
        const int64_t least = sumOf(*m_panel->table(), "Min");
        tables.clear();
        QVERIFY(test::part<QPushButton>(*m_panel, "cutRows").isVisible());
        QTest::mouseClick(&test::part<QPushButton>(*m_panel, "cutRows"), Qt::LeftButton);
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        QVERIFY(m_panel->footText().contains("beyond the visible range; the part inside is counted"));
        QCOMPARE(m_panel->table()->source.cut.value_or(0), cut);
        QCOMPARE(sumOf(*m_panel->table(), "Total Time"), total);
        QCOMPARE(sumOf(*m_panel->table(), "Instances"), count);
        QVERIFY(sumOf(*m_panel->table(), "Min") < least);
    }

    // An empty table with other columns, shown between two tables, does not change their columns.
    void columnsStayInOrder()
    {
        const auto names = [&] {
            QStringList out;
            const QHeaderView& header = *m_panel->view()->horizontalHeader();
            for (int i = 0; i < header.count(); ++i)
                out << m_panel->view()
                           ->model()
                           ->headerData(header.logicalIndex(i), Qt::Horizontal)
                           .toString();
            return out;
        };
        const QStringList before = names();
        const auto change = [&](auto&& what) {
            QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
            what();
            QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        };
        const TimeRange all = m_alignment.extent(m_workspace);
        change([&] {
            m_view->setScopeChoice(ScopeChoice::visible);
            m_view->setVisible({all.end + Duration{10}, all.end + Duration{20}}); // nothing happened there
        });
        QVERIFY(m_panel->pane()->hint().contains("No kernels in this range"));
        QVERIFY(m_panel->pane()->hint().endsWith("Zoom out (0: zoom to fit) or set the range to Whole."));
        change([&] { m_panel->setPerRank(true); });
        change([&] {
            m_panel->setPerRank(false);
            m_view->setScopeChoice(ScopeChoice::whole);
        });
        QCOMPARE(names(), before);
    }

    // The advice to zoom out does not appear where there is nothing to find.
    void reportsMissingKernels()
    {
        test::RankReport made(0, "node0", 0);
        made.addRange(0, 1'000, "step 1");
        Workspace hosts;
        hosts.add(made.finish());
        m_panel->setScene(makeScene(hosts, alignReports(hosts, {}), test::workers()));
        QTRY_VERIFY(m_panel->pane()->hint().contains("None of the visible reports has GPU kernels"));
    }

    // At the width of a small window, names get the width left over by the numbers; the chart is hidden
    // before that.
    void namesHavePriorityOverTheChart()
    {
        m_panel->setFullNames(true);
        m_panel->resize(1280, 300);
        QTRY_COMPARE(m_panel->table()->name(), std::string("cuda_gpu_kern_sum"));
        m_panel->setPerRank(true); // laid out again
        QTRY_COMPARE(m_panel->table()->column(0).name, std::string("Rank"));
        m_panel->setPerRank(false);
        QTRY_VERIFY(m_panel->table()->column(0).name != "Rank" && !m_panel->isBusy());
        QVERIFY2(m_panel->chart()->width() < 1280 * 3 / 10 ||
                     m_panel->view()->width() >= m_panel->view()->neededWidth(),
                 qPrintable(QString::number(m_panel->chart()->width())));
        QVERIFY(m_panel->chart()->width() >= 200);
    }

    void worksOnlyWhenVisible()
    {
        ViewState view;
        KernelPanel hidden(view, test::workers());
        QSignalSpy tables(&hidden, &KernelPanel::tableChanged);
        hidden.setScene(makeScene(m_workspace, m_alignment, test::workers()));
        QVERIFY(!hidden.isBusy());
        view.setScopeChoice(ScopeChoice::whole);
        hidden.show();
        QTRY_COMPARE(tables.count(), 1);
        QVERIFY(hidden.table() != nullptr);
    }

  private:
    Workspace m_workspace;
    Alignment m_alignment;
    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<KernelPanel> m_panel;
};

LOCKSTEP_TEST(KernelPanelTest, "kernel_panel_test")
#include "kernel_panel_test.moc"
