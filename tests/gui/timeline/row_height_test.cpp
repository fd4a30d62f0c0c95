// SPDX-License-Identifier: Apache-2.0
// Tests that rows are made taller and lower by a key, the menu and the lower edge of a header. Drawing, hit
// testing and outlines follow, and each change is one undo step.
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

struct SizedLanes {
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};
    TimelineCanvas* canvas;

    SizedLanes()
    {
        view.navigation().setReducedMotion(true);
        view.resize(1200, 900);
        view.setScene(test::madeScene(test::madeWorkspace(1, 1)));
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
    }

    const DisplayLane& lane(LaneSubject subject, uint32_t leastRows = 1)
    {
        const auto& lanes = view.displayList().lanes;
        return *std::ranges::find_if(lanes, [&](const DisplayLane& of) {
            return view.state().tree().lane(of.lane).subject == subject && of.rowsShown >= leastRows;
        });
    }
    QPoint edgeOf(const DisplayLane& of, int below = 0)
    {
        return QPoint(100, of.y + of.height - 1 + below) / canvas->devicePixelRatioF();
    }
    void drag(QPoint from, QPoint to)
    {
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(canvas, (from + to) / 2);
        QTest::mouseMove(canvas, to);
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, to);
    }
};

} // namespace

class RowHeightTest : public QObject {
    Q_OBJECT

  private slots:
    void keyCyclesThroughThreeHeights()
    {
        SizedLanes s;
        QSignalSpy edited(&s.view.lanes(), &LaneTool::lanesEdited);
        std::vector<int> heights;
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(&s.view, Qt::Key_V);
            heights.push_back(s.view.displayList().rows.front().height);
        }
        QCOMPARE(heights, (std::vector<int>{28, 14, 20}));
        QCOMPARE(edited.size(), 3);
        QCOMPARE(edited.at(0).at(1).value<LaneState>().rowHeight, 28);
    }

    void menuShowsAndChoosesTheHeight()
    {
        SizedLanes s;
        QAction* compact = nullptr;
        for (QAction* const action : s.view.lanes().orderButton()->findChildren<QAction*>()) {
            if (action->text() == "Compact") compact = action;
        }
        for (QMenu* const menu : s.view.lanes().orderButton()->menu()->findChildren<QMenu*>()) {
            for (QAction* const action : menu->actions()) {
                if (action->text() == "Compact") compact = action;
            }
        }
        QVERIFY(compact != nullptr && !compact->isChecked());
        compact->trigger();
        QVERIFY(compact->isChecked());
        QCOMPARE(s.view.lanes().laneState().rowHeight, 14);
    }

    void edgeIsDragged()
    {
        SizedLanes s;
        QSignalSpy edited(&s.view.lanes(), &LaneTool::lanesEdited);
        const DisplayLane before = s.lane(LaneSubject::track, 2);
        const std::string key = s.view.state().tree().lane(before.lane).key;
        const int rows = static_cast<int>(before.rowsShown);
        const QPoint from = s.edgeOf(before);
        s.drag(from, from + QPoint(0, 20 * rows));
        const DisplayLane after = s.lane(LaneSubject::track, 2);
        QCOMPARE(after.height, rows * 41);
        QCOMPARE(s.view.lanes().laneState().heights.at(key), 40);
        QCOMPARE(edited.size(), 1);
        QVERIFY(edited.at(0).at(0).value<LaneState>().heights.empty());
        // Slices in its second row are drawn, hit and outlined there.
        const auto row = std::ranges::find_if(s.view.displayList().rows, [&](const DisplayRow& r) {
            return r.lane == after.lane && r.depth == 1 && !r.boxes.empty();
        });
        QVERIFY(row != s.view.displayList().rows.end());
        QCOMPARE(row->y, after.y + 41);
        const SliceBox box = row->boxes.front();
        const QPoint at(s.view.displayList().headerWidth + (box.begin + box.end) / 2, row->y + 35);
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, at / s.canvas->devicePixelRatioF());
        QCOMPARE(s.view.viewState().slice().slice, box.slice);
        const auto& marks = s.view.displayList().marks;
        const auto mark = std::ranges::find_if(marks, [](const DisplayMark& m) { return m.isSelected; });
        QVERIFY(mark != marks.end());
        QCOMPARE(mark->y, after.y + 41);
        QCOMPARE(mark->height, 40);
        // A double click restores the height of all others.
        QTest::mouseDClick(s.canvas, Qt::LeftButton, {}, s.edgeOf(s.lane(LaneSubject::track, 2)));
        QVERIFY(s.view.lanes().laneState().heights.empty());
        QCOMPARE(s.lane(LaneSubject::track, 2).height, before.height);
    }

    void escapeRestoresTheHeight()
    {
        SizedLanes s;
        QSignalSpy edited(&s.view.lanes(), &LaneTool::lanesEdited);
        const LaneState before = s.view.lanes().laneState();
        const QPoint from = s.edgeOf(s.lane(LaneSubject::gpu));
        QTest::mousePress(s.canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(s.canvas, from + QPoint(0, 15));
        QTest::mouseMove(s.canvas, from + QPoint(0, 30));
        QVERIFY(s.view.lanes().laneState() != before);
        s.view.setFocus();
        QTest::keyClick(&s.view, Qt::Key_Escape);
        QTest::mouseRelease(s.canvas, Qt::LeftButton, {}, from + QPoint(0, 30));
        QCOMPARE(s.view.lanes().laneState(), before);
        QCOMPARE(edited.size(), 0);
    }

    void heightsHaveLimits()
    {
        SizedLanes s;
        QPoint from = s.edgeOf(s.lane(LaneSubject::gpu));
        s.drag(from, from + QPoint(0, 2'000));
        QCOMPARE(s.lane(LaneSubject::gpu).rowHeight, kMaxRowHeight);
        from = s.edgeOf(s.lane(LaneSubject::gpu));
        s.drag(from, from - QPoint(0, 2'000));
        QCOMPARE(s.lane(LaneSubject::gpu).rowHeight, kMinRowHeight);
        // All rows together again, including those with a height of their own.
        QTest::keyClick(&s.view, Qt::Key_V);
        QVERIFY(s.view.lanes().laneState().heights.empty());
    }
};

LOCKSTEP_TEST(RowHeightTest, "row_height_test")
#include "row_height_test.moc"
