// SPDX-License-Identifier: Apache-2.0
// Tests key presses in the whole window: presets, keys assigned in the dialog, and conflicts reported before
// they take effect. Menus and the shortcut sheet show the same keys, and the next window keeps them.
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QtTest>

#include "app/window/settings_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/analysis/analysis.h"
#include "tests/support/loop_watchdog.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/panels/command_delegate.h"
#include "ui/panels/key_press_edit.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/top_strip.h"
#include "ui/settings/key_editor.h"
#include "ui/settings/settings_page.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/panel.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class KeysWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init() { showReport(); }

    void assignedKeyWorksAndIsSaved()
    {
        KeyEditor& editor = openEditor();
        editor.choose("zoomIn");
        pressIn(editor, Qt::Key_L);
        QVERIFY(editor.verdict()->text().isEmpty());
        QTest::mouseClick(&test::part<QPushButton>(editor, "replace"), Qt::LeftButton);
        leaveSettings();
        QVERIFY(zooms(Qt::Key_L));
        QVERIFY(!zooms(Qt::Key_W));
        showReport(); // another one, with the same settings
        QVERIFY(zooms(Qt::Key_L) && !zooms(Qt::Key_W));
    }

    void conflictingKeyIsReportedAndReassigned()
    {
        KeyEditor& editor = openEditor();
        editor.choose("zoomIn");
        pressIn(editor, Qt::Key_S);
        QVERIFY2(editor.verdict()->text().contains("Zoom out"), qPrintable(editor.verdict()->text()));
        QVERIFY(zooms(Qt::Key_W)); // nothing has changed yet
        QTest::mouseClick(editor.addButton(), Qt::LeftButton);
        QCOMPARE(editor.keys().shownKeys("zoomOut"), QString());
        QVERIFY(zooms(Qt::Key_S) && zooms(Qt::Key_W));
        pressIn(editor, Qt::Key_Escape); // is fixed
        QVERIFY(!editor.addButton()->isEnabled() && !test::part<QPushButton>(editor, "replace").isEnabled());
    }

    // A letter with Shift is a separate key: it does not run the letter's command if it has another command.
    void shiftedLetterIsASeparateKey()
    {
        KeyMap keys = m_window->keys().keys();
        keys.bind("showHiddenNames", {QKeySequence("F8")});
        m_window->keys().setKeys(keys);
        const TimelineKeyMap now(keys);
        QVERIFY(!now.commandOf(QKeyCombination(Qt::ShiftModifier, Qt::Key_H)));
        QVERIFY(now.commandOf(QKeyCombination(Qt::Key_F8)) == CommandId::showHiddenNames);
        QVERIFY(now.commandOf(QKeyCombination(Qt::Key_H)) == CommandId::hideName);
        // A character that needs Shift on this keyboard stands for the character itself.
        QVERIFY(now.commandOf(QKeyCombination(Qt::ShiftModifier, Qt::Key_BracketLeft)) == CommandId::toCause);
        QVERIFY(!zooms(Qt::Key_W, Qt::ShiftModifier));
    }

    void fixedKeysAreReported()
    {
        KeyEditor& editor = openEditor();
        for (const char* const name : {"letGo", "copyCells", "walkRows", "zoomToRow"}) {
            editor.choose(name);
            QVERIFY2(editor.verdict()->text().contains("fixed"), name);
            QVERIFY(!editor.addButton()->isEnabled() &&
                    !test::part<QPushButton>(editor, "replace").isEnabled());
            QVERIFY(!editor.keys().shownKeys(name).isEmpty());
        }
        // Keys used in tables do not conflict with the same keys in the timeline.
        QCOMPARE(m_window->keys().keys().conflicts("foldLane", QKeySequence("Up")), QStringList{"laneAbove"});
    }

    void presetChangesMenusAndKeys()
    {
        QVERIFY(!zooms(Qt::Key_Plus));
        KeyEditor& editor = openEditor();
        QTest::keyClick(editor.preset(), Qt::Key_End);
        QCOMPARE(m_window->keys().keys().preset(), KeyPreset::nsight);
        QVERIFY(zooms(Qt::Key_Plus));
        QCOMPARE(part<QAction>("Zoom to selection").text(), QString("Zoom to selection\tShift+Z"));
        QVERIFY(part<QAction>("Normal text").shortcuts().isEmpty());
    }

    void savedViewsGetOtherKeys()
    {
        KeyMap keys = m_window->keys().keys();
        QVERIFY(keys.bind("storeView2", {QKeySequence("F9")}) &&
                keys.bind("recallView2", {QKeySequence("F10")}));
        m_window->keys().setKeys(keys);
        TimelineView& view = part<TimelineView>();
        view.navigation().setReducedMotion(true);
        view.navigation().fitAll();
        const TimeRange whole = view.viewState().visible();
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_F9);
        QTest::keyClick(&view, Qt::Key_W);
        QVERIFY(view.viewState().visible() != whole);
        QTest::keyClick(&view, Qt::Key_2); // no longer a key of the view
        QVERIFY(view.viewState().visible() != whole);
        QTest::keyClick(&view, Qt::Key_F10);
        QCOMPARE(view.viewState().visible().length().ns, whole.length().ns);
    }

    void windowCommandGetsAnotherKey()
    {
        KeyMap keys = m_window->keys().keys();
        keys.bind("shortcuts", {QKeySequence("F7")});
        m_window->keys().setKeys(keys);
        QTest::keyClick(m_window.get(), Qt::Key_Question);
        QVERIFY(sheet() == nullptr);
        QTest::keyClick(m_window.get(), Qt::Key_F7);
        QTRY_VERIFY(sheet() != nullptr);
        QStringList texts;
        for (const QLabel* const label : sheet()->findChildren<QLabel*>())
            texts << label->text();
        QVERIFY(texts.contains("F7") && !texts.contains("?"));
        QCOMPARE(texts.count("TIMELINE"), 1);
        // No column is cut off; rows that do not fit are reached by scrolling.
        const QScrollArea& scroll = test::part<QScrollArea>(*sheet());
        QTRY_VERIFY(scroll.verticalScrollBar()->isVisible());
        QCOMPARE(scroll.horizontalScrollBar()->maximum(), 0);
        QVERIFY(sheet()->width() <= m_window->screen()->availableSize().width());
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        sheet()->grab().save(folder + "/key_sheet.png");
        KeyEditor& editor = openEditor();
        editor.choose("zoomIn");
        pressIn(editor, Qt::Key_S);
        editor.grab().save(folder + "/key_editor.png");
    }

    void damagedKeysAreReported()
    {
        m_settings->setKeys(KeyPreset::lockstep, {"gone=F3", "pinLane=F4"});
        showReport();
        QVERIFY(part<NoticeBar>().isVisible());
        QStringList texts;
        for (const QLabel* const label : part<NoticeBar>().findChildren<QLabel*>())
            texts << label->text();
        QVERIFY2(texts.join(' ').contains("gone=F3"), qPrintable(texts.join(' ')));
        QCOMPARE(m_window->keys().keys().shownKey("pinLane"), QString("F4"));
    }

    void unknownPresetAndConflictsAreReported()
    {
        m_window.reset();
        m_settings.reset();
        {
            QSettings file(test::settingsFile(*m_folder), QSettings::IniFormat);
            file.setValue("keys/preset", "emacs");
            file.setValue("keys/own", QStringList{"zoomIn=Ctrl+O"});
        }
        makeWindow();
        const QString defects = m_window->keys().defects();
        QVERIFY2(defects.contains("keys/preset") && defects.contains("Ctrl+O: Zoom in"), qPrintable(defects));
        QVERIFY(part<NoticeBar>().isVisible());
        QCOMPARE(m_window->keys().keys().preset(), KeyPreset::lockstep);
    }

    void paletteListsEveryCommandWithItsKey()
    {
        const auto offered = [&](const QString& text) -> std::optional<QString> {
            const QAbstractItemModel& model = *part<TopStrip>().completer()->model();
            for (int row = 0; row < model.rowCount(); ++row) {
                if (model.index(row, 0).data().toString() == text)
                    return model.index(row, 0).data(CommandDelegate::kKeysRole).toString();
            }
            return std::nullopt;
        };
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        for (const CommandSpec& spec : commandSpecs())
            QVERIFY2(offered(commandTitle(spec.id)) || spec.isFixed, spec.title);
        for (const Analysis& analysis : analyses()) {
            const auto word = [](std::string_view text) { return QString::fromStdString(std::string(text)); };
            QVERIFY(offered(QString("Analysis: %1 (%2)").arg(word(analysis.title), word(analysis.name))));
        }
        for (const Panel* const panel : m_window->findChildren<Panel*>())
            QVERIFY2(offered("Panels: " + panel->title()), qPrintable(panel->title()));
        QCOMPARE(offered("Zoom in at the cursor"), QString("W"));
        QCOMPARE(offered("Full screen"), QString("F11"));
        QCOMPARE(offered("Hide slices with this name"), QString("H"));
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        QTest::keyClicks(part<TopStrip>().searchField(), "time");
        QAbstractItemView* const list = part<TopStrip>().completer()->popup();
        QVERIFY(list->isVisible());
        if (!folder.isEmpty()) list->grab().save(folder + "/palette.png");
    }

    void paletteRunsTypedText()
    {
        const auto type = [&](const QString& words) {
            QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            QLineEdit* const field = part<TopStrip>().searchField();
            QTest::keyClicks(field, words);
            QTest::keyClick(field, Qt::Key_Return);
        };
        const test::LoopWatchdog::Collector slow; // Qt restyles every widget
        type("dark");
        QVERIFY(m_window->look().theme().isDark);
        type("theme: light");
        QVERIFY(!m_window->look().theme().isDark);
        TimelineView& view = part<TimelineView>();
        view.navigation().setReducedMotion(true);
        const TimeRange before = view.viewState().visible();
        type("zoom in");
        QVERIFY(view.viewState().visible().length() < before.length());
        QVERIFY(view.hasFocus());
        type("gpu_gaps");
        QCOMPARE(part<AnalysisPanel>().list()->current()->name, std::string_view("gpu_gaps"));
        QVERIFY(part<AnalysisPanel>().isVisible());
        type("no such thing at all");
        QCOMPARE(part<TopStrip>().searchField()->text(), QString(">no such thing at all"));
    }

    void paletteOffersRecentCommandsAndReturnsTheFocus()
    {
        QLineEdit* const field = part<TopStrip>().searchField();
        const QAbstractItemModel& offered = *part<TopStrip>().completer()->model();
        TimelineView& view = part<TimelineView>();
        view.navigation().setReducedMotion(true);
        const auto open = [&] {
            QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            QVERIFY(field->hasFocus());
        };
        for (const char* const typed : {"zoom out at", "clock alignment", "zoom in at"}) {
            view.setFocus();
            open();
            QTest::keyClicks(field, typed);
            QTest::keyClick(field, Qt::Key_Return);
            QVERIFY(field->text().isEmpty() && !field->hasFocus());
        }
        QVERIFY(view.hasFocus());
        open();
        QCOMPARE(offered.index(0, 0).data().toString(), QString("Zoom in at the cursor"));
        QCOMPARE(offered.index(1, 0).data().toString(), QString("Clock alignment"));
        QCOMPARE(offered.index(2, 0).data().toString(), QString("Zoom out at the cursor"));
        QTest::keyClicks(field, "zoom");
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(field->text().isEmpty() && view.hasFocus());
        showReport(); // another one, with the same settings
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(part<TopStrip>().completer()->model()->index(0, 0).data().toString(),
                 QString("Zoom in at the cursor"));
    }

    void savingKeysFollowThePage()
    {
        KeyMap keys = m_window->keys().keys();
        keys.bind("saveSession", {QKeySequence("F6")});
        m_window->keys().setKeys(keys);
        const auto shortcut = [&](const char* action) {
            return test::part<QAction>(*m_window, action).shortcut();
        };
        QCOMPARE(shortcut("Save workspace"), QKeySequence("Ctrl+S"));
        QVERIFY(shortcut("Save session").isEmpty());
        run("Session page");
        QTRY_COMPARE(shortcut("Save session"), QKeySequence("F6"));
        QVERIFY(shortcut("Save workspace").isEmpty());
    }

  private:
    // Shows a window with one report.
    void showReport()
    {
        makeWindow();
        openTraces(1);
    }

    // Navigates to the settings page as a person does; leaveSettings() leaves it.
    KeyEditor& openEditor()
    {
        QTest::keyClick(m_window.get(), Qt::Key_Comma, Qt::ControlModifier);
        KeyEditor& editor = part<KeyEditor>();
        if (!editor.isVisible()) qFatal("the table of keys is not shown");
        return editor;
    }

    void leaveSettings()
    {
        QTest::keyClick(&part<SettingsPage>(), Qt::Key_Escape);
        QVERIFY(isInFront<TimelinePageController>());
    }

    static void pressIn(KeyEditor& editor, Qt::Key key) { QTest::keyClick(editor.press(), key); }

    // Returns whether the key zooms in, and restores the view.
    bool zooms(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        TimelineView& view = part<TimelineView>();
        view.navigation().setReducedMotion(true);
        view.navigation().fitAll();
        const TimeRange before = view.viewState().visible();
        QTest::keyClick(&view, key, modifiers);
        const bool isZoomed = view.viewState().visible().length() < before.length();
        view.navigation().fitAll();
        return isZoomed;
    }

    QDialog* sheet() const
    {
        for (QDialog* const dialog : m_window->findChildren<QDialog*>()) {
            if (dialog->windowTitle() == "Keyboard shortcuts") return dialog;
        }
        return nullptr;
    }
};

LOCKSTEP_TEST(KeysWindowTest, "keys_window_test")
#include "keys_window_test.moc"
