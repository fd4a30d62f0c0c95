// SPDX-License-Identifier: Apache-2.0
// Tests the link between the memory panel and the timeline: a selection in one is selected in the other,
// and the cursor of the memory views is at the start of the selected kernel.
#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>

#include "core/readers/reader.h"
#include "core/timeline/memory_pointing.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/part.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/area_pane.h"
#include "ui/memory/flame_pane.h"
#include "ui/memory/memory_card.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/neighbor_view.h"
#include "ui/memory/scrubber.h"
#include "ui/memory/view_badges.h"
#include "ui/panels/table_view.h"
#include "ui/style/byte_text.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

// Kernels and snapshots of `ranks` processes; report 2i has the kernels of rank i, 2i + 1 its snapshot.
struct Linked {
    ScenePtr made;
    ViewState state;
    Notices notices;
    TimelineView view{state, notices, test::workers()};
    MemoryPanel panel{state};

    explicit Linked(int ranks = 1)
    {
        Workspace workspace;
        for (int rank = 0; rank < ranks; ++rank) {
            test::MadeKernels kernels;
            test::MadeMemory memory;
            kernels.rank = memory.rank = rank;
            kernels.pid = memory.pid = 77 + rank;
            kernels.begin_ns = 10; // the first one starts before the history
            memory.file = "torch_memory_rank" + std::to_string(rank) + ".pickle";
            workspace.add(test::madeKernels(kernels));
            workspace.add(test::madeMemory(memory));
        }
        made = test::madeScene(workspace);
        view.navigation().setReducedMotion(true);
        view.resize(1280, 720);
        view.setScene(made);
        view.show();
        panel.setTheme(lightTheme());
        panel.resize(1280, 420);
        panel.show();
        panel.setScene(made);
        settle();
    }
    void settle() { QTRY_VERIFY(!panel.isBusy()); }
    static SliceRef kernel(uint32_t slice, uint32_t rank = 0)
    {
        return {ReportKey(2 * rank), SliceId(slice)};
    }
    // Returns, in a rank's snapshot, the 8 MiB activation block that lives from the fourth moment on.
    BlockRef block(uint32_t rank = 0) const
    {
        const BlockLifeTable& blocks = source(rank).device().blocks;
        for (uint32_t row = 0; row < blocks.size(); ++row) {
            if (blocks.size_bytes[row] == uint64_t(8) << 20 && blocks.allocated[row] > 0)
                return {source(rank).key, 0, BlockLifeId(row)};
        }
        qFatal("no such block");
    }
    MemorySource source(uint32_t rank = 0) const { return memorySources(*made).at(rank); }
    MemoryMoment start(SliceRef slice) const { return momentsAtStart(*made, slice).at(0).moment; }
};

} // namespace

class MemoryLinkingTest : public QObject {
    Q_OBJECT

