// SPDX-License-Identifier: Apache-2.0
// Tests exports from the window: every kind of file is written, contains what the window shows, and never
// replaces an open report.
#include <QFileDialog>
#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/table_view.h"
#include "ui/sql/query_tab.h"
#include "ui/sql/sql_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/command_match.h"
#include "ui/window/command_table.h"
#include "ui/window/notices.h"

using namespace lockstep;

namespace fs = std::filesystem;

class ExportWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeWindow();
        openTraces(2);
        m_report = m_folder->path() / "t/r0.json";
    }

    void picturesShowTheView()
    {
        const QSize size = view().size();
        QCOMPARE(QImage::fromData(exported("Export picture\u2026", "view.png")).size(), size);
        QVERIFY(exported("Export picture\u2026", "view.svg").contains("<svg"));
        QVERIFY(exported("Export picture\u2026", "view.pdf").startsWith("%PDF"));
    }

    void hiddenLanesAreNotInThePicture()
    {
        const QImage before = QImage::fromData(exported("Export picture of all lanes\u2026", "all.png"));
        QVERIFY(!before.isNull());
        TimelineView& timeline = view();
        LaneState lanes = timeline.lanes().laneState();
        const LaneTree& tree = timeline.state().tree();
        lanes.hidden.insert(tree.lane(static_cast<uint32_t>(tree.size() - 1)).key);
        timeline.lanes().setLaneState(lanes);
        const QImage after = QImage::fromData(exported("Export picture of all lanes\u2026", "fewer.png"));
        QVERIFY(!after.isNull() && after.height() < before.height());
    }

    void reportAndTracesAreWritten()
    {
        const QByteArray html = exported("Export HTML report\u2026", "run.html");
        QVERIFY(html.contains("<html") && html.contains("r0.json"));
        QCOMPARE(m_window->windowTitle(), QString("t[*] \u2014 Lockstep")); // the folder of both reports
        QVERIFY(html.contains("<title>t \u2014 Lockstep</title>") && html.contains("<h1>t</h1>"));
        QVERIFY(exported("Export trace\u2026", "run.json").contains("traceEvents"));
        QVERIFY(!exported("Export trace\u2026", "run.pftrace").isEmpty());
        QVERIFY(exported("Export trace\u2026", "run.sqlite").startsWith("SQLite format 3"));
    }

    void tablesAreSavedAsTheyAreShown()
    {
        KernelPanel& kernels = part<KernelPanel>();
        run("Kernels in all reports");
        QTRY_VERIFY(m_window->isSettled() && kernels.isVisible());
        TableView* table = nullptr;
        for (TableView* const each : kernels.findChildren<TableView*>()) {
            if (each->isVisible()) table = each;
        }
        QVERIFY(table != nullptr && table->shownRows() > 0);
        table->setFocus();
        const QByteArray csv = exported("Save table\u2026", "kernels.csv");
        QCOMPARE(csv.count('\n'), table->shownRows() + 1);
        QVERIFY2(csv.contains("Total Time (ns)"), csv.constData());
        QVERIFY(exported("Save table\u2026", "kernels.json").contains("\"rows\""));
        QVERIFY(exported("Save table\u2026", "kernels.md").contains("| "));
    }

    // The button saves the answer of the tab in front.
    void answersAreSaved()
    {
        run("SQL");
        SqlPanel& sql = part<SqlPanel>();
        const QSignalSpy answers(&sql, &SqlPanel::answered);
        sql.runQuery("SELECT 1 AS one UNION SELECT 2");
        sql.addTab();
        sql.runQuery("SELECT 3 AS three");
        QTRY_COMPARE(answers.size(), 2);
        for (QPushButton* const button : sql.tab()->findChildren<QPushButton*>()) {
            if (button->text() == "Save result\u2026") QTest::mouseClick(button, Qt::LeftButton);
        }
        accept(m_folder->path() / "answer.csv");
        QCOMPARE(written(m_folder->path() / "answer.csv"), QByteArray("three\n3\n"));
    }

    void openReportsAreNotReplaced()
    {
        const auto size = fs::file_size(m_report);
        choose("Export trace\u2026", m_report);
        QTRY_VERIFY(part<NoticeBar>().text().contains("Couldn't export"));
        QCOMPARE(fs::file_size(m_report), size);
    }

    void formatFollowsTheChosenFilter()
    {
        run("Export picture\u2026");
        QFileDialog& dialog = part<QFileDialog>("exportFile");
        QVERIFY(dialog.selectedFiles().front().endsWith("/timeline.png"));
        emit dialog.filterSelected("SVG drawing (*.svg)");
        QVERIFY(dialog.selectedFiles().front().endsWith("/timeline.svg"));
    }

    void oneExportAtATimeThatCanBeCanceled()
    {
        QSignalSpy posted(&part<Notices>(), &Notices::posted);
        choose("Export HTML report\u2026", m_folder->path() / "run.html");
        run("Export trace\u2026");
        QVERIFY(posted.last()[0].toString().contains("still running"));
        NoticeBar& notice = part<NoticeBar>();
        QVERIFY(notice.isProgress());
        test::part<QToolButton>(notice).click(); // Cancel
        QVERIFY(notice.isEmpty());
        settle();
        QCOMPARE(posted.count(), 1); // nothing was saved
    }

    // By the words that users type.
    void exportsAreFound_data()
    {
        QTest::addColumn<QString>("word");
        for (const char* const word : {"export", "picture", "screenshot", "CSV"})
            QTest::newRow(word) << word;
    }
    void exportsAreFound()
    {
        QFETCH(QString, word);
        const auto isFound = [&](const CommandSpec& spec) {
            return spec.menu == QByteArray("File") &&
                   commandMatch(word, commandTitle(spec.id), commandDescription(spec.id)).has_value();
        };
        QVERIFY(std::ranges::any_of(commandSpecs(), isFound));
    }

  private:
    void choose(const QString& command, const fs::path& path)
    {
        run(command);
        accept(path);
    }

    void accept(const fs::path& path)
    {
        QFileDialog& dialog = part<QFileDialog>("exportFile");
        dialog.setOption(QFileDialog::DontConfirmOverwrite);
        dialog.selectFile(QString::fromStdString(path.string()));
        QMetaObject::invokeMethod(&dialog, "accept");
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

    QByteArray exported(const QString& command, const std::string& name)
    {
        const fs::path path = m_folder->path() / name;
        choose(command, path);
        return written(path);
    }

    QByteArray written(const fs::path& path)
    {
        const bool isWritten = test::waitUntil([&] { return fs::exists(path) && m_window->isSettled(); });
        QFile file(QString::fromStdString(path.string()));
        return isWritten && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    fs::path m_report;
};

LOCKSTEP_TEST(ExportWindowTest, "export_window_test")
#include "export_window_test.moc"
