// SPDX-License-Identifier: Apache-2.0
// Tests the tour: eight stops over the open reports, each next to its part of the window, by mouse and keys.
// Missing parts are explained and skipped. A tour that was ended does not start by itself again. "What's new"
// is shown once after an update.
#include <QDockWidget>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QtTest>

#include "app/window/demo_controller.h"
#include "app/window/help_controller.h"
#include "app/window/main_window.h"
#include "app/window/session_page_controller.h"
#include "app/window/tour_controller.h"
#include "tests/support/demo_files.h"
#include "tests/support/in_window.h"
#include "tests/support/report_tree.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/help/help_window.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/start_page.h"
#include "ui/session/session_page.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class TourWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        makeWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
    }

    void visitsEveryExistingPart()
    {
        openDemoReports();
        const Panel& before = test::part<NotesPanel>(*m_window);
        m_window->findChild<QDockWidget*>("dock Import notes")->raise();
        test::run(*m_window, "Tour");
        QVERIFY(card() != nullptr && card()->isVisible());
        QVERIFY(card()->nextButton()->hasFocus());
        QVERIFY(!card()->backButton()->isEnabled());
        QStringList titles;
        for (int stop = 1; stop <= TourController::kStops; ++stop) {
            QCOMPARE(m_window->tour().stop(), stop);
            QTRY_VERIFY(m_window->isSettled());
            titles << card()->title();
            verifyPlace();
            picture(QString("tour-%1").arg(stop));
            QTest::mouseClick(card()->nextButton(), Qt::LeftButton);
        }
        titles.removeDuplicates();
        QCOMPARE(titles.size(), TourController::kStops);
        QVERIFY(card() == nullptr);      // Done
        QTRY_VERIFY(before.isInFront()); // in front again
        QVERIFY(!m_settings->value("tour/offered").toBool());
    }

    // From the first straggler to the collective at which it arrived last.
    void jumpsToTheLatestRank()
    {
        openDemoReports();
        test::run(*m_window, "Tour");
        QTest::keyClick(card()->nextButton(), Qt::Key_Right);
        QCOMPARE(test::part<AnalysisPanel>(*m_window).list()->current()->name,
                 std::string_view("stragglers"));
        QTRY_VERIFY(m_window->isSettled());
        QTest::keyClick(card()->nextButton(), Qt::Key_Right);
        QTest::keyClick(card()->nextButton(), Qt::Key_Right);
        const Table* const table = test::part<AnalysisPanel>(*m_window).table();
        QVERIFY(table != nullptr && table->rowCount() > 0);
        QCOMPARE(test::part<ViewState>(*m_window).slice(), table->longest(0));
        QVERIFY(test::part<DetailsPanel>(*m_window).isInFront());
        QTest::keyClick(card()->nextButton(), Qt::Key_Left);
        QCOMPARE(m_window->tour().stop(), 3);
    }

    void missingPartsAreReportedAndSkipped()
    {
        m_window->open({m_folder->write("t/r0.json", test::smallTrace(0))});
        QTRY_VERIFY(m_window->isSettled());
        test::run(*m_window, "Tour");
        QTest::keyClick(card()->nextButton(), Qt::Key_Right);
        QVERIFY2(card()->text().startsWith("Not available for these reports"), qPrintable(card()->text()));
        for (const int stop : {3, 4, 5, 6}) {
            QTest::keyClick(card()->nextButton(), stop % 2 == 0 ? Qt::Key_Space : Qt::Key_Return);
            QCOMPARE(m_window->tour().stop(), stop);
        }
        QVERIFY2(card()->text().startsWith("These reports have no memory recording"),
                 qPrintable(card()->text()));
        QTest::keyClick(card()->nextButton(), Qt::Key_Escape);
        QVERIFY(card() == nullptr);
    }

    void windowStaysUsable()
    {
        openDemoReports();
        test::run(*m_window, "Tour");
        TimelineView& view = test::part<TimelineView>(*m_window);
        view.navigation().setReducedMotion(true);
        const TimeRange before = view.viewState().visible();
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_W);
        QVERIFY(view.viewState().visible().length() < before.length());
        QVERIFY(card()->isVisible());
        QTest::keyClick(&view, Qt::Key_Escape); // for the timeline, not the card
        QVERIFY(card() != nullptr);
        m_window->resize(1000, 640);
        verifyPlace();
        QTest::mouseClick(card()->skipButton(), Qt::LeftButton);
        QVERIFY(card() == nullptr && view.hasFocus());
    }

    void sampleSessionsAreOnTheStartPage()
    {
        QStringList frameworks;
        for (const char* const name : {"verl", "VeRL-Omni", "NeMo RL", "torchrun", "Plain command"}) {
            test::run(*m_window, "Timeline page");
            QPushButton* link = nullptr;
            for (QPushButton* const each : test::part<StartPage>(*m_window).findChildren<QPushButton*>())
                link = each->text() == name ? each : link;
            QVERIFY2(link != nullptr && link->isVisible(), name);
            QTest::mouseClick(link, Qt::LeftButton);
            QVERIFY(test::isInFront<SessionPageController>(*m_window));
            const SessionConfig& config =
                test::page<SessionPageController>(*m_window).page().draft().config();
            frameworks << QString::number(static_cast<int>(config.framework));
            QVERIFY(!config.command.empty());
        }
        frameworks.removeDuplicates();
        QCOMPARE(frameworks.size(), 5);
    }

    // With the demo's reports the tour is offered once; the row in the settings restores the offer.
    void isOfferedAutomaticallyOnce()
    {
        openDemoReports();
        emit m_window->demo().shown();
        QVERIFY(card() != nullptr);
        QTest::keyClick(card()->nextButton(), Qt::Key_Escape);
        emit m_window->demo().shown();
        QVERIFY(card() == nullptr);
        m_settings->reset("tour/offered");
        emit m_window->demo().shown();
        QVERIFY(card() != nullptr);
    }

    void whatsNewIsShownOnceAndNotOnTheFirstStart()
    {
        NoticeBar* notice = &test::part<NoticeBar>(*m_window);
        QVERIFY2(notice->isEmpty(), qPrintable(notice->text()));
        makeWindow(); // again with the same version
        notice = &test::part<NoticeBar>(*m_window);
        QVERIFY2(notice->isEmpty(), qPrintable(notice->text()));
        m_settings->set("news/version", "0.0.9");
        makeWindow();
        notice = &test::part<NoticeBar>(*m_window);
        QVERIFY2(notice->text().contains(LOCKSTEP_VERSION), qPrintable(notice->text()));
        QTest::mouseClick(notice->findChildren<QToolButton*>().front(), Qt::LeftButton);
        QCOMPARE(m_window->help().window()->page(), QString("whats_new"));
        makeWindow();
        QVERIFY(test::part<NoticeBar>(*m_window).isEmpty());
        const HelpLibrary library;
        QVERIFY(library.find("whats_new")->text.contains("\n## " LOCKSTEP_VERSION "\n"));
    }

  private:
    void makeWindow()
    {
        m_window.reset();
        m_settings = std::make_unique<Settings>(test::settingsFile(*m_folder));
        m_window = test::shownWindow(*m_settings);
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void openDemoReports()
    {
        const auto written = test::writeDemoFiles(m_folder->path() / "demo");
        QVERIFY(written.has_value());
        m_window->open(*written);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 60'000);
    }
    TourCard* card() const { return m_window->tour().card(); }
    // The card is inside the window and does not cover all of the part that it explains.
    void verifyPlace()
    {
        QVERIFY(m_window->rect().contains(card()->geometry()));
        QVERIFY(card()->anchor() != nullptr && card()->anchor()->isVisible());
        const QRect part(card()->anchor()->mapTo(m_window.get(), QPoint()), card()->anchor()->size());
        QVERIFY(!card()->geometry().contains(part));
    }
    void picture(const QString& name)
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (!folder.isEmpty()) m_window->grab().save(folder + '/' + name + ".png");
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

LOCKSTEP_TEST(TourWindowTest, "tour_window_test")
#include "tour_window_test.moc"
