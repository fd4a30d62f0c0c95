// SPDX-License-Identifier: Apache-2.0
// Tests the key map: presets without conflicts, user-defined keys, how they are saved, and the meaning of a
// pressed key in the timeline.
#include <rapidcheck.h>

#include <QtTest>

#include "app/key_table.h"
#include "tests/support/test_registry.h"
#include "ui/timeline/slice_command.h"
#include "ui/timeline/timeline_command.h"

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
        // compareStep has no key: the window's own command opens a dialog.
        for (const SliceCommandSpec& spec : sliceCommands()) {
            const bool isShown = !TimelineKeys(keys).shown(spec.keys).isEmpty();
            QVERIFY2(isShown != (spec.command == SliceCommand::compareStep), spec.keys);
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

    void timelineKeysMeanTheirCommand()
    {
        KeyMap map = makeKeyTable();
        map.bind("zoomIn", {QKeySequence("I"), QKeySequence("S")});
        map.bind("zoomOut", {});
        const TimelineKeys keys(map);
        const auto is = [&](QKeyCombination pressed, Qt::Key meant) {
            return keys.meant(pressed) == QKeyCombination(meant);
        };
        QVERIFY(is(Qt::Key_I, Qt::Key_W) && is(Qt::Key_S, Qt::Key_W));
        QVERIFY(!keys.meant(Qt::Key_W));
        QVERIFY(!keys.meant(Qt::SHIFT | Qt::Key_I));             // a letter with Shift is another key
        QVERIFY(is(Qt::SHIFT | Qt::Key_Period, Qt::Key_Period)); // where "." needs Shift
        QVERIFY(keys.meant(Qt::SHIFT | Qt::Key_M) == (Qt::SHIFT | Qt::Key_M));
        QVERIFY(is(QKeyCombination(Qt::KeypadModifier, Qt::Key_Enter), Qt::Key_Return));
        QVERIFY(is(Qt::Key_4, Qt::Key_4) && is(Qt::Key_Escape, Qt::Key_Escape));
        QCOMPARE(keys.shown("W"), QString("I"));
        QCOMPARE(keys.shown("S"), QString());
    }
};

LOCKSTEP_TEST(KeyMapTest, "key_map_test")
#include "key_map_test.moc"
