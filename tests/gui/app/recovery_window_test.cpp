// SPDX-License-Identifier: Apache-2.0
// Tests that unsaved work of a killed window is offered to the next window and restored on request, and what
// a crash leaves behind. The windows that die are separate programs.
#include <csignal>

#include <QDialog>
#include <QDir>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QToolButton>

#include "app/window/save_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "tests/support/places.h"
#include "tests/support/report_tree.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/models/mark_store.h"
#include "ui/panels/notice_bar.h"
#include "ui/session/session_page.h"

using namespace lockstep;

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolderName = "LOCKSTEP_TEST_RECOVERY";

RecoveryController::Folders foldersIn(const fs::path& folder)
{
    return {folder / "journals", folder / "crashes"};
}

// The window is ready when its hang watch thread exists.
bool isWatched(qint64 pid)
{
    const QDir tasks(QString("/proc/%1/task").arg(pid));
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile name(tasks.filePath(task + "/comm"));
        if (name.open(QIODevice::ReadOnly) && name.readAll().trimmed() == "hang watch") return true;
    }
    return false;
}

} // namespace

class RecoveryWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeSettings();
        for (const char* const name : {"a.json", "b.json"})
            m_folder->write(name, test::smallTrace(name[0] - 'a'));
    }
    // Run alone, this is the window that will be killed, in its own process. In a run of all tests it does
    // nothing.
    void leavesWork()
    {
        const QByteArray own = qgetenv(kFolderName);
        if (own.isEmpty()) return;
        const fs::path folder = own.toStdString();
        Settings settings(QString::fromStdString((folder / "child.ini").string()));
        m_window = test::shownWindow(settings);
        m_window->enableRecovery(foldersIn(folder));
        m_window->open({folder / "a.json", folder / "b.json"});
        settle();
        auto& timeline = view();
        timeline.setFocus();
        QTest::keyClick(&timeline, Qt::Key_M);
        auto& reports = part<WorkspaceController>();
        const ReportKey second = reports.reports().entries()[1].key;
        part<WorkDocument>().edit("rank", [second](Work& work) {
            work.stated[second].rank = {7, "set by hand"};
        });
        auto& draft = page<SessionPageController>().page().draft();
        draft.edit("name", [](SessionConfig& config) { config.name = "never saved"; });
        std::puts("changed");
        std::fflush(stdout);
        QTest::qWait(test::kPatience_ms); // until it is killed
    }

    void unsavedWorkIsRestoredOnRequest()
    {
        killAWindowWithWork();
        openWindow();
        QTRY_VERIFY(bar().text().contains("1 marker"));
        QVERIFY2(bar().text().contains("1 corrected report") && bar().text().contains("a session"),
                 qPrintable(bar().text()));
        QVERIFY(part<WorkspaceController>().reports().entries().empty()); // nothing by itself
        takePicture(*m_window, "unsaved_offer");
        press("Restore");
        QTRY_VERIFY(m_window->isSettled() && test::filesIn(m_folder->path() / "journals") == 1);
        const auto& entries = part<WorkspaceController>().reports().entries();
        QCOMPARE(entries.size(), size_t(2));
        QCOMPARE(entries[1].identity->stated.rank.value, std::optional(7));
        QCOMPARE(entries[1].identity->stated.rank.source, std::string("set by hand"));
        QCOMPARE(part<MarkStore>().marks().size(), size_t(1));
        QVERIFY(part<SaveController>().isModified());
        auto& session = page<SessionPageController>();
        QCOMPARE(session.page().draft().config().name, std::string("never saved"));
        QVERIFY(session.isModified());
        m_window->end();
        QCOMPARE(test::filesIn(m_folder->path() / "journals"), size_t(0)); // an orderly end leaves no file
    }

    void deletedWorkIsNotRestored()
    {
        killAWindowWithWork();
        openWindow();
        QTRY_VERIFY(bar().text().contains("1 marker"));
        auto second = test::shownWindow(*m_settings); // a second window is not offered anything meanwhile
        second->enableRecovery(foldersIn(m_folder->path()));
        QTRY_VERIFY(second->isSettled());
        QVERIFY(test::part<NoticeBar>(*second).isEmpty());
        second.reset();
        press("Delete");
        QVERIFY(bar().isEmpty());
        QCOMPARE(test::filesIn(m_folder->path() / "journals"), size_t(0));
    }

    void postponedWorkIsOfferedAgain()
    {
        killAWindowWithWork();
        fs::remove(m_folder->path() / "b.json");
        for (const char* const answer : {"Later", "Restore", "Delete"}) {
            openWindow();
            QTRY_VERIFY(bar().text().contains("1 marker"));
            press(answer);
            settle();
            // A report is gone: its correction cannot be restored now and stays in the journal.
            if (QByteArray(answer) == "Restore") QVERIFY(bar().text().startsWith("1 of 2 reports"));
            m_window->end();
            m_window.reset();
        }
        QCOMPARE(test::filesIn(m_folder->path() / "journals"), size_t(0));
    }

    void damagedJournalIsReportedAndSetAside()
    {
        killAWindowWithWork();
        for (const auto& entry : fs::directory_iterator(m_folder->path() / "journals"))
            fs::resize_file(entry.path() / "unsaved.json", 100);
        openWindow();
        QTRY_VERIFY(bar().text().contains("Cannot read"));
        QVERIFY2(bar().text().contains("/damaged-"), qPrintable(bar().text()));
        press("Dismiss");
        QVERIFY(bar().isEmpty());
        m_window.reset();
        openWindow();
        settle();
        QVERIFY(bar().isEmpty()); // once
    }

    void savedWorkLeavesNoJournal()
    {
        openWindow();
        m_window->open({m_folder->path() / "a.json"});
        settle();
        auto& timeline = view();
        timeline.setFocus();
        QTest::keyClick(&timeline, Qt::Key_M);
        QTRY_VERIFY(hasKept());
        part<SaveController>().saveTo(m_folder->path() / "kept.lockstep");
        QTRY_VERIFY(!hasKept());
    }

    void aCrashLeavesAReport_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("name");
        QTest::newRow("fault") << SIGSEGV << "SIGSEGV";
        QTest::newRow("abort") << SIGABRT << "SIGABRT";
    }
    void aCrashLeavesAReport()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers handle these signals themselves");