  private slots:
    void timelineBlockIsSelectedInThePanel()
    {
        Linked s;
        auto& areas = s.panel.open<AreaPane>();
        s.settle();
        const BlockRef block = s.block();
        s.view.viewState().setBlock(block);
        s.settle();
        QVERIFY(areas.view()->isPointedBlockDrawn());
        const QString size = byteQText(s.source().device().blocks.size_bytes[block.life.value]);
        QVERIFY2(s.panel.card()->text().startsWith("Block of " + size), qPrintable(s.panel.card()->text()));
        // The cursor is at a moment at which the block is live.
        QVERIFY(s.panel.pointed().moment.has_value());
        QVERIFY(s.source().device().blocks.isActiveAt(block.life.value, *s.panel.pointed().moment));
        auto& state = s.panel.open<AllocatorPane>();
        s.settle();
        QCOMPARE(state.map()->chosen(), block.life);
        QCOMPARE(test::part<Scrubber>(state).moment(), *s.panel.pointed().moment);
        QCOMPARE(state.map()->picture()->state.moment, *s.panel.pointed().moment);
        const std::vector<PlacedBlock>& blocks = state.map()->picture()->state.blocks;
        const auto own = std::ranges::find(blocks, block.life, &PlacedBlock::life);
        QVERIFY(own != blocks.end() && own != blocks.begin());
        const uint64_t gap_bytes = own->address - (own - 1)->address - (own - 1)->size_bytes;
        QVERIFY(gap_bytes > 0);
        const QString neighbors = s.panel.card()->neighbors()->text();
        QVERIFY2(neighbors.startsWith("Before this block: " + byteQText(gap_bytes) + " free."),
                 qPrintable(neighbors));
        QVERIFY2(neighbors.contains("After this block: "), qPrintable(neighbors));
        // The strip has the colors of the selected theme, including the color-blind ones.
        const auto strip = [&] {
            return const_cast<NeighborView*>(s.panel.card()->neighbors())->grab().toImage();
        };
        s.panel.setTheme(themeOf(false, false));
        const QImage plain = strip();
        s.panel.setTheme(themeOf(false, true));
        QVERIFY(strip() != plain);
        s.panel.setTheme(themeOf(false, false));
        QVERIFY(strip() == plain);
        // The address is not elided.
        QTest::qWait(1);
        for (const QLabel* const each : s.panel.card()->findChildren<QLabel*>()) {
            if (each->isVisible() && !each->wordWrap())
                QVERIFY2(each->width() >= each->sizeHint().width(), qPrintable(each->text()));
        }
        // With the flame graph, the card shows the whole device.
        s.panel.open<FlamePane>();
        QVERIFY(s.panel.card()->text().startsWith("Peak"));
        s.panel.open<AllocatorPane>();
        QVERIFY(s.panel.card()->text().startsWith("Block of"));
        s.view.viewState().setBlock({});
        QVERIFY(!state.map()->chosen().isValid() && !areas.view()->isPointedBlockDrawn());
        QVERIFY(s.panel.card()->text().startsWith("Peak"));
    }

    // A snapshot that was not shown before opens at its selected block.
    void hiddenPanelShowsTheSelectionLater()
    {
        Linked s(2);
        s.panel.open<AllocatorPane>();
        s.settle();
        s.panel.hide();
        s.view.viewState().setBlock(s.block(1));
        QCOMPARE(s.panel.snapshots()->currentIndex(), 0);
        s.panel.show();
        s.settle();
        QCOMPARE(s.panel.snapshots()->currentIndex(), 1);
        auto& state = s.panel.open<AllocatorPane>();
        QCOMPARE(state.map()->chosen(), s.block(1).life);
        QCOMPARE(state.map()->picture()->source.key, s.source(1).key);
        QCOMPARE(state.map()->picture()->state.moment, *s.panel.pointed().moment);
        QCOMPARE(s.state.block(), s.block(1)); // and nothing deselected it
        // After switching to another snapshot, its views have no block; the timeline keeps its own.
        s.panel.snapshots()->setCurrentIndex(0);
        s.settle();
        QVERIFY(!state.map()->chosen().isValid());
        QCOMPARE(s.state.block(), s.block(1));
    }

    void kernelMovesTheCursor()
    {
        Linked s;
        auto& flames = s.panel.open<FlamePane>();
        s.settle();
        QAbstractButton& cursor = *flames.at()->button(1);
        QVERIFY(!cursor.isEnabled());
        s.state.setSlice(s.kernel(4));
        QVERIFY(cursor.isEnabled());
        QVERIFY(s.panel.showsSelection());
        QTest::mouseClick(&cursor, Qt::LeftButton);
        s.settle();
        const MemoryMoment first = s.start(s.kernel(4));
        QCOMPARE(flames.view()->picture()->moment, first);
        QCOMPARE(flames.view()->picture()->nodes->front().size_bytes,
                 s.source().device().levelsAt(first).active);
        s.state.setSlice(s.kernel(7));
        s.settle();
        QVERIFY(s.start(s.kernel(7)) != first);
        QCOMPARE(flames.view()->picture()->moment, s.start(s.kernel(7)));
        auto& state = s.panel.open<AllocatorPane>();
        s.settle();
        QCOMPARE(state.map()->picture()->state.moment, s.start(s.kernel(7)));
        // A moment selected in another view becomes the cursor too.
        test::part<Scrubber>(state).setFocus();
        QTest::keyClick(&test::part<Scrubber>(state), Qt::Key_Left);
        s.panel.open<FlamePane>();
        s.settle();
        QCOMPARE(flames.view()->picture()->moment, s.start(s.kernel(7)) - 1);
    }

