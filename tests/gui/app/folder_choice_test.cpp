// SPDX-License-Identifier: Apache-2.0
// Tests folders with many reports: the choice of reports, selecting one step of all ranks, and the memory
// limit.
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>
#include <QToolButton>

#include "app/window/start_page_controller.h"
#include "tests/support/report_tree.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/load_list.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/report_choice_page.h"
#include "ui/panels/reports_panel.h"

using namespace lockstep;

class FolderChoiceTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        m_memory.setLimit(0);
        makeWindow({.budget = &m_memory});
    }

    void oneStepOfAllRanks()
    {
        m_window->open({test::writeReportTree(*m_folder, 4, 3)});
        ReportChoicePage& page = part<ReportChoicePage>();
        QTRY_VERIFY(page.isVisible());
        QVERIFY(part<WorkspaceController>().reports().entries().empty()); // nothing is loaded unasked
        QCOMPARE(page.model().choices().size(), size_t(24));
        QCOMPARE(test::part<QPushButton>(page, "load").text(),
                 "Load 24 reports"); // they fit into memory together
        pick(page, "step", 1);
        QCOMPARE(test::part<QPushButton>(page, "load").text(), "Load 8 reports");
        QVERIFY(totalsText(page).startsWith("8 of 24 selected"));
        test::part<QPushButton>(page, "load").click();
        settle();
        QCOMPARE(scene().shown.size(), size_t(8));
        for (const ReportEntry& entry : part<WorkspaceController>().reports().entries())
            QVERIFY(entry.path.filename().string().find("_step2_") != std::string::npos);
        QVERIFY(!page.isVisible());
    }

    void escapeCancels()
    {
        m_window->open({test::writeReportTree(*m_folder, 4, 3)});
        QTRY_VERIFY(part<ReportChoicePage>().isVisible());
        QTest::keyClick(part<ReportChoicePage>().filterField(), Qt::Key_Escape);
        QVERIFY(isInFront<StartPageController>());
        QVERIFY(part<WorkspaceController>().reports().entries().empty());
        QVERIFY(m_settings->value("open/recent").toStringList().isEmpty()); // nothing opened
    }

    void enterOpensReportsThatFit()
    {
        const auto folder = test::writeReportTree(*m_folder, 4, 3);
        m_window->open({folder});
        ReportChoicePage& page = part<ReportChoicePage>();
        QTRY_VERIFY(page.isVisible());
        QTest::keyClick(page.filterField(), Qt::Key_Return);
        settle();
        QCOMPARE(scene().shown.size(), size_t(24));
        QCOMPARE(m_settings->value("open/recent").toStringList(),
                 QStringList(QString::fromStdString(folder)));
    }

    void reportsThatDoNotFitNeedAnAnswer()
    {
        m_memory.setLimit(1);
        m_window->open({test::writeReportTree(*m_folder, 4, 3)});
        ReportChoicePage& page = part<ReportChoicePage>();
        QTRY_VERIFY(page.isVisible());
        QCOMPARE(page.model().totals().files, size_t(24));
        QTest::keyClick(page.filterField(), Qt::Key_Return);
        auto* const question = page.findChild<QMessageBox*>();
        QVERIFY(question != nullptr && question->text() == "Open 24 reports?");
        QVERIFY2(question->informativeText().endsWith("so some of them will not be loaded."),
                 qPrintable(question->informativeText()));
        QTest::mouseClick(question->button(QMessageBox::Cancel), Qt::LeftButton);
        QVERIFY(page.isVisible());
        QVERIFY(part<WorkspaceController>().reports().entries().empty());
    }

    // All are selected, as in a small folder, but opening so many takes a second Enter.
    void manyReportsNeedAnAnswer()
    {
        m_window->open({test::writeReportTree(*m_folder, 70, 2)});
        ReportChoicePage& page = part<ReportChoicePage>();
        QTRY_VERIFY(page.isVisible());
        QCOMPARE(test::part<QPushButton>(page, "load").text(), "Load 280 reports");
        QSignalSpy loads(&page, &ReportChoicePage::loadRequested);
        test::part<QPushButton>(page, "load").click();
        auto* const question = page.findChild<QMessageBox*>();
        QVERIFY(question != nullptr && question->text() == "Open 280 reports?" && loads.isEmpty());
        QTest::keyClick(question, Qt::Key_Return);
        QCOMPARE(loads.count(), 1);
        QVERIFY(!page.isVisible());
    }

    void fewFilesOpenWithoutAChoice()
    {
        m_window->open({test::writeReportTree(*m_folder, 2, 3)});
        QTRY_COMPARE(scene().shown.size(), size_t(12));
        QVERIFY(!part<ReportChoicePage>().isVisible());
    }

    void memoryLimitLeavesSomeUnloaded()
    {
        m_window->open({test::writeReportTree(*m_folder, 4, 3)});
        ReportChoicePage& page = part<ReportChoicePage>();
        QTRY_VERIFY(page.isVisible());
        const uint64_t each_bytes = page.model().choices()[0].file.memory_bytes;
        m_memory.setLimit(each_bytes * 5 / 2);
        page.setMemory(0, each_bytes * 5 / 2, each_bytes * 5);
        pick(page, "step", 0);
        QVERIFY(totalsText(page).contains("some reports will not be loaded"));
        page.setMemory(0, each_bytes * 5 / 2, each_bytes * 5, true);
        QVERIFY2(totalsText(page).endsWith(": the rest is read to disk"), qPrintable(totalsText(page)));
        test::part<QPushButton>(page, "load").click();
        settle();
        const auto& entries = part<WorkspaceController>().reports().entries();
        const auto held = std::ranges::find(entries, ReportState::held, &ReportEntry::state);
        QVERIFY(held != entries.end());
        QVERIFY(QString::fromStdString(held->error.message).contains("would exceed the memory limit of"));
        const auto open = std::ranges::count(entries, ReportState::open, &ReportEntry::state);
        QCOMPARE(open, 2);
        run("Import notes");
        QTRY_VERIFY(!part<NotesPanel>().model().rows().empty());
        QCOMPARE(part<NotesPanel>().model().rows()[0].kind, std::string("file.memory_limit"));

        const auto buttons = test::part<LoadList>(part<ReportsPanel>()).findChildren<QToolButton*>();
        const auto load = std::ranges::find(buttons, QString("Load"), &QToolButton::text);
        QVERIFY(load != buttons.end());
        (*load)->click(); // regardless of the limit
        settle();
        QCOMPARE(std::ranges::count(entries, ReportState::open, &ReportEntry::state), 3);
    }

    void tenThousandFilesKeepTheWindowResponsive()
    {
        const auto tree = test::writeReportTree(*m_folder, 500, 10);
        QElapsedTimer beat, whole;
        qint64 longest_ms = 0;
        QTimer heart;
        connect(&heart, &QTimer::timeout, this, [&] { longest_ms = std::max(longest_ms, beat.restart()); });
        beat.start();
        whole.start();
        heart.start(5);
        m_window->open({tree});
        ReportChoicePage& page = part<ReportChoicePage>();
        QTRY_VERIFY(page.isVisible());
        QCOMPARE(page.model().choices().size(), size_t(10'000));
        const qint64 shown_ms = whole.elapsed();
        pick(page, "step", 2);
        QVERIFY(totalsText(page).startsWith("1000 of 10000 selected"));
        page.filterField()->setText("role:critic rank:77");
        page.grab();
        QTRY_VERIFY(beat.elapsed() < 50);
        qInfo("shown after %lld ms, longest pause of the window %lld ms", shown_ms, longest_ms);
        QVERIFY2(longest_ms < 2000, "the window hung"); // even on a busy machine
    }

  private:
    static QString totalsText(const ReportChoicePage& page)
    {
        return test::part<QLabel>(page, "totals").text();
    }

    // Triggers entry number n of the menu that selects by `part`.
    static void pick(ReportChoicePage& page, const QString& part, int entry)
    {
        auto* const menu = page.findChild<QMenu*>("tick " + part);
        emit menu->aboutToShow();
        menu->actions().at(entry)->trigger();
    }

    MemoryBudget m_memory{{}};
};

LOCKSTEP_TEST(FolderChoiceTest, "folder_choice_test")
#include "folder_choice_test.moc"
