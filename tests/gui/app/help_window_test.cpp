// SPDX-License-Identifier: Apache-2.0
// Help inside the window: every page can be reached and every link leads somewhere; F1 and `?` open the page
// of what is in hand; the search finds words and marks them.
#include <QDir>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>

#include "app/help_controller.h"
#include "app/main_window.h"
#include "tests/support/in_window.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/help/help_window.h"
#include "ui/panels/alignment_panel.h"
#include "ui/window/panel.h"

using namespace lockstep;

class HelpWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void everyLinkLeadsSomewhere()
    {
        const HelpLibrary library;
        const QStringList files = QDir(":/lockstep/help").entryList({"*.md"});
        QVERIFY(files.size() >= 18);
        for (const QString& file : files)
            QVERIFY2(library.find(file) != nullptr, qPrintable(file + " is not named by the index"));
        QCOMPARE(library.pages().size(), size_t(files.size()));
        static const QRegularExpression kLink("\\]\\(([^)]*)\\)");
        for (const HelpPage& page : library.pages()) {
            QVERIFY2(!page.title.isEmpty(), qPrintable(page.name));
            for (auto link = kLink.globalMatch(page.text); link.hasNext();)
                verifyPlace(library, link.next().captured(1));
        }
    }

    void everyPanelHasAPage()
    {
        makeWindow();
        const HelpLibrary library;
        for (const Panel* const panel : m_window->findChildren<Panel*>()) {
            QVERIFY2(panel->helpPage() != "index", qPrintable(panel->title()));
            verifyPlace(library, panel->helpPage());
        }
    }

    void keyOpensThePageOfWhatIsInHand()
    {
        makeWindow();
        test::run(*m_window, "How clocks were put on one axis");
        QWidget& panel = test::part<AlignmentPanel>(*m_window);
        panel.setFocus();
        QTRY_VERIFY(panel.isAncestorOf(QApplication::focusWidget()) || panel.hasFocus());
        QTest::keyClick(m_window.get(), Qt::Key_F1);
        QTRY_VERIFY(m_window->help().window() != nullptr);
        QCOMPARE(m_window->help().window()->page(), QString("clocks"));
        QVERIFY(m_window->help().window()->isVisible());
        QTest::keyClick(m_window->help().window(), Qt::Key_Escape);
        QTRY_VERIFY(m_window->help().window() == nullptr);
    }

    void markOpensThePageOfThePanelInFront()
    {
        makeWindow();
        test::run(*m_window, "Memory of a device");
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

    void linksAndTheWayBack()
    {
        HelpWindow* const help = openHelp();
        QVERIFY(!help->backButton()->isEnabled());
        emit help->text()->anchorClicked(QUrl("clocks.md#A clock is wrong"));
        QCOMPARE(help->page(), QString("clocks"));
        QCOMPARE(help->text()->textCursor().block().text(), QString("A clock is wrong"));
        emit help->text()->anchorClicked(QUrl("http://elsewhere.example/"));
        emit help->text()->anchorClicked(QUrl("no_such_page.md"));
        QCOMPARE(help->page(), QString("clocks"));
        QTest::mouseClick(help->backButton(), Qt::LeftButton);
        QCOMPARE(help->page(), QString("index"));
    }

  private:
    static void verifyPlace(const HelpLibrary& library, const QString& place)
    {
        const HelpPage* const page = library.find(place.section('#', 0, 0));
        QVERIFY2(page != nullptr, qPrintable(place));
        const QString section = place.section('#', 1);
        if (!section.isEmpty()) QVERIFY2(page->text.contains("\n## " + section + '\n'), qPrintable(place));
    }

    void makeWindow()
    {
        m_window.reset();
        m_folder = std::make_unique<test::TempDir>();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_folder));
        m_window = test::shownWindow(*m_settings);
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    HelpWindow* openHelp()
    {
        makeWindow();
        m_window->help().open("index");
        if (const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES"); !folder.isEmpty())
            m_window->help().window()->grab().save(folder + "/help.png");
        return m_window->help().window();
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(HelpWindowTest, "help_window_test")
#include "help_window_test.moc"
