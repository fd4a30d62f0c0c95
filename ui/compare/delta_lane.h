// SPDX-License-Identifier: Apache-2.0
// DeltaLane: the strip between the halves of a comparison: how much later or earlier slices begin in B, and
// which are in one half only. Many pairs are summed up off the UI thread; until then the last strip stays,
// faded. UI thread.
#pragma once

#include <memory>

#include <QWidget>

#include "core/timeline/compared_halves.h"
#include "ui/async/latest_job.h"
#include "ui/compare/delta_painter.h"

namespace lockstep {

class DeltaLane : public QWidget {
    Q_OBJECT

  public:
    static constexpr size_t kFewPairs = 200'000; // are summed up at once

    explicit DeltaLane(Workers workers, QWidget* parent = nullptr);

    // null: nothing is compared.
    void setHalves(std::shared_ptr<const ComparedHalves> halves);
    void setLook(const ComparisonLook& look);
    // Of A's axis; right: pixels of this widget that the lanes' scroll bar takes.
    void showRange(TimeRange visible, int right);
    const DeltaStrip& strip() const { return m_strip; }
    bool isBusy() const { return m_job.isRunning(); }
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void layOut();
    void paintLegend(QPainter& painter, const QRect& area) const;

    std::shared_ptr<const ComparedHalves> m_halves;
    ComparisonLook m_look;
    TimeRange m_visible, m_shown; // wanted, and that the strip is of
    int m_right = 0;
    DeltaStrip m_strip;
    LatestJob<DeltaStrip> m_job;
};

} // namespace lockstep
