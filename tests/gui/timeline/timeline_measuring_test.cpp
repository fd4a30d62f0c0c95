// SPDX-License-Identifier: Apache-2.0
// Tests distances across two clocks, links whose direction the clocks cannot decide, and lanes dragged along
// the axis.
#include <QApplication>
#include <QMouseEvent>
#include <QSignalSpy>

#include "tests/support/made_reports.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

// A view of two hosts, one rank each, whose clocks are aligned by collectives.
struct MeasuredView {
    test::SyntheticClocks clocks =
        test::makeSyntheticClocks({.hosts = 2, .ranksPerHost = 1, .steps = 8, .largestDrift = 0});
    ScenePtr made = test::madeScene(clocks.workspace);
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};
    TimelineCanvas* canvas;

    MeasuredView()
    {
        view.navigation().setReducedMotion(true);
        view.resize(1280, 720);
        view.setScene(made);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
    }

    QString measureText() const { return viewState.measureText(made->alignment); }

    // Returns a point in the first lane of a report, at this x.
    QPoint pointIn(ReportKey report, int x)
    {
        for (const DisplayLane& lane : view.displayList().lanes) {
            if (view.state().tree().lane(lane.lane).report == report) return {x, lane.y + lane.height / 2};
        }
        return {};
    }

    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers, bool isReleased = true)
    {
        send(QEvent::MouseButtonPress, from, modifiers);
        send(QEvent::MouseMove, (from + to) / 2, modifiers);
        send(QEvent::MouseMove, to, modifiers);
        if (isReleased) send(QEvent::MouseButtonRelease, to, modifiers);
    }

    void send(QEvent::Type type, QPoint at, Qt::KeyboardModifiers modifiers)
    {
        const bool isMove = type == QEvent::MouseMove;
        QMouseEvent event(type, at, canvas->mapToGlobal(at), isMove ? Qt::NoButton : Qt::LeftButton,
                          type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton, modifiers);
        QApplication::sendEvent(canvas, &event);
    }
};

SliceRef collectiveOf(const MeasuredView& s, uint32_t report)
{
    const Report& of = s.made->shown.report(ReportKey(report));
    return {ReportKey(report), of.collectives[of.collectives.size() / 2].slice};
}

} // namespace

class TimelineMeasuringTest : public QObject {
    Q_OBJECT

  private slots:
    void rangeOverTwoHostsHasAnError()
    {
        MeasuredView s;
        s.drag(s.pointIn(ReportKey(0u), 500), s.pointIn(ReportKey(1u), 900), {});
        QVERIFY2(s.measureText().contains("\u00B1"), qPrintable(s.measureText()));
        QCOMPARE(QString::fromStdString(s.view.displayList().measure), s.measureText());
        QVERIFY(!s.view.displayList().isMeasureUndecided);
        s.drag(s.pointIn(ReportKey(0u), 500), s.pointIn(ReportKey(0u), 900), {});
        QVERIFY(!s.measureText().contains("\u00B1"));
        s.viewState.setRange(std::nullopt);
        QVERIFY(s.measureText().isEmpty());
    }

    void rangeBelowTheBoundIsUndecided()
    {
        MeasuredView s;
        const TraceTime at = s.viewState.visible().begin;
        s.viewState.setRange(TimeRange{at, {at.ns + 100}}, ReportKey(0u), ReportKey(1u));
        QVERIFY(s.view.displayList().isMeasureUndecided);
        QVERIFY(s.measureText().endsWith("order unknown"));
    }

    // The collective's slices on both hosts are marked, and one link joins them.
    void collectiveShowsItsPeers()
    {
        MeasuredView s;
        s.view.selector().select(collectiveOf(s, 0), true);
        const DisplayList& list = s.view.displayList();
        QCOMPARE(
            std::ranges::count_if(
                list.links, [](const DisplayLink& link) { return link.cause.report != link.effect.report; }),
            std::ptrdiff_t(1));
        const auto other = std::ranges::find_if(
            list.links, [](const DisplayLink& link) { return link.cause.report != link.effect.report; });
        const PairError error = s.made->alignment.errorBetween(ReportKey(0u), ReportKey(1u));
        const auto aligned = [&](SliceRef ref, bool isEnd) {
            const SliceTable& slices = s.made->shown.report(ref.report).slices;
            return s.made->alignment.map(ref.report)
                .alignedFromTrace(isEnd ? slices.end(ref.slice) : slices.start(ref.slice));
        };
        const Duration gap = aligned(other->effect, true) - aligned(other->cause, false);
        QCOMPARE(other->isUndecided, std::abs(gap.ns) <= *error.guaranteed_ns);
    }

    void draggedLaneMovesItsReport()
    {
        MeasuredView s;
        QSignalSpy asked(&s.view.laneDrag(), &LaneDragTool::shiftRequested);
        const SliceRef slice = collectiveOf(s, 1);
        s.view.selector().select(slice, true);
        const auto xOfMark = [&] {
            for (const DisplayMark& mark : s.view.displayList().marks) {
                if (mark.isSelected) return mark.x;
            }
            return -1;
        };
        const int before = xOfMark();
        const QPoint from = s.pointIn(ReportKey(1u), 600);
        s.drag(from, from + QPoint(80, 0), Qt::AltModifier, false);
        QCOMPARE(xOfMark(), before + 80);
        QVERIFY(s.view.hover().lines().join('\n').contains("Moved by +"));
        s.send(QEvent::MouseButtonRelease, from + QPoint(80, 0), Qt::AltModifier);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<std::vector<ReportKey>>(), std::vector<ReportKey>{ReportKey(1u)});
        const auto by = asked[0][1].value<Duration>();
        QVERIFY(by.ns > 0);
        QCOMPARE(xOfMark(), before + 80); // shown there until the window has realigned
        s.view.laneDrag().cancelShift();
        QCOMPARE(xOfMark(), before);
    }

    void escapeCancelsTheDrag()
    {
        MeasuredView s;
        QSignalSpy asked(&s.view.laneDrag(), &LaneDragTool::shiftRequested);
        const QPoint from = s.pointIn(ReportKey(1u), 600);
        s.drag(from, from + QPoint(80, 0), Qt::AltModifier, false);
        QTest::keyClick(&s.view, Qt::Key_Escape);
        s.send(QEvent::MouseButtonRelease, from + QPoint(80, 0), Qt::AltModifier);
        QCOMPARE(asked.count(), 0);
        QVERIFY(s.view.hover().lines().isEmpty());
    }
};

LOCKSTEP_TEST(TimelineMeasuringTest, "timeline_measuring_test")
#include "timeline_measuring_test.moc"
