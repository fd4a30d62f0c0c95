// SPDX-License-Identifier: Apache-2.0
#include "ui/async/load_queue.h"

#include <algorithm>

#include "ui/async/ui_log.h"

namespace lockstep {

namespace {

// Readers use all cores; opening several files at once makes use of the cores during single-threaded phases.
constexpr int kLoadsAtOnce = 4;

void noteOutcome(const std::filesystem::path& path, const Result<OpenedFile>& outcome)
{
    if (!outcome) {
        qCWarning(uiLog, "cannot open %s: %s", path.c_str(), outcome.error().message.c_str());
        return;
    }
    for (const OpenedReport& opened : outcome->reports) {
        const Report& report = *opened.report;
        qCInfo(uiLog, "opened %s: %s, %zu slices, %zu kinds of import notes", path.c_str(),
               report.provenance.kind.c_str(), report.slices.size(), report.notes.all().size());
    }
}

} // namespace

LoadQueue::LoadQueue(LoadJob::Open open, MemoryBudget& memory, Workers workers, QObject* parent)
    : QObject(parent), m_open(std::move(open)), m_memory(memory), m_workers(std::move(workers))
{
    m_pool.setMaxThreadCount(kLoadsAtOnce);
    m_poll.setInterval(50);
    connect(&m_poll, &QTimer::timeout, this, &LoadQueue::progressed);
}

LoadQueue::~LoadQueue()
{
    for (const auto& [key, running] : m_running)
        running.job->cancel();
}

void LoadQueue::add(const std::vector<Item>& items)
{
    m_waiting.insert(m_waiting.end(), items.begin(), items.end());
    startNext();
}

void LoadQueue::startNext()
{
    std::vector<Held> tooLarge;
    while (!m_waiting.empty() && m_jobs < kLoadsAtOnce) {
        const Item item = m_waiting.front();
        m_waiting.pop_front();
        if (item.isForced) {
            start(item, {m_memory.force(item.memory_bytes), {}});
        } else if (auto room = m_memory.room(item.memory_bytes, item.path.string())) {
            start(item, *std::move(room));
        } else {
            tooLarge.push_back({item.key, room.error()});
        }
    }
    if (!tooLarge.empty()) emit held(tooLarge);
}

void LoadQueue::start(const Item& item, MemoryBudget::Reservation room)
{
    auto* const job = new LoadJob(item.path, this);
    m_running[item.key] = {job, std::move(room.memory)};
    ++m_jobs;
    connect(job, &LoadJob::finished, this, [this, job, key = item.key](const Result<OpenedFile>& outcome) {
        job->deleteLater();
        --m_jobs;
        const auto running = m_running.find(key);
        noteOutcome(job->path(), outcome);
        const bool isCurrent = running != m_running.end() && running->second.job == job;
        if (isCurrent) {
            m_running.erase(running);
            emit finished(key, outcome);
        }
        startNext();
        if (m_running.empty()) m_poll.stop();
    });
    job->start(m_pool, m_workers, m_open, std::move(room.place));
    if (!m_poll.isActive()) m_poll.start();
}

void LoadQueue::cancel(ReportKey key)
{
    std::erase_if(m_waiting, [key](const Item& item) { return item.key == key; });
    const auto running = m_running.find(key);
    if (running == m_running.end()) return;
    running->second.job->cancel();
    m_running.erase(running);
}

void LoadQueue::cancelAll()
{
    m_waiting.clear();
    for (const auto& [key, running] : m_running)
        running.job->cancel();
    m_running.clear();
}

std::optional<double> LoadQueue::fraction(ReportKey key) const
{
    const auto running = m_running.find(key);
    return running == m_running.end() ? std::nullopt : running->second.job->fraction();
}

} // namespace lockstep
