// SPDX-License-Identifier: Apache-2.0
// Compares what the timeline paints with reference pictures: 12 scenes in two themes. Each scene is a small
// widget with synthetic data. Scenes are the same on every machine: nothing is animated, nothing has keyboard
// focus, and no text depends on the clock, time zone or language. See reference_picture.h for the comparison.
#include <QApplication>
#include <QDir>
#include <QFontDatabase>
#include <QMouseEvent>
#include <QStyle>
#include <QStyleFactory>
#include <QtTest>

#include "core/compare/compared_sides.h"
#include "core/search/related_slices.h"
#include "core/timeline/hit_rows.h"
#include "tests/gui/support/reference_picture.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/many_ranks.h"
#include "tests/support/rl_run.h"
#include "tests/support/row_report.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/compare/compare_view.h"
#include "ui/models/mark_store.h"
#include "ui/models/work_document.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr int64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;
constexpr int64_t kPaintedUtc_ns = 1'795'176'271'000'000'000;
constexpr int kPaintedHeader = 180; // width of the lane headers

// Shows a widget without a window on the screen, so that neither the mouse pointer nor the focus is in it.
void showOffscreen(QWidget& widget, QSize size)
{
    widget.setAttribute(Qt::WA_DontShowOnScreen);
    widget.resize(size);
    widget.show();
}

// Grabs a widget after its layouts have adapted to its contents.
QImage grabSettled(QWidget& widget)
{
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    return widget.grab().toImage();
}

// A timeline without animation.
struct PaintedTimeline {
    ViewState viewState;
    Notices notices;
    TimelineView view{viewState, notices, test::workers()};

    PaintedTimeline(const ScenePtr& scene, const Theme& theme, QSize size = {560, 600})
    {
        view.navigation().setReducedMotion(true);
        view.setTheme(theme);
        view.lanes().setHeaderWidth(kPaintedHeader);
        showOffscreen(view, size);
        view.setScene(scene);
    }

    const Scene& scene() const { return view.scene(); }
    void filter(const char* lanes) { QVERIFY(view.lanes().setFilter(lanes)); }
    void zoomTo(int64_t begin_us, int64_t end_us)
    {
        const TraceTime zero = scene().extent().begin;
        view.navigation().showAtOnce(
            {zero + Duration{begin_us * kMicrosecond}, zero + Duration{end_us * kMicrosecond}});
    }
    // Returns the first slice with this name that starts at or after a time on the clock of the report.
    SliceRef find(const char* name, int64_t from_us = 0, ReportKey report = ReportKey(0u)) const
    {
        const Report& in = scene().shown.report(report);
        for (uint32_t i = 0; i < in.slices.size(); ++i) {
            const SliceId slice(i);
            if (in.nameOf(slice).starts_with(name) && in.slices.start(slice).ns >= from_us * kMicrosecond)
                return {report, slice};
        }
        qFatal("no slice named %s", name);
    }
    TraceTime at(int64_t us) const { return scene().extent().begin + Duration{us * kMicrosecond}; }
    // Applies `edit` to each lane whose path contains `text`.
    void editLanes(const std::string& text, const std::function<void(LaneState&, const Lane&)>& edit)
    {
        LaneState state = view.lanes().laneState();
        const LaneTree& tree = view.state().tree();
        for (uint32_t lane = 0; lane < tree.size(); ++lane) {
            if (tree.pathOf(lane).find(text) != std::string::npos) edit(state, tree.lane(lane));
        }
        view.lanes().setLaneState(state);
    }
    void foldRank(int rank)
    {
        editLanes("", [&](LaneState& state, const Lane& lane) {
            if (lane.subject == LaneSubject::process && rankOf(lane) == rank) state.fold(lane, true);
        });
    }

    // Returns a picture of the whole view, which is made as tall as its lanes.
    QImage picture()
    {
        const int bars = view.height() - canvas().height();
        view.resize(view.width(), bars + view.displayList().contentHeight);
        return grabSettled(view);
    }
    // Returns a picture of all lanes, without the bars above them. The view must be tall enough.
    QImage lanesPicture()
    {
        const int height = view.displayList().contentHeight;
        if (height > canvas().height()) qFatal("%d pixels of lanes do not fit", height);
        return grabSettled(view).copy({canvas().mapTo(&view, QPoint()), QSize(canvas().width(), height)});
    }

