// SPDX-License-Identifier: Apache-2.0
// SelectionTotals computes the number of slices in the selection, the sum of their durations and the length
// of their union, for the status line. The totals are recomputed off the UI thread whenever the selection
// changes, regardless of which panels are visible. UI thread.
#pragma once

#include <optional>

#include <QObject>
#include <QTimer>

#include "core/analysis/area_aggregate.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class ViewState;

class SelectionTotals : public QObject {
    Q_OBJECT

  public:
    // Follows `view`, which must outlive this object.
    SelectionTotals(const ViewState& view, Workers workers, QObject* parent = nullptr);

    void setScene(ScenePtr scene);
    // Returns the totals of the selection; nullopt while they are being computed or if nothing is selected.
    const std::optional<AreaAggregate>& totals() const { return m_totals; }
    bool isBusy() const { return m_soon.isActive() || m_job.isRunning(); }
    // Returns "40 ms · 3 lanes · 1,422 slices · sum 45 ms · union 38.42 ms, 96.1 %", omitting values that are
    // not known yet.
    QString text() const;

  signals:
    void changed();

  private:
    void outdate();
    void count();

    const ViewState& m_view;
    ScenePtr m_scene = std::make_shared<const Scene>();
    std::optional<AreaAggregate> m_totals;
    QTimer m_soon;
    LatestJob<AreaAggregate> m_job;
};

} // namespace lockstep
