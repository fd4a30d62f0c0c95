// SPDX-License-Identifier: Apache-2.0
// GoToController moves the timeline to the place that a string specifies (from the Go to line, --goto or a
// pasted link), and creates links to the current view. Strings are resolved off the UI thread; a newer string
// supersedes an older one. Owned by the timeline. UI thread.
#pragma once

#include <QObject>

#include "app/cli/go_to.h"
#include "app/window/window_parts.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class PromptLine;
class TimelineView;

class GoToController : public QObject {
    Q_OBJECT

  public:
    GoToController(TimelineView& timeline, const WindowParts& parts);

    // Goes to the place once `text` is resolved. Reports errors in the notice bar.
    void goTo(const QString& text);
    // Shows a time of the aligned axis at the current zoom.
    void showPosition(TraceTime aligned);
    // Returns the link to the visible range and the selection.
    QString link() const;
    bool isBusy() const { return m_job.isRunning(); }

  private:
    void resolve(const QString& text);
    void take(const Result<ResolvedPlace>& place);
    void show(const ResolvedPlace& place);

    TimelineView& m_timeline;
    WindowParts m_parts;
    PromptLine* m_line;
    bool m_goesWhenResolved = false;                 // true: go to the place once it is resolved
    bool m_zoomsIn = false;                          // true: zoom in on the place as well
    bool m_isFromLine = false;                       // true: show errors in the Go to line
    std::optional<Result<ResolvedPlace>> m_resolved; // result for the current text
    LatestJob<ResolvedPlace> m_job;
};

} // namespace lockstep