    // Clicks on the start or end of a slice, and moves the mouse pointer away.
    void clickOn(SliceRef slice, bool isEnd)
    {
        const FrameView frame = view.state().frameView(canvas().deviceSize());
        const TimeRange range = rangeOf(view.state().scene(), slice).value();
        const auto row = slicePosition(scene(), frame, slice).value();
        const QPoint at(frame.headerWidth + frame.scale().pixelOf(isEnd ? range.end : range.begin),
                        row.y + row.height / 2);
        QMouseEvent move(QEvent::MouseMove, at, canvas().mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(&canvas(), &move);
        QTest::mouseClick(&canvas(), Qt::LeftButton, {}, at);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&canvas(), &leave);
    }

    TimelineCanvas& canvas() { return *view.findChild<TimelineCanvas*>(); }
};

test::MadeRank oneStepRank()
{
    test::MadeRank rank;
    rank.steps = 1;
    return rank;
}

ScenePtr sceneOfOne(std::shared_ptr<const Report> report)
{
    Workspace workspace;
    workspace.add(std::move(report));
    return test::madeScene(workspace);
}

// Kernels, NCCL and copies with elided names, and the NVTX ranges projected onto the GPU.
QImage paintKernels(const Theme& theme)
{
    PaintedTimeline s(sceneOfOne(test::madeRank(oneStepRank())), theme);
    s.filter("stream|projected");
    s.zoomTo(11'600, 12'400);
    return s.lanesPicture();
}

// NVTX ranges, operators and CUDA calls of a thread, nested, one with a color that the program chose, in
// compact rows.
QImage paintNestedRanges(const Theme& theme)
{
    PaintedTimeline s(sceneOfOne(test::madeRank(oneStepRank())), theme);
    s.filter("41613");
    s.editLanes("", [](LaneState& state, const Lane&) { state.setRowHeights(kRowHeights[0]); });
    s.zoomTo(7'800, 8'500);
    return s.lanesPicture();
}

// The whole run: dense rows with several slices per pixel, collapsed processes, and lost data.
QImage paintOverview(const Theme& theme)
{
    Workspace workspace;
    for (int rank = 0; rank < 4; ++rank) {
        test::MadeRank made;
        made.rank = rank;
        made.host = rank < 2 ? "node0" : "node1";
        made.losesRows = rank == 0;
        workspace.add(test::madeRank(made));
    }
    PaintedTimeline s(test::madeScene(workspace), theme);
    for (const int rank : {1, 2, 3})
        s.foldRank(rank);
    s.filter("loss|stream|memory used|rank [1-3]");
    return s.picture();
}

QImage paintCounters(const Theme& theme)
{
    PaintedTimeline s(sceneOfOne(test::madeRank(oneStepRank())), theme);
    s.filter("memory used|SMs active");
    for (const char* const name : {"memory used", "SMs active"})
        s.editLanes(name, [](LaneState& state, const Lane& lane) { state.setRowHeight(lane, 48); });
    s.zoomTo(8'000, 19'500);
    return s.lanesPicture();
}

// The memory lane of an allocator snapshot with a failed allocation, kernels above it, and a selected block.
QImage paintMemory(const Theme& theme)
{
    test::MadeMemory snapshot;
    snapshot.runsOut = true;
    Workspace workspace;
    workspace.add(test::madeKernels({}));
    workspace.add(test::madeMemory(snapshot));
    PaintedTimeline s(test::madeScene(workspace), theme);
    s.filter("stream|memory$");
    s.viewState.setBlock({ReportKey(1u), 0, BlockLifeId(2u)});
    return s.lanesPicture();
}

// The phases and bubbles of a reinforcement learning step on two hosts.
QImage paintPhases(const Theme& theme)
{
    PaintedTimeline s(test::rlScene(test::rlRun()), theme);
    s.filter("phases|stream");
    return s.lanesPicture();
}

// 128 ranks as one map: rank 77 is late, and some ranks have no report.
QImage paintRankMap(const Theme& theme)
{
    PaintedTimeline s(test::manyRanks({.ranks = 128, .late = 77, .missing = 50, .missingRanks = 4}), theme,
                      {800, 320});
    s.view.lanes().setHeaderWidth(200);
    return s.lanesPicture();
}

std::shared_ptr<const Report> paintedStep(const char* path, int step, int64_t utc_ns)
{
    test::RowReport rows(path);
    rows.identify(0, "actor", step, "node0");
    rows.setUtc(utc_ns);
    for (int64_t i = 0; i < 12; ++i)
        rows.kernel(i % 2 ? "gemm" : "softmax", i * 8 * kMillisecond,
                    i * 8 * kMillisecond + 6 * kMillisecond);
    return rows.finish();
}

