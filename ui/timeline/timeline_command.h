// SPDX-License-Identifier: Apache-2.0
// The keyboard commands of the timeline: one table with the names, descriptions and default keys.
// TimelineKeys maps a pressed key to its command, and takes into account which keys the user changed. Value
// type; UI thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <QKeyCombination>
#include <QString>

namespace lockstep {

class KeyMap;

struct TimelineCommandSpec {
    const char* name; // name in the settings
    const char* text; // text for the user, to be translated by timelineCommandText()
    // Default keys, separated by spaces. The view identifies the command by the first one.
    const char* keys;
    bool isFixed = false;
};

std::span<const TimelineCommandSpec> timelineCommands();
QString timelineCommandText(const char* text);

class TimelineKeys {
  public:
    // Creates a mapping with the default keys of the table.
    TimelineKeys() = default;
    explicit TimelineKeys(const KeyMap& map);

    // Returns the first default key of the command that the pressed key runs, or nullopt. If no command uses
    // a pressed symbol together with Shift, Shift is ignored, because typing the symbol may need Shift on
    // this keyboard. Shift is never ignored for letters.
    std::optional<QKeyCombination> meant(QKeyCombination pressed) const;
    // Returns the current key, in native form, of the command with this first default key ("Ctrl+C"); "" for
    // none.
    QString shown(const char* firstKey) const;

  private:
    struct Line {
        QKeyCombination pressed, meant;
    };
    std::vector<Line> m_lines; // if empty, the default keys apply
};

} // namespace lockstep
