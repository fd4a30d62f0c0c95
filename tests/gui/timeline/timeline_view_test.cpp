// SPDX-License-Identifier: Apache-2.0
// Tests input on the timeline: keys, mouse, hover, selection, collapsing, and the signals of the view to the
// window.
#include "core/timeline/lane_kind.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

#include "tests/support/made_reports.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

// A visible view of two ranks, without animation.
struct ShownView {
    ScenePtr made = test::madeScene(test::madeWorkspace(1));
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};
    TimelineCanvas* canvas;

    ShownView()
    {
        view.navigation().setReducedMotion(true);
        view.resize(1280, 720);
        view.setScene(made);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
        view.setFocus();
    }

    // Returns the first drawn box of a kind, and a point on it.
    std::pair<SliceRef, QPoint> boxOf(RowKind kind)
    {
        const DisplayList& list = view.displayList();
        for (const DisplayRow& row : list.rows) {
            for (const SliceBox& box : row.boxes) {
                if (!box.slice.isValid() || row.kind->name() != "slices" || row.y + 10 >= list.size.height)
                    continue;
                if (made->shown.report(row.track.report).slices.kind[box.slice.value] != kind) continue;
                const QPoint at(list.headerWidth + (box.begin + box.end) / 2, row.y + row.height / 2);
                return {{row.track.report, box.slice}, at};
            }
        }
        return {};
    }

    void move(QWidget* widget, QPoint at, Qt::MouseButtons buttons = Qt::NoButton)
    {
        QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, buttons, {});
        QApplication::sendEvent(widget, &event);
    }

    void wheel(QPoint at, int delta, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(at, canvas->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas, &event);
    }
};

} // namespace

class TimelineViewTest : public QObject {
    Q_OBJECT

  private slots:
    void keysZoomPanAndReturn()
    {
        ShownView s;
        const TimeRange all = s.viewState.visible();
        QSignalSpy moved(&s.viewState, &ViewState::visibleChanged);
        QTest::keyClick(&s.view, Qt::Key_W);
        const TimeRange zoomed = s.viewState.visible();
        QVERIFY(zoomed.length() < all.length());
        QCOMPARE(moved.count(), 1);
        QTest::keyClick(&s.view, Qt::Key_D);
        QVERIFY(s.viewState.visible().begin > zoomed.begin);
        QTest::keyClick(&s.view, Qt::Key_A);
        QTest::keyClick(&s.view, Qt::Key_S);
        QTest::keyClick(&s.view, Qt::Key_0);
        QCOMPARE(s.viewState.visible(), all);
        s.view.navigation().zoomTo({{1'000}, {50'000}});
        QTest::keyClick(&s.view, Qt::Key_Backspace);
        QCOMPARE(s.viewState.visible(), all);
        QTest::keyClick(&s.view, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(s.viewState.visible(), (TimeRange{{1'000}, {50'000}}));
    }

    void wheelZoomsAtTheCursorPansAndScrolls()
    {
        ShownView s;
        const QPoint at(700, 200);
        const TraceTime under = s.canvas->timeAt(at.x());
        s.wheel(at, 120, Qt::ControlModifier);
        const TimeRange zoomed = s.viewState.visible();
        QVERIFY(std::abs((s.canvas->timeAt(at.x()) - under).ns) <= zoomed.length().ns / 500);
        s.wheel(at, -120, Qt::ShiftModifier);
        QVERIFY(s.viewState.visible().begin > zoomed.begin);
        const int before = s.view.displayList().lanes.front().y;
        s.wheel(at, -120, Qt::NoModifier);
        QVERIFY(s.view.displayList().lanes.front().y < before || s.view.displayList().lanes.front().lane > 0);
    }

    void clickSelectsAndShowsLinks()
    {
        ShownView s;
        s.view.navigation().zoomTo({{10'500'000}, {14'000'000}});
        QSignalSpy selected(&s.viewState, &ViewState::sliceChanged);
        const auto [slice, at] = s.boxOf(RowKind::kernel);
        QVERIFY(slice.isValid());
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, at);
        QCOMPARE(s.viewState.slice(), slice);
        QCOMPARE(selected.count(), 1);
        QCOMPARE(s.view.displayList().links.size(), size_t(1));
        QVERIFY(!s.view.displayList().marks.empty() && s.view.displayList().marks.back().isSelected);
        QTest::keyClick(&s.view, Qt::Key_BracketLeft); // to the API call that launched it
        const SliceRef call = s.viewState.slice();
        QCOMPARE(s.made->shown.report(call.report).slices.kind[call.slice.value], RowKind::runtimeApi);
        QTest::keyClick(&s.view, Qt::Key_BracketRight);
        QCOMPARE(s.viewState.slice(), slice);
        QTest::keyClick(&s.view, Qt::Key_Period);
        QCOMPARE(s.viewState.slice().slice.value, slice.slice.value + 1);
        QTest::keyClick(&s.view, Qt::Key_Comma);
        QCOMPARE(s.viewState.slice(), slice);
        QTest::keyClick(&s.view, Qt::Key_Period, Qt::AltModifier); // the next one with this name
        const SliceRef sameName = s.viewState.slice();
        const Report& report = s.made->shown.report(slice.report);
        QVERIFY(sameName.slice.value > slice.slice.value);
        QCOMPARE(report.nameOf(sameName.slice), report.nameOf(slice.slice));
        QTest::keyClick(&s.view, Qt::Key_Comma, Qt::AltModifier);
        QCOMPARE(s.viewState.slice(), slice);
        QTest::keyClick(&s.view, Qt::Key_F);
        QVERIFY(s.viewState.visible().length().ns < 1'000'000);
        QTest::keyClick(&s.view, Qt::Key_F);
        QVERIFY(s.viewState.visible().length().ns > 40'000'000);
        QTest::keyClick(&s.view, Qt::Key_Escape);
        QVERIFY(!s.viewState.slice().isValid());
    }

