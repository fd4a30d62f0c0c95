// SPDX-License-Identifier: Apache-2.0
// Tests the key map: presets without conflicts, user-defined keys, how they are saved, and the meaning of a
// pressed key in the timeline.
#include <rapidcheck.h>

#include <QtTest>

#include "app/window/key_table.h"
#include "tests/support/test_registry.h"
#include "ui/timeline/timeline_key_map.h"

using namespace lockstep;

class KeyMapTest : public QObject {
    Q_OBJECT

  private slots:
    void noPresetHasAKeyTwice()
    {
        KeyMap keys = makeKeyTable();
        for (int i = 0; i < static_cast<int>(KeyPreset::count); ++i) {
            keys.setPreset(static_cast<KeyPreset>(i));
            QCOMPARE(keys.clashes(), QStringList());
        }
    }

    void everyNameAndKeyIsValid()
    {
        const KeyMap keys = makeKeyTable();
        QStringList names;
        for (const KeyCommand& command : keys.commands()) {
            int bad = 0;
            keysFromText(command.keys, &bad);
            QVERIFY2(bad == 0, qPrintable(command.name));
            QVERIFY2(!names.contains(command.name), qPrintable(command.name));
            names << command.name;
        }
    }

    // One row for each command: a title, a unique name, and no key twice in a preset (noPresetHasAKeyTwice).
    void everyCommandHasATitle()
    {
        QStringList titles;
        for (const CommandSpec& spec : commandSpecs()) {
            const QString title = commandTitle(spec.id);
            QVERIFY2(!title.isEmpty() && !title.contains('%'), spec.name);
            QVERIFY2(!titles.contains(title), qPrintable(title));
            titles << title;
            const bool hasPlace = *spec.menu != '\0' || *spec.keys != '\0' || spec.slice != SliceGroup::none;
            QVERIFY2(hasPlace, spec.name); // otherwise only the palette would have it
        }
    }

    // The keys of other tools, as listed in spec/peers.md.
    void presetsMatchTheirTools()
    {
        KeyMap keys = makeKeyTable();
        keys.setPreset(KeyPreset::perfetto);
        const std::pair<const char*, const char*> perfetto[] = {{"zoomIn", "W"},
                                                                {"zoomOut", "S"},
                                                                {"earlier", "A"},
                                                                {"later", "D"},
                                                                {"fitSelection", "F"},
                                                                {"setMark", "M"},
                                                                {"previousSlice", ","},
                                                                {"nextSlice", "."},
                                                                {"toCause", "["},
                                                                {"toEffect", "]"},
                                                                {"find", "Ctrl+F"},
                                                                {"runCommand", ">"},
                                                                {"runCommand", "Ctrl+Shift+P"},
                                                                {"findLane", "Ctrl+P"},
                                                                {"pinLane", "P"},
                                                                {"foldPanels", "Q"},
                                                                {"showReports", "Ctrl+B"}};
        for (const auto& [name, key] : perfetto)
            QVERIFY2(keys.keysOf(name).contains(QKeySequence(key)), name);
        keys.setPreset(KeyPreset::nsight);
        const std::pair<const char*, const char*> nsight[] = {
            {"zoomIn", "+"},      {"zoomOut", "-"},          {"fitSelection", "Shift+Z"},
            {"fitAll", "Ctrl+0"}, {"undoZoom", "Backspace"}, {"find", "Ctrl+F"}};
        for (const auto& [name, key] : nsight)
            QVERIFY2(keys.keysOf(name).contains(QKeySequence(key)), name);
    }

    void sheetHasEachGroupOnce()
    {
        QStringList groups;
        for (const SheetLine& line : keySheet(makeKeyTable())) {
            if (!groups.isEmpty() && groups.back() == line.group) continue;
            QVERIFY2(!groups.contains(line.group), qPrintable(line.group));
            groups << line.group;
        }
        QVERIFY(groups.contains("Tables") && groups.contains("File"));
    }

