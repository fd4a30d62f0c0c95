// SPDX-License-Identifier: Apache-2.0
// CommandPalette lists everything that can be run by name, with its shortcut: the command table, the entries
// of submenus (themes, panels, recent files), all analyses and all settings. UI thread.
#pragma once

#include <functional>

#include <QObject>

#include "app/window/window_parts.h"

class QAction;
class QMenu;

namespace lockstep {

class CommandPalette : public QObject {
    Q_OBJECT

  public:
    struct Entry {
        QString text; // unique
        QString keys; // current shortcut
        std::function<void()> run;
        QString description = {};
    };

    // `parts` outlives the palette.
    CommandPalette(const WindowParts& parts, QObject* parent);

    // Returns the current entries. The entries change when menus or shortcuts change.
    std::vector<Entry> entries() const;
    // Offers the entries in the strip's search field, those that were run last first.
    void offer();
    // Runs the entry with this text. Shows a notice if there is no such entry or the command is not available
    // now.
    void run(const QString& text);

  private:
    void addCommands(std::vector<Entry>& entries) const;
    void addSubmenus(std::vector<Entry>& entries, QMenu& menu, const QString& before) const;
    void remember(const QString& text);
    // text: name for the message that the action is disabled; empty: the action's own text
    std::function<void()> actionRun(QAction& action, const QString& text = {}) const;
    void addAnalyses(std::vector<Entry>& entries) const;
    void addSettings(std::vector<Entry>& entries) const;

    WindowParts m_parts;
};

} // namespace lockstep