    void dragSelectsARange()
    {
        ShownView s;
        QSignalSpy selected(&s.viewState, &ViewState::rangeChanged);
        QTest::mousePress(s.canvas, Qt::LeftButton, {}, {500, 300});
        s.move(s.canvas, {600, 300}, Qt::LeftButton);
        s.move(s.canvas, {700, 300}, Qt::LeftButton);
        QTest::mouseRelease(s.canvas, Qt::LeftButton, {}, {700, 300});
        QVERIFY(s.viewState.range().has_value());
        QCOMPARE(*s.viewState.range(), (TimeRange{s.canvas->timeAt(500), s.canvas->timeAt(700)}));
        QVERIFY(selected.count() >= 1);
        auto* const ruler = s.view.findChild<RulerBar*>();
        QTest::mousePress(ruler, Qt::LeftButton, {}, {400, 10});
        s.move(ruler, {450, 10}, Qt::LeftButton);
        QCOMPARE(*s.viewState.range(), (TimeRange{s.canvas->timeAt(400), s.canvas->timeAt(450)}));
        QTest::mouseRelease(ruler, Qt::LeftButton, {}, {450, 10});
        QTest::keyClick(&s.view, Qt::Key_F);
        QVERIFY(s.viewState.visible().length() < Duration{5'000'000});
        QTest::mouseClick(ruler, Qt::LeftButton, {}, {300, 10});
        QVERIFY(!s.viewState.range().has_value());
    }

    void middleDragPans()
    {
        ShownView s;
        s.view.navigation().zoomTo({{10'000'000}, {20'000'000}});
        QTest::mousePress(s.canvas, Qt::MiddleButton, {}, {700, 300});
        s.move(s.canvas, {600, 300}, Qt::MiddleButton);
        QTest::mouseRelease(s.canvas, Qt::MiddleButton, {}, {600, 300});
        QVERIFY(s.viewState.visible().begin > TraceTime{10'500'000});
        QVERIFY(!s.viewState.range().has_value());
    }

