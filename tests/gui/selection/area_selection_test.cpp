// SPDX-License-Identifier: Apache-2.0
// Tests area selections of time and lanes in the whole window, by mouse and keys: what a drag selects, what
// Ctrl adds, which tab comes to the front, and the panel's contents.
#include "tests/support/window_fixture.h"

#include <QButtonGroup>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>

#include "app/window/status_line.h"
#include "tests/support/test_registry.h"
#include "ui/charts/histogram_view.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/table_view.h"
#include "ui/selection/flame_graph_pane.h"
#include "ui/selection/selection_panel.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

// Twenty kernels of 10 us every 20 us, launched in ranges "even" and "odd" of a step.
std::string rankTrace(int rank)
{
    std::string text = R"({"distributedInfo":{"rank":)" + std::to_string(rank) +
                       R"(,"world_size":2},"traceEvents":[)" +
                       R"({"ph":"X","ts":0,"dur":500,"pid":9,"tid":9,"name":"step","cat":"user_annotation"})";
    const auto add = [&](int at, int length, const std::string& what) {
        text +=
            R"(,{"ph":"X","ts":)" + std::to_string(at) + R"(,"dur":)" + std::to_string(length) + what + "}";
    };
    for (int i = 0; i < 20; ++i) {
        const std::string number = std::to_string(i + 1);
        add(20 * i, 15,
            R"(,"pid":9,"tid":9,"cat":"user_annotation","name":")" + std::string(i % 2 ? "odd" : "even") +
                "\"");
        add(20 * i + 1, 2,
            R"(,"pid":9,"tid":9,"cat":"cuda_runtime","name":"cudaLaunchKernel","args":{"correlation":)" +
                number + "}");
        add(20 * i + 5, 10,
            R"(,"pid":0,"tid":7,"cat":"kernel","name":")" + std::string(i % 4 ? "gemm" : "softmax") +
                R"(","args":{"device":0,"stream":7,"correlation":)" + number + "}");
    }
    return text + "]}";
}

} // namespace

class AreaSelectionTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow({.size = {1280, 900}});
        open({m_folder->write("t/r0.json", rankTrace(0)), m_folder->write("t/r1.json", rankTrace(1))});
        view().navigation().fitAll();
        QTRY_VERIFY(m_window->isSettled() && view().displayList().visible.length().ns >= 500'000);
    }

    void dragSelectsTimeAndLanes()
    {
        run("Selection");
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000));
        QCOMPARE(viewState().areas().size(), size_t(1));
        QCOMPARE(viewState().areas()[0].lanes.size(), size_t(1));
        QCOMPARE(viewState().areas()[0].lanes[0].key, view().state().tree().lane(streamLane(0)).key);
        QCOMPARE(*viewState().range(), viewState().areas()[0].range);
        settle();
        // Of the kernels at 85, 105, 125, 145, 165, 185, 205 ... us, five are completely inside.
        const AreaGroupRow& total = panel().aggregate()->total;
        QVERIFY2(total.count >= 5 && total.count <= 7, qPrintable(panel().footText()));
        QCOMPARE(total.count - total.cut, uint64_t(5));
        QCOMPARE(total.sum_ns, total.union_ns);
        const QString status = part<StatusLine>().selectionText();
        QVERIFY2(status.contains("1 lane \u00B7 ") && status.contains("slices \u00B7 sum ") &&
                     status.contains("union ") && status.endsWith(" %"),
                 qPrintable(status));
    }

    void collapsedLaneIncludesItsChildren()
    {
        LaneState state = view().lanes().laneState();
        const uint32_t process =
            view().state().tree().parentOf(view().state().tree().parentOf(streamLane(0)));
        state.fold(view().state().tree().lane(process), true);
        view().lanes().setLaneState(state);
        run("Selection");
        drag(pointIn(process, 0), pointIn(process, 500'000));
        QVERIFY(viewState().areas()[0].lanes[0].isWhole);
        settle();
        QVERIFY(panel().aggregate()->laneCount >= 2);
        QVERIFY(panel().aggregate()->total.count >= 40); // kernels and ranges
    }

    void controlAddsAreasAndSlices()
    {
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000));
        drag(pointIn(streamLane(1), 250'000), pointIn(streamLane(1), 300'000), Qt::ControlModifier);
        QCOMPARE(viewState().areas().size(), size_t(2));
        QCOMPARE(viewState().range()->end, viewState().areas()[1].range.end);
        for (const int at : {10'000, 30'000, 50'000})
            click(pointIn(streamLane(1), at), Qt::ControlModifier);
        QVERIFY(viewState().slices() != nullptr);
        QCOMPARE(viewState().slices()->size(), size_t(3));
        QCOMPARE(viewState().areas().size(), size_t(2));
        click(pointIn(streamLane(1), 30'000), Qt::ControlModifier); // a second click deselects it
        QCOMPARE(viewState().slices()->size(), size_t(2));
        const auto marked = std::ranges::count_if(view().displayList().marks,
                                                  [](const DisplayMark& mark) { return mark.width > 0; });
        QVERIFY(marked >= 2);
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000)); // a plain one begins anew
        QCOMPARE(viewState().areas().size(), size_t(1));
        QVERIFY(viewState().slices() == nullptr);
    }

    void controlOnAHeaderStillMovesReports()
    {
        QSignalSpy asked(&view().laneDrag(), &LaneDragTool::shiftRequested);
        const QPoint from(100, pointIn(streamLane(0), 0).y());
        drag(from, from + QPoint(40, 0), Qt::ControlModifier);
        QCOMPARE(asked.count(), 1);
        QVERIFY(viewState().areas().empty());
    }

    void escapeCancelsThenDeselects()
    {
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000));
        const std::vector<Area> before = viewState().areas();
        press(pointIn(streamLane(1), 10'000), pointIn(streamLane(1), 400'000), Qt::NoModifier);
        QVERIFY(viewState().areas() != before);
        QTest::keyClick(&view(), Qt::Key_Escape);
        QCOMPARE(viewState().areas(), before);
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, pointIn(streamLane(1), 400'000));
        QCOMPARE(viewState().areas(), before);
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(viewState().areas().empty() && !viewState().range());
    }

    void rulerRangeReplacesTheAreas()
    {
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000));
        viewState().setRange(TimeRange{{0}, {5'000}});
        QVERIFY(viewState().areas().empty());
        QVERIFY(view().viewState().areas().empty());
        QCOMPARE(*view().viewState().range(), (TimeRange{{0}, {5'000}}));
    }

    void frameMatchesTheArea()
    {
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000));
        const DisplayList& list = view().displayList();
        QVERIFY(list.isDimmed);
        QCOMPARE(list.areas.size(), size_t(1));
        const auto lane = std::ranges::find(list.lanes, streamLane(0), &DisplayLane::lane);
        QCOMPARE(list.areas[0].y, lane->y);
        QCOMPARE(list.areas[0].height, lane->height);
        QVERIFY(lane->isInArea);
        QCOMPARE(std::ranges::count_if(list.lanes, &DisplayLane::isInArea), 1);
        // The outside is dimmed, the inside is not.
        const QColor before = pixelAt(streamLane(1), 130'000), inside = pixelAt(streamLane(0), 130'000);
        QVERIFY(before.lightness() > inside.lightness());
    }

    void tabReplacesOnlyTabsThatShowTheSelection()
    {
        run("Details");
        drag(pointIn(streamLane(0), 95'000), pointIn(streamLane(0), 205'000));
        QTRY_VERIFY(panel().isInFront());
        part<KernelPanel>().parentWidget()->raise();
        auto& kernels = part<KernelPanel>();
        QTRY_VERIFY(kernels.isInFront() && !panel().isInFront());
        drag(pointIn(streamLane(0), 55'000), pointIn(streamLane(0), 205'000));
        QVERIFY(kernels.isInFront());
        auto* const dock = qobject_cast<QDockWidget*>(panel().parentWidget());
        QVERIFY(dock->windowTitle().endsWith(QChar(0x2022)));
        dock->raise();
        QTRY_COMPARE(dock->windowTitle(), QString("Selection"));
    }

    void movingThroughATableKeepsTheTab()
    {
        run("Selection");
        drag(pointIn(streamLane(0), 0), pointIn(streamLane(1), 500'000));
        settle();
        viewState().setVisible({{400'000}, {450'000}});
        settle();
        TableView& table = *panel().pane()->view();
        table.setFocus();
        table.setCurrentIndex(table.model()->index(0, 0));
        QVERIFY(!viewState().slice().isValid());
        QTest::keyClick(&table, Qt::Key_Down);
        QVERIFY(viewState().slice().isValid());
        settle();
        const SliceRef slice = viewState().slice();
        const Report& report = scene().shown.report(slice.report);
        QTRY_VERIFY(viewState().visible().overlaps(report.slices.range(slice.slice)));
        QVERIFY(panel().isInFront());
        QCOMPARE(table.currentTableRow(), table.tableRowOf(1));
    }

    void movingThroughKernelsKeepsTheirTabInFront()
    {
        auto& kernels = part<KernelPanel>();
        run("Kernels in all reports");
        settle();
        TableView& table = *kernels.view();
        table.setFocus();
        table.setCurrentIndex(table.model()->index(0, 0));
        QTest::keyClick(&table, Qt::Key_Down);
        QVERIFY(viewState().slice().isValid());
        settle();
        QVERIFY(kernels.isInFront());
        QVERIFY(!part<DetailsPanel>().isInFront());
        QCOMPARE(table.currentTableRow(), table.tableRowOf(1));
    }

    void histogramBarsSelect()
    {
        run("Selection");
        drag(pointIn(streamLane(0), 0), pointIn(streamLane(0), 500'000));
        settle();
        HistogramView& bars = *panel().histogram();
        const auto& shown = bars.histogram().bars;
        QCOMPARE(shown.size(), size_t(1));
        QCOMPARE(shown[0].id, DurationHistogram::barOf(10'000));
        QCOMPARE(shown[0].count, 20.0);
        QVERIFY(panel().durationsText().contains("median 10 \u00B5s"));
        QTest::mouseClick(&bars, Qt::LeftButton, {}, bars.rectOfBar(shown[0]).center());
        QTRY_VERIFY(viewState().slices() != nullptr);
        QCOMPARE(viewState().slices()->size(), size_t(20));
        QVERIFY(viewState().areas().empty());
        settle();
        QCOMPARE(panel().aggregate()->total.count, uint64_t(20));
        QVERIFY(panel().isInFront());
    }

    void flameGraphIsSearchedInvertedAndZoomed()
    {
        run("Selection");
        drag(pointIn(streamLane(0), 0), pointIn(streamLane(1), 500'000));
        settle();
        FlameGraphPane& flame = *panel().flame();
        const AreaFlame& tree = *flame.chart()->flame;
        QVERIFY2(tree.frames.size() > 3, qPrintable(flame.noteText()));
        QCOMPARE(tree.names[1], std::string("step"));
        QCOMPARE(tree.frames[0].size, int64_t(400'000)); // both ranks' kernels
        QTest::keyClicks(flame.find(), "SOFT");
        settle();
        const QString hits = test::part<QLabel>(flame, "hits").text();
        QVERIFY2(hits.endsWith("25.0 %"), qPrintable(hits));
        flame.direction()->button(1)->click();
        settle();
        QCOMPARE(flame.chart()->flame->names[1], std::string("gemm"));
        const auto& boxes = flame.chart()->layout.boxes;
        const auto second = std::ranges::find_if(boxes, [](const FlameBox& box) { return box.node == 1; });
        QTest::mouseDClick(flame.view()->viewport(), Qt::LeftButton, {},
                           flame.view()->rectOf(*second).center());
        settle();
        QCOMPARE(flame.chart()->focus, 1u);
        QTest::keyClick(flame.view(), Qt::Key_Escape);
        settle();
        QCOMPARE(flame.chart()->focus, 0u);
    }

    void clippedSlicesAreReported()
    {
        run("Selection");
        drag(pointIn(streamLane(0), 90'000), pointIn(streamLane(0), 210'000));
        settle();
        const uint64_t cut = panel().aggregate()->total.cut;
        QCOMPARE(cut, uint64_t(2));
        QVERIFY2(panel().footText().contains("2 clipped, not in Avg"), qPrintable(panel().footText()));
        QCOMPARE(panel().aggregate()->total.statistics.count, int64_t(5));
        test::part<QPushButton>(panel(), "clip").click();
        settle();
        QCOMPARE(panel().aggregate()->total.statistics.count, int64_t(7));
        QVERIFY(panel().aggregate()->total.statistics.minimum < 10'000);
        QVERIFY(panel().footText().contains("2 clipped, only the part inside is counted"));
    }

    void emptyPanelShowsWhatToDo()
    {
        run("Selection");
        settle();
        QVERIFY(panel().pane()->hint().contains("Drag over lanes"));
    }

  private:
    ViewState& viewState() { return part<ViewState>(); }
    TimelineCanvas& canvas() { return part<TimelineCanvas>(); }
    SelectionPanel& panel() { return part<SelectionPanel>(); }

    // Returns lane number n among the lanes with kernels.
    uint32_t streamLane(int n)
    {
        const LaneTree& tree = view().state().tree();
        for (uint32_t lane = 0; lane < tree.size(); ++lane) {
            if (tree.lane(lane).label.starts_with("stream") && n-- == 0) return lane;
        }
        qFatal("no such lane");
    }
    QPoint pointIn(uint32_t lane, int64_t ns)
    {
        const DisplayList& list = view().displayList();
        const auto shown = std::ranges::find(list.lanes, lane, &DisplayLane::lane);
        if (shown == list.lanes.end()) qFatal("the lane is not shown");
        const double part = static_cast<double>((TraceTime{ns} - list.visible.begin).ns) /
                            static_cast<double>(list.visible.length().ns);
        const int x = list.headerWidth + static_cast<int>(part * (list.timeWidth() - 1));
        return {std::max(x, list.headerWidth + 8), shown->y + shown->height / 2};
    }
    QColor pixelAt(uint32_t lane, int64_t ns)
    {
        const QPoint at = pointIn(lane, ns);
        return canvas().grab().toImage().pixelColor(at);
    }
    void press(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers)
    {
        QTest::mousePress(&canvas(), Qt::LeftButton, modifiers, from);
        QTest::mouseMove(&canvas(), (from + to) / 2);
        QTest::mouseMove(&canvas(), to);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        press(from, to, modifiers);
        QTest::mouseRelease(&canvas(), Qt::LeftButton, modifiers, to);
    }
    void click(QPoint at, Qt::KeyboardModifiers modifiers)
    {
        QTest::mouseClick(&canvas(), Qt::LeftButton, modifiers, at);
    }
};

LOCKSTEP_TEST(AreaSelectionTest, "area_selection_test")
#include "area_selection_test.moc"
