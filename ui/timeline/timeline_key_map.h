// SPDX-License-Identifier: Apache-2.0
// TimelineKeyMap maps a pressed key to the timeline's command, with the keys of the user's KeyMap. Value
// type; UI thread.
#pragma once

#include <optional>
#include <vector>

#include <QKeyCombination>
#include <QString>

#include "ui/window/command_table.h"

namespace lockstep {

class TimelineKeyMap {
  public:
    // Uses the default keys of the command table.
    TimelineKeyMap();
    explicit TimelineKeyMap(const KeyMap& map);

    // Returns the command of the pressed key. If no command uses a pressed symbol together with Shift, Shift
    // is ignored, because typing the symbol may need Shift on this keyboard. Shift is never ignored for
    // letters.
    std::optional<CommandId> commandOf(QKeyCombination pressed) const;
    // Returns the first key of the command for display ("Ctrl+C"); "" for none.
    QString shown(CommandId command) const;

  private:
    struct Line {
        QKeyCombination pressed;
        CommandId command;
    };
    std::vector<Line> m_lines;
};

} // namespace lockstep
