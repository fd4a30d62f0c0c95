#include "app/workspace_controller.h"

#include <algorithm>

#include "core/readers/report_search.h"

namespace lockstep {

namespace {

// Readers use all cores themselves; more files at once hide their single-threaded parts.
constexpr int kLoadsAtOnce = 4;

std::filesystem::path normalPath(const std::filesystem::path& path)
{
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(path, failed);
    return (failed ? path : absolute).lexically_normal();
}

} // namespace

WorkspaceController::WorkspaceController(QObject* parent, LoadJob::Open open)
    : QObject(parent), m_open(std::move(open)), m_align([this](const Result<Alignment>& outcome) {
          if (!outcome) return;
          m_aligned = *outcome;
          for (size_t i = 0; i < m_alignedKeys.size(); ++i) {
              if (ReportEntry* const entry = find(m_alignedKeys[i])) entry->clock = m_aligned.maps[i];
          }
          emit entriesChanged();
          showAligned();
      })
{
    m_pool.setMaxThreadCount(kLoadsAtOnce);
    m_poll.setInterval(50);
    connect(&m_poll, &QTimer::timeout, this, &WorkspaceController::pollProgress);
}

WorkspaceController::~WorkspaceController()
{
    m_walkStop.request_stop();
    for (const auto& [key, job] : m_jobs)
        job->cancel();
}

void WorkspaceController::open(const std::vector<std::filesystem::path>& paths)
{
    std::vector<std::filesystem::path> folders;
    for (const auto& path : paths) {
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored)) {
            folders.push_back(path);
        } else {
            addFile(path);
        }
    }
    if (!folders.empty()) {
        ++m_walks;
        if (m_walkStop.stop_requested()) m_walkStop = std::stop_source();
        const auto walk = [folders, stop = m_walkStop.get_token()]() -> Result<FoundReports> {
            return guardedResult<FoundReports>([&] { return findReports(folders, Progress(stop)); });
        };
        QtConcurrent::run(&m_pool, walk).then(this, [this](const Result<FoundReports>& found) {
            takeFound(found);
        });
    }
    emit entriesChanged();
}

void WorkspaceController::takeFound(const Result<FoundReports>& found)
{
    --m_walks;
    if (found) {
        for (const auto& path : found->reports)
            addFile(path);
        m_skipped.insert(m_skipped.end(), found->passedOver.begin(), found->passedOver.end());
    }
    emit entriesChanged();
}

void WorkspaceController::addFile(const std::filesystem::path& path)
{
    const auto known = std::ranges::find(m_entries, normalPath(path), &ReportEntry::path);
    if (known != m_entries.end()) {
        if (known->state == ReportState::failed) retry(known->key);
        return;
    }
    ReportEntry entry;
    entry.key = m_nextKey++;
    entry.path = normalPath(path);
    m_entries.push_back(entry);
    startLoad(entry);
}

void WorkspaceController::startLoad(const ReportEntry& entry)
{
    auto* const job = new LoadJob(entry.path, this);
    m_jobs[entry.key] = job;
    connect(job, &LoadJob::finished, this,
            [this, key = entry.key](const Result<OpenedReport>& outcome) { takeLoaded(key, outcome); });
    job->start(m_pool, m_open);
    if (!m_poll.isActive()) m_poll.start();
}

void WorkspaceController::takeLoaded(int key, const Result<OpenedReport>& outcome)
{
    const auto job = m_jobs.find(key);
    if (job != m_jobs.end()) {
        job->second->deleteLater();
        m_jobs.erase(job);
    }
    if (m_jobs.empty()) m_poll.stop();
    ReportEntry* const entry = find(key);
    if (entry == nullptr) return; // canceled, and off the list already
    if (!outcome) {
        entry->state = ReportState::failed;
        entry->error = outcome.error();
        emit entriesChanged();
        return;
    }
    entry->state = ReportState::open;
    entry->report = outcome->report;
    m_lods[key] = outcome->lod;
    emit entriesChanged();
    alignAll();
}

void WorkspaceController::cancel(int key)
{
    const auto job = m_jobs.find(key);
    if (job == m_jobs.end()) return;
    job->second->cancel();
    removeEntry(key);
    emit entriesChanged();
}

void WorkspaceController::cancelAll()
{
    m_walkStop.request_stop();
    for (const auto& [key, job] : m_jobs) {
        job->cancel();
        removeEntry(key);
    }
    emit entriesChanged();
}

void WorkspaceController::retry(int key)
{
    ReportEntry* const entry = find(key);
    if (entry == nullptr || entry->state != ReportState::failed) return;
    entry->state = ReportState::loading;
    entry->fraction.reset();
    entry->error = {};
    startLoad(*entry);
    emit entriesChanged();
}

void WorkspaceController::dismiss(int key)
{
    ReportEntry* const entry = find(key);
    if (entry == nullptr || entry->state != ReportState::failed) return;
    removeEntry(key);
    emit entriesChanged();
}

void WorkspaceController::close(const std::vector<int>& keys)
{
    for (const int key : keys) {
        const ReportEntry* const entry = find(key);
        if (entry == nullptr || entry->state != ReportState::open) continue;
        m_lods.erase(key);
        removeEntry(key);
    }
    emit entriesChanged();
    alignAll();
}

void WorkspaceController::setShown(const std::vector<int>& keys, bool isShown)
{
    for (const int key : keys) {
        if (ReportEntry* const entry = find(key)) entry->isShown = isShown;
    }
    emit entriesChanged();
    if (!m_align.isRunning()) showAligned();
}

size_t WorkspaceController::residentBytes() const
{
    size_t bytes = 0;
    for (const ReportEntry& entry : m_entries) {
        if (entry.report) bytes += entry.report->residentBytes();
    }
    for (const auto& [key, lod] : m_lods)
        bytes += lod->residentBytes();
    return bytes;
}

bool WorkspaceController::isBusy() const
{
    return m_walks > 0 || !m_jobs.empty() || m_align.isRunning();
}

ReportEntry* WorkspaceController::find(int key)
{
    const auto entry = std::ranges::find(m_entries, key, &ReportEntry::key);
    return entry == m_entries.end() ? nullptr : &*entry;
}

void WorkspaceController::removeEntry(int key)
{
    std::erase_if(m_entries, [key](const ReportEntry& entry) { return entry.key == key; });
}

void WorkspaceController::pollProgress()
{
    for (const auto& [key, job] : m_jobs) {
        if (ReportEntry* const entry = find(key)) entry->fraction = job->fraction();
    }
    emit progressed();
}

void WorkspaceController::alignAll()
{
    Workspace open;
    m_alignedKeys.clear();
    for (const ReportEntry& entry : m_entries) {
        if (entry.state != ReportState::open) continue;
        open.add(entry.report);
        m_alignedKeys.push_back(entry.key);
    }
    m_align.start([open](const Progress&) -> Result<Alignment> { return alignReports(open, {}); });
}

void WorkspaceController::showAligned()
{
    m_shown = {};
    m_shown.alignment.utcAtZero_ns = m_aligned.utcAtZero_ns;
    for (size_t i = 0; i < m_alignedKeys.size(); ++i) {
        const ReportEntry* const entry = find(m_alignedKeys[i]);
        if (entry == nullptr || !entry->isShown) continue;
        m_shown.workspace.add(entry->report);
        m_shown.alignment.maps.push_back(m_aligned.maps[i]);
        m_shown.lods.push_back(m_lods.at(entry->key));
        m_shown.keys.push_back(entry->key);
    }
    emit shownChanged();
}

} // namespace lockstep
