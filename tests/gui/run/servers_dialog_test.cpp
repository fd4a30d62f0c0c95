// SPDX-License-Identifier: Apache-2.0
// Tests the dialog that records inference servers: its states, its results, and how it looks. With
// LOCKSTEP_PICTURES=FOLDER the pictures are saved.
#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

#include "core/remote/server_targets.h"
#include "tests/support/fake_servers.h"
#include "tests/support/scripted_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/run/run_head.h"
#include "ui/run/run_page.h"
#include "ui/run/servers_dialog.h"
#include "ui/style/style_sheet.h"

using namespace lockstep;

namespace {

QJsonArray configsIn(const std::string& folder)
{
    const QString place = QString::fromStdString(folder);
    return {QJsonObject{{"kind", "sglang"}, {"folder", place}, {"writers", 2}},
            QJsonObject{{"kind", "vllm"}, {"folder", place}, {"version", "0.14.0"}},
            QJsonObject{{"kind", "vllm"}, {"folder", place}, {"fault", "absent"}}};
}

void keep(QWidget& widget, const QString& name)
{
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty()) widget.grab().save(folder + "/servers-" + name + ".png");
}

} // namespace

class ServersDialogTest : public QObject {
    Q_OBJECT

  private slots:
    void looksRight_data()
    {
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<QSize>("size"); // of the page
        for (const bool isDark : {false, true}) {
            for (const QSize size : {QSize(1280, 720), QSize(3840, 2160)})
                QTest::addRow("%s-%d", isDark ? "dark" : "light", size.width()) << isDark << size;
        }
    }
    void looksRight()
    {
        QFETCH(bool, isDark);
        QFETCH(QSize, size);
        const Theme& theme = isDark ? darkTheme() : lightTheme();
        QApplication::setFont(interfaceFont(1));
        QApplication::setPalette(theme.palette());
        qApp->setStyleSheet(styleSheetOf(theme, 1));
        const test::TempDir folder;
        const test::FakeServers servers(configsIn(folder.path().string()));
        test::ScriptedRun scripted(2);
        for (size_t i = 0; i < servers.urls().size(); ++i)
            scripted.config().servers.push_back({servers.urls()[i], "node0", {}, folder.path().string(), {}});
        const std::string problem = scripted.create();
        QVERIFY2(problem.empty(), problem.c_str());
        RunPage page;
        page.setTheme(theme);
        page.resize(size);
        page.show();
        page.watch(&scripted.run());
        scripted.run().begin();
        QTest::qWait(200);
        keep(page, QString("page-") + QTest::currentDataTag());

        auto targets = targetsFromUrls(servers.urls(), {}, folder.path().string());
        QVERIFY(targets.has_value());
        ServersDialog dialog(*std::move(targets), {}, nullptr);
        if (size.width() > 2000) dialog.resize(size / 2);
        dialog.show();
        keep(dialog, QString("idle-") + QTest::currentDataTag());
        QCOMPARE(dialog.table()->topLevelItemCount(), 3);
        dialog.recordButton()->click();
        QVERIFY(dialog.isRecording() && !dialog.recordButton()->isEnabled());
        QTRY_VERIFY(!dialog.isRecording());
        QTRY_VERIFY(!dialog.summary()->text().isEmpty());
        QTest::qWait(50); // for the layout of the result below the table
        keep(dialog, QString("done-") + QTest::currentDataTag());
        QVERIFY2(dialog.summary()->text().startsWith("2 recorded, 0 not checked, 1 failed."),
                 qPrintable(dialog.summary()->text()));
        const QTreeWidgetItem* const failed = dialog.table()->topLevelItem(2);
        QCOMPARE(failed->text(3), QString("failed"));
        QVERIFY2(failed->text(4).contains("--profiler-config"), qPrintable(failed->text(4)));
        QCOMPARE(dialog.table()->currentItem(), failed); // its whole result is shown below the table
        // No column that must be readable is cut off.
        const QTreeWidget& table = *dialog.table();
        for (int row = 0; row < table.topLevelItemCount(); ++row) {
            for (int column = 0; column < 4; ++column) {
                const QString text = table.topLevelItem(row)->text(column);
                const int needed_px = table.fontMetrics().horizontalAdvance(text);
                QVERIFY2(needed_px + 8 <= table.columnWidth(column), qPrintable(text));
            }
        }
        page.watch(nullptr);
        qApp->setStyleSheet({});
    }

    void closingStopsTheProfilers()
    {
        const test::TempDir folder;
        const QString place = QString::fromStdString(folder.path().string());
        const test::FakeServers servers(
            QJsonArray{QJsonObject{{"kind", "vllm"}, {"folder", place}, {"rate", 1}}});
        ServersDialog dialog(*targetsFromUrls(servers.urls(), {}, {}), {}, nullptr);
        dialog.show();
        dialog.record();
        QTRY_COMPARE(dialog.table()->topLevelItem(0)->text(3), QString("recording"));
        dialog.reject();
        QVERIFY(dialog.isVisible()); // until the profiler is stopped
        QTRY_VERIFY(!dialog.isVisible());
        QCOMPARE(servers.requests(0, "/stop_profile").size(), 1);
    }

    void runsWithoutServersStateWhy()
    {
        test::ScriptedRun scripted(1);
        QVERIFY(scripted.create().empty());
        QVERIFY(recordingObstacle(&scripted.run()).contains("key servers"));
        QVERIFY(recordingObstacle(nullptr).contains("No run"));
        RunPage page;
        page.watch(&scripted.run());
        page.show();
        for (const QPushButton* button : page.head()->findChildren<QPushButton*>())
            QVERIFY(!button->isVisible() || !button->text().startsWith("Record"));
        page.watch(nullptr);
    }
};

LOCKSTEP_TEST(ServersDialogTest, "servers_dialog_test")
#include "servers_dialog_test.moc"
