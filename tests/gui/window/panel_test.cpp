// SPDX-License-Identifier: Apache-2.0
// Tests Panel, which shows the newest scene and only while it is visible, and ViewState, which reports
// changes and the inputs of tables.
#include "ui/window/panel.h"

#include <QSignalSpy>

#include "tests/support/test_registry.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

class CountingPanel : public Panel {
  public:
    CountingPanel() : Panel("Count", {}) {}

    void setTheme(const Theme&) override {}

    std::vector<uint64_t> shown; // generations of the scenes

  protected:
    void rebuild() override { shown.push_back(scene()->generation); }
};

ScenePtr sceneOf(uint64_t generation)
{
    auto scene = std::make_shared<Scene>();
    scene->generation = generation;
    return scene;
}

} // namespace

class PanelTest : public QObject {
    Q_OBJECT

  private slots:
    // On a small screen, as with remote desktops, a new window fits completely, including its frame.
    void windowsFitTheScreen()
    {
        QCOMPARE(sizeWithin({1920, 1080}, {1440, 900}), QSize(1440, 900));
        const QSize small = sizeWithin({1280, 720}, {1440, 900});
        QVERIFY(small.width() < 1280 && small.height() < 690 && small.height() > 600);
        QCOMPARE(sizeWithin({}, {1440, 900}), QSize(1440, 900)); // no screen at all
        QVERIFY(!sizeWithin({20, 20}, {1440, 900}).isEmpty());
        // A window that was last open on a larger screen.
        const QRect screen(0, 0, 1280, 720);
        QCOMPARE(placeWithin(screen, {100, 50, 800, 600}), QRect(100, 50, 800, 600));
        QVERIFY(screen.contains(placeWithin(screen, {2600, 1500, 800, 600})));
        QCOMPARE(placeWithin(screen, {2600, 1500, 800, 600}).size(), QSize(800, 600));
        QVERIFY(screen.contains(placeWithin(screen, {-900, 10, 3000, 1900})));
        QVERIFY(placeWithin(screen, {-900, -10, 3000, 1900}).top() > 0); // room for the title bar
    }

    void onlyVisiblePanelsAreRebuilt()
    {
        CountingPanel panel;
        for (uint64_t generation = 1; generation <= 5; ++generation)
            panel.setScene(sceneOf(generation));
        QVERIFY(panel.shown.empty());
        panel.show();
        QCOMPARE(panel.shown, std::vector<uint64_t>{5});
        panel.setScene(sceneOf(6));
        QCOMPARE(panel.shown, (std::vector<uint64_t>{5, 6}));
        panel.setUncovered(false); // hidden behind another panel
        panel.setScene(sceneOf(7));
        panel.setScene(sceneOf(8));
        QCOMPARE(panel.shown.back(), uint64_t(6));
        panel.setUncovered(true);
        QCOMPARE(panel.shown, (std::vector<uint64_t>{5, 6, 8}));
        panel.hide();
        panel.show(); // nothing changed meanwhile
        QCOMPARE(panel.shown.size(), size_t(3));
    }

    void scopeFollowsItsChoice()
    {
        ViewState view;
        QSignalSpy scopes(&view, &ViewState::scopeChanged);
        const TimeRange first{{0}, {100}}, second{{20}, {40}};
        view.setVisible(first);
        QCOMPARE(scopes.count(), 1);
        QVERIFY(view.scope()->time == first);
        view.setRange(second); // tables do not depend on this
        QCOMPARE(scopes.count(), 1);
        view.setScopeChoice(ScopeChoice::selected);
        QVERIFY(view.scope()->time == second);
        view.setRange(second, ReportKey(0u), ReportKey(1u)); // the same range, between two clocks
        QCOMPARE(scopes.count(), 2);
        view.setRange(std::nullopt);
        QCOMPARE(scopes.count(), 3);
        QVERIFY(!view.scope().has_value());
        view.setScopeChoice(ScopeChoice::whole);
        QVERIFY(view.scope().has_value() && !view.scope()->time);
    }

