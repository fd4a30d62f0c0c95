// SPDX-License-Identifier: Apache-2.0
// The demo in a window: its run is watched while it goes on, its collected reports take the place of what was
// watched, and nothing of it outlives the window.
#include "app/demo_controller.h"
#include "app/live_controller.h"
#include "app/run_page_controller.h"
#include "app/timeline_page_controller.h"
#include "tests/gui/support/timeline_picture.h"
#include "tests/support/processes_below.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

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
        // The last step does not begin while it is there.
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
        test::run(window, "See the demo");
        const Run* run = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT((run = runs(window).run()) != nullptr, kDemoPatience_ms);
        // All four are seen while they run, on the timeline.
        QTRY_VERIFY_WITH_TIMEOUT(test::ranksSeen(window) == (std::set<int>{0, 1, 2, 3}), kDemoPatience_ms);
        QVERIFY(run->state() != RunState::ended);
        QVERIFY(window.live().live().holdsPieces());
        QVERIFY(window.demo().isBusy());
        QTRY_VERIFY(test::isInFront<TimelinePageController>(window));
        if (const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES"); !pictures.isEmpty()) {
            QTRY_VERIFY_WITH_TIMEOUT(scene(window).extent().length().ns > 3'000'000'000, kDemoPatience_ms);
            QVERIFY(window.grab().save(pictures + "/demo-live.png"));
        }
        std::filesystem::remove(m_hold);
        QTRY_VERIFY_WITH_TIMEOUT(!window.live().live().holdsPieces() && window.isSettled(), kDemoPatience_ms);
        QCOMPARE(captures(window), size_t(4));
        const QString told = test::part<NoticeBar>(window).text();
        QVERIFY2(told.contains("both this machine"), qPrintable(told));
        QCOMPARE(scene(window).shown.size(), size_t(6)); // and what the two hosts tell of themselves
        // As from the file: another window that knows nothing of the run draws the same, pixel by pixel.
        const QImage watched = test::timelinePicture(window);
        MainWindow& other = makeWindow();
        other.open({demoFolder() / "demo.lockstep"});
        QTRY_VERIFY_WITH_TIMEOUT(captures(other) == 4 && other.isSettled(), kDemoPatience_ms);
        const QImage opened = test::timelinePicture(other);
        QVERIFY(!watched.isNull() && watched.size() == opened.size());
        if (watched != opened) keep(watched, opened);
        QVERIFY(watched == opened);
        // Nothing runs for it any more, and it is no run to pick up once the window is gone.
        m_windows.clear();
        QVERIFY(test::processesBelow(m_folder->path()).empty());
        QVERIFY(!std::filesystem::exists(demoFolder() / "hosts"));
        QVERIFY(std::filesystem::is_empty(m_folder->path() / "state/runs"));
    }

    void closedWhileItRuns()
    {
        MainWindow& window = makeWindow();
        test::run(window, "See the demo");
        QTRY_VERIFY_WITH_TIMEOUT(!test::ranksSeen(window).empty(), kDemoPatience_ms);
        QVERIFY(!test::processesBelow(m_folder->path()).empty());
        m_windows.clear();
        QTRY_VERIFY_WITH_TIMEOUT(test::processesBelow(m_folder->path()).empty(), kDemoPatience_ms);
        QVERIFY(!std::filesystem::exists(demoFolder() / "hosts"));
    }

    void secondWishIsToldOfTheFirst()
    {
        MainWindow& window = makeWindow();
        test::run(window, "See the demo");
        QTRY_VERIFY_WITH_TIMEOUT(!test::ranksSeen(window).empty(), kDemoPatience_ms);
        test::run(window, "See the demo");
        QVERIFY(test::part<NoticeBar>(window).text().contains("A run is being watched"));
        QVERIFY(window.demo().isBusy());
    }

    void madeUpWhereItCannotRun()
    {
        MainWindow& window = makeWindow([]() -> Result<RunOptions> {
            return makeError(ErrorKind::notFound, "no program for the nodes");
        });
        test::run(window, "See the demo");
        QTRY_VERIFY_WITH_TIMEOUT(!window.demo().isBusy() && scene(window).shown.size() == 16,
                                 kDemoPatience_ms);
        const QString told = test::part<NoticeBar>(window).text();
        QVERIFY2(told.contains("made up") && told.contains("no program for the nodes"), qPrintable(told));
    }

  private:
    MainWindow& makeWindow(RunController::MakeOptions options = {})
    {
        const auto file = m_folder->path() / ("window" + std::to_string(m_windows.size()) + ".ini");
        m_settings.push_back(std::make_unique<Settings>(QString::fromStdString(file.string())));
        m_settings.back()->set("tour/offered", false); // tour_window_test has it
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
    std::vector<std::unique_ptr<MainWindow>> m_windows; // go first
};

LOCKSTEP_TEST(DemoWindowTest, "demo_window_test")
#include "demo_window_test.moc"
