#include "ui/async/load_queue.h"

#include <algorithm>

#include "core/base/text.h"
#include "ui/async/ui_log.h"

namespace lockstep {

namespace {

// Readers use all cores themselves; more files at once hide their single-threaded parts.
constexpr int kLoadsAtOnce = 4;

std::string bytesText(uint64_t bytes)
{
    return byteText(static_cast<int64_t>(bytes));
}

void noteOutcome(const std::filesystem::path& path, const Result<OpenedFile>& outcome)
{
    if (!outcome) {
        qCWarning(uiLog, "not opened: %s: %s", path.c_str(), outcome.error().message.c_str());
        return;
    }
    for (const OpenedReport& opened : outcome->reports) {
        const Report& report = *opened.report;
        qCInfo(uiLog, "opened %s: %s, %zu slices, %zu kinds of notes", path.c_str(),
               report.provenance.kind.c_str(), report.slices.size(), report.notes.all().size());
    }
}

} // namespace

LoadQueue::LoadQueue(LoadJob::Open open, std::function<uint64_t()> taken_bytes, QObject* parent)
    : QObject(parent), m_open(std::move(open)), m_taken_bytes(std::move(taken_bytes))
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
    if (m_waiting.empty() || m_jobs >= kLoadsAtOnce) return;
    uint64_t taken_bytes = m_taken_bytes();
    for (const auto& [key, running] : m_running)
        taken_bytes += running.memory_bytes;
    std::vector<Held> tooLarge;
    while (!m_waiting.empty() && m_jobs < kLoadsAtOnce) {
        const Item item = m_waiting.front();
        m_waiting.pop_front();
        if (m_limit_bytes > 0 && !item.isForced && taken_bytes + item.memory_bytes > m_limit_bytes) {
            tooLarge.push_back({item.key, whyHeld(item, taken_bytes)});
            continue;
        }
        taken_bytes += item.memory_bytes;
        start(item);
    }
    if (!tooLarge.empty()) emit held(tooLarge);
}

void LoadQueue::start(const Item& item)
{
    auto* const job = new LoadJob(item.path, this);
    m_running[item.key] = {job, item.memory_bytes};
    ++m_jobs;
    connect(job, &LoadJob::finished, this, [this, job, key = item.key](const Result<OpenedFile>& outcome) {
        job->deleteLater();
        --m_jobs;
        const auto running = m_running.find(key);
        noteOutcome(job->path(), outcome);
        const bool isWanted = running != m_running.end() && running->second.job == job;
        if (isWanted) {
            m_running.erase(running);
            emit finished(key, outcome); // first: what it takes counts for the next
        }
        startNext();
        if (m_running.empty()) m_poll.stop();
    });
    job->start(m_pool, m_open);
    if (!m_poll.isActive()) m_poll.start();
}

Error LoadQueue::whyHeld(const Item& item, uint64_t taken_bytes) const
{
    return {ErrorKind::io, item.path.string() + ": not loaded: about " + bytesText(item.memory_bytes) +
                               " on top of " + bytesText(taken_bytes) + " would pass the memory limit of " +
                               bytesText(m_limit_bytes) +
                               "; close reports or raise the limit, or load it anyway"};
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