    void scopeWaitsForTheEndOfAnAnimation()
    {
        ViewState view;
        QSignalSpy scopes(&view, &ViewState::scopeChanged), moves(&view, &ViewState::visibleChanged);
        view.setMoving(true);
        view.setVisible({{0}, {100}});
        view.setVisible({{0}, {200}});
        QCOMPARE(moves.count(), 2);
        QCOMPARE(scopes.count(), 0);
        view.setMoving(false);
        view.setMoving(false);
        QCOMPARE(scopes.count(), 1);
    }

    void jumpsKeepTheScope()
    {
        ViewState view;
        const SliceRef slice{ReportKey(3u), SliceId(7u)};
        const TimeRange all{{0}, {100}}, part{{20}, {40}}, inside{{25}, {30}};
        view.setVisible(all);
        QSignalSpy scopes(&view, &ViewState::scopeChanged), kept(&view, &ViewState::scopePinnedChanged);
        view.navigateTo(slice); // does not move the view
        QVERIFY(!view.isScopePinned());
        view.navigateTo(slice, false, part);
        QVERIFY(view.visible() == part && view.isScopePinned() && view.scope()->time == all);
        view.setVisible(inside);                               // looks around
        view.navigateTo(slice, false, TimeRange{{90}, {110}}); // a slice at the edge of the range
        QVERIFY(view.isScopePinned());
        QCOMPARE(scopes.count(), 0);
        QCOMPARE(kept.count(), 1);
        view.setVisible({{90}, {120}}); // leaves the range
        QVERIFY(!view.isScopePinned() && view.scope()->time == (TimeRange{{90}, {120}}));
        QCOMPARE(scopes.count(), 1);
        view.navigateTo(slice, false, TimeRange{{95}, {100}});
        view.setScopeChoice(ScopeChoice::visible);
        QVERIFY(!view.isScopePinned() && view.scope()->time == (TimeRange{{95}, {100}}));
        QCOMPARE(scopes.count(), 2);
        view.setScopeChoice(ScopeChoice::whole);
        view.navigateTo(slice, false, part);
        QVERIFY(!view.isScopePinned() && !view.scope()->time);
    }

    void selectionIsConsistent()
    {
        ViewState view;
        const SliceRef slice{ReportKey(3u), SliceId(7u)};
        const BlockRef block{ReportKey(3u), 0, BlockLifeId(2u)};
        view.setSlice(slice);
        view.setBlock(block);
        QVERIFY(!view.slice().isValid() && view.block() == block);
        view.setSlice(slice);
        QVERIFY(!view.block().isValid());
        view.setRange(TimeRange{{50}, {60}});
        view.setAreas({}, nullptr); // keeps a range that was not derived from areas
        QVERIFY(view.range().has_value());
        view.setAreas({{{{10}, {20}}, {}}, {{{40}, {45}}, {}}, {{{70}, {70}}, {}}}, nullptr);
        QCOMPARE(view.areas().size(), size_t(2)); // an empty one is none
        QVERIFY(view.range() == (TimeRange{{10}, {45}}));
        view.setRange(TimeRange{{10}, {45}});
        QCOMPARE(view.areas().size(), size_t(2));
        view.setRange(TimeRange{{11}, {45}});
        QVERIFY(view.areas().empty());
        view.setRange(TimeRange{{11}, {11}});
        QVERIFY(!view.range().has_value());
    }

    void revealingTwiceRequestsTwice()
    {
        ViewState view;
        QSignalSpy asked(&view, &ViewState::revealRequested), changed(&view, &ViewState::sliceChanged);
        const SliceRef slice{ReportKey(3u), SliceId(7u)};
        view.reveal(slice);
        view.reveal(slice);
        view.reveal({});
        QCOMPARE(asked.count(), 2);
        QCOMPARE(changed.count(), 1);
        QVERIFY(view.slice() == slice);
    }
};

LOCKSTEP_TEST(PanelTest, "panel_test")
#include "panel_test.moc"
