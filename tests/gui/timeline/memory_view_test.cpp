// SPDX-License-Identifier: Apache-2.0
// Tests input on the memory lane: a click selects a block, F zooms to its life, the legend follows the
// cursor, the Details panel describes the block, and pixels and vectors show the same.
#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTreeWidget>

#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_kinds/memory_columns.h"
#include "core/timeline/memory_pointing.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/panels/details_panel.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_picture.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr uint64_t kMi = 1 << 20;

// Kernels and a snapshot of one process, with a failed allocation, in a view without animation.
struct ShownMemory {
    ScenePtr made = scene();
    ViewState state;
    Notices notices;
    TimelineView view{state, notices, test::workers()};
    TimelineCanvas* canvas;

    explicit ShownMemory(const QSize& size = {1280, 720})
    {
        view.navigation().setReducedMotion(true);
        view.resize(size);
        view.setScene(made);
        view.show();
        canvas = view.findChild<TimelineCanvas*>();
        view.setFocus();
    }

    static ScenePtr scene()
    {
        test::MadeMemory of;
        of.runsOut = true;
        Workspace workspace;
        workspace.add(test::madeKernels({}));
        workspace.add(test::madeMemory(of));
        return test::madeScene(workspace);
    }

    const DisplayRow& row()
    {
        for (const DisplayRow& at : view.displayList().rows) {
            if (at.kind->name() == "memory") return at;
        }
        qFatal("no lane of memory");
    }
    // Returns a point in the middle of an area that is drawn after so many entries.
    QPoint areaAt(MemoryMoment moment, size_t group)
    {
        const DisplayRow& at = row();
        std::vector<const MemoryColumnShape*> columns;
        for (const MemoryColumnShape& column : at.data.as<MemoryRowData>()->columns) {
            if (column.moment == moment) columns.push_back(&column);
        }
        const MemoryColumnShape& column = *columns.at(columns.size() / 2);
        const int below = group == 0 ? at.height : column.tops[group - 1];
        return {view.displayList().headerWidth + column.x, at.y + (column.tops[group] + below) / 2};
    }
    void move(QPoint at)
    {
        QMouseEvent event(QEvent::MouseMove, at, canvas->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(canvas, &event);
    }
    QStringList legend()
    {
        QStringList words;
        for (const DisplayLane& lane : view.displayList().lanes) {
            if (!lane.kind->followsCursor()) continue;
            words << QString::fromStdString(lane.value);
            for (const LaneText& text : lane.texts)
                words << QString::fromStdString(text.text);
        }
        return words;
    }
};

constexpr auto kActivations = static_cast<size_t>(MemoryCategory::activations);
constexpr auto kWeights = static_cast<size_t>(MemoryCategory::weights);

QString valueOf(const QTreeWidget& tree, const QString& name)
{
    const auto found =
        const_cast<QTreeWidget&>(tree).findItems(name, Qt::MatchExactly | Qt::MatchRecursive, 0);
    return found.isEmpty() ? QString("none") : found.first()->text(1);
}

} // namespace

class MemoryViewTest : public QObject {
    Q_OBJECT

