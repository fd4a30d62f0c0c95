// SPDX-License-Identifier: Apache-2.0
// What the timeline is told by keys: one table of names, words and first keys. TimelineKeys says which of
// them a pressed key means once a person gave them other keys. A value; UI thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <QKeyCombination>
#include <QString>

namespace lockstep {

class KeyMap;

struct TimelineCommandSpec {
    const char* name; // of settings
    const char* text; // for people; to be translated by timelineCommandText()
    // Separated by spaces; the first is the one that the view itself knows it by.
    const char* keys;
    bool isFixed = false;
};

std::span<const TimelineCommandSpec> timelineCommands();
QString timelineCommandText(const char* text);

class TimelineKeys {
  public:
    // As the table has them.
    TimelineKeys() = default;
    explicit TimelineKeys(const KeyMap& map);

    // The first key of the command that the pressed one runs; nullopt: of none. A sign that needs Shift on
    // this keyboard means what it means without, where nothing else is meant; a letter does not.
    std::optional<QKeyCombination> meant(QKeyCombination pressed) const;
    // What the command of that first key ("Ctrl+C") is run by now, for people; "" for nothing.
    QString shown(const char* firstKey) const;

  private:
    struct Line {
        QKeyCombination pressed, meant;
    };
    std::vector<Line> m_lines; // empty: as the table
};

} // namespace lockstep
