// SPDX-License-Identifier: Apache-2.0
// Tests `lockstep --attach RUN --live` with a run that another lockstep started and stopped watching: its
// data is visible before its end. At its end the picture equals that of the collected reports, pixel by
// pixel.
#include "app/window/live_controller.h"
#include "app/window/run_page_controller.h"
#include "core/session/session_yaml.h"
#include "tests/gui/support/timeline_picture.h"
#include "tests/support/in_window.h"
#include "tests/support/lockstep_process.h"
#include "tests/support/loop_watchdog.h"
#include "tests/support/processes_below.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int kMaxSeconds = 120, kPacedRate = 400; // it ends on request

} // namespace

class LiveAttachTest : public QObject {
    Q_OBJECT

  private slots:
    void pictureEqualsThatOfTheCollectedReports()
    {
        // Stalls of the event loop on a busy machine are another test's subject.
        const test::LoopWatchdog::Collector stalls;
        const test::TempDir folder;
        const QString state = QString::fromStdString((folder.path() / "state").string());
        qputenv("LOCKSTEP_STATE_HOME", state.toUtf8());
        const QString id = startedAndLetGoOf(folder.path(), state);
        QVERIFY(!id.isEmpty());
        Settings settings(test::settingsFile(folder));
        auto window = std::make_unique<MainWindow>(settings, false, test::workers(), test::memory());
        window->resize(1600, 1000);
        window->show();
        window->live().watchRun(id);
        // Rows of both ranks are visible before the end.
        QTRY_VERIFY(test::ranksSeen(*window).size() == 2);
        const Run& run = *test::page<RunPageController>(*window).runs().run();
        QVERIFY(run.state() != RunState::ended);
        QVERIFY(window->live().live().hasPieces());
        const size_t seen = rowCount(*window);
        QTRY_VERIFY(rowCount(*window) > seen); // and more come
        folder.write("work/enough", "");
        QTRY_VERIFY(run.state() == RunState::ended);
        QTRY_VERIFY(!window->live().live().hasPieces() && window->isSettled());
        QCOMPARE(test::ranksSeen(*window).size(), size_t(2));
        QVERIFY(rowCount(*window) > seen);
        const QImage watched = test::timelinePicture(*window);
        const std::filesystem::path workspace = run.record().output;
        window.reset();

        Settings others(QString::fromStdString((folder.path() / "other.ini").string()));
        MainWindow other(others, false, test::workers(), test::memory());
        other.resize(1600, 1000);
        other.show();
        other.open({workspace});
        QTRY_VERIFY(test::ranksSeen(other).size() == 2 && other.isSettled());
        const QImage opened = test::timelinePicture(other);
        QVERIFY(!watched.isNull());
        QCOMPARE(watched.size(), opened.size());
        if (const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES"); !pictures.isEmpty()) {
            watched.save(pictures + "/attach-watched.png");
            opened.save(pictures + "/attach-opened.png");
        }
        QVERIFY(watched == opened);
        QTRY_VERIFY(test::processesBelow(folder.path()).empty());
    }

  private:
    // Starts a session on this machine whose first lockstep exits once the session runs. Returns the run's
    // id.
    static QString startedAndLetGoOf(const std::filesystem::path& folder, const QString& state)
    {
        SessionConfig session;
        session.name = "paced";
        session.launcher.kind = LauncherKind::local;
        session.launcher.agentFolder = (folder / "agent").string();
        session.workingFolder = (folder / "work").string();
        std::filesystem::create_directories(session.workingFolder);
        session.command = {test::builtProgram("capture-paced").toStdString(), std::to_string(kMaxSeconds),
                           std::to_string(kPacedRate)};
        session.tool = Tool::capture;
        session.savePath = "reports";
        session.capture.ranks = std::vector<int64_t>{0, 1};
        const auto file = folder / "session.yaml";
        if (!saveSession(session, file)) return {};
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LOCKSTEP_STATE_HOME", state);
        environment.insert("HOME", QString::fromStdString(folder.string()));
        test::LockstepProcess first(environment,
                                    {"--run", QString::fromStdString(file.string()), "-o",
                                     QString::fromStdString((folder / "out/paced.lockstep").string())});
        const bool hasBegun = first.waitForLine(
            [](const QJsonObject& line) { return line["kind"] == "started" && line["name"] == "train"; });
        first.terminate();
        const int status = first.waitForEnd();
        if (!hasBegun || status != 130) qWarning("%d: %s", status, first.errors().constData());
        return hasBegun ? first.runId() : QString();
    }
    static size_t rowCount(const MainWindow& window)
    {
        size_t rows = 0;
        for (const ReportKey key : test::sceneOf(window).shown.keys())
            rows += test::sceneOf(window).shown.report(key).slices.size();
        return rows;
    }
};

LOCKSTEP_TEST(LiveAttachTest, "live_attach_test")
#include "live_attach_test.moc"
