// SPDX-License-Identifier: Apache-2.0
// HoverTool follows the mouse over the lanes: the time under the cursor and the card that describes the item
// under the mouse. All times are aligned. UI thread.
#pragma once

#include <QObject>
#include <QPoint>
#include <QStringList>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class HoverTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    explicit HoverTool(TimelineContext& context); // must outlive the tool

    // Returns what is under the mouse, or was when the mouse left the lanes.
    const Hit& hit() const { return m_hit; }
    // Returns the report under the mouse, or an invalid key.
    ReportKey report() const;
    // Returns the lines that the card shows for the hit; the first is the title.
    QStringList linesFor(const Hit& hit) const;
    // Adds lines of text, which the window provides, to the card while the mouse is over this slice.
    void setText(SliceRef slice, const QString& arguments);
    // Returns the lines of the card; empty while the card is hidden.
    QStringList lines() const;

    void hover(const QMouseEvent& event) override;
    void leave() override;

  signals:
    void sliceHovered(SliceRef slice, TraceTime aligned); // invalid if there is no slice

  private:
    QString distanceText(SliceRef slice) const;

    TimelineContext& m_context;
    TimelineState& m_state;
    SliceRef m_slice;
    Hit m_hit;
    QPoint m_at;
    QString m_text;
};

} // namespace lockstep