    void unmappableKernelIsReported()
    {
        Linked s;
        auto& flames = s.panel.open<FlamePane>();
        s.state.setSlice(s.kernel(4));
        flames.at()->button(1)->click();
        s.settle();
        s.state.setSlice(s.kernel(0));
        s.settle();
        QVERIFY(!s.panel.pointed().moment.has_value());
        QVERIFY2(flames.at()->button(1)->toolTip().contains("before the snapshot's history"),
                 qPrintable(flames.at()->button(1)->toolTip()));
        QVERIFY(!flames.at()->button(1)->isEnabled());
        QCOMPARE(flames.at()->checkedId(), 0);
        QCOMPARE(flames.view()->picture()->moment, s.source().device().peaks.active.moment);
    }

    void panelBlockIsSelectedInTheTimeline()
    {
        Linked s;
        auto& state = s.panel.open<AllocatorPane>();
        s.settle();
        s.state.setSlice(s.kernel(4));
        s.settle();
        const MemoryMoment moment = test::part<Scrubber>(state).moment();
        state.map()->setFocus();
        QTest::keyClick(state.map(), Qt::Key_Down);
        const BlockRef chosen{s.source().key, 0, state.map()->chosen()};
        QVERIFY(chosen.isValid());
        QCOMPARE(s.state.block(), chosen);
        QCOMPARE(s.view.viewState().block(), chosen);
        QVERIFY(!s.state.slice().isValid());
        QCOMPARE(test::part<Scrubber>(state).moment(), moment); // the shown moment stays
        QTest::keyClick(state.map(), Qt::Key_Escape);
        QVERIFY(!s.state.block().isValid() && !s.view.viewState().block().isValid());
        // A click on an area selects; the end of a drag does not.
        auto& areas = s.panel.open<AreaPane>();
        s.settle();
        const QRect plot = areas.view()->plot();
        const QPoint low(plot.center().x(), plot.bottom() - 2);
        QTest::mousePress(areas.view(), Qt::LeftButton, {}, low);
        QTest::mouseMove(areas.view(), low + QPoint(60, 0));
        QTest::mouseRelease(areas.view(), Qt::LeftButton, {}, low + QPoint(60, 0));
        QVERIFY(!s.state.block().isValid());
        QTest::mouseClick(areas.view(), Qt::LeftButton, {}, low);
        QVERIFY(s.state.block().isValid());
        QCOMPARE(s.view.viewState().block(), s.state.block());
        QCOMPARE(*s.panel.pointed().moment, *areas.view()->cursorMoment());
    }

    void showInTimelineZoomsToTheLife()
    {
        Linked s;
        auto& state = s.panel.open<AllocatorPane>();
        s.settle();
        const BlockRef block = s.block();
        s.view.viewState().setBlock(block);
        s.settle();
        const auto button = [&](const QString& text) -> QPushButton* {
            QTest::qWait(1); // the card updates with the next events
            for (QPushButton* const each : s.panel.card()->findChildren<QPushButton*>())
                if (each->text() == text && each->isVisibleTo(s.panel.card())) return each;
            qFatal("no button %s", qPrintable(text));
        };
        QTest::mouseClick(button("Show in timeline"), Qt::LeftButton);
        const TimeRange life = lifeOf(*memoryPlaceOf(*s.made, block), block.life).value();
        const TimeRange visible = s.view.viewState().visible();
        QVERIFY(visible.begin < life.begin && visible.end > life.end);
        QVERIFY(visible.length().ns < 2 * life.length().ns + 4000); // the view has a minimum length
        const BlockLifeTable& blocks = s.source().device().blocks;
        QTest::mouseClick(button("Show free"), Qt::LeftButton);
        s.settle();
        QCOMPARE(state.map()->picture()->state.moment, blocks.freed[block.life.value]);
        QTest::mouseClick(button("Show allocation"), Qt::LeftButton);
        s.settle();
        QCOMPARE(state.map()->picture()->state.moment, blocks.allocated[block.life.value]);
        QCOMPARE(s.state.block(), block);
    }

