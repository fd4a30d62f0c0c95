// SPDX-License-Identifier: Apache-2.0
// Tests AlignmentPanel: the information on each clock, and the user's actions: mode, accept, edit, lock,
// reset, undo.
#include "ui/panels/alignment_panel.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>

#include "tests/support/part.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"
#include "ui/models/alignment_model.h"
#include "ui/panels/residual_chart.h"
#include "ui/panels/table_view.h"

using namespace lockstep;

namespace {

AlignOptions inMode(AlignMode mode)
{
    AlignOptions options;
    options.mode = mode;
    return options;
}

// Returns the row of the second report.
constexpr ReportKey kSecond(1u);

} // namespace

class AlignmentPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        m_made = test::makeSyntheticClocks({.hosts = 2, .ranksPerHost = 2, .steps = 8, .largestDrift = 0});
        m_alignment = alignReports(m_made.workspace, {});
    }

    void init()
    {
        m_document = std::make_unique<WorkDocument>();
        m_panel = std::make_unique<AlignmentPanel>(*m_document);
        m_panel->resize(1200, 240);
        showAligned(m_alignment);
        m_panel->show();
    }

    void cleanup() { m_panel.reset(); }

    void describesEachClock()
    {
        QAbstractItemModelTester tester(m_panel->model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(m_panel->model()->rowCount(), 4);
        const int fitted = fittedRow();
        QCOMPARE(text(fitted, AlignmentModel::stateColumn), QString("proposed"));
        QCOMPARE(text(fitted, AlignmentModel::methodColumn), QString("collectives"));
        QVERIFY(text(fitted, AlignmentModel::errorColumn).startsWith("\u00B1 "));
        QVERIFY(text(fitted, AlignmentModel::guaranteedColumn).startsWith("["));
        QVERIFY(text(fitted, AlignmentModel::violationColumn).endsWith("\u2192 0"));
        QCOMPARE(text(fitted, AlignmentModel::confidenceColumn), QString("good"));
        QVERIFY(!text(fitted, AlignmentModel::reasonColumn).isEmpty());
        for (int row = 0; row < 4;
             ++row) // the reference is compared with the others at their current positions
            QVERIFY(text(row, AlignmentModel::violationColumn).endsWith("\u2192 0"));
    }

    // Each row is named by its difference from the others, and the reason of the selected row is readable in
    // full.
    void namesRowsAndShowsFullReasons()
    {
        QSet<QString> labels;
        for (int row = 0; row < m_panel->model()->rowCount(); ++row)
            labels << text(row, AlignmentModel::reportColumn);
        QCOMPARE(labels.size(), m_panel->model()->rowCount());
        const int row = fittedRow();
        m_panel->table()->selectTableRow(row);
        QVERIFY(m_panel->why()->isVisible());
        QCOMPARE(m_panel->why()->text(),
                 text(row, AlignmentModel::reportColumn) + ": " + text(row, AlignmentModel::reasonColumn));
        const QLabel& why = *m_panel->why();
        QTRY_VERIFY(why.heightForWidth(why.width()) <= why.height());
    }

    void plotsTheSelectedClock()
    {
        m_panel->table()->selectTableRow(fittedRow());
        QVERIFY2(m_panel->chart()->summary().startsWith("n="), qPrintable(m_panel->chart()->summary()));
        showAligned(alignReports(m_made.workspace, inMode(AlignMode::zero)));
        QCOMPARE(m_panel->chart()->summary(), QString());
    }

    void plotsSteps()
    {
        ClockMap map;
        map.steps = {{{5'000}, 100}};
        ResidualSeries series;
        series.points = {{{1'000}, -2'000}, {{9'000}, 3'000}};
        m_panel->chart()->setResiduals(series, map, {});
        QCOMPARE(m_panel->chart()->stepCount(), size_t(1));
        QCOMPARE(m_panel->chart()->summary(), QString("n=2, \u22122 \u00B5s to 3 \u00B5s"));
    }

    void acceptKeepsThePlacement()
    {
        QSignalSpy changed(m_document.get(), &WorkDocument::changed);
        const int row = fittedRow();
        const ReportKey key(static_cast<size_t>(row));
        m_panel->table()->selectTableRow(row);
        m_panel->accept();
        QCOMPARE(changed.count(), 1);
        QCOMPARE(m_panel->choice().options.accepted.at(key).map.offset_ns,
                 m_alignment.map(ReportKey(static_cast<size_t>(row))).offset_ns);
        QCOMPARE(text(row, AlignmentModel::stateColumn), QString("accepted"));
        m_document->undoStack().undo();
        QVERIFY(m_panel->choice().options.accepted.empty());
        QCOMPARE(text(row, AlignmentModel::stateColumn), QString("proposed"));
        m_document->undoStack().redo();
        QVERIFY(m_panel->choice().options.accepted.contains(key));
        m_panel->reset();
        QVERIFY(m_panel->choice().options.accepted.empty());
    }

    void typedShift_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("isTaken");
        QTest::addColumn<qlonglong>("shift_ns");
        QTest::newRow("microseconds") << "12.5 us" << true << 12'500LL;
        QTest::newRow("signed") << "+3ms" << true << 3'000'000LL;
        QTest::newRow("minus sign") << "\u22123 \u00B5s" << true << -3'000LL;
        QTest::newRow("bare ns") << "-7" << true << -7LL;
        QTest::newRow("no time") << "soon" << false << 0LL;
    }

    void typedShift()
    {
        QFETCH(QString, typed);
        QFETCH(bool, isTaken);
        QFETCH(qlonglong, shift_ns);
        const QModelIndex cell = m_panel->model()->index(1, AlignmentModel::shiftColumn);
        QCOMPARE(m_panel->model()->setData(cell, typed), isTaken);
        QCOMPARE(m_panel->choice().options.shifts_ns.contains(kSecond), isTaken);
        if (!isTaken) return;
        QCOMPARE(qlonglong(m_panel->choice().options.shifts_ns.at(kSecond)), shift_ns);
        QCOMPARE(text(1, AlignmentModel::stateColumn), QString("moved"));
        QVERIFY(m_panel->model()->setData(cell, ""));
        QVERIFY(m_panel->choice().options.shifts_ns.empty());
    }

    void columnsOfTimesHaveOneUnit()
    {
        const auto header = [this](int column) {
            return m_panel->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        };
        const auto type = [this](int row, const char* text) {
            QVERIFY(
                m_panel->model()->setData(m_panel->model()->index(row, AlignmentModel::shiftColumn), text));
        };
        type(0, "250 ns");
        type(1, "12.5 us");
        QCOMPARE(header(AlignmentModel::shiftColumn), QString("Manual offset (\u00B5s)"));
        QCOMPARE(text(0, AlignmentModel::shiftColumn), QString("+0.250"));
        QCOMPARE(text(1, AlignmentModel::shiftColumn), QString("+12.500"));
        type(1, "-3 s");
        QCOMPARE(header(AlignmentModel::shiftColumn), QString("Manual offset (ms)"));
        QCOMPARE(text(1, AlignmentModel::shiftColumn), QString("\u22123,000.000"));
        // Days are not written as thousands of seconds.
        type(1, "180000 s");
        QCOMPARE(header(AlignmentModel::shiftColumn), QString("Manual offset"));
        QCOMPARE(text(1, AlignmentModel::shiftColumn), QString("+2 d 2 h"));
        QCOMPARE(text(0, AlignmentModel::shiftColumn), QString("+250 ns"));
        QVERIFY(header(AlignmentModel::errorColumn).startsWith("Error ("));
    }

    void editOpensTheCell()
    {
        m_panel->table()->selectTableRow(1);
        m_panel->edit();
        auto* const editor = m_panel->table()->findChild<QLineEdit*>(QString(), Qt::FindChildrenRecursively);
        QVERIFY(editor != nullptr);
    }

    void lockedClocksAreNotMoved()
    {
        m_panel->table()->selectTableRow(1);
        m_panel->toggleLock();
        QVERIFY(m_panel->isLocked(kSecond));
        QCOMPARE(text(1, AlignmentModel::stateColumn), QString("locked"));
        QVERIFY(!m_panel->moveBy({ReportKey(0u), kSecond}, {500}));
        QVERIFY(m_panel->choice().options.shifts_ns.empty());
        const QModelIndex cell = m_panel->model()->index(1, AlignmentModel::shiftColumn);
        QVERIFY(!(m_panel->model()->flags(cell) & Qt::ItemIsEditable));
        m_panel->toggleLock();
        QVERIFY(!m_panel->isLocked(kSecond));
        QVERIFY(m_panel->moveBy({ReportKey(0u), kSecond}, {500}));
        QVERIFY(m_panel->moveBy({kSecond}, {-200}));
        QCOMPARE(m_panel->choice().options.shifts_ns, (ManualShifts{{ReportKey(0u), 500}, {kSecond, 300}}));
        m_document->undoStack().undo();
        m_document->undoStack().undo();
        QVERIFY(m_panel->choice().options.shifts_ns.empty());
    }

    void modes()
    {
        QSignalSpy changed(m_document.get(), &WorkDocument::changed);
        choose(AlignMode::step);
        QCOMPARE(m_panel->choice().options.mode, AlignMode::step);
        QVERIFY(test::part<QSpinBox>(*m_panel).isVisible() &&
                !test::part<QLineEdit>(*m_panel, "marker").isVisible());
        QVERIFY(!m_panel->choice().options.step);
        test::part<QSpinBox>(*m_panel).setValue(3);
        QCOMPARE(m_panel->choice().options.step, std::optional<int64_t>(3));
        QCOMPARE(changed.count(), 2);
        choose(AlignMode::marker);
        QCOMPARE(changed.count(), 2); // without a name, nothing changes yet
        QVERIFY(test::part<QLineEdit>(*m_panel, "marker").isVisible());
        test::part<QLineEdit>(*m_panel, "marker").setText("update_actor");
        QTest::keyClick(&test::part<QLineEdit>(*m_panel, "marker"), Qt::Key_Return);
        QCOMPARE(m_panel->choice().options.marker, std::string("update_actor"));
        QCOMPARE(m_panel->choice().options.mode, AlignMode::marker);
        m_document->undoStack().undo();
        QCOMPARE(test::part<QComboBox>(*m_panel, "mode").currentData().toInt(), int(AlignMode::step));
        QVERIFY(test::part<QSpinBox>(*m_panel).isVisible());
    }

    void choiceByOtherKeys()
    {
        AlignmentChoice choice;
        choice.options.mode = AlignMode::host;
        choice.options.shifts_ns = {{ReportKey(12u), 500}, {ReportKey(99u), 1}};
        choice.options.accepted[ReportKey(14u)].map.offset_ns = 77;
        choice.locked = {ReportKey(14u)};
        const AlignmentChoice other =
            choice.renumbered({{ReportKey(12u), ReportKey(1u)}, {ReportKey(14u), ReportKey(12u)}});
        QCOMPARE(other.options.mode, AlignMode::host);
        QCOMPARE(other.options.shifts_ns, (ManualShifts{{ReportKey(1u), 500}}));
        QCOMPARE(other.options.accepted.size(), size_t(1));
        QCOMPARE(other.options.accepted.at(ReportKey(12u)).map.offset_ns, int64_t(77));
        QCOMPARE(other.locked, std::set<ReportKey>{ReportKey(12u)});
        choice.forget(ReportKey(99u));
        QCOMPARE(choice.options.shifts_ns, (ManualShifts{{ReportKey(12u), 500}}));
    }

  private:
    void showAligned(const Alignment& alignment)
    {
        auto scene = std::make_shared<Scene>();
        scene->open = m_made.workspace;
        scene->alignment = alignment;
        m_panel->setScene(scene);
    }
    QString text(int row, int column) const { return m_panel->model()->index(row, column).data().toString(); }
    int fittedRow() const
    {
        for (int row = 0; row < m_panel->model()->rowCount(); ++row) {
            if (text(row, AlignmentModel::methodColumn) == "collectives") return row;
        }
        return -1;
    }
    void choose(AlignMode mode)
    {
        const int index = test::part<QComboBox>(*m_panel, "mode").findData(static_cast<int>(mode));
        test::part<QComboBox>(*m_panel, "mode").setCurrentIndex(index);
        emit test::part<QComboBox>(*m_panel, "mode").activated(index);
    }

    test::SyntheticClocks m_made;
    Alignment m_alignment;
    std::unique_ptr<WorkDocument> m_document;
    std::unique_ptr<AlignmentPanel> m_panel;
};

LOCKSTEP_TEST(AlignmentPanelTest, "alignment_panel_test")
#include "alignment_panel_test.moc"
