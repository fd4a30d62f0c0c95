// SPDX-License-Identifier: Apache-2.0
// LaneSetsController manages named lane layouts: hidden and pinned lanes, grouping and order. The user saves
// and applies layouts from the button above the lane headers, the "View" menu and the command palette. The
// WorkDocument holds them. Owned by the timeline. UI thread.
#pragma once

#include <QObject>

#include "app/window/window_parts.h"
#include "ui/models/work.h"

class QMenu;

namespace lockstep {

class PromptLine;
class TimelineView;

class LaneSetsController : public QObject {
    Q_OBJECT

  public:
    LaneSetsController(TimelineView& timeline, const WindowParts& parts);

    // Saves the current lanes under this name, replacing a layout with the same name.
    void store(const QString& name);
    void recall(const QString& name);
    void remove(const QString& name);

  private:
    void fillMenu(QMenu& menu);
    void promptForName();
    void reportRecalled();
    const LaneSets& sets() const;

    TimelineView& m_timeline;
    WindowParts m_parts;
    PromptLine* m_line;
    std::optional<LaneSet> m_recalled; // layout that was applied but not reported to the user yet
};

} // namespace lockstep
