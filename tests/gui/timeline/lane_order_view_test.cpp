// SPDX-License-Identifier: Apache-2.0
// Tests that lanes are dragged by their headers and moved, isolated and sorted by keys, and that each change
// is reported for undo.
#include "ui/timeline/timeline_view.h"

#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/support/made_reports.h"
#include "tests/support/part.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_order_button.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

struct OrderedLanes {
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};
    TimelineCanvas* canvas;

    OrderedLanes()
    {
        view.navigation().setReducedMotion(true);
        view.resize(1200, 900);
        const ScenePtr scene = test::madeScene(test::madeWorkspace(2, 1), {LaneGrouping::none});
        view.setScene(scene);
        LaneState state;
        for (const Lane& lane : scene->tree->lanes()) {
            if (lane.isCollapsible()) state.fold(lane, true);
        }
        view.lanes().setLaneState(state);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
    }

    std::vector<int> ranks()
    {
        std::vector<int> out;
        for (const DisplayLane& lane : view.displayList().lanes)
            out.push_back(rankOf(view.state().tree().lane(lane.lane)).value_or(-1));
        return out;
    }
    // Returns a point in the header of lane number n.
    QPoint header(size_t n)
    {
        const DisplayLane& lane = view.displayList().lanes.at(n);
        return QPoint(120, lane.y + lane.height / 2) / canvas->devicePixelRatioF();
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

class LaneOrderViewTest : public QObject {
    Q_OBJECT

  private slots:
    void headersAreDragged()
    {
        OrderedLanes lanes;
        QCOMPARE(lanes.ranks(), (std::vector<int>{0, 1, 8, 9}));
        QSignalSpy edited(&lanes.view.lanes(), &LaneTool::lanesEdited);
        lanes.drag(lanes.header(0), lanes.header(2));
        QCOMPARE(lanes.ranks(), (std::vector<int>{1, 8, 0, 9}));
        lanes.drag(lanes.header(3), lanes.header(0));
        QCOMPARE(lanes.ranks(), (std::vector<int>{9, 1, 8, 0}));
        QCOMPARE(edited.size(), 2);
        QVERIFY(lanes.view.lanes().orderButton()->text().contains("custom order"));
        // The lane drawn on top is hit first.
        const Hit hit = lanes.canvas->hitAt(lanes.header(0));
        QCOMPARE(rankOf(lanes.view.state().tree().lane(hit.lane)), std::optional(9));
        lanes.view.lanes().setLaneState(edited.at(0).at(0).value<LaneState>());
        QCOMPARE(lanes.ranks(), (std::vector<int>{0, 1, 8, 9}));
    }

    void escapeLeavesTheLaneWhereItWas()
    {
        OrderedLanes lanes;
        QSignalSpy edited(&lanes.view.lanes(), &LaneTool::lanesEdited);
        const QPoint from = lanes.header(0), to = lanes.header(2);
        QTest::mousePress(lanes.canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(lanes.canvas, (from + to) / 2);
        QTest::mouseMove(lanes.canvas, to);
        lanes.view.setFocus();
        QTest::keyClick(&lanes.view, Qt::Key_Escape);
        QTest::mouseRelease(lanes.canvas, Qt::LeftButton, {}, to);
        QCOMPARE(lanes.ranks(), (std::vector<int>{0, 1, 8, 9}));
        QCOMPARE(edited.size(), 0);
    }

    void keysMoveAndIsolate()
    {
        OrderedLanes lanes;
        lanes.view.setFocus();
        QTest::keyClick(&lanes.view, Qt::Key_Down);
        QTest::keyClick(&lanes.view, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(lanes.ranks(), (std::vector<int>{1, 0, 8, 9}));
        QTest::keyClick(&lanes.view, Qt::Key_Up, Qt::AltModifier);
        QTest::keyClick(&lanes.view, Qt::Key_Up, Qt::AltModifier); // it is already the first lane
        QCOMPARE(lanes.ranks(), (std::vector<int>{0, 1, 8, 9}));
        QTest::keyClick(&lanes.view, Qt::Key_Down);
        QTest::keyClick(&lanes.view, Qt::Key_I);
        QCOMPARE(lanes.ranks(), std::vector<int>{1});
        QCOMPARE(lanes.view.lanes().laneState().hidden.size(), size_t(3));
        QVERIFY(test::part<QPushButton>(lanes.view, "hiddenLanes").isVisible());
        QCOMPARE(test::part<QPushButton>(lanes.view, "hiddenLanes").text(), QString("3 lanes hidden"));
        QTest::keyClick(&lanes.view, Qt::Key_I); // shows the others again
        QCOMPARE(lanes.ranks(), (std::vector<int>{0, 1, 8, 9}));
        QVERIFY(!test::part<QPushButton>(lanes.view, "hiddenLanes").isVisible());
        QTest::keyClick(&lanes.view, Qt::Key_I);
        QTest::mouseClick(&test::part<QPushButton>(lanes.view, "hiddenLanes"), Qt::LeftButton);
        QCOMPARE(lanes.ranks(), (std::vector<int>{0, 1, 8, 9}));
    }

    void keysCollapseAndExpandAll()
    {
        OrderedLanes lanes;
        lanes.view.setFocus();
        const auto count = [&] { return lanes.view.displayList().lanes.size(); };
        QTest::keyClick(&lanes.view, Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        const size_t all = count();
        QTest::keyClick(&lanes.view, Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(count() < all);
        QTest::keyClick(&lanes.view, Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(count(), all);
    }

    void buttonShowsAndChoosesTheOrder()
    {
        OrderedLanes lanes;
        QSignalSpy edited(&lanes.view.lanes(), &LaneTool::lanesEdited);
        QAction* latest = nullptr;
        for (QAction* const action : lanes.view.lanes().orderButton()->menu()->actions()) {
            if (action->text().startsWith("Wait caused")) latest = action;
        }
        QVERIFY(latest != nullptr);
        latest->trigger();
        QCOMPARE(edited.size(), 1);
        QCOMPARE(lanes.view.lanes().laneState().sort, LaneSort::lateness);
        QVERIFY(latest->isChecked());
        QVERIFY(lanes.view.lanes().orderButton()->text().contains("by wait caused"));
        for (const DisplayLane& lane : lanes.view.displayList().lanes)
            QVERIFY2(lane.value.starts_with("late ") || lane.value == "no lateness", lane.value.c_str());
    }
};

LOCKSTEP_TEST(LaneOrderViewTest, "lane_order_view_test")
#include "lane_order_view_test.moc"
