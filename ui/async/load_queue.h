// SPDX-License-Identifier: Apache-2.0
// LoadQueue opens files in the requested order, a few at a time, and only those that fit into the memory
// budget. Files opened at the same time share the workers. Owned by the part that opens files; lives on the
// UI thread.
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
        ReportKey key; // assigned by the owner
        std::filesystem::path path;
        uint64_t memory_bytes = 0; // estimated memory
        bool isForced = false;     // opened even if it exceeds the memory limit
    };
    struct Held {
        ReportKey key;
        Error why;
    };

    // `memory` must outlive the queue. Open reports hold their own leases on that memory.
    LoadQueue(LoadJob::Open open, MemoryBudget& memory, Workers workers, QObject* parent = nullptr);
    // Cancels the running jobs and blocks until they have stopped.
    ~LoadQueue() override;

    void add(const std::vector<Item>& items);
    // Cancel one file or all; finished() is not emitted for them.
    void cancel(ReportKey key);
    void cancelAll();
    bool isEmpty() const { return m_waiting.empty() && m_running.empty(); }
    // Returns true if nothing is queued and no job, not even a canceled one, is still running.
    bool isIdle() const { return m_waiting.empty() && m_jobs == 0; }
    // Returns the progress of a file that is being opened, 0..1; nullopt if unknown.
    std::optional<double> fraction(ReportKey key) const;

  signals:
    void progressed(); // at most 20 times per second
    void finished(ReportKey key, const Result<OpenedFile>& outcome);
    void held(const std::vector<LoadQueue::Held>& items);

  private:
    struct Running {
        LoadJob* job = nullptr;
        MemoryBudget::Lease memory;
    };

    void startNext();
    void start(const Item& item, MemoryBudget::Reservation room);

    LoadJob::Open m_open;
    MemoryBudget& m_memory;
    Workers m_workers;
    std::deque<Item> m_waiting;
    std::map<ReportKey, Running> m_running;
    int m_jobs = 0;
    QTimer m_poll;
    // Last member, because its destructor blocks until the work ends, before the other members are destroyed.
    QThreadPool m_pool;
};

} // namespace lockstep
