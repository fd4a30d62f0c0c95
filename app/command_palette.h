// SPDX-License-Identifier: Apache-2.0
// CommandPalette lists all commands of the window by name: all menu entries (including themes and panels),
// timeline commands that have only a key, all analyses and all settings, each with its shortcut. UI thread.
#pragma once

#include <functional>

#include <QObject>

#include "app/window_parts.h"

class QMenu;

namespace lockstep {

class CommandPalette : public QObject {
    Q_OBJECT

  public:
    struct Entry {
        QString text; // unique
        QString keys; // current shortcut
        std::function<void()> run;
    };

    // `parts` outlives the palette.
    CommandPalette(const WindowParts& parts, QObject* parent);

    // Returns the current entries. The entries change when menus or shortcuts change.
    std::vector<Entry> entries() const;
    // Offers the entries in the strip's search field.
    void offer();
    // Runs the entry with this text. Shows a notice if there is no such entry or the command is not available
    // now.
    void run(const QString& text);

  private:
    void addMenu(std::vector<Entry>& entries, QMenu& menu, const QString& before) const;
    void addTimeline(std::vector<Entry>& entries) const;
    void addAnalyses(std::vector<Entry>& entries) const;
    void addSettings(std::vector<Entry>& entries) const;

    WindowParts m_parts;
};

} // namespace lockstep