    void collapsesByTriangleDoubleClickAndKeys()
    {
        ShownView s;
        const auto lanes = [&] { return s.view.displayList().lanes.size(); };
        const size_t before = lanes();
        const DisplayLane gpu = s.view.displayList().lanes[2];
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, {gpu.indent + 5, gpu.y + 10});
        QVERIFY(s.view.displayList().lanes[2].isCollapsed);
        QVERIFY(lanes() < before || s.view.displayList().contentHeight < 1'000);
        QTest::mouseDClick(s.canvas, Qt::LeftButton, {}, {gpu.indent + 60, gpu.y + 10});
        QVERIFY(!s.view.displayList().lanes[2].isCollapsed);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(&s.view, Qt::Key_Up);
        QTest::keyClick(&s.view, Qt::Key_Return); // the first lane: the process
        QVERIFY(s.view.displayList().lanes[0].isCollapsed);
        QVERIFY(s.view.lanes().laneState().collapsed.at(s.view.state().tree().lane(0).key));
    }

    void pinsHidesAndKeepsTheState()
    {
        ShownView s;
        QTest::keyClick(&s.view, Qt::Key_Down);
        QTest::keyClick(&s.view, Qt::Key_Down);
        QTest::keyClick(&s.view, Qt::Key_Down);
        QTest::keyClick(&s.view, Qt::Key_P);
        QVERIFY(s.view.displayList().pinnedHeight > 0);
        QVERIFY(s.view.displayList().lanes.back().isPinned);
        LaneState state = s.view.lanes().laneState();
        state.hidden.insert(s.view.state().tree().lane(4).key);
        s.view.lanes().setLaneState(state);
        s.view.setScene(s.made);
        QCOMPARE(s.view.lanes().laneState(), state);
        QTest::keyClick(&s.view, Qt::Key_P);
        QCOMPARE(s.view.displayList().pinnedHeight, 0);
        QVERIFY(!s.view.lanes().setFilter("("));
        QVERIFY(s.view.lanes().setFilter("NVTX$")); // not the projected ranges of the GPU;
        for (const DisplayLane& lane : s.view.displayList().lanes) {
            const LaneSubject kind = s.view.state().tree().lane(lane.lane).subject;
            QVERIFY(kind != LaneSubject::gpu && kind != LaneSubject::counter);
        }
    }

    void hoverShowsNameTimeAndMore()
    {
        ShownView s;
        s.view.navigation().zoomTo({{10'500'000}, {14'000'000}});
        QSignalSpy hovered(&s.view.hover(), &HoverTool::sliceHovered);
        const auto [slice, at] = s.boxOf(RowKind::kernel);
        s.move(s.canvas, at);
        QVERIFY(hovered.count() >= 1);
        QCOMPARE(hovered.last().at(0).value<SliceRef>(), slice);
        const Report& report = s.made->shown.report(slice.report);
        QCOMPARE(s.view.hover().lines().value(0).toStdString(), std::string(report.nameOf(slice.slice)));
        s.view.hover().setText({slice.report, SliceId(slice.slice.value + 1)}, "not this");
        s.view.hover().setText(slice, "grid 128\nblock 256");
        QCOMPARE(s.view.hover().lines().last(), QString("block 256"));
        QSignalSpy left(&s.viewState, &ViewState::cursorChanged);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(s.canvas, &leave);
        QCOMPARE(left.count(), 1);
        QVERIFY(s.view.hover().lines().isEmpty());
    }

    void revealExpandsScrollsAndMoves()
    {
        ShownView s;
        s.view.navigation().zoomTo({{0}, {1'000'000}});
        LaneState state;
        for (const Lane& lane : s.view.state().tree().lanes())
            state.collapsed[lane.key] = true;
        s.view.lanes().setLaneState(state);
        const Report& report = s.made->shown.report(ReportKey(1u));
        SliceRef last{ReportKey(1u), SliceId(report.slices.size() - 1)};
        s.view.selector().select(last, true);
        QCOMPARE(s.viewState.slice(), last);
        bool isMarked = false;
        for (const DisplayMark& mark : s.view.displayList().marks) {
            isMarked |= mark.isSelected && mark.y >= 0 && mark.y < s.view.displayList().size.height;
        }
        QVERIFY(isMarked);
    }

