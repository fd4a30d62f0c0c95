// SPDX-License-Identifier: Apache-2.0
// Tests the demo in a window: its run is watched live, its collected reports replace the live data, and none
// of it outlives the window.
#include "app/window/demo_controller.h"
#include "app/window/live_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "tests/gui/support/timeline_picture.h"
#include "tests/support/processes_below.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/session/session_page.h"

using namespace lockstep;

namespace {

constexpr int kDemoPatience_ms = 60'000 * test::kSlowness;

} // namespace

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
        QTRY_VERIFY_WITH_TIMEOUT((run = runs(window).run()) != nullptr, kDemoPatience_ms);
        // All four ranks are visible on the timeline while they run.
        QTRY_VERIFY_WITH_TIMEOUT(test::ranksSeen(window) == (std::set<int>{0, 1, 2, 3}), kDemoPatience_ms);
        QVERIFY(run->state() != RunState::ended);
        QVERIFY(window.live().live().hasPieces());
        QVERIFY(window.demo().isBusy());
        QTRY_VERIFY(test::isInFront<TimelinePageController>(window));
        if (const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES"); !pictures.isEmpty()) {
            QTRY_VERIFY_WITH_TIMEOUT(scene(window).extent().length().ns > 3'000'000'000, kDemoPatience_ms);
            QVERIFY(window.grab().save(pictures + "/demo-live.png"));
        }
        std::filesystem::remove(m_hold);
        QTRY_VERIFY_WITH_TIMEOUT(!window.live().live().hasPieces() && window.isSettled(), kDemoPatience_ms);
        QCOMPARE(captures(window), size_t(4));
        const QString told = test::part<NoticeBar>(window).text();
        QVERIFY2(told.contains("both of which are this machine"), qPrintable(told));
        QCOMPARE(scene(window).shown.size(), size_t(6)); // plus the counters of the two hosts
        QVERIFY(test::part<SessionPage>(window).draft().facts().empty());
        // As from the file: another window without knowledge of the run draws the same, pixel by pixel.
        const QImage watched = test::timelinePicture(window);
        MainWindow& other = makeWindow();
        other.open({demoFolder() / "demo.lockstep"});
        QTRY_VERIFY_WITH_TIMEOUT(captures(other) == 4 && other.isSettled(), kDemoPatience_ms);
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

    void closedWhileItRuns()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY_WITH_TIMEOUT(!test::ranksSeen(window).empty(), kDemoPatience_ms);
        QVERIFY(!test::processesBelow(m_folder->path()).empty());
        m_windows.clear();
        QTRY_VERIFY_WITH_TIMEOUT(test::processesBelow(m_folder->path()).empty(), kDemoPatience_ms);
        QVERIFY(!std::filesystem::exists(demoFolder() / "hosts"));
    }

    void secondRequestIsReferredToTheFirst()
    {
        MainWindow& window = makeWindow();
        test::run(window, "Run the demo");
        QTRY_VERIFY_WITH_TIMEOUT(!test::ranksSeen(window).empty(), kDemoPatience_ms);
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
        QTRY_VERIFY_WITH_TIMEOUT(!window.demo().isBusy() && scene(window).shown.size() == 16,
                                 kDemoPatience_ms);
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
