// SPDX-License-Identifier: Apache-2.0
// EventModel: an EventList as rows of a table. Rows are made while they are looked at and forgotten soon
// after; what only the reports' files know of them is read in the background and comes in later. UI thread.
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

    // nullptr empties the model.
    void setList(std::shared_ptr<const EventList> list);
    const std::shared_ptr<const EventList>& list() const { return m_list; }
    // The rows on screen; what has to be read from files of them is, once they have stood a moment, where one
    // of the columns shows it.
    void setVisible(int first, int end, const std::vector<EventColumn>& columns);
    bool isReading() const { return m_soon.isActive() || m_job.isRunning(); }

    // Of a row that is there.
    SliceRef sliceAt(int row) const;
    const EventFacts& factsAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  signals:
    // A file of rows on screen could not be read; "" where all could.
    void filesRead(const QString& failure);

  private:
    void readFiles();
    void takeFiles(const Result<FileFactsFound>& outcome);
    const FileFacts* fileFactsAt(int row) const;

    std::shared_ptr<const EventList> m_list;
    mutable std::map<int, std::vector<SliceRef>> m_pages; // by number, few
    mutable std::unordered_map<int, EventFacts> m_facts;  // of rows on screen, by row
    FileFactsOf m_fileFacts;
    std::vector<SliceRef> m_wanted; // to be read from files
    QTimer m_soon;
    LatestJob<FileFactsFound> m_job;
};

} // namespace lockstep