  private slots:
    void clickSelectsTheLargestBlock()
    {
        ShownMemory s;
        QSignalSpy selected(&s.state, &ViewState::blockChanged);
        s.state.setSlice({ReportKey(0u), SliceId(0u)});
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, s.areaAt(4, kActivations));
        QCOMPARE(selected.count(), 1);
        const BlockRef block = s.state.block();
        const MemoryPlace place = memoryPlaceOf(*s.made, block).value();
        QCOMPARE(place.device().blocks.size_bytes[block.life.value], 8 * kMi);
        QCOMPARE(s.state.block(), block);
        QVERIFY(!s.state.slice().isValid());
        // Its life is outlined over the lane, and F zooms to it.
        const DisplayList& list = s.view.displayList();
        QVERIFY(!list.marks.empty() && list.marks.back().isSelected);
        const TimeRange life = lifeOf(place, block.life).value();
        QTest::keyClick(&s.view, Qt::Key_F);
        const TimeRange visible = s.state.visible();
        QVERIFY(visible.begin <= life.begin && visible.end >= life.end);
        QVERIFY(visible.length().ns <
                2 * life.length().ns + 4000); // no view is shorter than ViewWindow::kShortest
        // A selected slice replaces the block everywhere.
        s.state.setSlice({ReportKey(0u), SliceId(3u)});
        QVERIFY(!s.state.block().isValid());
        s.state.setBlock(block);
        QCOMPARE(s.state.block(), block);
        QTest::keyClick(&s.view, Qt::Key_Escape);
        QVERIFY(!s.state.block().isValid());
        // A block that a new scene no longer shows is deselected.
        s.state.setBlock(block);
        s.view.setScene(std::make_shared<const Scene>());
        QVERIFY(!s.state.block().isValid());
    }

    void legendFollowsTheCursor()
    {
        ShownMemory s;
        QVERIFY(s.legend().first().startsWith("at the peak"));
        QVERIFY(s.legend().contains("28.0") == false); // rows show groups, not their sum
        s.move(s.areaAt(2, kWeights));
        QVERIFY(s.legend().first().startsWith("at the cursor"));
        const qsizetype activations = s.legend().indexOf("activations");
        QCOMPARE(s.legend().at(activations + 1), "0");
        s.move(s.areaAt(4, kActivations));
        QCOMPARE(s.legend().at(activations + 1), "8.0");
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(s.canvas, &leave);
        QVERIFY(s.legend().first().startsWith("at the peak"));
    }

    // Only the headers are repainted, and the result equals a full repaint.
    void onlyTheLegendIsRepainted()
    {
        ShownMemory moved, fresh;
        (void)moved.canvas->grab();
        const QPoint at = moved.areaAt(4, kActivations);
        moved.move(at);
        fresh.move(at);
        fresh.canvas->refresh();
        QCOMPARE(moved.canvas->grab().toImage(), fresh.canvas->grab().toImage());
    }

    void cardShowsBlockAgeAndStack()
    {
        ShownMemory s;
        s.move(s.areaAt(4, kActivations));
        const QString card = s.view.hover().lines().join('\n');
        for (const char* const words :
             {"GPU 0 busy \u203A memory", "entry 4 of 15", "active 28.0 MiB", "reserved 64.0 MiB",
              "activations: 8.00 MiB", "largest block: 8.00 MiB", "lifetime 150 ns", "forward.py"})
            QVERIFY2(card.contains(QString::fromUtf8(words)), qPrintable(card));
    }

    void flagLeadsToTheFailure()
    {
        ShownMemory s;
        const DisplayList& list = s.view.displayList();
        QCOMPARE(list.flags.size(), 1u);
        const DisplayFlag flag = list.flags.front();
        QVERIFY(flag.width > 0);
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, {flag.left + 3, flag.top + 3});
        const SliceRef slice = s.state.slice();
        QVERIFY(s.made->holds(slice));
        QVERIFY(s.made->shown.report(slice.report).nameOf(slice.slice).starts_with("out of memory"));
        s.move({flag.left + 3, flag.top + 3});
        QVERIFY(s.view.hover().lines().first().startsWith("out of memory"));
    }

    void detailsOfABlock()
    {
        ShownMemory s;
        DetailsPanel panel(s.state);
        panel.show();
        panel.setScene(s.made);
        QTest::mouseClick(s.canvas, Qt::LeftButton, {}, s.areaAt(4, kActivations));
        QTRY_VERIFY(!panel.isBusy());
        const QTreeWidget& tree = *panel.tree();
        QVERIFY(valueOf(tree, "size").startsWith("8.00 MiB"));
        QCOMPARE(valueOf(tree, "count"), "3");
        QVERIFY(valueOf(tree, "busy").startsWith("90 ns, 60.0 %"));
        QVERIFY(panel.text().contains("/opt/train/forward.py"));
        const auto last =
            const_cast<QTreeWidget&>(tree).findItems("last", Qt::MatchExactly | Qt::MatchRecursive, 0);
        QCOMPARE(last.size(), 1);
        const BlockRef block = s.state.block();
        auto* const zoom = panel.findChildren<QPushButton*>().first();
        QVERIFY(zoom->isVisible());
        QTest::mouseClick(zoom, Qt::LeftButton);
        const TimeRange life = lifeOf(memoryPlaceOf(*s.made, block).value(), block.life).value();
        QVERIFY(s.state.visible().begin < life.begin && s.state.visible().end > life.end);
        emit panel.tree()->itemClicked(last.first(), 1);
        QCOMPARE(s.state.slice(), (SliceRef{ReportKey(0u), SliceId(4u)}));
        QTRY_VERIFY(!panel.isBusy());
        QVERIFY(!zoom->isVisible());
    }

    void kernelDetailsShowLiveMemory()
    {
        ShownMemory s;
        DetailsPanel panel(s.state);
        panel.show();
        panel.setScene(s.made);
        s.state.setSlice({ReportKey(0u), SliceId(3u)});
        QTRY_VERIFY(!panel.isBusy());
        QCOMPARE(valueOf(*panel.tree(), "active"), "28.0 MiB");
        QCOMPARE(valueOf(*panel.tree(), "free in pool"), "36.0 MiB");
        QVERIFY(valueOf(*panel.tree(), "  16.0 MiB").startsWith("train/load_weights.py:1 load_weights"));
        QVERIFY(valueOf(*panel.tree(), "  4.00 MiB").startsWith("no stack was recorded"));
    }

    void vectorsShowTheSamePixels()
    {
        const test::TempDir folder;
        const ScenePtr made = ShownMemory::scene();
        for (const double scale : {1.0, 1.5, 2.0}) {
            PictureOptions options;
            options.size = {1000, 600};
            options.scale = scale;
            options.isMemoryOnly = scale > 1;
            const QImage image = timelineImage(made, options).value();
            QVERIFY(writeTimelineSvg(folder.path() / "t.svg", made, options));
            QImage vectors(image.size(), QImage::Format_RGB32);
            QSvgRenderer renderer(QString::fromStdString((folder.path() / "t.svg").string()));
            QPainter painter(&vectors);
            QFont font = painter.font();
            disableLigatures(font); // Qt ignores the font features of the SVG
            painter.setFont(font);
            renderer.render(&painter);
            painter.end();
            int differing = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    const QColor a(image.pixel(x, y)), b(vectors.pixel(x, y));
                    differing += std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
                                     std::abs(a.blue() - b.blue()) >
                                 48;
                }
            }
            const double part = static_cast<double>(differing) / (image.width() * image.height());
            QVERIFY2(part < 0.03, qPrintable(QString("scale %1: %2 % differ").arg(scale).arg(part * 100)));
        }
    }
};

LOCKSTEP_TEST(MemoryViewTest, "memory_view_test")
#include "memory_view_test.moc"
