// LoadQueue: the files that wait to be opened and those being opened: a few at a time, in the order they were
// asked for, and none that would fill the memory beyond its limit. Owned by whoever opens files, lives on the
// UI thread.
#pragma once

#include <deque>
#include <map>

#include <QThreadPool>
#include <QTimer>

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

    // taken_bytes tells what open reports take at the moment.
    LoadQueue(LoadJob::Open open, std::function<uint64_t()> taken_bytes, QObject* parent = nullptr);
    // Asks the running ones to stop and waits until they have.
    ~LoadQueue() override;

    // 0 = no limit. Counts for what is begun from now on.
    void setMemoryLimit(uint64_t limit_bytes) { m_limit_bytes = limit_bytes; }
    uint64_t memoryLimit_bytes() const { return m_limit_bytes; }

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
        uint64_t memory_bytes = 0;
    };

    void startNext();
    void start(const Item& item);
    Error whyHeld(const Item& item, uint64_t taken_bytes) const;

    LoadJob::Open m_open;
    std::function<uint64_t()> m_taken_bytes;
    uint64_t m_limit_bytes = 0;
    std::deque<Item> m_waiting;
    std::map<ReportKey, Running> m_running;
    int m_jobs = 0;
    QTimer m_poll;
    QThreadPool m_pool; // last: joins its work before the rest goes
};

} // namespace lockstep