    void largestBlocksAndNeighbors()
    {
        Linked s;
        auto& state = s.panel.open<AllocatorPane>();
        s.settle();
        QVERIFY(!state.largest()->isVisible()); // too low for the table
        s.panel.resize(1280, 800);
        QTRY_VERIFY(state.largest()->isVisible());
        s.settle();
        const LargestBlocks& largest = state.map()->picture()->largest;
        const std::vector<PlacedBlock>& blocks = state.map()->picture()->state.blocks;
        QCOMPARE(largest.lives.size(), std::min<size_t>(kMaxLargestBlocks, blocks.size()));
        uint64_t most = 0;
        for (const PlacedBlock& block : blocks)
            most = std::max(most, block.size_bytes);
        QCOMPARE(static_cast<uint64_t>(largest.table->number(0, 0)), most);
        for (size_t row = 1; row < largest.lives.size(); ++row)
            QVERIFY(largest.table->number(0, row) <= largest.table->number(0, row - 1));
        QCOMPARE(state.largest()->verticalScrollBar()->maximum(), 0);
        // Selecting a row selects the block everywhere, and a selection elsewhere selects its row.
        state.largest()->selectTableRow(1);
        QCOMPARE(state.map()->chosen(), largest.lives[1]);
        QCOMPARE(s.state.block().life, largest.lives[1]);
        s.view.viewState().setBlock({s.source().key, 0, largest.lives[0]});
        QCOMPARE(state.largest()->currentTableRow(), 0);
        s.view.viewState().setBlock({});
        QCOMPARE(state.largest()->currentTableRow(), -1);
        QVERIFY(!s.state.block().isValid());
    }

    // A block of no snapshot is ignored.
    void unknownBlockIsIgnored()
    {
        Linked s;
        s.panel.open<AllocatorPane>();
        s.settle();
        s.state.setBlock({s.source().key, 7, BlockLifeId(0u)});
        s.state.setBlock({s.source().key, 0, BlockLifeId(1'000'000u)});
        s.settle();
        QVERIFY(!s.panel.pointed().life.isValid());
        QVERIFY(!s.panel.showsSelection());
        s.panel.setScene(std::make_shared<const Scene>());
        s.state.setBlock(s.block());
        QVERIFY(!s.panel.showsSelection());
    }

    void badgesCountWhatTheirViewsShow()
    {
        Workspace workspace;
        workspace.add(
            readReport(test::sourceFolder() / "tests/golden/memory/snapshots/oom.pickle", Progress())
                .value());
        workspace.add(test::madeMemory({}));
        Linked s;
        s.panel.setScene(makeScene(workspace, alignReports(workspace, {}), test::workers()));
        s.settle();
        const auto badge = [&](const QString& view) {
            const QList<QListWidgetItem*> found = s.panel.views()->findItems(view, Qt::MatchExactly);
            return badgeOf(*s.panel.views(), s.panel.views()->row(found.at(0)));
        };
        const auto facts = memoryFacts(memorySources(*s.panel.scene()).at(0), Progress()).value();
        QVERIFY(facts->failureCount > 0);
        QVERIFY2(badge("Allocator state").endsWith("OOM"), qPrintable(badge("Allocator state")));
        QVERIFY(badge("By stack").isEmpty());
        s.panel.snapshots()->setCurrentIndex(1);
        QVERIFY(badge("Allocator state").isEmpty()); // unknown counts are not shown
        s.settle();
        QVERIFY(badge("Allocator state").isEmpty());
    }
};

LOCKSTEP_TEST(MemoryLinkingTest, "memory_linking_test")
#include "memory_linking_test.moc"
