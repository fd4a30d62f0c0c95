// SPDX-License-Identifier: Apache-2.0
// Tests that a session keeps its file after an undo, and that Quit > Save quits once the session is saved,
// but not if saving fails.
#include <QAbstractButton>
#include <QMessageBox>

#include "app/window/session_page_controller.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/session/session_page.h"

using namespace lockstep;
namespace fs = std::filesystem;

class SessionSavingTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        SessionConfig config;
        config.framework = Framework::plain;
        config.command = {"python3", "train.py"};
        draft().startNew(config);
        QVERIFY(draft().setField("name", ConfigValue::fromText("first")));
    }

    void undoKeepsTheFile()
    {
        const fs::path file = m_folder->path() / "s.yaml";
        part<SessionPage>().saveTo(file);
        QTRY_COMPARE(draft().path(), file);
        draft().undoStack().undo();
        QCOMPARE(draft().path(), file);
        QVERIFY(draft().isModified());
        // The session before it has its own file, which is none.
        draft().undoStack().undo();
        QVERIFY(draft().path().empty());
        draft().undoStack().redo();
        QCOMPARE(draft().path(), file);
    }

    void quitSavesAndQuits()
    {
        const fs::path file = m_folder->path() / "s.yaml";
        part<SessionPage>().saveTo(file);
        QTRY_VERIFY(!draft().isModified());
        QVERIFY(draft().setField("name", ConfigValue::fromText("second")));
        answerQuestionOnQuit("Save");
        QTRY_VERIFY(!m_window->isVisible());
        QCOMPARE(loadSession(file)->name, std::string("second"));
    }

    void staysIfSavingFails()
    {
        draft().handleOpened(draft().config(), m_folder->path() / "removed" / "s.yaml");
        QVERIFY(draft().setField("name", ConfigValue::fromText("second")));
        answerQuestionOnQuit("Save");
        settle();
        QVERIFY(m_window->isVisible() && draft().isModified());
        // The request to quit is over: a later save does not quit.
        const fs::path file = m_folder->path() / "s.yaml";
        part<SessionPage>().saveTo(file);
        QTRY_VERIFY(!draft().isModified());
        settle();
        QVERIFY(m_window->isVisible());
    }

    void staysIfCanceled()
    {
        answerQuestionOnQuit("Cancel");
        settle();
        QVERIFY(m_window->isVisible() && draft().isModified());
    }

  private:
    SessionDraft& draft() const { return part<SessionPage>().draft(); }
    void answerQuestionOnQuit(const QString& answer)
    {
        m_window->close();
        QVERIFY(m_window->isVisible());
        auto* const box = m_window->findChild<QMessageBox*>();
        QVERIFY(box != nullptr);
        for (QAbstractButton* const button : box->buttons()) {
            if (button->text() == answer) return button->click();
        }
        QFAIL(qPrintable("no button " + answer));
    }
};

LOCKSTEP_TEST(SessionSavingTest, "session_saving_test")
#include "session_saving_test.moc"
