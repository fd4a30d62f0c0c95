// SPDX-License-Identifier: Apache-2.0
// Lanes of a whole run in a window: 64 ranks with three steps each, and eight real ones. Heights, sets,
// order, what the ruler counts and whom a collective waited for, by keys; each is taken back.
#include <set>

#include <QLineEdit>

#include <QSignalSpy>
#include <QUndoStack>

#include "core/timeline/last_arrival.h"
#include "tests/gui/support/compared_run.h"
#include "tests/support/in_window.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "ui/timeline/asked_line.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_view.h"

using namespace lockstep;

class ManyRanksWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void keysArrangeAndComeBack_data() { addRuns(); }
    void keysArrangeAndComeBack()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        view().editLanes([&](LaneState& lanes) { lanes.grouping = LaneGrouping::none; }); // no map of ranks
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 60'000);
        const int height = tallestRow();
        const LaneState before = view().laneState();
        press(Qt::Key_V);
        QCOMPARE(view().laneState().rowHeight, 28);
        QCOMPARE(m_settings->rowHeight(), 28);
        QVERIFY(tallestRow() > height);
        view().editLanes([&](LaneState& lanes) { lanes.hide(view().laneTree().lane(0), true); });
        press(Qt::Key_V, Qt::ShiftModifier);
        AskedLine& line = setLine();
        QTest::keyClicks(line.field(), "without the first");
        QTest::keyClick(line.field(), Qt::Key_Return);
        const LaneState arranged = view().laneState();
        for (const LaneGrouping grouping : {LaneGrouping::host, LaneGrouping::step, LaneGrouping::gpu}) {
            view().editLanes([&](LaneState& lanes) { lanes.grouping = grouping; });
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 60'000);
            QVERIFY(!view().displayList().lanes.empty());
            undo();
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 60'000);
        }
        QCOMPARE(view().laneState().hidden, arranged.hidden);
        undo(); // the set
        undo(); // what is hidden
        undo(); // the height
        QCOMPARE(view().laneState().hidden, before.hidden);
        QCOMPARE(view().laneState().rowHeight, before.rowHeight);
        QCOMPARE(m_settings->rowHeight(), before.rowHeight);
        QCOMPARE(tallestRow(), height);
    }

    void theRulerCountsInTurn_data() { addRuns(); }
    void theRulerCountsInTurn()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        const TimeRange seen = view().visibleRange();
        const auto& ruler = test::part<RulerBar>(view());
        std::set<RulerTime::From> counted;
        for (int n = 0; n < 3; ++n) {
            counted.insert(ruler.time().from);
            press(Qt::Key_U);
        }
        QCOMPARE(counted.size(), size_t(3));
        QCOMPARE(ruler.time().from, RulerTime::From::zero);
        QVERIFY(view().visibleRange() == seen);
    }

    // Here no file says which operations belong together across ranks: that is told, and nothing is guessed.
    void whoCameLastIsToldOrWhyNot_data() { addRuns(); }
    void whoCameLastIsToldOrWhyNot()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        openRun();
        size_t asked = 0;
        for (const ReportKey key : scene().shown.keys()) {
            const auto& categories = scene().shown.report(key).slices.category;
            const auto found = std::ranges::find(categories, SliceCategory::communication);
            if (found == categories.end() || ++asked > 8) continue;
            const SliceRef part{key, SliceId(static_cast<uint32_t>(found - categories.begin()))};
            const LastArrival last = lastArrivalOf(scene(), part);
            view().select(part, true);
            QSignalSpy told(&view(), &TimelineView::told);
            press(Qt::Key_J);
            QCOMPARE(told.count(), 1);
            QVERIFY2(told[0][0].toString().contains(QString::fromStdString(last.text)),
                     qPrintable(told[0][0].toString()));
            QVERIFY(view().selectedSlice() == (last.slice.isValid() ? last.slice : part));
        }
        QVERIFY(asked >= 8);
    }

    void cleanup() { m_window.reset(); }

  private:
    void addRuns()
    {
        QTest::addColumn<bool>("isReal");
        QTest::newRow("64 ranks, 3 steps") << false;
        QTest::newRow("8 real ranks") << true;
    }
    void openRun()
    {
        QFETCH(bool, isReal);
        if (m_paths.empty()) m_paths = test::writeComparedRun(m_folder, "run", {});
        m_own = std::make_unique<test::TempDir>();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_own));
        m_window = test::shownWindow(*m_settings);
        view().setReducedMotion(true);
        if (isReal) {
            m_window->open({test::sharedData("kineto/dlrm_8ranks")});
        } else {
            m_window->open(m_paths);
        }
        const size_t ranks = isReal ? 8 : 64;
        QTRY_VERIFY_WITH_TIMEOUT(scene().shown.size() == ranks && m_window->isSettled(), 120'000);
    }

    TimelineView& view() { return test::part<TimelineView>(*m_window); }
    const Scene& scene() { return view().scene(); }
    void undo() { test::part<QUndoStack>(*m_window, "workspace").undo(); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        view().setFocus();
        QTest::keyClick(&view(), key, modifiers);
    }
    int tallestRow()
    {
        int most = 0;
        for (const DisplayRow& row : view().displayList().rows)
            most = std::max(most, row.height);
        return most;
    }
    AskedLine& setLine()
    {
        for (AskedLine* const line : m_window->findChildren<AskedLine*>()) {
            if (line->isOpen()) return *line;
        }
        qFatal("no line asks for a name");
    }

    test::TempDir m_folder;
    std::vector<std::filesystem::path> m_paths;
    std::unique_ptr<test::TempDir> m_own; // of one window
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(ManyRanksWindowTest, "many_ranks_window_test")
#include "many_ranks_window_test.moc"
