// SPDX-License-Identifier: Apache-2.0
// Tests how files reach the Session page: the Import menu, dropped files, and commands by name. Also tests
// the copies of the plan and the forecast of an unknown number of reports.
#include <QCompleter>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>

#include "app/window/session_page_controller.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/top_strip.h"
#include "ui/session/session_page.h"

using namespace lockstep;

class SessionImportTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        run("Session page");
        QTRY_VERIFY(session().isVisible());
    }

    void menuNamesEverySource()
    {
        QStringList entries;
        for (const QToolButton* const button : session().findChildren<QToolButton*>()) {
            if (button->text() != "Import" || button->menu() == nullptr) continue;
            for (const QAction* action : button->menu()->actions())
                entries << action->text();
        }
        QCOMPARE(entries, (QStringList{"Launch script…", "Configuration file…", "Command line or overrides…",
                                       "", "Open session file…"}));
        run("Import launch script\u2026");
        auto* const dialog = session().findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QCOMPARE(dialog->windowTitle(), QString("Import launch script"));
        emit dialog->fileSelected(QString::fromStdString(script("run.sh").string()));
        QTRY_COMPARE(session().draft().config().command, kCommand);
        dialog->close();
    }

    void droppedScriptsRunUnread()
    {
        for (const char* name : {"run.sh", "job.sbatch"}) {
            session().draft().startNew({});
            const std::filesystem::path file = script(name);
            drop(*m_window, file);
            QTRY_COMPARE(session().draft().config().script, file.string());
            const SessionConfig& config = session().draft().config();
            QVERIFY(config.command.empty());
            QCOMPARE(config.launcher.kind == LauncherKind::slurm, std::string(name) == "job.sbatch");
            QVERIFY(test::isInFront<SessionPageController>(*m_window));
            QVERIFY(session().draft().path().empty());
            settle();
        }
        // The banner offers to read the script into the form instead.
        QToolButton* import = nullptr;
        for (QToolButton* const button : session().findChildren<QToolButton*>()) {
            if (button->text() == "Import" && button->menu() == nullptr && button->isVisible())
                import = button;
        }
        QVERIFY(import != nullptr);
        import->click();
        QTRY_COMPARE(session().draft().config().command, kCommand);
        QVERIFY(scene().shown.isEmpty());
    }

    void otherDroppedTextsAreImported()
    {
        session().draft().startNew({});
        drop(*m_window, script("launch"));
        QTRY_COMPARE(session().draft().config().command, kCommand);
        QVERIFY(session().draft().path().empty());
    }

    void droppedSessionsAreOpened()
    {
        const auto file = m_folder->write("s.yaml", "framework: command\ncommand: [python3, train.py]\n");
        drop(*m_window, file);
        QTRY_COMPARE(session().draft().path(), file);
        const auto config = m_folder->write("verl.yaml", "global_profiler: {tool: torch, steps: [3]}\n");
        drop(*m_window, config);
        QTRY_COMPARE(session().draft().config().steps, std::optional(std::vector<int64_t>{3}));
        QVERIFY(session().draft().path().empty()); // an import is not the file of the session
    }

    // An editor would insert the address of the file as text.
    void editorsLeaveFilesToTheWindow()
    {
        session().draft().startNew({});
        auto& field = part<QLineEdit>("command");
        field.setFocus();
        const std::filesystem::path file = script("run.sh");
        drop(field, file);
        QTRY_COMPARE(session().draft().config().script, file.string());
        settle();
    }

    void droppedReportsAreOpenedAsReports()
    {
        drop(*m_window, m_folder->write("r0.json", test::smallTrace(0)));
        QTRY_COMPARE(scene().shown.size(), size_t(1));
        settle();
    }

    // The popup of the field is open or closed, and no row of it is selected.
    void returnRunsTheOnlyHit()
    {
        QLineEdit* const field = part<TopStrip>().searchField();
        for (const bool isOpen : {true, false}) {
            run("Timeline page");
            part<TopStrip>().startSearch(">");
            QTest::keyClicks(field, "import launch scr");
            QTRY_COMPARE(field->completer()->completionModel()->rowCount(), 1);
            QAbstractItemView* const popup = field->completer()->popup();
            if (!isOpen) popup->hide();
            if (isOpen) QTRY_VERIFY(popup->isVisible());
            QTest::keyClick(isOpen ? static_cast<QWidget*>(popup) : field, Qt::Key_Return);
            QTRY_VERIFY(session().findChild<QFileDialog*>() != nullptr);
            delete session().findChild<QFileDialog*>();
        }
    }

  private:
    const std::vector<std::string> kCommand{"python3", "train.py", "--lr", "1"};

    SessionPage& session() { return page<SessionPageController>().page(); }
    std::filesystem::path script(const std::string& name)
    {
        return m_folder->write(name, "#!/bin/bash\npython3 train.py --lr 1\n");
    }
    // Sends a drag and drop of one file. Returns whether the widget accepted it.
    static bool sendDrop(QWidget& widget, const std::filesystem::path& file)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.string()))});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&widget, &enter);
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        if (enter.isAccepted()) QCoreApplication::sendEvent(&widget, &drop);
        return enter.isAccepted() && drop.isAccepted();
    }
    static void drop(QWidget& window, const std::filesystem::path& file) { QVERIFY(sendDrop(window, file)); }
};

LOCKSTEP_TEST(SessionImportTest, "session_import_test")
#include "session_import_test.moc"
