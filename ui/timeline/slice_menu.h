// SPDX-License-Identifier: Apache-2.0
// SliceMenu: what can be done with a slice, under its name and facts, each with its key; the submenu of
// scopes says how many slices each takes once that was counted. Made by SliceCommands for one right click; it
// deletes itself. UI thread.
#pragma once

#include <map>

#include <QMenu>

#include "core/timeline/same_name.h"
#include "ui/timeline/slice_command.h"
#include "ui/timeline/timeline_command.h"

namespace lockstep {

class SliceMenu : public QMenu {
    Q_OBJECT

  public:
    struct Words {
        QString name, facts; // of the slice
        bool isKernel = false;
        bool isCommunication = false;
        bool isPinned = false; // its lane
        size_t hiddenNames = 0;
        TimelineKeys keys = {}; // beside the commands
    };

    SliceMenu(const Words& words, QWidget* parent);

    // Beside the scopes; until then they say nothing.
    void setCounts(const NameCounts& counts);
    QAction* actionOf(SliceCommand command) const { return m_actions.at(command); }
    QMenu* scopes() const { return m_scopes; }

  signals:
    void chosen(SliceCommand command);

  private:
    QAction* add(QMenu& menu, SliceCommand command, const QString& text = {});
    void addHead(const Words& words);

    QString withKey(const QString& words, SliceCommand command) const;

    TimelineKeys m_keys;
    std::map<SliceCommand, QAction*> m_actions;
    QMenu* m_scopes;
};

} // namespace lockstep