#endif
        QFETCH(int, signal);
        QFETCH(QString, name);
        QProcess program;
        QProcessEnvironment environment;
        environment.insert("HOME", path(nullptr));
        environment.insert("LOCKSTEP_STATE_HOME", path(nullptr));
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        environment.insert("SOME_API_KEY",
                           path("a.json")); // appears in the log; the crash report must not contain it
        program.setProcessEnvironment(environment);
        program.start(test::builtProgram("lockstep"), {path("a.json")});
        QTRY_VERIFY(isWatched(program.processId()));
        ::kill(static_cast<pid_t>(program.processId()), signal);
        QVERIFY(program.waitForFinished(test::kPatience_ms));
        QCOMPARE(program.exitStatus(), QProcess::CrashExit);
        QCOMPARE(program.exitCode(), signal); // the signal is still passed to the system
        const auto reports = pendingCrashReports(m_folder->path() / "crashes");
        QCOMPARE(reports.size(), size_t(1));
        const std::string text = test::contentOf(reports[0].path);
        QVERIFY2(
            text.starts_with("Lockstep " LOCKSTEP_VERSION " crashed with " + name.toStdString() + ", 20"),
            text.c_str());
        QVERIFY2(text.find("libc.so.6") != std::string::npos && text.find("started\n") != std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("a.json") == std::string::npos, text.c_str());
        QCOMPARE(fs::status(reports[0].path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
        offersTheReport(name);
    }

  private:
    void offersTheReport(const QString& name)
    {
        QProcess headless;
        QProcessEnvironment environment;
        environment.insert("LOCKSTEP_STATE_HOME", path(nullptr));
        headless.setProcessEnvironment(environment);
        headless.start(test::builtProgram("lockstep"), {"--export", "inventory", path("a.json")});
        QVERIFY(headless.waitForFinished(test::kPatience_ms));
        QCOMPARE(headless.exitCode(), 0);
        const QByteArray errors = headless.readAllStandardError();
        QVERIFY2(errors.startsWith("lockstep: an earlier run crashed: see ") && errors.count('\n') == 1,
                 errors);
        openWindow();
        QTRY_VERIFY(bar().text().contains("crashed with " + name));
        press("Show");
        auto* const dialog = m_window->findChild<QDialog*>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QVERIFY(dialog->findChild<QPlainTextEdit*>()->toPlainText().contains("Stack:"));
        takePicture(*dialog, "crash_report");
        for (QPushButton* const button : dialog->findChildren<QPushButton*>()) {
            if (button->text() == "Delete") button->click();
        }
        QCOMPARE(test::filesIn(m_folder->path() / "crashes"), size_t(0));
    }

    QString path(const char* name) const
    {
        return QString::fromStdString((m_folder->path() / (name != nullptr ? name : "")).string());
    }

    static void takePicture(QWidget& widget, const QString& name)
    {
        const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!pictures.isEmpty()) QVERIFY(widget.grab().save(pictures + '/' + name + ".png"));
    }

    bool hasKept() const
    {
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(m_folder->path() / "journals", none)) {
            if (fs::exists(entry.path() / "unsaved.json")) return true;
        }
        return false;
    }

    void killAWindowWithWork()
    {
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(kFolderName, path(nullptr));
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(), {"recovery_window_test", "leavesWork"});
        QTRY_VERIFY(child.canReadLine() || child.state() == QProcess::NotRunning);
        const auto isWhole = [&] {
            for (const auto& entry : fs::directory_iterator(m_folder->path() / "journals")) {
                const std::string text = test::contentOf(entry.path() / "unsaved.json");
                if (text.find("never saved") != std::string::npos &&
                    text.find("\"rank\"") != std::string::npos)
                    return true;
            }
            return false;
        };
        QTRY_VERIFY(fs::exists(m_folder->path() / "journals") && isWhole());
        child.kill();
        QVERIFY(child.waitForFinished(test::kPatience_ms));
    }

    void openWindow()
    {
        makeWindow();
        m_window->enableRecovery(foldersIn(m_folder->path()));
    }

    NoticeBar& bar()
    {
        return part<NoticeBar>();
    }

    void press(const QString& text)
    {
        for (QToolButton* const button : bar().findChildren<QToolButton*>()) {
            if (button->text() == text && button->isVisible())
                return QTest::mouseClick(button, Qt::LeftButton);
        }
        QFAIL(qPrintable("no button " + text));
    }
};

LOCKSTEP_TEST(RecoveryWindowTest, "recovery_window_test")
#include "recovery_window_test.moc"
