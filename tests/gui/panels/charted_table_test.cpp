// SPDX-License-Identifier: Apache-2.0
// Tests ChartedTable: the chart next to a table has the same rows, order and scrolling, leads to its rows,
// and is hidden when there is no room. A cell shows its provenance.
#include "ui/panels/charted_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "core/analysis/analysis.h"
#include "core/base/sha256.h"
#include "tests/support/made_reports.h"
#include "tests/support/made_table.h"
#include "tests/support/part.h"
#include "tests/support/test_registry.h"
#include "ui/charts/chart_pane.h"
#include "ui/charts/heat_chart.h"
#include "ui/charts/histogram_view.h"
#include "ui/charts/row_chart.h"
#include "ui/panels/source_popover.h"
#include "ui/panels/summary_row.h"
#include "ui/panels/table_view.h"

using namespace lockstep;

namespace {

std::shared_ptr<const Table> longTable(size_t rows)
{
    auto table = std::make_shared<Table>("cuda_gpu_kern_sum", "Kernels");
    table->addColumn({"Total Time", "ns", ColumnType::time, 0, "sum"});
    table->addColumn({"Name", "", ColumnType::text, 0, ""});
    for (size_t row = 0; row < rows; ++row) {
        table->addRow();
        table->setNumber(0, static_cast<int64_t>(rows - row) * 1000);
        table->setText(1, "kernel" + std::to_string(row));
    }
    return table;
}

} // namespace

class ChartedTableTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_pane = std::make_unique<ChartedTable>();
        m_pane->setTheme(lightTheme());
        m_pane->resize(1100, 300);
        m_pane->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pane.get()));
    }

    void chartIsNextToItsTable()
    {
        m_pane->setTable(test::madeTable());
        QVERIFY(m_pane->charts()->isVisible());
        QVERIFY(test::part<QPushButton>(*m_pane, "chart").isVisibleTo(m_pane.get()));
        awaitLayout();
        const QRect row = m_pane->view()->visualRect(m_pane->view()->model()->index(0, 0));
        RowChart* const chart = m_pane->charts()->rows();
        const QRect bar = chart->barOf(0);
        const QPoint global = chart->mapToGlobal(bar.center());
        const QPoint inView = m_pane->view()->viewport()->mapFromGlobal(global);
        QVERIFY2(row.top() < inView.y() && inView.y() < row.bottom(), "a bar is not next to its row");
        QTest::mouseClick(&test::part<QPushButton>(*m_pane, "chart"), Qt::LeftButton);
        QVERIFY(!m_pane->charts()->isVisible());
        QVERIFY(test::part<QPushButton>(*m_pane, "chart").isVisible());
    }

    // Each row counts once; rows that fail the filter do not count; the chart stays when rows scroll.
    void emptyColumnsAreHidden()
    {
        QWidget bar;
        QHBoxLayout line(&bar);
        m_pane->addControls(line);
        const auto tableOf = [](bool hasRole, HeaderStyle style) {
            const bool isQuery = style == HeaderStyle::query;
            auto table = std::make_shared<Table>(isQuery ? "query" : "by_rank", "By rank");
            table->headerStyle = style;
            table->addColumn({"Rank", "", ColumnType::integer, 0, ""});
            table->addColumn({"Role", "", ColumnType::text, 0, ""});
            table->addColumn({"Wait", "ns", ColumnType::time, 0, ""});
            for (const int rank : {0, 1}) {
                table->addRow();
                table->setNumber(0, rank);
                if (hasRole && rank == 1) table->setText(1, "actor");
            }
            return table;
        };
        const auto hidden = [this] {
            QString text;
            for (int i = 0; i < 3; ++i)
                text += m_pane->view()->isColumnHidden(i) ? 'x' : '-';
            return text;
        };
        m_pane->setTable(tableOf(false, HeaderStyle::titled));
        QCOMPARE(hidden(), QString("-xx"));
        QCOMPARE(test::part<QPushButton>(bar, "emptyColumns").text(), QString("Show 2 empty columns"));
        m_pane->setTable(tableOf(true, HeaderStyle::titled)); // the same columns, with values
        QCOMPARE(hidden(), QString("--x"));
        test::part<QPushButton>(bar, "emptyColumns").click();
        QCOMPARE(hidden(), QString("---"));
        m_pane->setTable(tableOf(false, HeaderStyle::titled));
        QCOMPARE(hidden(), QString("---"));
        test::part<QPushButton>(bar, "emptyColumns").click();
        m_pane->view()->setColumnHidden(0, true); // by the user
        m_pane->setTable(tableOf(true, HeaderStyle::titled));
        QCOMPARE(hidden(), QString("x-x"));
        m_pane->setTable(tableOf(false, HeaderStyle::query)); // the user has asked for these columns
        QCOMPARE(hidden(), QString("---"));
        QVERIFY(!test::part<QPushButton>(bar, "emptyColumns").isVisibleTo(&bar));
        m_pane->setTable(longTable(3));
        QCOMPARE(hidden().left(2), QString("--"));
    }

    void sumsShowTheirTotal()
    {
        auto table = std::make_shared<Table>("made", "Made");
        table->addColumn({"Name", "", ColumnType::text, 0, ""});
        table->addColumn({"Total Time", "ns", ColumnType::time, 0, ""});
        table->addColumn({"Avg", "ns", ColumnType::time, 0, ""});
        table->markSums({"Total Time"});
        for (int row = 0; row < 3; ++row) {
            table->addRow();
            table->setText(0, row < 2 ? "gemm" : "copy");
            table->setNumber(1, 20'000'000);
            table->setNumber(2, 10'000'000 * (row + 1));
        }
        m_pane->setTable(table);
        SummaryRow* const summary = m_pane->summary();
        QTRY_COMPARE(summary->text(0), QString("total (\u03A3) or mean of 3 rows"));
        QCOMPARE(summary->text(1), QString("\u03A3 60.000"));
        QCOMPARE(summary->text(2), QString("20.000"));
        m_pane->view()->setTextFilter("gemm");
        QTRY_COMPARE(summary->text(1), QString("\u03A3 40.000"));
    }

    void theMeanStaysBelow()
    {
        auto table = std::make_shared<Table>("made", "Made");
        table->addColumn({"Rank", "", ColumnType::integer, 0, ""});
        table->addColumn({"Name", "", ColumnType::text, 0, ""});
        table->addColumn({"Busy", "ns", ColumnType::time, 0, ""});
        table->addColumn({"Calls", "", ColumnType::integer, 0, ""});
        table->addColumn({"Start", "ns", ColumnType::time, 0, ""});
        table->addColumn({"peak", "ns", ColumnType::time, 0, "", ColumnMeaning::alignedTime});
        table->addColumn({"skew", "ns", ColumnType::time, 0, "aligned", ColumnMeaning::alignedDuration});
        for (int rank = 0; rank < 64; ++rank) {
            table->addRow();
            table->setNumber(0, rank);
            table->setText(1, rank < 2 ? "few" : "many");
            if (rank != 1) table->setNumber(2, 20'000'000 + rank * 1'000'000);
            table->setNumber(3, rank % 2);
            table->setNumber(4, rank);
            table->setNumber(5, rank);
            table->setNumber(6, 40);
        }
        m_pane->setTable(table);
        SummaryRow* const mean = m_pane->summary();
        QTRY_COMPARE(mean->text(0), QString("mean of 64 rows"));
        QVERIFY(mean->isVisible());
        // (63 * 20 + 2016 - 1) / 63 ms: the rank without a number does not count as zero.
        QCOMPARE(mean->text(2), QString("51.984"));
        QCOMPARE(mean->text(3), QString("0.5"));
        QCOMPARE(mean->text(4), QString()); // points in time have no mean
        QCOMPARE(mean->text(5), QString());
        QCOMPARE(mean->text(6), QString("40"));
        m_pane->view()->setTextFilter("few");
        QTRY_COMPARE(mean->text(0),
                     QString("mean of 2 rows")); // and no mean of ranks, which would be meaningless
        QCOMPARE(mean->text(2), QString("20.000"));
        m_pane->view()->setTextFilter("nothing has this");
        QTRY_VERIFY(!mean->isVisible());
        m_pane->view()->setTextFilter("");
        QTRY_VERIFY(mean->isVisible());
        const int top = mean->mapTo(m_pane.get(), QPoint()).y();
        m_pane->view()->verticalScrollBar()->setValue(m_pane->view()->verticalScrollBar()->maximum());
        QCOMPARE(mean->mapTo(m_pane.get(), QPoint()).y(), top);
        m_pane->resize(1100, 110); // a few rows need the space more
        QTRY_VERIFY(!mean->isVisible());
    }

    void chartIsHiddenWithoutRoom()
    {
        m_pane->setTable(test::madeTable());
        m_pane->resize(700, 300);
        QVERIFY(!m_pane->charts()->isVisible());
        QVERIFY(!test::part<QPushButton>(*m_pane, "chart").isVisible());
        m_pane->resize(1100, 300);
        QVERIFY(m_pane->charts()->isVisible());
        auto other = std::make_shared<Table>("inventory", "");
        other->addColumn({"path", "", ColumnType::text, 0, ""});
        other->addRow();
        m_pane->setTable(other);
        QVERIFY(!m_pane->charts()->isVisible());
        QVERIFY(!test::part<QPushButton>(*m_pane, "chart").isVisible());
        m_pane->setTable(test::madeTable());
        m_pane->setHint("Nothing here.");
        QVERIFY(!m_pane->charts()->isVisible());
    }

    // After sorting, filtering and scrolling, a click on a bar is a click on the row next to it.
    void clicksFollowTheOrderOnScreen()
    {
        m_pane->setTable(longTable(1000));
        awaitLayout();
        RowChart* const chart = m_pane->charts()->rows();
        QSignalSpy activated(m_pane.get(), &ChartedTable::rowActivated);
        m_pane->view()->sortByColumn(0, Qt::AscendingOrder);
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->barOf(0).center());
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.takeFirst().at(0).toInt(), 999);
        QCOMPARE(m_pane->view()->currentTableRow(), 999);
        m_pane->view()->scrollToBottom();
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->barOf(998).center());
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.takeFirst().at(0).toInt(), 1);
        m_pane->view()->setTextFilter("kernel77");
        QCOMPARE(m_pane->view()->shownRows(), 11);
        QTRY_VERIFY(chart->barOf(3).top() > chart->barOf(0).top() && chart->barOf(0).top() > 0);
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->barOf(3).center());
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.takeFirst().at(0).toInt(), 776);
        m_pane->view()->setTextFilter("none of them");
        QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(200, 60));
        QVERIFY(activated.isEmpty());
    }

    void onlyVisibleRowsAreDrawn()
    {
        m_pane->setTable(longTable(100'000));
        awaitLayout();
        m_pane->charts()->rows()->grab();
        const int drawn = m_pane->charts()->rows()->drawnRows();
        QVERIFY2(drawn > 3 && drawn < 30, qPrintable(QString::number(drawn)));
    }

    void wheelOverTheChartScrollsTheTable()
    {
        m_pane->setTable(longTable(1000));
        awaitLayout();
        RowChart* const chart = m_pane->charts()->rows();
        const QPointF place(100, 100);
        QWheelEvent wheel(place, chart->mapToGlobal(place), {}, QPoint(0, -120), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(chart, &wheel);
        QVERIFY(m_pane->view()->verticalScrollBar()->value() > 0);
    }

    void heatMapsAndHistogramsLeadToRows()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(2, 1));
        const auto made = [&](const char* what) {
            return std::make_shared<const Table>(*runAnalysis(what, *scene, {}, Progress()));
        };
        QSignalSpy activated(m_pane.get(), &ChartedTable::rowActivated);
        m_pane->setTable(made("cuda_gpu_time_util_map"));
        awaitLayout();
        QVERIFY(m_pane->charts()->heat()->isVisible());
        const HeatGrid& grid = m_pane->charts()->heat()->grid();
        QCOMPARE(grid.lines.size(), size_t(4));
        const QRect plot = m_pane->charts()->heat()->plot();
        QTest::mouseClick(m_pane->charts()->heat(), Qt::LeftButton, {}, plot.topLeft() + QPoint(1, 1));
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.takeFirst().at(0).toInt(), int(grid.at(0, 0).row));
        m_pane->setTable(made("cuda_gpu_kern_hist"));
        HistogramView* const histogram = m_pane->charts()->histogram();
        QVERIFY(histogram->isVisible());
        const std::string first = histogram->histogram().name;
        QVERIFY(!first.empty());
        const int last = int(m_pane->table()->rowCount()) - 1;
        m_pane->view()->selectTableRow(last); // of another kernel
        QVERIFY(histogram->histogram().name != first);
        const HistogramBars::Bar bar = histogram->histogram().bars.back();
        QCOMPARE(bar.id, last);
        QTest::mouseClick(histogram, Qt::LeftButton, {}, histogram->rectOfBar(bar).center());
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.takeFirst().at(0).toInt(), last);
    }

    // Alt+click or Alt+Return opens the card with the table's value; Escape closes it.
    void cellShowsItsProvenance()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(2, 1));
        m_pane->setOrigin(scene, {});
        m_pane->setTable(
            std::make_shared<const Table>(*runAnalysis("cuda_gpu_kern_sum", *scene, {}, Progress())));
        TableView* const view = m_pane->view();
        const int total = static_cast<int>(m_pane->table()->columnNamed("Total Time"));
        const QPoint cell = view->visualRect(view->model()->index(1, total)).center();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::AltModifier, cell);
        SourcePopover* const card = &popover();
        QVERIFY(card != nullptr && card->isVisible());
        QVERIFY(m_pane->rect().contains(card->geometry()));
        const std::string name = m_pane->table()->cell(m_pane->table()->columnNamed("Name"), 1);
        QVERIFY(card->text().contains(QString::fromStdString(name)));
        QVERIFY(card->text().contains(QString::fromStdString(m_pane->table()->column(size_t(total)).doc)));
        QTRY_VERIFY(!card->isBusy());
        QVERIFY(card->text().contains("sha256 unknown")); // the reports were never files
        QTest::keyClick(card, Qt::Key_Escape);
        QVERIFY(!card->isVisible());
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Return, Qt::AltModifier);
        QVERIFY(popover().isVisible());
        QSignalSpy queries(m_pane.get(), &ChartedTable::sqlRequested);
        QTest::mouseClick(&test::part<QPushButton>(popover(), "sql"), Qt::LeftButton);
        QVERIFY(queries.at(0).at(0).toString().contains("FROM kernel"));
        QVERIFY(!popover().isVisible());
        QTest::keyClick(view, Qt::Key_Return, Qt::AltModifier);
        QSignalSpy activated(m_pane.get(), &ChartedTable::rowActivated);
        QTest::mouseClick(&test::part<QPushButton>(popover(), "show"), Qt::LeftButton);
        QCOMPARE(activated.at(0).at(0).toInt(), 1);
        QTest::keyClick(view, Qt::Key_Return, Qt::AltModifier);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, cell); // another cell
        QVERIFY(!popover().isVisible());
    }

    // A file that changes between two views is read again; a deleted file is reported.
    void digestsDescribeTheCurrentFile()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString() + "/a.sqlite";
        const auto write = [&](const char* text) {
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        write("one");
        const auto report = std::const_pointer_cast<Report>(test::madeRank({})); // ours alone
        report->provenance.path = path;
        Workspace workspace;
        workspace.add(report);
        const ScenePtr scene = test::madeScene(workspace);
        m_pane->setOrigin(scene, {});
        m_pane->setTable(
            std::make_shared<const Table>(*runAnalysis("cuda_gpu_kern_sum", *scene, {}, Progress())));
        m_pane->view()->selectTableRow(0);
        const auto look = [&] {
            QTest::keyClick(m_pane->view(), Qt::Key_Return, Qt::AltModifier);
            QTRY_VERIFY(!popover().isBusy());
        };
        look();
        QVERIFY(popover().text().contains(QString::fromStdString(Sha256::of("one"))));
        write("another");
        look();
        QVERIFY(popover().text().contains(QString::fromStdString(Sha256::of("another"))));
        std::filesystem::remove(path);
        look();
        QVERIFY(popover().text().contains("sha256 unknown"));
    }

    void cleanup()
    {
        // For inspection by a person.
        const QByteArray folder = qgetenv("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) QTest::qWait(200); // Qt Charts draws on a later turn of the event loop
        if (!folder.isEmpty())
            m_pane->grab().save(folder + "/charted_" + QTest::currentTestFunction() + ".png");
        m_pane.reset();
    }

  private:
    SourcePopover& popover() { return test::part<SourcePopover>(*m_pane); }

    // A chart that was just shown is laid out on a later turn of the event loop.
    void awaitLayout() const
    {
        QTRY_COMPARE(m_pane->charts()->geometry().right(), m_pane->rect().right());
        QTRY_COMPARE(m_pane->charts()->currentWidget()->size(), m_pane->charts()->size());
    }

    std::unique_ptr<ChartedTable> m_pane;
};

LOCKSTEP_TEST(ChartedTableTest, "charted_table_test")
#include "charted_table_test.moc"
