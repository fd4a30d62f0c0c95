// SPDX-License-Identifier: Apache-2.0
// EventModel shows an EventList as table rows. Rows are created on demand and discarded soon after. Arrival
// skews are computed in the background and shown once they are available. UI thread.
#pragma once

#include <map>
#include <unordered_map>

#include <QAbstractTableModel>
#include <QTimer>

#include "ui/async/latest_job.h"
#include "ui/events/event_columns.h"

namespace lockstep {

class EventModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit EventModel(QObject* parent = nullptr);

    // Sets the list; nullptr empties the model.
    void setList(std::shared_ptr<const EventList> list);
    const std::shared_ptr<const EventList>& list() const { return m_list; }
    // Sets the rows on screen. If a column needs the arrival skew, a worker computes it for these rows after
    // a short delay.
    void setVisible(int first, int end, const std::vector<EventColumn>& columns);
    bool isComputing() const { return m_soon.isActive() || m_job.isRunning(); }

    // Returns the slice of an existing row.
    SliceRef sliceAt(int row) const;
    const EventFacts& factsAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    void computeSkews();
    void applySkews(const Result<ArrivalSkews>& outcome);
    const ArrivalSkew* skewAt(int row) const;

    std::shared_ptr<const EventList> m_list;
    mutable std::map<int, std::vector<SliceRef>> m_pages; // keyed by page number; holds only a few pages
    mutable std::unordered_map<int, EventFacts> m_facts;  // data of the rows on screen, keyed by row
    ArrivalSkews m_skews;
    std::vector<SliceRef> m_pending; // rows whose skew is to be computed
    QTimer m_soon;
    LatestJob<ArrivalSkews> m_job;
};

} // namespace lockstep
