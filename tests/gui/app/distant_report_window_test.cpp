// SPDX-License-Identifier: Apache-2.0
// Tests distant reports and ruler units: a report that is days from the others is announced, can be navigated
// to, moved next to the others, and aligned by step. Also tests expanded gaps, the gap settings, and labels
// of zeros.
#include <QMenu>
#include <QPushButton>
#include <QUndoStack>

#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/alignment_panel.h"
#include "ui/timeline/distant_report_bar.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr int64_t kHour_us = 3'600'000'000;

// A kernel of 20 ms, and optionally a step around it.
std::string traceAt(int rank, int64_t later_us, bool hasStep = true)
{
    const std::string start = std::to_string(1'700'000'000'000'000 + later_us);
    std::string text = R"({"distributedInfo":{"rank":)" + std::to_string(rank) +
                       R"(,"world_size":4},"traceEvents":[{"ph":"X","ts":)" + start +
                       R"(,"dur":20000,"pid":0,"tid":7,"name":"gemm_kernel","cat":"kernel",)" +
                       R"("args":{"device":0,"stream":7}})";
    if (hasStep)
        text += R"(,{"ph":"X","ts":)" + start +
                R"(,"dur":30000,"pid":1,"tid":1,"name":"ProfilerStep#4","cat":"user_annotation"})";
    return text + "]}";
}

} // namespace

class DistantReportWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init() { makeWindow({.isMotionReduced = true}); }

    void distantReportIsAnnouncedAndReachable()
    {
        open({0, 1'000, 50 * kHour_us});
        QVERIFY(bar().isVisible());
        QVERIFY2(bar().text().contains("rank 2") && bar().text().contains("2 d 2 h later than the others"),
                 qPrintable(bar().text()));
        QTest::mouseClick(&test::part<QPushButton>(bar(), "goTo"), Qt::LeftButton);
        const TimeRange seen = view().viewState().visible(), far = bar().shown()->extent;
        QVERIFY(seen.begin <= far.begin && far.end <= seen.end);
        QVERIFY(seen.length().ns < 10 * far.length().ns);
        QTest::mouseClick(&test::part<QPushButton>(bar(), "dismiss"), Qt::LeftButton);
        QVERIFY(!bar().isVisible());
        open({2'000}, 3); // another report arrives: the question is not repeated
        QVERIFY(!bar().isVisible());
    }

    void distantReportIsMovedNextToOthersAndUndone()
    {
        open({0, 1'000, 50 * kHour_us});
        QTest::mouseClick(&test::part<QPushButton>(bar(), "moveAdjacent"), Qt::LeftButton);
        QTRY_VERIFY(m_window->isSettled() && !bar().isVisible());
        QVERIFY(scene().extent().length().ns < 1'000'000'000);
        undo();
        QTRY_VERIFY(m_window->isSettled() && bar().isVisible());
    }

    void reportsAreAlignedByStep()
    {
        open({0, 1'000, 50 * kHour_us});
        QVERIFY(test::part<QPushButton>(bar(), "align").isEnabled());
        QTest::mouseClick(&test::part<QPushButton>(bar(), "align"), Qt::LeftButton);
        QTRY_VERIFY(m_window->isSettled() && !bar().isVisible());
        QCOMPARE(part<AlignmentPanel>().choice().options.mode, AlignMode::step);
        QVERIFY(scene().extent().length().ns < 100'000'000);
    }

    void missingStepsAreReported()
    {
        m_window->open({m_folder->write("t/r0.json", traceAt(0, 0, false)),
                        m_folder->write("t/r1.json", traceAt(1, 1'000, false)),
                        m_folder->write("t/r2.json", traceAt(2, -50 * kHour_us, false))});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 3);
        QVERIFY2(bar().text().contains("earlier than the others"), qPrintable(bar().text()));
        QVERIFY(!test::part<QPushButton>(bar(), "align").isEnabled());
        QVERIFY(!test::part<QPushButton>(bar(), "align").toolTip().isEmpty());
    }

    void runWithPausesIsNotDistant()
    {
        open({0, 1'000, kHour_us / 2}); // half an hour
        QVERIFY(!bar().isVisible());
        open({60 * kHour_us, 60 * kHour_us + 5}, 3); // two reports close together
        QVERIFY(!bar().isVisible());
    }

    void expandedGapsAreRestoredFromTheFile()
    {
        open({0, 10 * 60 * 1'000'000});
        QTest::keyClick(&view(), Qt::Key_B);
        QCOMPARE(view().state().window.opened().size(), size_t(1));
        const auto file = m_folder->path() / "gaps.lockstep";
        part<SaveController>().saveTo(file);
        settle();
        makeWindow({.isMotionReduced = true});
        m_window->open({file});
        QTRY_VERIFY(m_window->isSettled() && scene().shown.size() == 2);
        QCOMPARE(view().state().window.opened().size(), size_t(1));
        QVERIFY(view().displayList().scale.parts().empty()); // nothing is collapsed
        QVERIFY(!m_window->isWindowModified());
    }

    void gapsAreUndone()
    {
        open({0, 10 * 60 * 1'000'000});
        QUndoStack& undo = part<QUndoStack>("workspace");
        const auto& opened = view().state().window.opened();
        QTest::keyClick(&view(), Qt::Key_B);
        QCOMPARE(undo.undoText(), QString("expand gap"));
        undo.undo();
        QVERIFY(opened.empty());
        undo.redo();
        QCOMPARE(opened.size(), size_t(1));
        undo.undo();
        // Going to a time in the gap expands it without a step.
        view().navigation().showPosition({{5 * 60 * 1'000'000'000LL}, {5 * 60 * 1'000'000'000LL}});
        QCOMPARE(opened.size(), size_t(1));
        QVERIFY(!undo.canUndo());
        QTest::keyClick(&view(), Qt::Key_B);
        QVERIFY(opened.empty());
        QCOMPARE(undo.undoText(), QString("collapse gap"));
        undo.undo();
        QCOMPARE(opened.size(), size_t(1));
    }

    void settingsDecideWhichGapsCollapse_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QVariant>("value");
        QTest::addColumn<bool>("isFolded");
        QTest::newRow("default") << "" << QVariant() << true;
        QTest::newRow("off") << "timeline/fold_gaps" << QVariant(false) << false;
        QTest::newRow("longer") << "timeline/gap_seconds" << QVariant(601) << false;
        QTest::newRow("shorter") << "timeline/gap_seconds" << QVariant(30) << true;
        QTest::newRow("more steps") << "timeline/gap_steps" << QVariant(30'000) << false;
    }

    void settingsDecideWhichGapsCollapse()
    {
        QFETCH(QString, key);
        QFETCH(QVariant, value);
        QFETCH(bool, isFolded);
        m_window.reset();
        m_settings.reset();
        if (!key.isEmpty())
            QSettings(test::settingsFile(*m_folder), QSettings::IniFormat).setValue(key, value);
        makeWindow({.isMotionReduced = true});
        open({0, 10 * 60 * 1'000'000}); // steps of 30 ms, 10 minutes apart
        QCOMPARE(!view().displayList().scale.parts().empty(), isFolded);
    }

    void rulerNamesItsUnit()
    {
        open({0});
        auto& ruler = part<RulerBar>();
        QVERIFY2(zeroText(scene()).contains("r0.json"), qPrintable(zeroText(scene())));
        QVERIFY(view().viewState().visible().begin <= TraceTime{0} && scene().extent().begin == TraceTime{0});
        QContextMenuEvent asked(QContextMenuEvent::Mouse, QPoint(600, 10),
                                ruler.mapToGlobal(QPoint(600, 10)));
        QApplication::sendEvent(&ruler, &asked);
        QMenu* const menu = ruler.findChild<QMenu*>("rulerMenu");
        QVERIFY(menu != nullptr);
        QStringList texts;
        QAction* clock = nullptr;
        for (QAction* const action : menu->actions()) {
            texts << action->text();
            if (action->text().startsWith("Clock of r0.json")) clock = action;
        }
        QVERIFY2(clock != nullptr && texts.filter("Time since ").size() == 1, qPrintable(texts.join('|')));
        clock->trigger();
        QVERIFY(ruler.time().from == RulerTime::From::report);
        menu->close();
        // The key cycles through the units; the next window uses the same unit.
        view().setFocus();
        QTest::keyClick(&view(), Qt::Key_U);
        QVERIFY(ruler.time().from == RulerTime::From::zero);
        QTest::keyClick(&view(), Qt::Key_U);
        QVERIFY(ruler.time().from == RulerTime::From::utc);
        makeWindow({.isMotionReduced = true});
        QVERIFY(part<RulerBar>().time().from == RulerTime::From::utc);
    }

    void viewsKeepTheirWallTimeWhenReportsArrive()
    {
        open({kHour_us});
        view().navigation().zoomTo({{5'000'000}, {9'000'000}});
        settle();
        const int64_t seen = *scene().alignment.utcAtZero_ns + view().viewState().visible().begin.ns;
        open({0}, 1); // an earlier one moves the zero of the axis
        QCOMPARE(*scene().alignment.utcAtZero_ns + view().viewState().visible().begin.ns, seen);
    }

  private:
    // Adds one report each, with a time offset; ranks start at `first`.
    void open(const std::vector<int64_t>& later_us, int first = 0)
    {
        std::vector<std::filesystem::path> files;
        for (size_t i = 0; i < later_us.size(); ++i) {
            const int rank = first + static_cast<int>(i);
            files.push_back(
                m_folder->write("t/r" + std::to_string(rank) + ".json", traceAt(rank, later_us[i])));
        }
        WindowFixture::open(files);
    }

    DistantReportBar& bar() { return part<DistantReportBar>(); }
};

LOCKSTEP_TEST(DistantReportWindowTest, "distant_report_window_test")
#include "distant_report_window_test.moc"
