// SPDX-License-Identifier: Apache-2.0
// DeltaLane draws the strip between the panes of a comparison: how much later or earlier slices begin in B
// than in A, and which slices exist on one side only. More than kFewPairs pairs are aggregated off the UI
// thread; until then the previous strip stays on screen, dimmed. UI thread.
#pragma once

#include <memory>

#include <QWidget>

#include "core/compare/compared_sides.h"
#include "ui/async/latest_job.h"
#include "ui/compare/delta_painter.h"

namespace lockstep {

class DeltaLane : public QWidget {
    Q_OBJECT

  public:
    static constexpr size_t kFewPairs = 200'000; // up to this many pairs are aggregated on the UI thread

    explicit DeltaLane(Workers workers, QWidget* parent = nullptr);

    // null if there is no comparison.
    void setHalves(std::shared_ptr<const ComparedSides> halves);
    void setLook(const ComparisonLook& look);
    // visible: on A's axis. right: width of the lanes' scroll bar, in pixels.
    void showRange(TimeRange visible, int right);
    const DifferenceStrip& strip() const { return m_strip; }
    bool isBusy() const { return m_job.isRunning(); }
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void layOut();
    void paintLegend(QPainter& painter, const QRect& area) const;

    std::shared_ptr<const ComparedSides> m_halves;
    ComparisonLook m_look;
    TimeRange m_visible, m_shown; // requested range, and the range that m_strip shows
    int m_right = 0;
    DifferenceStrip m_strip;
    LatestJob<DifferenceStrip> m_job;
};

} // namespace lockstep
