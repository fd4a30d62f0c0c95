// SPDX-License-Identifier: Apache-2.0
// Tests lanes of samples in the window: the order and grouping that the lane's menu offers, by keyboard, with
// undo.
#include <QMenu>

#include "core/lanes/sample_lanes.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"

using namespace lockstep;

class SampleLanesWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.isMotionReduced = true});
        open({test::sourceFolder() / "tests/golden/samples/sglang.jsonl"});
    }

    void menuGroupsAndSorts()
    {
        QCOMPARE(titles(), QStringList("requests"));
        choose("Group samples by", "Outcome");
        QTRY_COMPARE(titles(), QStringList({"requests \u00B7 completed", "requests \u00B7 aborted"}));
        choose("Sort samples by", "Length");
        QCOMPARE(view().lanes().laneState().samples,
                 (SampleLaneChoice{SampleOrder::length, SampleGrouping::outcome}));
        settle();
        undo();
        undo();
        QTRY_COMPARE(titles(), QStringList("requests"));
        QCOMPARE(view().lanes().laneState().samples, SampleLaneChoice());
    }

  private:
    QStringList titles() const
    {
        QStringList out;
        for (const Lane& lane : view().state().tree().lanes()) {
            if (lane.data.is<SampleLaneData>()) out << QString::fromStdString(lane.label);
        }
        return out;
    }
    // Selects the first lane of samples by keys, opens its menu, and chooses.
    void choose(const QString& submenu, const QString& choice)
    {
        const LaneTree& tree = view().state().tree();
        press(Qt::Key_Home);
        for (size_t i = 0; i < tree.size(); ++i) {
            const uint32_t focused = view().state().focusedLane;
            if (focused < tree.size() && tree.lane(focused).data.is<SampleLaneData>()) break;
            press(Qt::Key_Down);
        }
        press(Qt::Key_Menu);
        for (QMenu* const menu : view().findChildren<QMenu*>()) {
            if (menu->title() != submenu) continue;
            for (QAction* const action : menu->actions()) {
                if (action->text() != choice) continue;
                action->trigger();
                static_cast<QMenu*>(menu->parent())->close();
                QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
                return;
            }
        }
        QFAIL("no such choice");
    }
};

LOCKSTEP_TEST(SampleLanesWindowTest, "sample_lanes_window_test")
#include "sample_lanes_window_test.moc"
