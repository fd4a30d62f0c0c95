// SPDX-License-Identifier: Apache-2.0
// Tests the demo in a window: its run is watched live, its collected reports replace the live data, and none
// of it outlives the window.
#include <QAbstractButton>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>

#include "app/window/demo_controller.h"
#include "app/window/live_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/save_controller.h"
#include "app/window/timeline_page_controller.h"
#include "tests/gui/support/timeline_picture.h"
#include "tests/support/processes_below.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/models/mark_store.h"
#include "ui/session/session_page.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class DemoWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((m_folder->path() / "cache").string()));
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((m_folder->path() / "state").string()));
        // The last step does not begin while this file exists.
        m_hold = m_folder->write("hold", "");
        qputenv("LOCKSTEP_DEMO_HOLD", QByteArray::fromStdString(m_hold.string()));
    }
    void cleanup()
    {
        m_windows.clear();
        m_settings.clear();
        m_folder.reset();
    }

    void watchedThenCollected()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        const Run* run = nullptr;
        QTRY_VERIFY((run = runs(window).run()) != nullptr);
        // All four ranks are visible on the timeline while they run.
        QTRY_VERIFY(test::ranksSeen(window) == (std::set<int>{0, 1, 2, 3}));
        QVERIFY(run->state() != RunState::ended);
        QVERIFY(window.live().live().hasPieces());
        QVERIFY(window.demo().isBusy());
        QTRY_VERIFY(test::isInFront<TimelinePageController>(window));
        if (const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES"); !pictures.isEmpty()) {
            QTRY_VERIFY(scene(window).extent().length().ns > 3'000'000'000);
            QVERIFY(window.grab().save(pictures + "/demo-live.png"));
        }
        std::filesystem::remove(m_hold);
        QTRY_VERIFY(!window.live().live().hasPieces() && window.isSettled());
        QCOMPARE(captures(window), size_t(4));
        const QString told = test::part<NoticeBar>(window).text();
        QVERIFY2(told.contains("both of which are this machine"), qPrintable(told));
        QCOMPARE(scene(window).shown.size(), size_t(6)); // plus the counters of the two hosts
        QVERIFY(test::part<SessionPage>(window).draft().facts().empty());
        // As from the file: another window without knowledge of the run draws the same, pixel by pixel.
        const QImage watched = test::timelinePicture(window);
        MainWindow& other = makeWindow();
        other.open({demoFolder() / "demo.lockstep"});
        QTRY_VERIFY(captures(other) == 4 && other.isSettled());
        const QImage opened = test::timelinePicture(other);
        QVERIFY(!watched.isNull() && watched.size() == opened.size());
        if (watched != opened) keep(watched, opened);
        QVERIFY(watched == opened);
        // No process of the demo runs any more, and the run is not offered again after the window is closed.
        m_windows.clear();
        QVERIFY(test::processesBelow(m_folder->path()).empty());
        QVERIFY(!std::filesystem::exists(demoFolder() / "hosts"));
        QVERIFY(std::filesystem::is_empty(m_folder->path() / "state/runs"));
    }

    // Work done on the live view is not lost when the collected reports replace it.
    void workOnTheLiveViewIsKept()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY(test::ranksSeen(window).size() == 4);
        QTRY_VERIFY(sliceCalled(window, "decode").isValid());
        MarkStore& marks = test::part<MarkStore>(window);
        const ScenePtr live = test::part<WorkspaceController>(window).scene();
        const int64_t liveZero_ns = live->alignment.utcAtZero_ns.value();
        const TimeRange range{live->extent().begin + Duration{100'000'000},
                              live->extent().begin + Duration{300'000'000}};
        Mark note = markOfSlice(*live, sliceCalled(window, "decode"), 0);
        note.text = "slow";
        const int64_t onSlice = marks.add(note).value();
        const int64_t onAxis = marks.add(markOfTime(*live, range.begin, {}, 0)).value();
        const std::string lane = live->tree->lane(0).key;
        test::part<WorkDocument>(window).edit("pin", [&](Work& work) { work.lanes.pinned.insert(lane); });
        test::part<ViewState>(window).setRange(range);
        test::run(window, "Save workspace");
        QVERIFY(test::part<NoticeBar>(window).text().contains("still being recorded"));
        QVERIFY(window.findChild<QFileDialog*>() == nullptr);
        std::filesystem::remove(m_hold);
        QTRY_VERIFY(!window.live().live().hasPieces() && window.isSettled());

        const Scene& collected = scene(window);
        QCOMPARE(captures(window), size_t(4));
        QCOMPARE(marks.marks().size(), size_t(2));
        QCOMPARE(marks.marks().find(onSlice)->text, std::string("slow"));
        const PlacedMark& placed = marks.placed(onSlice);
        QVERIFY(placed.placement == MarkPlacement::exact && collected.holds(placed.slice));
        QCOMPARE(std::string(collected.shown.report(placed.slice.report).nameOf(placed.slice.slice)),
                 std::string("decode"));
        const int64_t moved_ns = liveZero_ns - *collected.alignment.utcAtZero_ns;
        QCOMPARE(marks.placed(onAxis).aligned->begin.ns, range.begin.ns + moved_ns);
        QVERIFY(test::part<WorkDocument>(window).work().lanes.pinned.contains(lane));
        QVERIFY(test::part<ViewState>(window).range().has_value());
        QCOMPARE(test::part<ViewState>(window).range()->begin.ns, range.begin.ns + moved_ns);
        // It is not in the file yet.
        QVERIFY(window.isWindowModified());
        test::run(window, "Save workspace");
        QTRY_VERIFY(window.isSettled() && !window.isWindowModified());
        MainWindow& other = makeWindow();
        other.open({demoFolder() / "demo.lockstep"});
        QTRY_VERIFY(captures(other) == 4 && other.isSettled());
        QCOMPARE(test::part<MarkStore>(other).marks().size(), size_t(2));
    }

    // The right edge moves between two batches of data, and never beyond the data.
    void followingViewMovesBetweenBatches()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY(test::ranksSeen(window).size() == 4);
        QTRY_VERIFY(scene(window).extent().length().ns > 1'000'000'000);
        const ViewState& view = test::part<ViewState>(window);
        std::set<int64_t> edges;
        std::set<uint64_t> batches;
        QElapsedTimer clock;
        for (clock.start(); clock.elapsed() < 2000; QTest::qWait(5)) {
            QVERIFY(view.visible().end <= scene(window).extent().end);
            edges.insert(view.visible().end.ns);
            batches.insert(scene(window).dataGeneration);
        }
        QVERIFY(window.live().isFollowing());
        // Without the movement, there is one edge per batch. A busy machine paints few frames between
        // batches.
        QVERIFY2(edges.size() > batches.size() + batches.size() / 2,
                 qPrintable(QString("%1 edges, %2 batches").arg(edges.size()).arg(batches.size())));
        test::part<TimelineView>(window).navigation().setReducedMotion(true);
        QTRY_VERIFY(view.visible().end == scene(window).extent().end);
    }

    // Chunks of the live view are not reports of the list.
    void chunksAreNotCountedAsReports()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY(test::ranksSeen(window).size() == 4);
        const QLabel& count = test::part<QLabel>(window, "reportCount");
        QVERIFY2(count.text().isEmpty(), qPrintable(count.text()));
        window.open(
            {m_folder->write("own.json", R"([{"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":1}])")});
        QTRY_VERIFY(!count.text().isEmpty());
        QTRY_VERIFY2(count.text().startsWith("1 of 1 report"), qPrintable(count.text()));
    }

    // The file of the first run is not changed, and the lanes of the two runs are not mixed.
    void aSecondRunHasAWorkspaceOfItsOwn()
    {
        MainWindow& window = makeWindow();
        const std::filesystem::path file = openSavedWorkspace(window);
        const QByteArray before = bytesOf(file);
        test::run(window, "Run the demo");
        QTRY_VERIFY(test::ranksSeen(window).size() == 4);
        QCOMPARE(test::part<WorkspaceController>(window).reports().entries().size(), size_t(0));
        QVERIFY(captures(window) > 0);
        QVERIFY2(!window.windowTitle().contains("first.lockstep"), qPrintable(window.windowTitle()));
        std::filesystem::remove(m_hold);
        QTRY_VERIFY(!window.live().live().hasPieces() && window.isSettled());
        QCOMPARE(captures(window), size_t(4));
        QCOMPARE(scene(window).open.size(), size_t(6)); // with the counters of the two hosts
        QVERIFY2(window.windowTitle().startsWith("demo.lockstep"), qPrintable(window.windowTitle()));
        QCOMPARE(bytesOf(file), before);
    }

    void aSecondRunAsksAboutUnsavedChanges()
    {
        MainWindow& window = makeWindow();
        openSavedWorkspace(window);
        const Scene& first = scene(window);
        QVERIFY(test::part<MarkStore>(window).add(markOfTime(first, {0}, {}, 0)));
        test::run(window, "Run the demo");
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = window.findChild<QMessageBox*>()) != nullptr);
        QVERIFY(box->text().contains("first.lockstep"));
        for (QAbstractButton* const button : box->buttons()) {
            if (box->buttonRole(button) == QMessageBox::RejectRole) button->click();
        }
        QVERIFY(!window.live().live().isWatching());
        QCOMPARE(scene(window).open.size(), size_t(1));
        QVERIFY(window.isWindowModified());
    }

    void closedWhileItRuns()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY(!test::ranksSeen(window).empty());
        QVERIFY(!test::processesBelow(m_folder->path()).empty());
        m_windows.clear();
        QTRY_VERIFY(test::processesBelow(m_folder->path()).empty());
        QVERIFY(!std::filesystem::exists(demoFolder() / "hosts"));
    }

    void secondRequestIsReferredToTheFirst()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY(!test::ranksSeen(window).empty());
        test::run(window, "Run the demo");
        QVERIFY(test::part<NoticeBar>(window).text().contains("A run is being watched"));
        QVERIFY(window.demo().isBusy());
    }

    void syntheticDataWhereItCannotRun()
    {
        MainWindow& window = makeWindow([]() -> Result<RunOptions> {
            return makeError(ErrorKind::notFound, "no program for the nodes");
        });
        test::run(window, "Run the demo");
        QTRY_VERIFY(!window.demo().isBusy() && scene(window).shown.size() == 16);
        const QString told = test::part<NoticeBar>(window).text();
        QVERIFY2(told.contains("synthetic data") && told.contains("no program for the nodes"),
                 qPrintable(told));
        // The notice is about the demo's reports, not about others.
        window.open(
            {m_folder->write("own.json", R"([{"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":1}])")});
        QTRY_VERIFY(test::part<NoticeBar>(window).text() != told);
    }

  private:
    MainWindow& makeWindow(RunController::MakeOptions options = {})
    {
        const auto file = m_folder->path() / ("window" + std::to_string(m_windows.size()) + ".ini");
        m_settings.push_back(std::make_unique<Settings>(QString::fromStdString(file.string())));
        m_settings.back()->set("tour/offered", false); // tested in tour_window_test
        m_windows.push_back(std::make_unique<MainWindow>(*m_settings.back(), false, test::workers(),
                                                         test::memory(), std::move(options)));
        m_windows.back()->resize(1600, 1000);
        m_windows.back()->show();
        return *m_windows.back();
    }
    // Returns the workspace file of a report, which is open in the window.
    std::filesystem::path openSavedWorkspace(MainWindow& window)
    {
        window.open(
            {m_folder->write("own.json", R"([{"name":"a","ph":"X","ts":0,"dur":1,"pid":1,"tid":1}])")});
        const auto isOpen = [&] { return scene(window).open.size() == 1 && window.isSettled(); };
        if (!test::waitUntil(isOpen)) qWarning("the report was not opened");
        const std::filesystem::path file = m_folder->path() / "first.lockstep";
        test::part<SaveController>(window).saveTo(file);
        const auto isSaved = [&] { return window.isSettled() && window.windowTitle().startsWith("first"); };
        if (!test::waitUntil(isSaved)) qWarning("the workspace was not saved");
        return file;
    }
    static QByteArray bytesOf(const std::filesystem::path& path)
    {
        QFile file(QString::fromStdString(path.string()));
        return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
    }
    // Returns a slice with this name in a capture.
    static SliceRef sliceCalled(MainWindow& window, std::string_view name)
    {
        for (const ReportKey key : scene(window).shown.keys()) {
            const Report& report = scene(window).shown.report(key);
            for (uint32_t i = 0; i < report.slices.size(); ++i) {
                if (report.nameOf(SliceId{i}) == name) return {key, SliceId{i}};
            }
        }
        return {};
    }
    static RunController& runs(MainWindow& window) { return test::page<RunPageController>(window).runs(); }
    static const Scene& scene(MainWindow& window) { return *test::part<WorkspaceController>(window).scene(); }
    static size_t captures(MainWindow& window)
    {
        return static_cast<size_t>(std::ranges::count_if(scene(window).shown.keys(), [&](ReportKey key) {
            return scene(window).shown.report(key).provenance.kind == "lockstep capture";
        }));
    }
    static void keep(const QImage& watched, const QImage& opened)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        watched.save(folder + "/demo-watched.png");
        opened.save(folder + "/demo-opened.png");
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::filesystem::path m_hold;
    std::vector<std::unique_ptr<Settings>> m_settings;
    std::vector<std::unique_ptr<MainWindow>> m_windows; // destroyed first
};

LOCKSTEP_TEST(DemoWindowTest, "demo_window_test")
#include "demo_window_test.moc"
