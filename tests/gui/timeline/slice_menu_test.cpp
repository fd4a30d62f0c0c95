// SPDX-License-Identifier: Apache-2.0
// Tests the actions on a selected slice, by its menu and by keys, on 64 ranks with three steps: real events
// go in, and the selection, highlights, hidden slices and messages are checked.
#include "ui/timeline/slice_menu.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "core/base/text.h"
#include "core/search/related_slices.h"
#include "core/timeline/lane_kind.h"
#include "core/trace/process_groups.h"
#include "tests/support/made_reports.h"
#include "tests/support/part.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/timeline/slice_commands.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

// Eight ranks that launch a kernel and an all-reduce in each of eight steps.
ScenePtr launchedCollectives()
{
    Workspace workspace;
    for (int rank = 0; rank < 8; ++rank) {
        test::RankReport made(rank, "node0", 1'700'000'000'000'000'000);
        for (int step = 0; step < 8; ++step) {
            const int64_t begin = step * 1'000'000, start = begin + 300'000 + rank;
            const auto correlation = static_cast<uint32_t>(2 * step + 1);
            made.addLaunch(begin + 10'000, correlation);
            made.addKernel(begin + 100'000, begin + 250'000, "gemm");
            CollectiveOp op;
            op.sequence = static_cast<uint64_t>(step);
            op.groupSize = 8;
            made.addCollective(start, begin + 700'000, "allreduce", "0", op, correlation);
        }
        workspace.add(made.finish());
    }
    completeIdentities(workspace);
    return makeScene(workspace, alignReports(workspace, {}), test::workers());
}

} // namespace

class SliceMenuTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { m_all = test::madeScene(test::madeWorkspace(32, 3)); }

    void init()
    {
        m_view.reset();
        m_viewState = std::make_unique<ViewState>();
        m_view = std::make_unique<TimelineView>(*m_viewState, m_notices, test::workers());
        m_view->navigation().setReducedMotion(true);
        m_view->resize(1280, 720);
        show(m_all);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowActive(m_view.get()));
        m_view->setFocus();
        m_kernel = first(RowKind::kernel, "");
        m_view->selector().select(m_kernel, true);
        connect(&m_notices, &Notices::posted, m_view.get(), [this](const QString& text) { m_told << text; });
        m_told.clear();
    }

    void cleanup() { m_view.reset(); }

    // The menu opens immediately and fills in the counts later.
    void rightClickSelectsAndOpens()
    {
        m_view->navigation().zoomToSelected();
        const auto [slice, at] = shownBox();
        QVERIFY(slice.isValid());
        m_view->selector().select({}, false);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas().mapToGlobal(at));
        QCoreApplication::sendEvent(&canvas(), &event);
        QCOMPARE(m_view->viewState().slice(), slice);
        SliceMenu* const menu = commands().menu();
        QVERIFY(menu != nullptr && menu->isVisible());
        QVERIFY(menu->width() >= 306);
        QTRY_VERIFY(!commands().isBusy());
        const NameCounts counts = countSameName(*m_scene, slice);
        QVERIFY(counts.everywhere > counts.lane);
        const QString everywhere = menu->actionOf(CommandId::selectNameEverywhere)->text();
        const auto count = QString::fromStdString(groupedText(static_cast<int64_t>(counts.everywhere)));
        QVERIFY2(everywhere.contains(count) && everywhere.endsWith("\tCtrl+Shift+N"), qPrintable(everywhere));
        QVERIFY(menu->actionOf(CommandId::showInKernels)->isEnabled());
        menu->actionOf(CommandId::selectNameOnLane)->trigger();
        QTRY_VERIFY(!commands().isBusy());
        QCOMPARE(m_view->viewState().slices()->size(), counts.lane);
        menu->close();
        // A lane's header has the lane's menu.
        const DisplayLane& lane = m_view->displayList().lanes.front();
        QContextMenuEvent header(QContextMenuEvent::Mouse, {60, lane.y + 5},
                                 canvas().mapToGlobal(QPoint(60, lane.y + 5)));
        QCoreApplication::sendEvent(&canvas(), &header);
        QVERIFY(commands().menu() == nullptr || !commands().menu()->isVisible());
    }

    void menuKeyOpensAtTheSelectedSlice()
    {
        for (const auto& [key, modifiers] :
             {std::pair(Qt::Key_Menu, Qt::NoModifier), std::pair(Qt::Key_F10, Qt::ShiftModifier)}) {
            QTest::keyClick(m_view.get(), key, modifiers);
            SliceMenu* const menu = commands().menu();
            QVERIFY(menu != nullptr && menu->isVisible());
            QVERIFY(canvas().rect().contains(canvas().mapFromGlobal(menu->pos())));
            QTest::keyClick(menu, Qt::Key_Escape);
            QVERIFY(!menu->isVisible());
            QTRY_VERIFY(!commands().isBusy());
        }
        m_view->selector().select({}, false);
        QTest::keyClick(m_view.get(), Qt::Key_N);
        QVERIFY(m_told.last().contains("No slice selected"));
    }

    void keysSelectAllWithTheName()
    {
        const NameCounts counts = countSameName(*m_scene, m_kernel);
        const std::tuple<Qt::KeyboardModifiers, uint64_t, const char*> keys[] = {
            {Qt::NoModifier, counts.lane, "in this lane"},
            {Qt::ShiftModifier, counts.rank, "on this rank"},
            {Qt::ControlModifier | Qt::ShiftModifier, counts.everywhere, "in all lanes"}};
        for (const auto& [modifiers, count, where] : keys) {
            QSignalSpy finished(m_viewState.get(), &ViewState::areaFinished);
            QTest::keyClick(m_view.get(), Qt::Key_N, modifiers);
            QTRY_COMPARE(finished.count(), 1);
            QCOMPARE(m_view->viewState().slices()->size(), count);
            QVERIFY2(m_told.last().contains(where) && m_told.last().contains("Selected"),
                     qPrintable(m_told.last()));
            QCOMPARE(m_view->viewState().slice(), m_kernel); // stays selected
        }
    }

    void sameSliceOnOtherRanksAndSteps()
    {
        QTest::keyClick(m_view.get(), Qt::Key_O);
        QTRY_VERIFY(m_view->viewState().slices() != nullptr && !commands().isBusy());
        QCOMPARE(m_view->viewState().slices()->size(), size_t(64 * 3));
        QVERIFY2(m_told.last().contains("191 as the 1st with this name in the step"),
                 qPrintable(m_told.last()));
        show(launchedCollectives());
        m_view->selector().select(first(RowKind::kernel, "nccl"), true);
        QTest::keyClick(m_view.get(), Qt::Key_O);
        QTRY_VERIFY(!commands().isBusy() && m_told.last().contains("by collective"));
        QCOMPARE(m_told.last(), QString("Same slice elsewhere: 7 by collective"));
        QCOMPARE(m_view->viewState().slices()->size(), size_t(8));
    }

    void chainIsHighlightedUntilEscape()
    {
        show(launchedCollectives());
        const SliceRef nccl = first(RowKind::kernel, "nccl");
        m_view->selector().select(nccl, true);
        QTest::keyClick(m_view.get(), Qt::Key_X);
        QVERIFY(m_view->state().highlighted != nullptr);
        const SliceChain chain = chainOf(*m_scene, nccl);
        QVERIFY(chain.line.size() >= 2 && chain.ranks == 8);
        QCOMPARE(m_view->state().highlighted->size(),
                 size_t(9)); // the call, and each rank's slice of the collective
        QVERIFY2(m_told.last().contains("collective on 8 ranks"), qPrintable(m_told.last()));
        const DisplayList& list = m_view->displayList();
        QVERIFY(list.isHighlighted && !list.highlighted.empty());
        // A pixel of a highlighted slice keeps its color; another is dimmed.
        const QImage highlighted = canvas().grab().toImage();
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(m_view->state().highlighted == nullptr);
        QCOMPARE(m_view->viewState().slice(), nccl); // a second Escape would deselect the slice
        const QImage plain = canvas().grab().toImage();
        size_t same = 0, dimmed = 0;
        for (const DisplayRow& row : m_view->displayList().rows) {
            if (row.kind->name() != "slices") continue;
            for (const SliceBox& box : row.boxes) {
                if (row.y < 30 || row.y + row.height >= plain.height() - 2 || box.end - box.begin < 6)
                    continue;
                const QPoint at(m_view->displayList().headerWidth + box.begin + 3, row.y + row.height - 4);
                const bool isHighlighted =
                    chain.slices != nullptr &&
                    std::ranges::binary_search(*chain.slices, SliceRef{row.track.report, box.slice});
                const bool isSame = highlighted.pixel(at) == plain.pixel(at);
                QCOMPARE(isSame, isHighlighted);
                (isHighlighted ? same : dimmed) += 1;
            }
        }
        QVERIFY(dimmed > 0 && same > 0);
        // A slice without links causes a message.
        const SliceRef alone = first(RowKind::kernel, "gemm");
        m_view->selector().select(alone, true);
        QTest::keyClick(m_view.get(), Qt::Key_X);
        QVERIFY(m_view->state().highlighted == nullptr && m_told.last().contains("No launch chain"));
    }

    void criticalPathOfItsStep()
    {
        QTest::keyClick(m_view.get(), Qt::Key_C);
        QVERIFY(commands().isBusy()); // in the background
        QTRY_VERIFY(!commands().isBusy());
        QVERIFY2(m_told.last().contains("Critical path of step"), qPrintable(m_told.last()));
        QVERIFY(m_told.last().contains("this slice "));
        QVERIFY(m_view->state().highlighted != nullptr && !m_view->state().highlighted->empty());
        const SliceList path = m_view->state().highlighted;
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(m_view->state().highlighted == nullptr);
        // A slice of that step that is not on the path.
        const auto isBeside = [&](uint32_t row) {
            return report().slices.kind[row] == RowKind::kernel &&
                   !std::ranges::binary_search(*path, SliceRef{m_kernel.report, SliceId(row)});
        };
        uint32_t row = 0;
        while (row < report().slices.size() && !isBeside(row))
            ++row;
        QVERIFY(row < report().slices.size());
        pressForPath({m_kernel.report, SliceId(row)});
        QVERIFY2(m_told.last().contains("this slice is not on it"), qPrintable(m_told.last()));
    }

    // Work before the first step belongs to no step; a report without steps is one step.
    void missingCriticalPathShowsTheReason()
    {
        const auto pathOf = [&](std::string_view range, bool hasWork) {
            test::RankReport made(0, "node0", 0);
            if (hasWork) made.addKernel(1'000, 2'000, "gemm");
            made.addRange(10'000, 20'000, std::string(range));
            Workspace workspace;
            workspace.add(made.finish());
            completeIdentities(workspace);
            show(makeScene(workspace, alignReports(workspace, {}), test::workers()));
            m_told.clear();
            pressForPath(hasWork ? first(RowKind::kernel, "gemm")
                                 : SliceRef{m_scene->shown.keys()[0], SliceId(size_t(0))});
            return m_told.last();
        };
        QCOMPARE(pathOf("step 1", true),
                 QString("Not possible: the slice was launched outside all training steps of its process"));
        QVERIFY(m_view->state().highlighted == nullptr);
        QVERIFY(pathOf("load", false).startsWith("Not possible: no report marks a training step"));
        QVERIFY(pathOf("load", true).startsWith("Critical path of the whole report: "));
    }

    void hiddenNamesAreNotDrawnOrHit()
    {
        const std::string name(report().nameOf(m_kernel.slice));
        m_view->navigation().zoomToSelected();
        const auto isShown = [&] {
            return std::ranges::any_of(m_view->displayList().rows, [&](const DisplayRow& row) {
                return std::ranges::any_of(row.boxes, [&](const SliceBox& box) {
                    return box.slice.isValid() && row.track.track.isValid() && !row.isSummary &&
                           m_scene->shown.report(row.track.report).nameOf(box.slice) == name;
                });
            });
        };
        QVERIFY(isShown());
        QSignalSpy edited(&m_view->lanes(), &LaneTool::lanesEdited);
        QSignalSpy changed(&m_view->lanes(), &LaneTool::hiddenNamesChanged);
        QTest::keyClick(m_view.get(), Qt::Key_H);
        QVERIFY(!isShown());
        QCOMPARE(edited.count(), 1); // so it can be undone
        QCOMPARE(changed.count(), 1);
        QVERIFY(m_view->lanes().laneState().hiddenNames.contains(name));
        QPushButton* const chip = &test::part<QPushButton>(*m_view, "hiddenNames");
        QVERIFY(chip->isVisible());
        QCOMPARE(chip->text(), QString("1 name hidden"));
        const auto hidden = static_cast<int64_t>(countNamed(*m_scene, {name}));
        QVERIFY(chip->toolTip().startsWith(
            "Slices hidden in the lanes: " + QString::fromStdString(groupedText(hidden)) + "."));
        // At its old position the mouse hits no slice of that name, and no key moves to it.
        for (int x = 270; x < 1270; x += 10) {
            for (int y = 5; y < 500; y += 10) {
                const Hit hit = canvas().hitAt(QPointF(x, y));
                QVERIFY(!hit.slice.isValid() ||
                        m_scene->shown.report(hit.slice.report).nameOf(hit.slice.slice) != name);
            }
        }
        m_view->selector().select(m_kernel, true);
        QVERIFY(m_told.last().contains("hidden because of its name"));
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QVERIFY(report().nameOf(m_view->viewState().slice().slice) != name);
        QTest::mouseClick(chip, Qt::LeftButton);
        m_view->selector().select(m_kernel, true);
        m_view->navigation().zoomToSelected();
        QVERIFY(isShown() && !chip->isVisible() && m_view->lanes().laneState().hiddenNames.empty());
        m_view->selector().select(m_kernel, true);
        QTest::keyClick(m_view.get(), Qt::Key_H);
        QTest::keyClick(m_view.get(), Qt::Key_H, Qt::ShiftModifier);
        QVERIFY(isShown());
    }

    void copies()
    {
        QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(),
                 std::string(report().nameOf(m_kernel.slice)));
        QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0].count('\t'), lines[1].count('\t'));
        QVERIFY(lines[0].contains("(ns)"));
        QVERIFY(lines[1].contains(QString::number(report().slices.duration_ns[m_kernel.slice.value])));
    }

    void panelsShowRequestedSlices()
    {
        QSignalSpy asked(m_view.get(), &TimelineView::commandRequested);
        QTest::keyClick(m_view.get(), Qt::Key_E);
        QTest::keyClick(m_view.get(), Qt::Key_K);
        QCOMPARE(asked.count(), 2);
        QCOMPARE(asked.at(0).at(0).value<CommandId>(), CommandId::showInEvents);
        QCOMPARE(asked.at(1).at(0).value<CommandId>(), CommandId::showInKernels);
    }

    // Results for reports that are closed by now are not selected.
    void answerForClosedReportsIsDropped()
    {
        QTest::keyClick(m_view.get(), Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        m_view->setScene(test::madeScene(test::madeWorkspace(1, 1)));
        QTRY_VERIFY(!commands().isBusy());
        QVERIFY(m_view->viewState().slices() == nullptr);
        QVERIFY(m_told.last().contains("Run the command again"));
    }

  private:
    // Expands all lanes, so that slices can be hit.
    void show(const ScenePtr& scene)
    {
        m_scene = scene;
        m_view->setScene(scene);
        LaneState lanes;
        for (uint32_t lane = 0; lane < m_view->state().tree().size(); ++lane) {
            if (m_view->state().tree().lane(lane).isCollapsible())
                lanes.fold(m_view->state().tree().lane(lane), false);
        }
        m_view->lanes().setLaneState(lanes);
    }
    void pressForPath(SliceRef slice)
    {
        m_view->selector().select(slice, true);
        QTest::keyClick(m_view.get(), Qt::Key_C);
        QTRY_VERIFY(!commands().isBusy());
    }
    SliceCommands& commands() { return m_view->sliceCommands(); }
    TimelineCanvas& canvas() { return *m_view->findChild<TimelineCanvas*>(); }
    const Report& report() { return m_scene->shown.report(m_kernel.report); }
    // Returns the first slice of a kind in the first report whose name contains these letters.
    SliceRef first(RowKind kind, std::string_view part)
    {
        const ReportKey key = m_scene->shown.keys()[0];
        const Report& of = m_scene->shown.report(key);
        for (uint32_t row = 0; row < of.slices.size(); ++row) {
            if (of.slices.kind[row] == kind && of.nameOf(SliceId(row)).find(part) != std::string_view::npos)
                return {key, SliceId(row)};
        }
        qFatal("no such slice");
    }
    // Returns the drawn box of the selected slice, and a point in it.
    std::pair<SliceRef, QPoint> shownBox()
    {
        for (const DisplayMark& mark : m_view->displayList().marks) {
            if (mark.isSelected) return {mark.slice, {mark.x + mark.width / 2, mark.y + mark.height / 2}};
        }
        return {};
    }

    ScenePtr m_all, m_scene;
    Notices m_notices;
    std::unique_ptr<ViewState> m_viewState;
    std::unique_ptr<TimelineView> m_view;
    SliceRef m_kernel;
    QStringList m_told;
};

LOCKSTEP_TEST(SliceMenuTest, "slice_menu_test")
#include "slice_menu_test.moc"
