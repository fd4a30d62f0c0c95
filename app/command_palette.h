// SPDX-License-Identifier: Apache-2.0
// CommandPalette: all that can be told to the window, by words: every entry of its menus, themes and panels
// among them, what the timeline knows by keys alone, and every analysis; each with its key. UI thread.
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
        QString text; // no two are the same
        QString keys; // as they are pressed now
        std::function<void()> run;
    };

    // parts outlive it.
    CommandPalette(const WindowParts& parts, QObject* parent);

    // As things stand now: menus and keys change. keys: of the timeline.
    std::vector<Entry> entries() const;
    // Offers them in the strip.
    void offer();
    // Says so where there is none of that text, or it cannot be done now.
    void run(const QString& text);

  private:
    void addMenu(std::vector<Entry>& entries, QMenu& menu, const QString& before) const;
    void addTimeline(std::vector<Entry>& entries) const;
    void addAnalyses(std::vector<Entry>& entries) const;
    void addSettings(std::vector<Entry>& entries) const;

    WindowParts m_parts;
};

} // namespace lockstep
