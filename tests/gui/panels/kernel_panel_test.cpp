// SPDX-License-Identifier: Apache-2.0
// KernelPanel: sums over ranges, ranks and names of a made workspace; rows and bars lead to slices.
#include "ui/panels/kernel_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QValueAxis>

#include "core/analysis/analysis.h"
#include "core/analysis/result_cache.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/kernel_chart.h"
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

    void saysWhatIsMissing()
    {
        QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
        m_view->setScopeChoice(ScopeChoice::selected);
        QTRY_COMPARE(tables.count(), 1);
        const auto hasHint = [&](const QString& text) {
            return std::ranges::any_of(m_panel->findChildren<QLabel*>(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(text);
            });
        };
        QVERIFY(hasHint("Nothing is selected"));
        m_view->setRange(m_alignment.extent(m_workspace));
        QTRY_COMPARE(tables.count(), 2);
        QVERIFY(m_panel->view()->isVisible());
    }

    void filterRowOutlivesItsTables()
    {
        auto* const filters = m_panel->findChild<QPushButton*>("filterRow");
        QVERIFY(filters != nullptr);
        filters->click();
        FilterHeader* const header = m_panel->view()->filterHeader();
        QTest::keyClicks(header->filterField(0), "1");
        header->filterField(0)->setFocus();
        for (int round = 0; round < 3; ++round) {
            QSignalSpy tables(m_panel.get(), &KernelPanel::tableChanged);
            m_view->setScopeChoice(ScopeChoice::selected); // nothing is: no columns are left
            QTRY_COMPARE(tables.count(), 1);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            m_panel->setPerRank(round == 1);
            m_view->setScopeChoice(ScopeChoice::whole);
            QTRY_VERIFY(m_panel->table() != nullptr && !m_panel->isBusy());
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            for (int i = 0; i < header->count(); ++i)
                QVERIFY(header->filterField(i) != nullptr);
            // Columns that went and came again stand in the same order: the name follows the share.
            const auto place = [&](const char* name) {
                return header->visualIndex(static_cast<int>(m_panel->table()->columnNamed(name)));
            };
            QCOMPARE(place("Name"), place("Time") + 1);
        }
    }

    // Times below a millisecond are in microseconds, a letter that an axis' labels cannot have.
    void theChartSaysItsUnit()
    {
        QTRY_VERIFY(m_panel->chart()->chart()->title().startsWith("Top kernels, whole workspace ("));
        auto table = std::make_shared<Table>("short", "short");
        const size_t total =
            table->addColumn({"Total Time", "ns", ColumnType::time, 0, "sum of durations", {}, {}});
        const size_t name = table->addColumn({"Name", "", ColumnType::text, 0, "", {}, {}});
        table->addRow();
        table->setNumber(total, 40'000);
        table->setText(name, "gemm");
        m_panel->chart()->setTable(table, "Kernels");
        QCOMPARE(m_panel->chart()->chart()->title(), QString("Kernels (\u00B5s)"));
        for (const QAbstractAxis* axis : m_panel->chart()->chart()->axes(Qt::Horizontal)) {
            const auto* const times = qobject_cast<const QValueAxis*>(axis);
            QVERIFY(times != nullptr && times->labelFormat() == QString("%.0f"));
        }
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
        QCOMPARE(*asked, m_panel->table()->longest(1)); // as the bars beside every other table
    }

    // What was made once, here or in another panel of the window, is not made again.
    void tablesAreKeptForTheWindow()
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

    // Its chart is another than the one of the analysis, in the same place and with the same switch; the
    // largest stand first, and of tables by rank again.
    void theChartStandsBesideTheTable()
    {
        ChartedTable* const pane = m_panel->pane();
        QVERIFY(m_panel->chart()->isVisible() && pane->chartSwitch()->isVisible());
        QVERIFY(pane->charts() == nullptr);
        QTest::mouseClick(pane->chartSwitch(), Qt::LeftButton);
        QVERIFY(!m_panel->chart()->isVisible() && m_panel->view()->isVisible());
        QTest::mouseClick(pane->chartSwitch(), Qt::LeftButton);
        QVERIFY(m_panel->chart()->isVisible());
        m_panel->resize(720, 300);
        QVERIFY(m_panel->chart()->isVisible()); // a handle pushes it aside
        const auto isSorted = [&] {
            const QHeaderView* const header = m_panel->view()->horizontalHeader();
            return header->sortIndicatorOrder() == Qt::DescendingOrder &&
                   header->sortIndicatorSection() == int(m_panel->table()->columnNamed("Total Time"));
        };
        QVERIFY(isSorted());
        m_panel->setPerRank(true);
        QTRY_COMPARE(m_panel->table()->column(0).name, std::string("Rank"));
        QVERIFY(isSorted());
        QVERIFY(m_panel->chart()->chart()->title().startsWith("Kernels by rank, whole workspace ("));
        m_view->setScopeChoice(ScopeChoice::selected); // nothing is
        QTRY_VERIFY(!m_panel->chart()->isVisible());
        QVERIFY(!m_panel->view()->isVisible() && !pane->chartSwitch()->isVisible());
        QVERIFY(pane->hint().contains("Nothing is selected"));
    }

    void findsAndTellsWhereACellComesFrom()
    {
        ChartedTable* const pane = m_panel->pane();
        m_panel->setFullNames(true); // base names have no form in SQL
        QTRY_COMPARE(m_panel->table()->name(), std::string("cuda_gpu_kern_sum"));
        const size_t name = m_panel->table()->columnNamed("Name");
        QTest::keyClicks(pane->findField(), QString::fromStdString(m_panel->table()->cell(name, 0)));
        QVERIFY(m_panel->view()->shownRows() < int(m_panel->table()->rowCount()));
        m_panel->view()->selectTableRow(0);
        QTest::keyClick(m_panel->view(), Qt::Key_Return, Qt::AltModifier);
        QVERIFY(pane->popover() != nullptr && pane->popover()->isVisible());
        const QString kernel = QString::fromStdString(m_panel->table()->cell(name, 0));
        QVERIFY2(pane->popover()->text().contains(kernel), qPrintable(pane->popover()->text()));
        QSignalSpy queries(m_view.get(), &ViewState::queryRequested);
        QTest::mouseClick(pane->popover()->sqlButton(), Qt::LeftButton);
        QCOMPARE(queries.size(), 1);
        // A card whose row a filter took asks for none.
        QTest::keyClick(m_panel->view(), Qt::Key_Return, Qt::AltModifier);
        QSignalSpy activated(pane, &ChartedTable::rowActivated);
        m_panel->view()->setTextFilter("none of them");
        QCOMPARE(m_panel->view()->currentTableRow(), -1);
        emit pane->popover()->showRequested();
        QVERIFY(activated.isEmpty());
    }

    void worksOnlyWhenSeen()
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
