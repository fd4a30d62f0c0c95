// SPDX-License-Identifier: Apache-2.0
// LoadQueue: the files that wait to be opened and those being opened: a few at a time, in the order they were
// asked for, and none that the memory budget has no room for. Files that are opened side by side share the
// workers. Owned by whoever opens files, lives on the UI thread.
#pragma once

#include <deque>
#include <map>

#include <QThreadPool>
#include <QTimer>

#include "core/base/memory_budget.h"
#include "ui/async/load_job.h"

namespace lockstep {

class LoadQueue : public QObject {
    Q_OBJECT

  public:
    struct Item {
        ReportKey key; // the owner's
        std::filesystem::path path;
        uint64_t memory_bytes = 0; // what it will take, about
        bool isForced = false;     // opened whatever the limit says
    };
    struct Held {
        ReportKey key;
        Error why;
    };

    // memory outlives the queue; what is open has its own lease of it.
    LoadQueue(LoadJob::Open open, MemoryBudget& memory, Workers workers, QObject* parent = nullptr);
    // Asks the running ones to stop and waits until they have.
    ~LoadQueue() override;

    void add(const std::vector<Item>& items);
    // finished() does not come for them any more.
    void cancel(ReportKey key);
    void cancelAll();
    bool isEmpty() const { return m_waiting.empty() && m_running.empty(); }
    // Also what is not in the list any more but still has to stop.
    bool isIdle() const { return m_waiting.empty() && m_jobs == 0; }
    // 0..1 of a file that is being opened; empty while unknown.
    std::optional<double> fraction(ReportKey key) const;

  signals:
    void progressed(); // at most 20 times a second
    void finished(ReportKey key, const Result<OpenedFile>& outcome);
    void held(const std::vector<LoadQueue::Held>& items);

  private:
    struct Running {
        LoadJob* job = nullptr;
        MemoryBudget::Lease memory;
    };

    void startNext();
    void start(const Item& item, MemoryBudget::Room room);

    LoadJob::Open m_open;
    MemoryBudget& m_memory;
    Workers m_workers;
    std::deque<Item> m_waiting;
    std::map<ReportKey, Running> m_running;
    int m_jobs = 0;
    QTimer m_poll;
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
