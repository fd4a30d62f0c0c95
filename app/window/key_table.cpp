// SPDX-License-Identifier: Apache-2.0
#include "app/window/key_table.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <QCoreApplication>

#include "ui/window/command_table.h"

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
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Zoom at the cursor")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Shift+wheel"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Pan in time")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Shift+drag, middle drag"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Pan in time and across lanes")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Wheel"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Scroll lanes")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Drag"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable",
                               "On lanes: select time and lanes; on the ruler: select time only")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Ctrl+drag, Ctrl+click"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Add another area or slice to the selection")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Alt+drag, Ctrl+drag on a header"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable",
                               "Shift the lane's reports along the time axis; Esc cancels")),
        line(timeline, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Right click"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Context menu of the slice or lane")),
        line(tables, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Double click"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Zoom to the longest instance")),
        line(tables, QT_TRANSLATE_NOOP("lockstep::KeyTable", "Right click on the header"),
             QT_TRANSLATE_NOOP("lockstep::KeyTable", "Choose columns, show the filter row")),
    };
}

// Returns the nine commands to which the command belongs, for example those that save a view; empty if it is
// not one of nine.
std::span<const CommandSpec> familyOf(const QString& command)
{
    const auto specs = commandSpecs();
    const auto own =
        std::ranges::find_if(specs, [&](const CommandSpec& spec) { return command == spec.name; });
    if (own == specs.end() || own->number == 0) return {};
    return specs.subspan(static_cast<size_t>(own - specs.begin() - (own->number - 1)), 9);
}

bool hasDefaultKeys(const KeyMap& keys, std::span<const CommandSpec> commands)
{
    return std::ranges::all_of(
        commands, [&](const CommandSpec& spec) { return keys.keysOf(spec.name) == keysFromText(spec.keys); });
}

// Adds the line of a command. Nine commands that differ by a number share a line while they have their
// default keys.
void addLine(std::vector<SheetLine>& lines, const KeyMap& keys, const KeyCommand& command)
{
    const auto family = familyOf(command.name);
    if (family.empty() || !hasDefaultKeys(keys, family)) {
        const QString shown = keys.shownKeys(command.name);
        if (!shown.isEmpty()) lines.push_back({command.group, shown, command.text});
    } else if (command.name == family.front().name) {
        const QString shown = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "%1 to %2"))
                                  .arg(keys.shownKey(command.name), keys.shownKey(family.back().name));
        lines.push_back(
            {command.group, shown, command.text + QString::fromUtf8("\u2013%1").arg(family.size())});
    }
}

} // namespace

KeyMap makeKeyTable()
{
    std::vector<KeyCommand> commands;
    const QString timeline = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Timeline"));
    const auto add = [&](const CommandSpec& spec, const QString& group) {
        commands.push_back({spec.name, group, commandTitle(spec.id).remove(QChar(0x2026)), spec.keys,
                            spec.scope, spec.isFixed});
    };
    const auto isOfTimeline = [](const CommandSpec& spec) {
        return spec.scope == KeyScope::timeline || *spec.menu == '\0';
    };
    for (const CommandSpec& spec : commandSpecs()) {
        if (isOfTimeline(spec)) add(spec, timeline);
    }
    // Qt provides these keys in every table. They are listed, but cannot be assigned to commands for tables.
    const QString tables = keyWords(QT_TRANSLATE_NOOP("lockstep::KeyTable", "Tables"));
    const std::array<std::array<const char*, 3>, 3> ofTables{
        {{"copyCells",
          QT_TRANSLATE_NOOP("lockstep::KeyTable", "Copy cells as tab-separated text with header"), "Ctrl+C"},
         {"walkRows",
          QT_TRANSLATE_NOOP("lockstep::KeyTable", "Show each row's longest instance in the timeline"),
          "Up Down"},
         {"zoomToRow", QT_TRANSLATE_NOOP("lockstep::KeyTable", "Zoom to the longest instance"),
          "Return Enter"}}};
    for (const auto& [name, text, keys] : ofTables)
        commands.push_back({name, tables, keyWords(text), keys, KeyScope::tables, true});
    for (const char* const menu : commandMenus()) {
        for (const CommandSpec& spec : commandSpecs()) {
            if (!isOfTimeline(spec) && std::string_view(spec.menu) == menu) add(spec, menuTitle(menu));
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
        addLine(lines, keys, command);
    }
    return lines;
}

} // namespace lockstep