// Three steps with 252 s between two of them; the gaps are collapsed into bands.
QImage paintAxisBreaks(const Theme& theme)
{
    Workspace workspace;
    int64_t at = kPaintedUtc_ns;
    for (const auto& [path, step] :
         {std::pair("step2.sqlite", 2), std::pair("step3.sqlite", 3), std::pair("step4.sqlite", 4)}) {
        workspace.add(paintedStep(path, step, at));
        at += 100 * kMillisecond + 252'000 * kMillisecond;
    }
    PaintedTimeline s(test::madeScene(workspace), theme, {640, 190});
    return grabSettled(s.view);
}

// Markers and notes, the selected range with its length, and a selected kernel with the link from its call.
QImage paintMarkers(const Theme& theme)
{
    PaintedTimeline s(sceneOfOne(test::madeRank(oneStepRank())), theme);
    WorkDocument document;
    MarkStore store(document);
    store.setScene(s.view.state().sharedScene());
    s.view.marks().setStore(store);
    s.filter("stream|CUDA API");
    s.zoomTo(11'100, 13'100);
    const auto add = [&](Mark mark, const char* text) {
        mark.text = text;
        QVERIFY(store.add(mark));
    };
    add(markOfTime(s.scene(), s.at(11'250), {}, 0), "");
    add(markOfTime(s.scene(), s.at(11'500), ReportKey(0u), 0), "slow from here");
    add(markOfRange(s.scene(), {s.at(12'500), s.at(12'800)}, {}, {}, 0), "gap in the input");
    s.viewState.setRange(TimeRange{s.at(11'800), s.at(12'300)});
    s.view.selector().select(s.find("silu", 11'200), false);
    return s.picture();
}

// Search hits in lanes, in the headers, in the overview and in a collapsed process.
QImage paintSearch(const Theme& theme)
{
    PaintedTimeline s(test::madeScene(test::madeWorkspace(1, 1)), theme);
    const Progress progress(test::workers());
    const ScenePtr scene = s.view.state().sharedScene();
    const auto hits = EventHits::find(*scene, parseEventQuery("ReduceScatter").value(), progress).value();
    s.view.setHits(HitRows::make(scene, hits, progress).value());
    s.filter("stream|CUDA API");
    s.foldRank(8);
    s.zoomTo(9'000, 16'000);
    return s.picture();
}

// A collective on two hosts: the launch chain is highlighted and all other slices are dimmed, with the links
// to the other rank, and the tape measures across both clocks.
QImage paintLinks(const Theme& theme)
{
    const test::SyntheticClocks clocks = test::makeSyntheticClocks(
        {.hosts = 2, .ranksPerHost = 1, .steps = 8, .stepLength_ns = 50 * kMillisecond, .largestDrift = 0});
    PaintedTimeline s(test::madeScene(clocks.workspace), theme);
    const Report& report = s.scene().shown.report(ReportKey(0u));
    const SliceRef slice{ReportKey(0u), report.collectives[report.collectives.size() / 2].slice};
    s.view.selector().select(slice, true);
    const TraceTime start = rangeOf(s.view.state().scene(), slice)->begin;
    s.view.navigation().showAtOnce({start - Duration{1 * kMillisecond}, start + Duration{2 * kMillisecond}});
    s.view.run(CommandId::highlightChain);
    s.view.run(CommandId::measure);
    s.clickOn(slice, true);
    for (const SliceRef part : s.view.state().frameView({1, 1}).selection.peers) {
        if (part.report != slice.report) s.clickOn(sliceAfter(s.scene(), part), false);
    }
    return s.lanesPicture();
}

std::shared_ptr<const Report> paintedRank(int rank)
{
    test::RankReport made(rank, "node0", kPaintedUtc_ns);
    for (int step = 0; step < 2; ++step) {
        const int64_t begin = step * 10 * kMillisecond, late = step * 300 * kMicrosecond;
        made.addRange(begin, begin + 9 * kMillisecond + late, "step " + std::to_string(step + 1));
        for (int i = 0; i < 8; ++i) {
            const int64_t at = begin + i * 800 * kMicrosecond + i * late / 8;
            if (step == 0 || i != 3) made.addKernel(at, at + 500 * kMicrosecond + late / 4, "gemm");
            made.addKernel(at + 600 * kMicrosecond, at + 700 * kMicrosecond, "norm");
        }
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(step);
        op.groupSize = 2;
        made.addCollective(begin + 7 * kMillisecond + late, begin + 8 * kMillisecond + late, "allreduce", "0",
                           op);
    }
    return made.finish();
}

// Two steps side by side with the lane of differences, and the card of a selected pair.
QImage paintComparison(const Theme& theme)
{
    Workspace workspace;
    for (int rank = 0; rank < 2; ++rank)
        workspace.add(paintedRank(rank));
    completeIdentities(workspace);
    const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), test::workers());
    ViewState viewState;
    Notices notices;
    auto* const own = new TimelineView(viewState, notices, test::workers());
    CompareView view(*own, test::workers());
    own->navigation().setReducedMotion(true);
    own->lanes().setHeaderWidth(kPaintedHeader);
    view.setTheme(theme);
    own->setTheme(theme);
    showOffscreen(view, {840, 452});
    own->setScene(scene);
    view.compare(compareSides({scene, {}, 1, "baseline"}, {scene, {}, 2, "baseline"}, Progress()).value(), 0);
    LaneState lanes = own->lanes().laneState();
    for (const Lane& lane : own->state().tree().lanes()) {
        if (lane.subject == LaneSubject::process && rankOf(lane) == 1) lanes.fold(lane, true);
    }
    own->lanes().editLanes([&](LaneState& state) { state = lanes; });
    const auto& pairs = view.halves()->pairs.pairs;
    const auto pair = std::ranges::find_if(
        pairs, [](const SlicePair& one) { return one.isBoth() && one.later.ns > 150 * kMicrosecond; });
    if (pair != pairs.end()) view.goTo(0, pair->a);
    return grabSettled(view);
}

struct PaintedScene {
    const char* name;
    QImage (*paint)(const Theme& theme);
};

constexpr std::array<PaintedScene, 12> kPaintedScenes{{{"kernels", paintKernels},
                                                       {"nested_ranges", paintNestedRanges},
                                                       {"overview", paintOverview},
                                                       {"counters", paintCounters},
                                                       {"memory", paintMemory},
                                                       {"phases", paintPhases},
                                                       {"rank_map", paintRankMap},
                                                       {"axis_breaks", paintAxisBreaks},
                                                       {"markers", paintMarkers},
                                                       {"search", paintSearch},
                                                       {"links", paintLinks},
                                                       {"comparison", paintComparison}}};

} // namespace

class PaintingTest : public QObject {
    Q_OBJECT

  private slots:
    // The look of the program, see Look::apply().
    void initTestCase()
    {
        QVERIFY2(QFontDatabase::hasFamily("Inter"), "install the package fonts-inter");
        QCOMPARE(qApp->devicePixelRatio(), 1.0);
        m_font = QApplication::font();
        m_palette = QApplication::palette();
        m_style = QApplication::style()->objectName();
        QApplication::setStyle(QStyleFactory::create("Fusion"));
        QApplication::setFont(interfaceFont(1));
    }

    void cleanupTestCase()
    {
        qApp->setStyleSheet({});
        QApplication::setStyle(QStyleFactory::create(m_style));
        QApplication::setPalette(m_palette);
        QApplication::setFont(m_font);
    }

    void looksAsBefore_data()
    {
        QTest::addColumn<const PaintedScene*>("scene");
        QTest::addColumn<bool>("isDark");
        for (const PaintedScene& scene : kPaintedScenes) {
            for (const bool isDark : {false, true})
                QTest::addRow("%s_%s", scene.name, isDark ? "dark" : "light") << &scene << isDark;
        }
    }

    void looksAsBefore()
    {
        QFETCH(const PaintedScene*, scene);
        QFETCH(const bool, isDark);
        const Theme& theme = themeOf(isDark, false);
        qApp->setStyleSheet({});
        QApplication::setPalette(theme.palette());
        qApp->setStyleSheet(styleSheetOf(theme, 1));
        const QString problem = test::comparePicture(scene->paint(theme), QTest::currentDataTag());
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    // A picture that no scene paints would never be compared.
    void everyReferenceHasAScene()
    {
        QStringList expected;
        for (const PaintedScene& scene : kPaintedScenes)
            expected << QString("%1_dark.png").arg(scene.name) << QString("%1_light.png").arg(scene.name);
        expected.sort();
        QCOMPARE(QDir(test::referenceFolder()).entryList({"*.png"}, QDir::Files, QDir::Name), expected);
    }

  private:
    QFont m_font;
    QPalette m_palette;
    QString m_style;
};

LOCKSTEP_TEST(PaintingTest, "painting_test")
#include "painting_test.moc"
