// SPDX-License-Identifier: Apache-2.0
// SelectionTotals: how many slices the selected areas and picks hold, their sum and union, for the status
// line: counted off the UI thread whenever what is selected changes, whichever panels are seen. UI thread.
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
    // Follows the view, which outlives it.
    SelectionTotals(const ViewState& view, Workers workers, QObject* parent = nullptr);

    void setScene(ScenePtr scene);
    // Of what is selected now; empty while it is counted, and where no area and no pick is.
    const std::optional<AreaAggregate>& totals() const { return m_totals; }
    bool isBusy() const { return m_soon.isActive() || m_job.isRunning(); }
    // "40 ms · 3 lanes · 1 422 slices · sum 45 ms · union 38.42 ms, 96.1 %"; as much as is known.
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
