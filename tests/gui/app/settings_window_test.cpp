// SPDX-License-Identifier: Apache-2.0
// Tests the settings page: it has a row for every key that the file may contain, finds rows by words, applies
// and saves changes immediately, refuses invalid values with a sentence, and resets everything. A file that
// is damaged, partly unknown or not writable is reported.
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QtTest>

#include "app/window/run_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/setting_table.h"
#include "app/window/settings_page_controller.h"
#include "core/readers/nsys_report/report_conversion.h"
#include "core/remote/agent_client.h"
#include "tests/support/loop_watchdog.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/top_strip.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"
#include "ui/settings/settings_page.h"
#include "ui/sql/sql_panel.h"

using namespace lockstep;

class SettingsWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init() { startAgain(); }

    // Every setting that Settings can store is in the table, or the program aborts; every entry of the table
    // is on the page.
    void everyKeyOfTheFileHasARow()
    {
        m_settings->setThemeChoice(ThemeChoice::dark);
        m_settings->remember("look/color_blind", true);
        m_settings->remember("look/font_scale", 1.2);
        m_settings->setKeys(KeyPreset::nsight, {"zoomIn=J"});
        m_settings->remember("open/recent", QStringList("/a"));
        m_settings->remember("open/recent_workspaces", QStringList("/b"));
        m_settings->set("open/memory_percent", 60);
        m_settings->setRunEnd({});
        m_settings->remember("window/geometry", "a");
        m_settings->remember("window/layout", "b");
        m_settings->remember("open/folder", "/c");
        m_settings->remember("columns/events", "d");
        m_settings->remember("sql/history", "e");
        m_settings->write();
        const QSettings file(test::settingsFile(*m_folder), QSettings::IniFormat);
        QVERIFY(file.allKeys().size() >= 16);
        for (const QString& key : file.allKeys())
            QVERIFY2(findSetting(key) != nullptr, qPrintable(key));
        for (const Setting& setting : settingTable()) {
            for (const QString& key : setting.keys)
                QVERIFY2(page().row(key) != nullptr, qPrintable(key));
            QVERIFY2(!setting.label.isEmpty() && setting.description.endsWith('.'),
                     qPrintable(setting.name()));
        }
    }

    void keyOpensThePageAndEscapeGoesBack()
    {
        run("Session page");
        open();
        QVERIFY(page().searchField()->hasFocus());
        QTest::keyClick(&page(), Qt::Key_Escape);
        QVERIFY(isInFront<SessionPageController>());
        open();
        QTest::keyClicks(page().searchField(), "gap seconds");
        QTest::keyClick(&page(), Qt::Key_Escape); // clears the search first
        QVERIFY(page().searchField()->text().isEmpty() && page().isVisible());
        picture("settings");
    }

    void searchShowsOnlyMatchingRows()
    {
        open();
        QTest::keyClicks(page().searchField(), "color blind");
        QVERIFY(page().row("look/color_blind")->isVisible());
        QVERIFY(!page().row("look/theme")->isVisible() && !page().row("ssh/options")->isVisible());
        page().searchField()->clear();
        QTest::keyClicks(page().searchField(), "timeline/gap_steps"); // the key as in the file
        QVERIFY(page().row("timeline/gap_steps")->isVisible());
        QVERIFY(!page().row("timeline/gap_seconds")->isVisible());
        QTest::keyClicks(page().searchField(), "xylophone");
        QVERIFY(!page().row("timeline/gap_steps")->isVisible());
        picture("settings-none");
    }

    void changesApplyImmediatelyAndAreSaved()
    {
        const test::LoopWatchdog::Collector slow; // Qt restyles every widget
        open();
        SettingRow& theme = row("look/theme");
        QTest::keyClick(theme.control(), Qt::Key_End);
        QVERIFY(m_window->look().theme().isDark);
        QVERIFY(theme.isMarked() && test::part<QToolButton>(theme, "reset").isVisible());
        QTest::mouseClick(row("look/color_blind").control(), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(m_window->look().theme().isColorBlind);
        write("look/font_scale", "120");
        QCOMPARE(m_settings->fontScale(), 1.2);
        write("timeline/gap_seconds", "30");
        QCOMPARE(m_settings->gapRule().least.ns, int64_t(30'000'000'000));
        write("open/memory_percent", "50");
        QCOMPARE(m_settings->value("open/memory_percent").toInt(), 50);
        QTest::mouseClick(row("run/notifies").control(), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(!part<RunPage>().end()->options().notifies);
        picture("settings-dark");
        const QSettings file(test::settingsFile(*m_folder), QSettings::IniFormat);
        QCOMPARE(file.value("look/theme").toString(), QString("dark"));
        QCOMPARE(file.value("timeline/gap_seconds").toDouble(), 30.0);
        QTest::mouseClick(&test::part<QToolButton>(theme, "reset"), Qt::LeftButton);
        QVERIFY(!m_window->look().theme().isDark && !theme.isMarked());
        run("Larger text"); // changed elsewhere: the page follows
        QCOMPARE(field("look/font_scale").text(), QString("130"));
    }

    void invalidValuesAreRefused()
    {
        open();
        write("timeline/gap_seconds", "5");
        QVERIFY2(row("timeline/gap_seconds").refusal().contains("from 10 to"),
                 qPrintable(row("timeline/gap_seconds").refusal()));
        QCOMPARE(m_settings->gapRule().least.ns, int64_t(60'000'000'000));
        QCOMPARE(field("timeline/gap_seconds").text(), QString("5")); // the typed text is not removed
        write("open/memory_percent", "much");
        QVERIFY(!row("open/memory_percent").refusal().isEmpty());
        write("cache/folder", "relative");
        QVERIFY(row("cache/folder").refusal().contains("absolute path"));
        write("cache/folder", QString::fromStdString(m_folder->write("file", "").string()));
        QVERIFY(row("cache/folder").refusal().contains("not a folder"));
        write("nsys/folders", "/no/such/folder");
        QVERIFY(row("nsys/folders").refusal().contains("/no/such/folder"));
        write("ssh/options", "-o 'Compression=yes");
        QVERIFY(!row("ssh/options").refusal().isEmpty());
        write("ssh/options", "Compression=yes");
        QVERIFY(row("ssh/options").refusal().contains("start with -"));
        picture("settings-refused");
        write("ssh/options", "-o Compression=yes");
        QVERIFY(row("ssh/options").refusal().isEmpty());
        QCOMPARE(m_settings->value("ssh/options").toString(), QString("-o Compression=yes"));
        write("ssh/options", ""); // an empty field is the default
        QVERIFY(!m_settings->isChanged("ssh/options"));
    }

    // The options that ssh receives.
    void optionsReachSsh()
    {
        const std::string said = (m_folder->path() / "said").string();
        const auto ssh = m_folder->write("ssh.sh", "#!/bin/sh\necho \"$@\" >> " + said + "\nexit 255\n");
        std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
        m_settings->set("ssh/options", "-o Compression=yes");
        makeWindow({.runOptions = [ssh]() -> Result<RunOptions> {
            RunOptions options;
            options.agent = LOCKSTEP_TRY(findAgentProgram());
            options.ssh.program = ssh.string();
            return options;
        }});
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        SessionPage& session = test::page<SessionPageController>(*m_window).page();
        session.startFromTemplate("torchrun");
        const auto ask = [&](const char* words) {
            std::filesystem::remove(said);
            emit session.hostCheckRequested();
            QTRY_VERIFY(std::filesystem::exists(said) && m_window->isSettled());
            QVERIFY2(test::contentOf(said).find(words) != std::string::npos, test::contentOf(said).c_str());
        };
        ask("-o Compression=yes");
        open();
        write("ssh/options", "-o ServerAliveInterval=7");
        ask("-o ServerAliveInterval=7");
        QVERIFY(test::contentOf(said).find("Compression") == std::string::npos);
    }

    void nsysIsFoundInTheConfiguredFolder()
    {
        const auto nsys =
            m_folder->write("tools/nsys", "#!/bin/sh\necho NVIDIA Nsight Systems version 2099.1.1.7-1\n");
        std::filesystem::permissions(nsys, std::filesystem::perms::owner_all);
        open();
        write("nsys/folders", QString::fromStdString(nsys.parent_path().string()));
        QTRY_VERIFY(rowTexts("nsys/folders").contains("Found: 2099.1.1"));
        qputenv("LOCKSTEP_NSYS_FOLDERS", QByteArray::fromStdString(nsys.parent_path().string()));
        QCOMPARE(defaultConversionFolders().programFolders.front(), nsys.parent_path());
        qunsetenv("LOCKSTEP_NSYS_FOLDERS");
    }

    void everythingIsReset()
    {
        const test::LoopWatchdog::Collector slow;
        m_settings->remember("open/recent", QStringList("/a"));
        open();
        QVERIFY(!page().resetAllButton()->isEnabled());
        QTest::keyClick(row("look/theme").control(), Qt::Key_End);
        write("cache/limit_gib", "3");
        write("timeline/gap_steps", "-1"); // invalid
        QVERIFY(row("cache/limit_gib").isMarked());
        KeyMap keys = m_window->keys().keys();
        keys.bind("zoomIn", {QKeySequence("J")});
        m_window->keys().setKeys(keys);
        QTest::mouseClick(page().resetAllButton(), Qt::LeftButton);
        QVERIFY(!m_window->look().theme().isDark);
        QVERIFY(!m_window->keys().keys().hasOwn());
        QVERIFY(row("timeline/gap_steps").refusal().isEmpty());
        for (const Setting& setting : settingTable()) {
            if (setting.kind != Setting::Kind::remembered)
                QVERIFY2(!m_settings->isChanged(setting.name()), qPrintable(setting.name()));
        }
        QCOMPARE(m_settings->value("open/recent").toStringList().size(), qsizetype(1));
        QTest::mouseClick(&test::part<QToolButton>(row("open/recent"), "reset"), Qt::LeftButton);
        QVERIFY(m_settings->value("open/recent").toStringList().isEmpty());
    }

    void sqlQueriesAreStoredUntilTheyAreCleared()
    {
        emit part<SqlPanel>().historyChanged(R"([{"query":"SELECT 1"}])");
        emit part<SqlPanel>().savedChanged(R"([{"name":"one","query":"SELECT 1"}])");
        startAgain();
        const auto entry = [&](const QToolButton* button, int index) {
            emit button->menu()->aboutToShow();
            return button->menu()->actions().at(index);
        };
        const SqlPanel& panel = part<SqlPanel>();
        QCOMPARE(entry(&test::part<QToolButton>(panel, "history"), 0)->text(), QString("SELECT 1"));
        QCOMPARE(entry(&test::part<QToolButton>(panel, "saved"), 2)->text(), QString("one"));
        open();
        QTest::mouseClick(&test::part<QToolButton>(row("sql/history"), "reset"), Qt::LeftButton);
        QTest::mouseClick(&test::part<QToolButton>(row("sql/saved"), "reset"), Qt::LeftButton);
        QVERIFY(!m_settings->isChanged("sql/history") && !m_settings->isChanged("sql/saved"));
        QVERIFY(!entry(&test::part<QToolButton>(panel, "history"), 0)->isEnabled());
        QVERIFY(!entry(&test::part<QToolButton>(panel, "saved"), 2)->isEnabled());
    }

    void paletteFindsEverySetting()
    {
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QLineEdit* const field = part<TopStrip>().searchField();
        QTest::keyClicks(field, "Minimum gap in steps");
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(page().isVisible());
        QTRY_VERIFY(page().row("timeline/gap_steps")->isAncestorOf(QApplication::focusWidget()));
    }

    void invalidAndUnknownValuesAreReported()
    {
        m_window.reset();
        m_settings.reset();
        {
            QSettings file(test::settingsFile(*m_folder), QSettings::IniFormat);
            file.setValue("look/theme", "purple");
            file.setValue("open/memory_percent", 400);
            file.setValue("future/thing", 1);
        }
        startAgain();
        const QString told = part<NoticeBar>().text();
        QVERIFY2(told.contains("look/theme=purple") && told.contains("Using system"), qPrintable(told));
        QVERIFY2(told.contains("open/memory_percent=400") && told.contains("Using 70"), qPrintable(told));
        QVERIFY2(told.contains("future/thing"), qPrintable(told));
        QCOMPARE(m_settings->value("open/memory_percent").toInt(), 70);
        QSignalSpy spy(&part<NoticeBar>(), &NoticeBar::helpRequested);
        for (QToolButton* const button : part<NoticeBar>().findChildren<QToolButton*>()) {
            if (button->text() == "Help") QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(spy.size(), 1);
        QCOMPARE(spy.front().front().toString(), QString("settings#Settings file"));
        QVERIFY(part<NoticeBar>().isVisible()); // still readable
    }

    void damagedFileIsReportedAndPreserved()
    {
        m_window.reset();
        m_settings.reset();
        m_folder->write("window.ini", "[look\ntheme=dark\nno sense here\n\x01\x02");
        startAgain();
        const QString told = part<NoticeBar>().text();
        QVERIFY2(told.contains("is corrupt") && told.contains("window.ini.damaged"), qPrintable(told));
        QVERIFY(QFile::exists(test::settingsFile(*m_folder) + ".damaged"));
    }

    void unwritableFileIsReported()
    {
        m_window.reset();
        m_folder->write("blocked", ""); // a file in place of the folder: even root cannot write there
        const auto file = m_folder->path() / "blocked" / "window.ini";
        m_settings = std::make_unique<Settings>(QString::fromStdString(file.string()));
        makeWindow();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QVERIFY(part<NoticeBar>().text().contains("Cannot write"));
        open();
        write("timeline/gap_seconds", "30");
        QVERIFY(page().trouble().contains("Cannot write"));
        QCOMPARE(m_settings->gapRule().least.ns, int64_t(30'000'000'000)); // it applies in this window
        picture("settings-trouble");
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
    SettingsPage& page() const { return part<SettingsPage>(); }
    SettingRow& row(const QString& key) const { return *page().row(key); }
    QString rowTexts(const QString& key) const
    {
        QStringList texts;
        for (const QLabel* const label : row(key).findChildren<QLabel*>())
            texts << label->text();
        return texts.join('\n');
    }
    QLineEdit& field(const QString& key) const { return test::part<QLineEdit>(row(key)); }
    void open()
    {
        QTest::keyClick(m_window.get(), Qt::Key_Comma, Qt::ControlModifier);
        QVERIFY(isInFront<SettingsPageController>());
    }
    void write(const QString& key, const QString& text)
    {
        QLineEdit& edit = field(key);
        edit.setFocus();
        edit.selectAll();
        text.isEmpty() ? edit.clear() : QTest::keyClicks(&edit, text);
        QTest::keyClick(&edit, Qt::Key_Return);
    }
};

LOCKSTEP_TEST(SettingsWindowTest, "settings_window_test")
#include "settings_window_test.moc"