    void conflictingKeysAreReported()
    {
        const KeyMap keys = makeKeyTable();
        QCOMPARE(keys.conflicts("zoomIn", QKeySequence("Ctrl+O")), QStringList{"openFiles"});
        QCOMPARE(keys.conflicts("zoomIn", QKeySequence("W")), QStringList());
        // These pages are never in front at the same time.
        QCOMPARE(keys.conflicts("saveSession", QKeySequence("Ctrl+S")), QStringList());
        QCOMPARE(keys.conflicts("saveSession", QKeySequence("W")), QStringList());
    }

    void keysAreRestoredFromSettings()
    {
        QVERIFY(rc::check("restore(saved()) is the same", [] {
            const QStringList some{"W", "Ctrl+Alt+J", ",", "Ctrl++", "F9", "Shift+Space", "PgUp"};
            KeyMap keys = makeKeyTable();
            for (const auto& [command, key] : *rc::gen::container<std::vector<std::pair<size_t, qsizetype>>>(
                     rc::gen::pair(rc::gen::inRange<size_t>(0, keys.commands().size()),
                                   rc::gen::inRange<qsizetype>(-1, some.size())))) {
                const KeyCommand& of = keys.commands()[command];
                QList<QKeySequence> given;
                if (key >= 0) given << QKeySequence(some[key]) << QKeySequence("Meta+F2");
                RC_ASSERT(keys.bind(of.name, given) == !of.isFixed);
                RC_ASSERT(of.isFixed || keys.keysOf(of.name) == given);
            }
            KeyMap again = makeKeyTable();
            RC_ASSERT(again.restore(keys.saved()).isEmpty());
            RC_ASSERT(again == keys);
        }));
    }

    void damagedSettingsAreReported()
    {
        KeyMap keys = makeKeyTable();
        const QStringList bad{"noSuchCommand=F2", "zoomIn", "zoomOut=Ctrl+NoKey", "letGo=F2"};
        QCOMPARE(keys.restore(bad + QStringList{"pinLane=F2"}), bad);
        QCOMPARE(keys.shownKey("pinLane"), QString("F2"));
        QCOMPARE(keys.shownKey("zoomIn"), QString("W"));
    }

    void pressedKeysRunTheirCommand()
    {
        using enum CommandId;
        KeyMap map = makeKeyTable();
        map.bind("zoomIn", {QKeySequence("L"), QKeySequence("S")});
        map.bind("zoomOut", {});
        const TimelineKeyMap keys(map);
        QVERIFY(keys.commandOf(Qt::Key_L) == zoomIn && keys.commandOf(Qt::Key_S) == zoomIn);
        QVERIFY(!keys.commandOf(Qt::Key_W));
        QVERIFY(!keys.commandOf(Qt::SHIFT | Qt::Key_L)); // a letter with Shift is another key
        QVERIFY(keys.commandOf(Qt::SHIFT | Qt::Key_Period) == nextSlice); // where "." needs Shift
        QVERIFY(keys.commandOf(Qt::SHIFT | Qt::Key_M) == writeNote);
        QVERIFY(keys.commandOf(QKeyCombination(Qt::KeypadModifier, Qt::Key_Enter)) == toggleLane);
        QVERIFY(keys.commandOf(Qt::Key_4) == recallView4 && keys.commandOf(Qt::Key_Escape) == cancel);
        QCOMPARE(keys.shown(zoomIn), QString("L"));
        QCOMPARE(keys.shown(zoomOut), QString());
        QVERIFY(TimelineKeyMap().commandOf(Qt::Key_W) == zoomIn);
    }

    void sheetJoinsTheSavedViews()
    {
        const auto linesOf = [](const KeyMap& keys) {
            QStringList lines;
            for (const SheetLine& line : keySheet(keys)) {
                if (line.text.startsWith("Save view")) lines << line.keys + ": " + line.text;
            }
            return lines;
        };
        KeyMap keys = makeKeyTable();
        QCOMPARE(linesOf(keys), QStringList{QString::fromUtf8("Ctrl+1 to Ctrl+9: Save view 1\u20139")});
        QVERIFY(keys.bind("storeView3", {QKeySequence("F9")}));
        QCOMPARE(linesOf(keys).size(), 9);
        QCOMPARE(linesOf(keys)[2], QString("F9: Save view 3"));
    }
};

LOCKSTEP_TEST(KeyMapTest, "key_map_test")
#include "key_map_test.moc"
