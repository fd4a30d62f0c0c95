// SPDX-License-Identifier: Apache-2.0
// GoToController: goes where a text says: the line over the ruler, --goto, a link that was pasted; and makes
// the link to the place that is seen. Texts are understood off the UI thread, the newest counts. Owned by the
// timeline. UI thread.
#pragma once

#include <QObject>

#include "app/go_to.h"
#include "app/window_parts.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class AskedLine;
class TimelineView;

class GoToController : public QObject {
    Q_OBJECT

  public:
    GoToController(TimelineView& timeline, const WindowParts& parts);

    // Goes there as soon as it is understood; what cannot be is told in the notice bar.
    void goTo(const QString& text);
    // The link to what is seen and selected.
    QString link() const;
    bool isBusy() const { return m_job.isRunning(); }

  private:
    void understand(const QString& text);
    void take(const Result<GoToPlace>& place);
    void show(const GoToPlace& place);

    TimelineView& m_timeline;
    WindowParts m_parts;
    AskedLine* m_line;
    bool m_isWanted = false;                       // go there once it is understood
    bool m_isOfLine = false;                       // errors belong into the line
    std::optional<Result<GoToPlace>> m_understood; // of the line's text
    LatestJob<GoToPlace> m_job;
};

} // namespace lockstep
