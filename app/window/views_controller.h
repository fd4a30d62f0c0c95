// SPDX-License-Identifier: Apache-2.0
// ViewsController manages nine saved views of a workspace: visible range, selection, lanes and scroll
// position. Ctrl plus a digit saves a view, the digit alone recalls it. Views are listed in the "View" menu.
// The WorkDocument holds them. Owned by the timeline. UI thread.
#pragma once

#include <QObject>

#include "app/window/window_parts.h"
#include "ui/models/work.h"

class QMenu;

namespace lockstep {

class TimelineView;

class ViewsController : public QObject {
    Q_OBJECT

  public:
    ViewsController(TimelineView& timeline, const WindowParts& parts);

    void store(int key); // 1 to 9
    void recall(int key);
    // Returns the start and length of a saved view, such as "1.204 s, 38 ms long", or an empty string.
    QString nameOf(int key) const;

  private:
    void fillMenu(QMenu& menu);
    QString howToStore(int key) const;

    TimelineView& m_timeline;
    WindowParts m_parts;
};

} // namespace lockstep
