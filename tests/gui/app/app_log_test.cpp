// SPDX-License-Identifier: Apache-2.0
// Tests Help > Save log: the program's log goes to a file that only its user can read, without secrets.
#include "app/window/app_log.h"

#include <algorithm>

#include <QAction>
#include <QFileDialog>

#include <sys/stat.h>

#include "app/window/main_window.h"
#include "core/remote/remote.h"
#include "tests/support/in_window.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/async/ui_log.h"
#include "ui/panels/notice_bar.h"

using namespace lockstep;

namespace {

mode_t modeOf(const std::filesystem::path& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

} // namespace

class AppLogTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { startLogging(); }

    void messagesOfAllLayersAreLogged()
    {
        qCInfo(uiLog, "opened %s", "a.json");
        qCWarning(remoteLog, "node1: %s", "unreachable");
        const std::string text = programLog().text();
        QVERIFY(text.find("info lockstep.app: Lockstep") != std::string::npos);
        QVERIFY(text.find("info lockstep.ui: opened a.json\n") != std::string::npos);
        QVERIFY(text.find("warning lockstep.remote: node1: unreachable\n") != std::string::npos);
    }

    void fileIsPrivateAndHasNoSecrets()
    {
        const test::TempDir folder;
        qputenv("MADE_API_TOKEN", "tok-31415926");
        SessionConfig session;
        session.environment = {{"HF_TOKEN", "hf_2718281828"}, {"PLAIN", "plainvalue"}};
        LogRing ring;
        ring.note(LogLevel::error, "lockstep.app",
                  "tok-31415926 hf_2718281828 plainvalue --wandb_api_key=clear4711");
        const std::string text = logFileText(ring, knownSecrets(session));
        QVERIFY(text.starts_with("Lockstep "));
        QVERIFY2(text.find("$MADE_API_TOKEN $HF_TOKEN plainvalue --wandb_api_key=***\n") != std::string::npos,
                 text.c_str());
        const auto path = folder.write("old.log", "older and longer than what comes");
        QVERIFY(::chmod(path.c_str(), 0644) == 0);
        QVERIFY(writeLogFile(path, "new\n"));
        QCOMPARE(test::contentOf(path), std::string("new\n"));
        QCOMPARE(modeOf(path), mode_t(0600));
        QVERIFY(writeLogFile(folder.path() / "first.log", "x"));
        QCOMPARE(modeOf(folder.path() / "first.log"), mode_t(0600));
        QCOMPARE(writeLogFile(folder.path() / "no" / "way.log", "x").error().kind, ErrorKind::io);
        qunsetenv("MADE_API_TOKEN");
    }

    void windowSavesTheLog()
    {
        const test::TempDir folder;
        Settings settings(test::settingsFile(folder));
        MainWindow window(settings, false, test::workers(), test::memory());
        const auto actions = window.findChildren<QAction*>();
        const auto save = std::ranges::find_if(
            actions, [](const QAction* action) { return action->text().startsWith("Save log"); });
        QVERIFY(save != actions.end());
        (*save)->trigger();
        auto* const dialog = window.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        const auto path = folder.path() / "kept.log";
        emit dialog->fileSelected(QString::fromStdString(path.string()));
        dialog->close();
        QTRY_VERIFY(window.findChild<NoticeBar*>()->text().contains("kept.log")); // written off the UI thread
        QCOMPARE(modeOf(path), mode_t(0600));
        QVERIFY(test::contentOf(path).find("lockstep.app: Lockstep") != std::string::npos);
    }
};

LOCKSTEP_TEST(AppLogTest, "app_log_test")
#include "app_log_test.moc"