    // A row with a damaged stamp is 30 hours before the run: the axis reaches it on request, and no longer
    // after everything was zoomed to fit again.
    void damagedRowIsReachedOnRequest()
    {
        std::string events;
        for (int i = 0; i < 2000; ++i)
            events += R"({"ph":"X","name":"good","pid":1,"tid":1,"dur":5,"ts":)" +
                      std::to_string(120'000'000'000 + i * 10) + "},";
        const auto report = test::reportOfBytes(
            "[" + events + R"({"ph":"X","name":"stray","pid":1,"tid":1,"dur":5,"ts":12000000000}])");
        QVERIFY(report != nullptr);
        Workspace workspace;
        workspace.add(report);
        ShownView s;
        s.made = test::madeScene(workspace);
        s.view.setScene(s.made);
        s.view.navigation().fitAll();
        const TimeRange whole = s.viewState.visible();
        QVERIFY(whole.length() < Duration{1'000'000'000});
        uint32_t stray = 0;
        while (report->nameOf(SliceId(stray)) != "stray")
            ++stray;
        const SliceRef asked{ReportKey(0u), SliceId(stray)};
        QVERIFY(s.made->holds(asked));
        s.view.selector().select(asked, true);
        const TimeRange seen = s.viewState.visible();
        const TraceTime start =
            s.made->alignment.map(asked.report).alignedFromTrace(report->slices.start(asked.slice));
        QVERIFY(seen.begin <= start && start <= seen.end);
        s.view.navigation().fitAll();
        QCOMPARE(s.viewState.visible(), whole);
    }

    void processStaysInViewWhileItsLanesScroll()
    {
        ShownView s;
        s.view.resize(1280, 340);
        auto* const bar = s.view.findChild<QScrollBar*>();
        QVERIFY(bar->maximum() > 0);
        const LaneTree& tree = *s.made->tree;
        const auto bottomOf = [](const DisplayLane& lane) { return lane.y + lane.height; };
        int stuck = 0, pushed = 0;
        for (int y = 0; y <= bar->maximum(); ++y) {
            bar->setValue(y);
            const DisplayList& list = s.view.displayList();
            const DisplayLane* top = nullptr;
            const DisplayLane* pinned = nullptr;
            for (const DisplayLane& lane : list.lanes) {
                if (lane.isPinned) pinned = &lane;
                const bool isVisible = !lane.isPinned && bottomOf(lane) > list.pinnedHeight;
                if (isVisible && (top == nullptr || lane.y < top->y)) top = &lane;
            }
            QCOMPARE(list.pinnedHeight, pinned == nullptr ? 0 : bottomOf(*pinned));
            if (top == nullptr) continue;
            const uint32_t process = tree.processOf(top->lane);
            if (process == kNoLane) continue;
            QCOMPARE(std::ranges::count(list.lanes, process, &DisplayLane::lane), 1);
            if (pinned == nullptr) continue;
            ++stuck;
            pushed += pinned->y < 0;
            QCOMPARE(hitTest(list, 10, 0).lane, pinned->lane);
        }
        QVERIFY(stuck > 100 && pushed > 0);
    }

    // A slice that is scrolled to is not below the lane of its process.
    void revealedSliceIsNotCovered()
    {
        ShownView s;
        s.view.resize(1280, 340);
        auto* const bar = s.view.findChild<QScrollBar*>();
        const auto [slice, at] = s.boxOf(RowKind::kernel);
        QVERIFY(slice.isValid());
        bar->setValue(bar->maximum());
        s.view.selector().select(slice, true);
        QVERIFY(!s.view.displayList().marks.empty());
        QVERIFY(s.view.displayList().marks[0].y >= s.view.displayList().pinnedHeight);
    }

    void foundLaneIsExpandedAndMarked()
    {
        ShownView s;
        LaneState state;
        std::string counter;
        for (const Lane& lane : s.view.state().tree().lanes()) {
            state.collapsed[lane.key] = true;
            if (lane.subject == LaneSubject::counter) counter = lane.key;
        }
        state.hidden.insert(counter);
        s.view.lanes().setLaneState(state);
        const QImage folded = s.view.grab().toImage();
        s.view.lanes().showLane(QString::fromStdString(counter));
        const uint32_t lane = s.view.state().tree().find(counter);
        const DisplayList& list = s.view.displayList();
        const auto shown = std::ranges::find(list.lanes, lane, &DisplayLane::lane);
        QVERIFY(shown != list.lanes.end() && shown->y >= 0 && shown->y + shown->height <= list.size.height);
        // Marked although the focus is elsewhere, until another lane is selected.
        const int y = shown->y;
        s.view.clearFocus();
        const QImage marked = s.view.grab().toImage();
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, {600, y > 100 ? 10 : 300});
        s.view.clearFocus();
        QVERIFY(marked != s.view.grab().toImage() && marked != folded);
        s.view.lanes().showLane("no such lane");
    }

    void keepsTheViewWhenReportsArrive()
    {
        ShownView s;
        s.view.navigation().zoomTo({{10'500'000}, {14'000'000}});
        const auto [slice, at] = s.boxOf(RowKind::kernel);
        s.view.selector().select(slice, false);
        Workspace more = s.made->shown;
        test::MadeRank rank;
        rank.rank = 3;
        more.add(test::madeRank(rank));
        const auto made = test::madeScene(more);
        s.view.setScene(made);
        QCOMPARE(s.viewState.visible(), (TimeRange{{10'500'000}, {14'000'000}}));
        QCOMPARE(s.viewState.slice(), slice);
        s.view.setScene(std::make_shared<const Scene>());
        QVERIFY(!s.viewState.slice().isValid());
        QVERIFY(s.view.displayList().lanes.empty());
    }

    void animationEndsAtItsTarget()
    {
        ShownView s;
        s.view.navigation().setReducedMotion(false);
        QSignalSpy moved(&s.viewState, &ViewState::visibleChanged);
        QSignalSpy scoped(&s.viewState, &ViewState::scopeChanged);
        s.view.navigation().zoomTo({{1'000'000}, {2'000'000}});
        QCOMPARE(s.viewState.visible(), (TimeRange{{1'000'000}, {2'000'000}}));
        QCOMPARE(moved.count(), 1);
        // Tables are computed only for the range at the end.
        QTRY_VERIFY(!scoped.isEmpty());
        QCOMPARE(scoped.count(), 1);
        QCOMPARE(s.view.displayList().visible, (TimeRange{{1'000'000}, {2'000'000}}));
    }

    // What a panel requests is bounded by the run, and its selection must exist.
    void requestsOfPanelsAreCorrected()
    {
        ShownView s;
        const TimeRange all = s.viewState.visible();
        s.viewState.setVisible({{-1'000'000'000}, {1'000'000'000'000}});
        QCOMPARE(s.viewState.visible(), all);
        s.viewState.setVisible({{1'000'000}, {3'000'000}});
        QCOMPARE(s.view.displayList().visible, s.viewState.visible());
        QTest::keyClick(&s.view, Qt::Key_Backspace); // a step of the zoom history
        QCOMPARE(s.viewState.visible(), all);
        s.viewState.setSlice({ReportKey(77u), SliceId(0u)});
        QVERIFY(!s.viewState.slice().isValid());
    }

    void minimapMovesTheView()
    {
        ShownView s;
        s.view.navigation().zoomTo({{1'000'000}, {3'000'000}});
        auto* const minimap = s.view.findChild<MinimapBar*>();
        QTest::mouseClick(minimap, Qt::LeftButton, {}, {900, 20});
        QVERIFY(s.viewState.visible().begin > TraceTime{15'000'000});
        QCOMPARE(s.viewState.visible().length(), Duration{2'000'000});
    }

    void looksRightWithSelectionAndCard()
    {
        ShownView s;
        s.view.setTheme(darkTheme());
        s.view.navigation().zoomTo({{10'500'000}, {14'000'000}});
        const auto [slice, at] = s.boxOf(RowKind::kernel);
        s.view.selector().select(slice, false);
        s.viewState.setRange(TimeRange{{12'000'000}, {12'600'000}});
        s.move(s.canvas, at);
        const QImage image = s.view.grab().toImage();
        size_t accents = 0;
        for (int x = 0; x < image.width(); ++x)
            accents += image.pixel(x, 700) == darkTheme().accent.rgb() ? 1u : 0u;
        QCOMPARE(accents, size_t(2)); // the two edges of the range
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) image.save(folder + "/view_dark.png");
    }
};

LOCKSTEP_TEST(TimelineViewTest, "timeline_view_test")
#include "timeline_view_test.moc"
