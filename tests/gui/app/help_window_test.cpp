// SPDX-License-Identifier: Apache-2.0
// Tests help inside the window: every page can be reached and every link has a target. F1 and `?` open the
// page for the focused part. The search finds and marks words.
#include <QDir>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>

#include "app/window/help_controller.h"
#include "core/base/block_file.h"
#include "core/base/output_file.h"
#include "core/remote/slurm_remote.h"
#include "core/remote/ssh_remote.h"
#include "core/session/import_text.h"
#include "core/session/session_yaml.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/help/help_topics.h"
#include "ui/help/help_window.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/start_page.h"
#include "ui/panels/table_view.h"
#include "ui/window/panel.h"

using namespace lockstep;

class HelpWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void everyLinkHasATarget()
    {
        const HelpLibrary library;
        const QStringList files = QDir(":/lockstep/help").entryList({"*.md"});
        QVERIFY(files.size() >= 18);
        for (const QString& file : files)
            QVERIFY2(library.find(file) != nullptr, qPrintable(file + " is not named by the index"));
        QCOMPARE(library.pages().size(), size_t(files.size()));
        static const QRegularExpression kLink("\\]\\(([^)]*(?<!\\.png))\\)");
        for (const HelpPage& page : library.pages()) {
            QVERIFY2(!page.title.isEmpty(), qPrintable(page.name));
            for (auto link = kLink.globalMatch(page.text); link.hasNext();)
                verifyPlace(library, link.next().captured(1));
        }
    }

    void everyPanelHasAPage()
    {
        showWindow();
        const HelpLibrary library;
        for (const Panel* const panel : m_window->findChildren<Panel*>()) {
            QVERIFY2(panel->helpPage() != "index", qPrintable(panel->title()));
            verifyPlace(library, panel->helpPage());
        }
    }

    void keyOpensThePageOfTheFocusedPart()
    {
        showWindow();
        run("Clock alignment");
        QWidget& panel = part<AlignmentPanel>();
        panel.setFocus();
        QTRY_VERIFY(panel.isAncestorOf(QApplication::focusWidget()) || panel.hasFocus());
        QTest::keyClick(m_window.get(), Qt::Key_F1);
        QTRY_VERIFY(m_window->help().window() != nullptr);
        QCOMPARE(m_window->help().window()->page(), QString("clocks"));
        QVERIFY(m_window->help().window()->isVisible());
        QTest::keyClick(m_window->help().window(), Qt::Key_Escape);
        QTRY_VERIFY(m_window->help().window() == nullptr);
    }

    void questionMarkOpensThePageOfThePanelInFront()
    {
        showWindow();
        run("GPU memory");
        QToolButton* mark = nullptr;
        for (QToolButton* const each : m_window->findChildren<QToolButton*>())
            mark = each->text() == "?" && each->isVisible() ? each : mark;
        QVERIFY(mark != nullptr);
        QTest::mouseClick(mark, Qt::LeftButton);
        QCOMPARE(m_window->help().window()->page(), QString("memory"));
    }

    void searchFindsAndMarks()
    {
        HelpWindow* const help = openHelp();
        const int all = help->list()->count();
        QTest::keyClicks(help->searchField(), "offset error");
        QVERIFY(help->list()->count() < all);
        QTest::keyClick(help->searchField(), Qt::Key_Return);
        QCOMPARE(help->page(), QString("clocks"));
        QVERIFY(help->text()->extraSelections().size() >= 2);
        QTest::keyClicks(help->searchField(), " xylophone");
        QCOMPARE(help->list()->count(), 1);
        QVERIFY(help->list()->item(0)->flags() == Qt::NoItemFlags);
    }

    void everyTopicHasAPage()
    {
        const HelpLibrary library;
        QVERIFY(helpPageOf(HelpTopic::none).isEmpty());
        for (size_t i = 1; i < kHelpTopics; ++i)
            verifyPlace(library, helpPageOf(static_cast<HelpTopic>(i)));
    }

    // Errors as the program makes them, without a window.
    void errorsNameTheirTopic()
    {
        const auto helpOf = [](const auto& result) { return result ? HelpTopic::none : result.error().help; };
        QCOMPARE(helpOf(BlockFile::openBytes(kBlockFileMagic)), HelpTopic::truncatedFile);
        QCOMPARE(helpOf(sessionFromYaml("just text")), HelpTopic::session);
        MemoryBudget memory({1 << 10, "close reports", {}});
        QCOMPARE(helpOf(memory.take(1 << 20, "a.json")), HelpTopic::memoryLimit);
        QCOMPARE(helpOf(memory.room(1 << 20, "a.json")), HelpTopic::memoryLimit);
        QCOMPARE(helpOf(OutputFile::create("/no/such/folder/a.lockstep")), HelpTopic::writeError);
        const auto ssh = std::make_shared<SshRemote>("node0", SshOptions());
        const SlurmRemote slurm(ssh, "12", "n1");
        QCOMPARE(ssh->linkFailureHelp(LinkFailure::hostKey, "Host key verification failed."),
                 HelpTopic::unresponsiveHost);
        QCOMPARE(slurm.linkFailureHelp(LinkFailure::unreachable,
                                       "srun: error: Unable to contact slurm controller (connect failure)"),
                 HelpTopic::slurm);
        QCOMPARE(slurm.linkFailureHelp(LinkFailure::lost, "Connection closed by 10.0.0.1"),
                 HelpTopic::unresponsiveHost);
    }

    // For a file that needs a missing program: on the start page and in the notes.
    void errorLeadsToItsPage()
    {
        showWindow();
        m_window->open({m_folder->write("broken/what.bin", std::string(5'000, 'x'))});
        settle();
        QPushButton* link = nullptr;
        QTRY_VERIFY((link = buttonOf<StartPage>("Help on this")) != nullptr && link->isVisible());
        QTest::mouseClick(link, Qt::LeftButton);
        QCOMPARE(m_window->help().window()->page(), QString("open_reports"));
        QCOMPARE(m_window->help().window()->text()->textCursor().block().text(),
                 QString("Unrecognized files"));
        run("Import notes");
        NotesPanel& notes = part<NotesPanel>();
        QTRY_VERIFY(notes.view()->shownRows() > 0);
        QVERIFY(!test::part<QPushButton>(notes, "help").isEnabled());
        notes.view()->selectTableRow(0);
        QVERIFY(test::part<QPushButton>(notes, "help").isEnabled());
        m_window->help().open("index");
        QTest::mouseClick(&test::part<QPushButton>(notes, "help"), Qt::LeftButton);
        QCOMPARE(m_window->help().window()->page(), QString("open_reports"));
    }

    // A file without a complete event does not open; one that ends after an event opens with a note.
    void truncatedFilesLeadToTheirPage_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("opens");
        const QString event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2})";
        QTest::newRow("no complete event") << R"({"traceEvents":[)" + event.chopped(20) << false;
        QTest::newRow("ends after an event")
            << R"({"traceEvents":[)" + event + ',' + event.chopped(20) << true;
    }

    void truncatedFilesLeadToTheirPage()
    {
        QFETCH(const QString, text);
        QFETCH(const bool, opens);
        showWindow();
        m_window->open({m_folder->write("broken/trace.json", text.toStdString())});
        settle();
        if (!opens) {
            QPushButton* link = nullptr;
            QTRY_VERIFY((link = buttonOf<StartPage>("Help on this")) != nullptr && link->isVisible());
        }
        run("Import notes");
        NotesPanel& notes = part<NotesPanel>();
        QTRY_VERIFY(notes.view()->shownRows() > 0);
        const std::vector<NoteRow>& rows = notes.model().rows();
        const auto row = std::ranges::find(rows, opens ? "file.truncated" : "file.corrupt", &NoteRow::kind);
        QVERIFY(row != rows.end());
        notes.view()->selectTableRow(static_cast<int>(row - rows.begin()));
        QVERIFY(test::part<QPushButton>(notes, "help").isEnabled());
        QTest::mouseClick(&test::part<QPushButton>(notes, "help"), Qt::LeftButton);
        QCOMPARE(m_window->help().window()->text()->textCursor().block().text(), QString("Truncated files"));
    }

    // The build's pictures are next to the program; without them no page shows a gap.
    void picturesComeFromThisBuild()
    {
        showWindow();
        m_window->help().open("timeline"); // the first page, in a window that has no size yet
        HelpWindow* const help = m_window->help().window();
        const QString folder = QCoreApplication::applicationDirPath() + "/../share/lockstep/help/";
        if (QFile::exists(folder + "timeline.png")) { // as wide as the space allows, and no wider
            const int room = help->text()->viewport()->width();
            QTRY_VERIFY(pictureWidth(*help) > 0.8 * std::min(QImage(folder + "timeline.png").width(), room));
            QVERIFY(pictureWidth(*help) <= room);
        }
        static const QRegularExpression kPicture("!\\[[^\\]]+\\]\\(([a-z_]+\\.png)\\)");
        const HelpLibrary library;
        int count = 0;
        for (const HelpPage& page : library.pages()) {
            help->open(page.name);
            for (auto found = kPicture.globalMatch(page.text); found.hasNext(); ++count) {
                const QString file = found.next().captured(1);
                const bool isShown = help->text()->document()->toHtml().contains(file);
                QCOMPARE(isShown, QFile::exists(folder + file));
            }
        }
        QVERIFY(count >= 7);
        help->open("timeline");
        if (const QString pictures = qEnvironmentVariable("LOCKSTEP_PICTURES"); !pictures.isEmpty())
            help->grab().save(pictures + "/help-timeline.png");
    }

    // Every page is also a man page of section 7, which man reads without a warning.
    void pagesAreManPages()
    {
        const QString man = QStandardPaths::findExecutable("man");
        const QDir folder(QCoreApplication::applicationDirPath() + "/../packaging/man7");
        const QStringList files = folder.entryList({"*.7"});
        QVERIFY2(!man.isEmpty(), "man is not installed: it is in the list [test] of apt-packages.txt");
        QCOMPARE(size_t(files.size()), HelpLibrary().pages().size());
        for (const QString& file : files) {
            QProcess reader;
            reader.start(man, {"--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", folder.filePath(file)});
            QVERIFY(reader.waitForFinished(test::kPatience_ms));
            QVERIFY2(reader.readAllStandardError().isEmpty(), qPrintable(file));
            const QString text = QString::fromUtf8(reader.readAllStandardOutput());
            QVERIFY2(reader.exitCode() == 0 && text.size() > 500, qPrintable(file));
        }
    }

    // The files spell the default keys; the window shows the keys of the user, also after they change.
    void pagesShowTheKeysOfTheUser()
    {
        showWindow();
        m_window->help().open("timeline");
        HelpWindow* const help = m_window->help().window();
        QVERIFY(help->text()->toPlainText().contains("W and S zoom, A and D pan."));
        KeyMap keys = m_window->keys().keys();
        keys.bind("zoomIn", {QKeySequence("L"), QKeySequence("F7")});
        keys.bind("zoomOut", {QKeySequence("`")});
        keys.bind("lightChain", {});
        m_window->keys().setKeys(keys);
        const QString text = help->text()->toPlainText();
        QVERIFY2(text.contains("L and ` zoom, A and D pan."), qPrintable(text.left(600)));
        QVERIFY(text.contains("(no key) highlights its launch chain."));
        m_window->help().open("settings");
        QVERIFY(help->text()->toPlainText().contains("Edit > Settings\u2026 (Ctrl+,)"));
    }

    // Every key written as code in a page is the first default key of a command, or cannot be changed.
    void everyKeyInThePagesIsKnown()
    {
        QStringList known{"Enter"};
        for (const CommandSpec& spec : commandSpecs())
            known << QString(spec.keys).section(' ', 0, 0);
        static const QRegularExpression kKey(
            "`((?:(?:Ctrl|Alt|Shift)\\+)+[^`]+|[A-Z0-9/?,.]|\\[|\\]|F\\d+|End|Home|Menu|Enter|Backspace)`");
        const HelpLibrary library;
        int count = 0;
        for (const HelpPage& page : library.pages()) {
            for (auto found = kKey.globalMatch(page.text); found.hasNext(); ++count) {
                const QString key = found.next().captured(1);
                QVERIFY2(known.contains(key), qPrintable(page.name + ": " + key));
            }
        }
        QVERIFY(count >= 50);
    }

    void linksAndTheWayBack()
    {
        HelpWindow* const help = openHelp();
        QVERIFY(!test::part<QPushButton>(*help, "back").isEnabled());
        emit help->text()->anchorClicked(QUrl("clocks.md#Correct a wrong clock"));
        QCOMPARE(help->page(), QString("clocks"));
        QCOMPARE(help->text()->textCursor().block().text(), QString("Correct a wrong clock"));
        emit help->text()->anchorClicked(QUrl("http://elsewhere.example/"));
        emit help->text()->anchorClicked(QUrl("no_such_page.md"));
        QCOMPARE(help->page(), QString("clocks"));
        QTest::mouseClick(&test::part<QPushButton>(*help, "back"), Qt::LeftButton);
        QCOMPARE(help->page(), QString("index"));
    }

  private:
    template<class T>
    QPushButton* buttonOf(const QString& text) const
    {
        for (QPushButton* const button : part<T>().template findChildren<QPushButton*>()) {
            if (button->text() == text) return button;
        }
        return nullptr;
    }

    // Returns the width of the first picture on the page; 0: there is none.
    static double pictureWidth(const HelpWindow& help)
    {
        for (QTextBlock block = help.text()->document()->begin(); block.isValid(); block = block.next()) {
            for (auto at = block.begin(); !at.atEnd(); ++at) {
                if (at.fragment().charFormat().isImageFormat())
                    return at.fragment().charFormat().toImageFormat().width();
            }
        }
        return 0;
    }

    static void verifyPlace(const HelpLibrary& library, const QString& place)
    {
        const HelpPage* const page = library.find(place.section('#', 0, 0));
        QVERIFY2(page != nullptr, qPrintable(place));
        const QString section = place.section('#', 1);
        if (!section.isEmpty()) QVERIFY2(page->text.contains("\n## " + section + '\n'), qPrintable(place));
    }

    void showWindow()
    {
        makeWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    HelpWindow* openHelp()
    {
        showWindow();
        m_window->help().open("index");
        if (const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES"); !folder.isEmpty())
            m_window->help().window()->grab().save(folder + "/help.png");
        return m_window->help().window();
    }
};

LOCKSTEP_TEST(HelpWindowTest, "help_window_test")
#include "help_window_test.moc"
