// SPDX-License-Identifier: Apache-2.0
#include "app/key_table.h"

#include <array>

#include <QCoreApplication>

#include "app/actions.h"
#include "ui/timeline/timeline_command.h"

namespace lockstep {

namespace {

constexpr std::array kPresetKeys{
    PresetKeys{KeyPreset::perfetto, "previousSlice", ", Ctrl+Left"},
    PresetKeys{KeyPreset::perfetto, "nextSlice", ". Ctrl+Right"},
    PresetKeys{KeyPreset::perfetto, "runCommand", "Ctrl+Shift+P >"},
    PresetKeys{KeyPreset::nsight, "zoomIn", "W + = Ctrl+Up"},
    PresetKeys{KeyPreset::nsight, "zoomOut", "S - Ctrl+Down"},
    PresetKeys{KeyPreset::nsight, "fitSelection", "Shift+Z F"},
    PresetKeys{KeyPreset::nsight, "fitAll", "Ctrl+0 0"},
    PresetKeys{KeyPreset::nsight, "textReset", ""},
};

QString keyWords(const char* text)
{
    return QCoreApplication::translate("lockstep::KeyTable", text);
}

// Returns the mouse gestures, and the keys that work in all tables but are not commands.
std::vector<SheetLine> gestures(const QString& timeline)
{
    const QString tables = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Tables"));
    const auto line = [](const QString& group, const char* keys, const char* text) {
        return SheetLine{group, keyWords(keys), keyWords(text)};
    };
    return {
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Ctrl+wheel"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "zoom at the cursor")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Shift+wheel"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "pan in time")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Shift+drag, middle drag"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "pan in time and across lanes")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "wheel"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "scroll lanes")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "drag"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable",
                               "on lanes: select time and lanes; on the ruler: select time only")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Ctrl+drag, Ctrl+click"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "add another area or slice to the selection")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Alt+drag, Ctrl+drag on a header"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable",
                               "shift the lane's reports along the time axis; Esc cancels")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "right click"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "context menu of the slice or lane")),
        line(tables, QT_TRANSLATE_NOOP("lockstep::KeyTable", "double click"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "zoom to the longest instance")),
        line(tables, QT_TRANSLATE_NOOP("lockstep::KeyTable", "right click on the header"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "choose columns, show the filter row")),
    };
}

KeyPlace placeOf(ActionId id)
{
    using enum ActionId;
    if (id == saveSession || id == saveSessionAs) return KeyPlace::sessionPage;
    if (id == saveWorkspace || id == saveWorkspaceAs) return KeyPlace::otherPages;
    return KeyPlace::everywhere;
}

} // namespace

KeyMap makeKeyTable()
{
    std::vector<KeyCommand> commands;
    const QString timeline = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Timeline"));
    for (const TimelineCommandSpec& spec : timelineCommands())
        commands.push_back({spec.name, timeline, timelineCommandText(spec.text), spec.keys,
                            KeyPlace::timeline, spec.isFixed});
    // Qt provides these keys in every table. They are listed, but cannot be assigned to commands for tables.
    const QString tables = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Tables"));
    const std::array<std::array<const char*, 3>, 3> ofTables{
        {{"copyCells",
          QT_TRANSLATE_NOOP("lockstep::KeyTable", "copy cells as tab-separated text with header"), "Ctrl+C"},
         {"walkRows",
          QT_TRANSLATE_NOOP("lockstep::KeyTable", "show each row's longest instance in the timeline"),
          "Up Down"},
         {"zoomToRow", QT_TRANSLATE_NOOP("lockstep::KeyTable", "zoom to the longest instance"),
          "Return Enter"}}};
    for (const auto& [name, text, keys] : ofTables)
        commands.push_back({name, tables, keyWords(text), keys, KeyPlace::tables, true});
    for (const char* const menu : actionMenus()) {
        for (const ActionSpec& spec : actionSpecs()) {
            if (spec.isTimelineKey || std::string_view(spec.menu) != menu) continue;
            commands.push_back({spec.name, ActionTable::tr(spec.menu),
                                ActionTable::tr(spec.text).remove(QChar(0x2026)), spec.keys, placeOf(spec.id),
                                false});
        }
    }
    return KeyMap(std::move(commands), kPresetKeys);
}

QString presetName(KeyPreset preset)
{
    switch (preset) {
    case KeyPreset::perfetto:
        return keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Perfetto"));
    case KeyPreset::nsight:
        return keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Nsight Systems"));
    default:
        return keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Lockstep"));
    }
}

std::vector<SheetLine> keySheet(const KeyMap& keys)
{
    std::vector<SheetLine> lines;
    const QString timeline = keys.commands().front().group;
    const auto others = gestures(timeline);
    const auto addGestures = [&](bool ofTimeline) {
        for (const SheetLine& line : others) {
            if ((line.group == timeline) == ofTimeline) lines.push_back(line);
        }
    };
    for (const KeyCommand& command : keys.commands()) {
        if (command.group != timeline && lines.back().group == timeline) {
            addGestures(true);
            addGestures(false);
        }
        QString shown = keys.shownKeys(command.name);
        if (command.isFixed && keys.keysOf(command.name).size() == 9) {
            const QList<QKeySequence> all = keys.keysOf(command.name);
            shown = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "%1 to %2"))
                        .arg(all.front().toString(QKeySequence::NativeText),
                             all.back().toString(QKeySequence::NativeText));
        }
        if (!shown.isEmpty()) lines.push_back({command.group, shown, command.text});
    }
    return lines;
}

} // namespace lockstep
