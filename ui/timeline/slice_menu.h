// SPDX-License-Identifier: Apache-2.0
// SliceMenu is the context menu of a slice: it shows the name and details of the slice, then the commands
// with their keys. The submenu for selecting by name shows the number of slices per scope once the slices are
// counted. CommandIds creates a menu per right click; the menu deletes itself. UI thread.
#pragma once

#include <map>

#include <QMenu>

#include "core/search/same_name.h"
#include "ui/timeline/timeline_key_map.h"

namespace lockstep {

class SliceMenu : public QMenu {
    Q_OBJECT

  public:
    struct Content {
        QString name, facts; // name of the slice and one line of details
        bool isKernel = false;
        bool isCommunication = false;
        bool isPinned = false; // the lane of the slice is pinned
        size_t hiddenNames = 0;
        TimelineKeyMap keys = {}; // keys that are shown next to the commands
    };

    SliceMenu(const Content& content, QWidget* parent);

    // Shows the slice counts next to the scopes.
    void setCounts(const NameCounts& counts);
    QAction* actionOf(CommandId command) const { return m_actions.at(command); }

  signals:
    void chosen(CommandId command);

  private:
    void add(QMenu& menu, CommandId command, const Content& content);
    void addHeader(const Content& content);

    QString withKey(const QString& text, CommandId command) const;

    TimelineKeyMap m_keys;
    std::map<CommandId, QAction*> m_actions;
    QMenu* m_scopes;
};

} // namespace lockstep
