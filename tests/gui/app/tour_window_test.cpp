// SPDX-License-Identifier: Apache-2.0
// Tests the tour: nine stops over the open reports, each next to its part of the window, by mouse and keys.
// Missing parts are explained and skipped. A tour that was ended does not start by itself again. "What's new"
// is shown once after an update.
#include <QDockWidget>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QtTest>

#include "app/window/demo_controller.h"
#include "app/window/help_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/tour_controller.h"
#include "tests/support/demo_files.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
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

class TourWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init() { startAgain(); }

    void visitsEveryExistingPart()
    {
        openDemoReports();
        const Panel& before = part<NotesPanel>();
        m_window->findChild<QDockWidget*>("dock Import notes")->raise();
        run("Tour");
        QVERIFY(card() != nullptr && card()->isVisible());
        QVERIFY(next().hasFocus());
        QVERIFY(!test::part<QPushButton>(*card(), "back").isEnabled());
        QStringList titles;
        for (int stop = 1; stop <= TourController::kStops; ++stop) {
            QCOMPARE(m_window->tour().stop(), stop);
            settle();
            titles << card()->title();
            verifyPlace();
            picture(QString("tour-%1").arg(stop));
            QTest::mouseClick(&next(), Qt::LeftButton);
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
        run("Tour");
        QTest::keyClick(&next(), Qt::Key_Right);
        QCOMPARE(part<AnalysisPanel>().list()->current()->name, std::string_view("stragglers"));
        settle();
        QTest::keyClick(&next(), Qt::Key_Right);
        QTest::keyClick(&next(), Qt::Key_Right);
        const Table* const table = part<AnalysisPanel>().table();
        QVERIFY(table != nullptr && table->rowCount() > 0);
        QCOMPARE(part<ViewState>().slice(), table->longest(0));
        QVERIFY(part<DetailsPanel>().isInFront());
        QTest::keyClick(&next(), Qt::Key_Left);
        QCOMPARE(m_window->tour().stop(), 3);
    }

    void missingPartsAreReportedAndSkipped()
    {
        m_window->open({m_folder->write("t/r0.json", test::smallTrace(0))});
        settle();
        run("Tour");
        QTest::keyClick(&next(), Qt::Key_Right);
        QVERIFY2(card()->text().startsWith("Not available for these reports"), qPrintable(card()->text()));
        for (const int stop : {3, 4, 5, 6}) {
            QTest::keyClick(&next(), stop % 2 == 0 ? Qt::Key_Space : Qt::Key_Return);
            QCOMPARE(m_window->tour().stop(), stop);
        }
        QVERIFY2(card()->text().startsWith("These reports have no memory recording"),
                 qPrintable(card()->text()));
        QTest::keyClick(&next(), Qt::Key_Return);
        QVERIFY2(card()->text().startsWith("These reports have no records of samples"),
                 qPrintable(card()->text()));
        QTest::keyClick(&next(), Qt::Key_Escape);
        QVERIFY(card() == nullptr);
    }

    void windowStaysUsable()
    {
        openDemoReports();
        run("Tour");
        TimelineView& view = part<TimelineView>();
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
        QTest::mouseClick(&test::part<QPushButton>(*card(), "skip"), Qt::LeftButton);
        QVERIFY(card() == nullptr && view.hasFocus());
    }

    void panelsNeverCoverTheCard()
    {
        openDemoReports();
        run("Tour");
        card()->move(card()->x(), m_window->height() - card()->height() - 20); // over the bottom panels
        for (const char* const panel : {"Markers", "SQL", "Details"}) {
            run(panel);
            settle();
            const QPoint middle = card()->geometry().center();
            QVERIFY2(card()->isAncestorOf(m_window->childAt(middle)) || m_window->childAt(middle) == card(),
                     panel);
        }
    }

    void sampleSessionsAreOnTheStartPage()
    {
        QStringList frameworks;
        for (const char* const name : {"verl", "VeRL-Omni", "NeMo RL", "torchrun", "Plain command"}) {
            run("Timeline page");
            QPushButton* link = nullptr;
            for (QPushButton* const each : part<StartPage>().findChildren<QPushButton*>())
                link = each->text() == name ? each : link;
            QVERIFY2(link != nullptr && link->isVisible(), name);
            QTest::mouseClick(link, Qt::LeftButton);
            QVERIFY(isInFront<SessionPageController>());
            const SessionConfig& config = page<SessionPageController>().page().draft().config();
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
        QTest::keyClick(&next(), Qt::Key_Escape);
        emit m_window->demo().shown();
        QVERIFY(card() == nullptr);
        m_settings->reset("tour/offered");
        emit m_window->demo().shown();
        QVERIFY(card() != nullptr);
    }

    void whatsNewIsShownOnceAndNotOnTheFirstStart()
    {
        NoticeBar* notice = &part<NoticeBar>();
        QVERIFY2(notice->isEmpty(), qPrintable(notice->text()));
        startAgain(); // again with the same version
        notice = &part<NoticeBar>();
        QVERIFY2(notice->isEmpty(), qPrintable(notice->text()));
        m_settings->set("news/version", "0.0.9");
        startAgain();
        notice = &part<NoticeBar>();
        QVERIFY2(notice->text().contains(LOCKSTEP_VERSION), qPrintable(notice->text()));
        QTest::mouseClick(notice->findChildren<QToolButton*>().front(), Qt::LeftButton);
        QCOMPARE(m_window->help().window()->page(), QString("whats_new"));
        startAgain();
        QVERIFY(part<NoticeBar>().isEmpty());
        const HelpLibrary library;
        QVERIFY(library.find("whats_new")->text.contains("\n## " LOCKSTEP_VERSION "\n"));
    }

  private:
    // Shows a window with the settings as the file has them.
    void startAgain()
    {
        m_window.reset();
        m_settings.reset();
        makeWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void openDemoReports()
    {
        const auto written = test::writeDemoFiles(m_folder->path() / "demo");
        QVERIFY(written.has_value());
        m_window->open(*written);
        settle();
    }
    TourCard* card() const { return m_window->tour().card(); }
    QPushButton& next() const { return test::part<QPushButton>(*card(), "next"); }
    // The card is inside the window and does not cover all of the part that it explains.
    void verifyPlace()
    {
        QVERIFY(m_window->rect().contains(card()->geometry()));
        QVERIFY(card()->anchor() != nullptr && card()->anchor()->isVisible());
        const QRect part(card()->anchor()->mapTo(m_window.get(), QPoint()), card()->anchor()->size());
        QVERIFY(!card()->geometry().contains(part));
    }
};

LOCKSTEP_TEST(TourWindowTest, "tour_window_test")
#include "tour_window_test.moc"
