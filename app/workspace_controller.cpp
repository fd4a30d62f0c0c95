#include "app/workspace_controller.h"

#include <algorithm>

#include "app/session_captures.h"
#include "core/trace/identity_parts.h"
#include "core/trace/process_groups.h"

namespace lockstep {

namespace {

std::filesystem::path normalPath(const std::filesystem::path& path)
{
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(path, failed);
    return (failed ? path : absolute).lexically_normal();
}

LoadJob::Open openWithSession()
{
    return [sessions = std::make_shared<SessionCaptures>()](const std::filesystem::path& path,
                                                            const Progress& progress) -> Result<OpenedFile> {
        OpenedFile file = LOCKSTEP_TRY(openFile(path, progress));
        for (OpenedReport& opened : file.reports)
            inheritParts(opened.planned, sessions->plannedFor(*opened.report));
        return file;
    };
}

std::vector<size_t> allOf(const FoundReports& found)
{
    std::vector<size_t> all(found.reports.size());
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    return all;
}

} // namespace

WorkspaceController::WorkspaceController(QObject* parent, LoadJob::Open open)
    : QObject(parent),
      m_loads(open ? std::move(open) : openWithSession(), [this] { return residentBytes(); }),
      m_align([this](const Result<Alignment>& outcome) {
          if (!outcome) return;
          m_aligned = *outcome;
          m_alignedKeys = m_aligningKeys;
          m_alignedWorkspace = m_aligningWorkspace;
          for (size_t i = 0; i < m_alignedKeys.size(); ++i) {
              if (ReportEntry* const entry = find(m_alignedKeys[i])) entry->clock = m_aligned.maps[i];
          }
          emit entriesChanged();
          showAligned();
      })
{
    m_tell.setSingleShot(true);
    m_tell.setInterval(30);
    connect(&m_tell, &QTimer::timeout, this, [this] {
        settle();
        emit entriesChanged();
        alignAll();
    });
    m_walkPoll.setInterval(50);
    connect(&m_walkPoll, &QTimer::timeout, this, &WorkspaceController::progressed);
    connect(&m_loads, &LoadQueue::progressed, this, &WorkspaceController::pollProgress);
    connect(&m_loads, &LoadQueue::finished, this, &WorkspaceController::takeLoaded);
    connect(&m_loads, &LoadQueue::held, this, &WorkspaceController::takeHeld);
}

WorkspaceController::~WorkspaceController()
{
    m_walkStop.request_stop();
}

void WorkspaceController::open(const std::vector<std::filesystem::path>& paths)
{
    std::vector<std::filesystem::path> folders;
    std::vector<LoadQueue::Item> items;
    for (const auto& path : paths) {
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored)) {
            folders.push_back(path);
        } else if (const auto item = addFile(path, unseenFile(path))) {
            items.push_back(*item);
        }
    }
    if (!folders.empty()) walk(folders);
    m_loads.add(items);
    emit entriesChanged();
}

void WorkspaceController::walk(const std::vector<std::filesystem::path>& folders)
{
    ++m_walks;
    if (m_walkStop.stop_requested()) m_walkStop = std::stop_source();
    m_walked = std::make_shared<Walked>();
    m_walkPoll.start();
    const auto run = [folders, stop = m_walkStop.get_token(), told = m_walked]() -> Result<FoundReports> {
        const Progress progress(stop, [told](uint64_t done, uint64_t total) {
            told->done.store(done, std::memory_order_relaxed);
            told->total.store(total, std::memory_order_relaxed);
        });
        return guardedResult<FoundReports>([&] { return findReports(folders, progress); });
    };
    QtConcurrent::run(&m_pool, run).then(this, [this](const Result<FoundReports>& found) {
        takeFound(found);
    });
}

void WorkspaceController::takeFound(const Result<FoundReports>& found)
{
    if (--m_walks == 0) m_walkPoll.stop();
    if (!found) return emit entriesChanged();
    m_skipped.insert(m_skipped.end(), found->passedOver.begin(), found->passedOver.end());
    uint64_t memory_bytes = residentBytes();
    for (const FoundFile& file : found->files)
        memory_bytes += file.memory_bytes;
    const bool fits = memoryLimit_bytes() == 0 || memory_bytes <= memoryLimit_bytes();
    if (found->reports.size() <= kFewFiles && fits) return openFound(*found, allOf(*found));
    emit entriesChanged();
    emit choiceNeeded(*found);
}

void WorkspaceController::openFound(const FoundReports& found, const std::vector<size_t>& chosen)
{
    std::vector<LoadQueue::Item> items;
    for (const size_t i : chosen) {
        if (const auto item = addFile(found.reports[i], found.files[i])) items.push_back(*item);
    }
    m_loads.add(items);
    emit entriesChanged();
}

std::optional<LoadQueue::Item> WorkspaceController::addFile(const std::filesystem::path& path,
                                                            const FoundFile& file)
{
    const auto known = std::ranges::find(m_entries, normalPath(path), &ReportEntry::path);
    if (known != m_entries.end()) {
        const bool isWanting = known->state == ReportState::failed || known->state == ReportState::held;
        if (!isWanting) return std::nullopt;
        known->state = ReportState::loading;
        known->error = {};
        return LoadQueue::Item{known->key, known->path, file.memory_bytes};
    }
    ReportEntry entry;
    entry.key = m_nextKey++;
    entry.path = normalPath(path);
    m_entries.push_back(entry);
    return LoadQueue::Item{entry.key, entry.path, file.memory_bytes};
}

void WorkspaceController::takeLoaded(int key, const Result<OpenedFile>& outcome)
{
    ReportEntry* const entry = find(key);
    if (entry == nullptr) return;
    if (!outcome) {
        entry->state = ReportState::failed;
        entry->error = outcome.error();
    } else {
        const std::filesystem::path path = entry->path;
        const std::vector<int> keys = addOpened(static_cast<size_t>(entry - m_entries.data()), *outcome);
        if (outcome->isWorkspace) emit workspaceOpened(path, outcome->sections, keys);
    }
    if (!m_tell.isActive()) m_tell.start();
}

// The entry at `at` becomes the file's first report, the others follow it.
std::vector<int> WorkspaceController::addOpened(size_t at, const OpenedFile& file)
{
    const ReportEntry asked = m_entries[at];
    m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(at));
    std::vector<int> keys;
    for (const OpenedReport& opened : file.reports) {
        ReportEntry entry;
        entry.key = keys.empty() ? asked.key : m_nextKey++;
        entry.path = file.isWorkspace ? opened.report->provenance.path : asked.path;
        if (file.isWorkspace) entry.container = asked.path;
        entry.state = ReportState::open;
        entry.report = opened.report;
        entry.identity = std::make_shared<const ReportIdentity>(
            identityOf(*opened.report, opened.stated, opened.planned, opened.statedProcesses));
        m_lods[entry.key] = opened.lod;
        keys.push_back(entry.key);
        m_entries.insert(m_entries.begin() + static_cast<std::ptrdiff_t>(at++), std::move(entry));
    }
    return keys;
}

void WorkspaceController::takeHeld(const std::vector<LoadQueue::Held>& items)
{
    for (const LoadQueue::Held& item : items) {
        ReportEntry* const entry = find(item.key);
        if (entry == nullptr) continue;
        entry->state = ReportState::held;
        entry->error = item.why;
    }
    if (!m_tell.isActive()) m_tell.start();
}

void WorkspaceController::cancel(int key)
{
    const ReportEntry* const entry = find(key);
    if (entry == nullptr || entry->state != ReportState::loading) return;
    m_loads.cancel(key);
    removeEntry(key);
    emit entriesChanged();
}

void WorkspaceController::cancelAll()
{
    m_walkStop.request_stop();
    m_loads.cancelAll();
    std::erase_if(m_entries, [](const ReportEntry& entry) { return entry.state == ReportState::loading; });
    emit entriesChanged();
}

void WorkspaceController::retry(int key)
{
    ReportEntry* const entry = find(key);
    if (entry == nullptr || (entry->state != ReportState::failed && entry->state != ReportState::held))
        return;
    const bool isForced = entry->state == ReportState::held;
    entry->state = ReportState::loading;
    entry->fraction.reset();
    entry->error = {};
    m_loads.add({{key, entry->path, unseenFile(entry->path).memory_bytes, isForced}});
    emit entriesChanged();
}

void WorkspaceController::dismiss(int key)
{
    const ReportEntry* const entry = find(key);
    if (entry == nullptr || (entry->state != ReportState::failed && entry->state != ReportState::held))
        return;
    removeEntry(key);
    emit entriesChanged();
}

void WorkspaceController::close(const std::vector<int>& keys)
{
    for (const int key : keys) {
        const ReportEntry* const entry = find(key);
        if (entry == nullptr || entry->state != ReportState::open) continue;
        m_lods.erase(key);
        m_choice.forget(key);
        removeEntry(key);
    }
    settle();
    emit entriesChanged();
    alignAll();
}

void WorkspaceController::setShown(const std::vector<int>& keys, bool isShown)
{
    for (const int key : keys) {
        if (ReportEntry* const entry = find(key)) entry->isShown = isShown;
    }
    emit entriesChanged();
    showAligned();
}

void WorkspaceController::setAlignment(const AlignmentChoice& choice)
{
    m_choice = choice;
    m_choice.options.manual.clear();
    m_choice.options.kept.clear();
    std::erase_if(m_choice.shifts, [](const auto& shift) { return shift.second == 0; });
    emit alignmentChanged();
    alignAll();
}

void WorkspaceController::setAlignment(const AlignOptions& options, const std::map<int, int64_t>& shifts)
{
    setAlignment({options, shifts, {}, {}});
}

void WorkspaceController::setStated(const std::map<int, Identity>& stated)
{
    for (const auto& [key, said] : stated) {
        ReportEntry* const entry = find(key);
        if (entry == nullptr || !entry->identity) continue;
        entry->identity = std::make_shared<const ReportIdentity>(
            identityOf(*entry->report, said, entry->identity->planned, entry->identity->statedProcesses));
    }
    settle();
    emit statedChanged();
    emit entriesChanged();
    showAligned(); // where they stand may change a moment later: what is matched goes by ranks
    alignAll();
}

// What one report of a process knows, its other reports learn.
void WorkspaceController::settle()
{
    m_openReports = {};
    for (const ReportEntry& entry : m_entries) {
        if (entry.state != ReportState::open) continue;
        m_openReports.workspace.add(entry.report, entry.identity->stated, entry.identity->planned,
                                    entry.identity->statedProcesses);
        m_openReports.keys.push_back(entry.key);
    }
    settleIdentities(m_openReports.workspace);
    for (size_t i = 0; i < m_openReports.keys.size(); ++i) {
        const ReportIdentity& settled = m_openReports.workspace.reportIdentity(ReportId(i));
        find(m_openReports.keys[i])->identity = std::make_shared<const ReportIdentity>(settled);
    }
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
    return m_walks > 0 || !m_loads.isIdle() || m_tell.isActive() || m_align.isRunning();
}

std::pair<uint64_t, uint64_t> WorkspaceController::walked() const
{
    if (m_walks == 0) return {0, 0};
    return {m_walked->done.load(std::memory_order_relaxed), m_walked->total.load(std::memory_order_relaxed)};
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
    for (ReportEntry& entry : m_entries) {
        if (entry.state == ReportState::loading) entry.fraction = m_loads.fraction(entry.key);
    }
    emit progressed();
}

void WorkspaceController::alignAll()
{
    m_aligningKeys = m_openReports.keys;
    m_aligningWorkspace = m_openReports.workspace;
    m_align.start([workspace = m_aligningWorkspace, options = m_choice.optionsFor(m_aligningKeys)](
                      const Progress&) -> Result<Alignment> { return alignReports(workspace, options); });
}

void WorkspaceController::showAligned()
{
    m_shown = {};
    m_shown.alignment.utcAtZero_ns = m_aligned.utcAtZero_ns;
    m_shown.alignment.basis = m_aligned.basis;
    m_shown.alignment.collectives = m_aligned.collectives;
    for (size_t i = 0; i < m_alignedKeys.size(); ++i) {
        const ReportEntry* const entry = find(m_alignedKeys[i]);
        if (entry == nullptr || !entry->isShown) continue;
        const ReportId id = m_shown.workspace.add(entry->report, entry->identity->stated,
                                                  entry->identity->planned, entry->identity->statedProcesses);
        m_shown.workspace.setIdentity(id, *entry->identity);
        m_shown.alignment.maps.push_back(m_aligned.maps[i]);
        m_shown.alignment.fittedReports.push_back(static_cast<uint32_t>(i));
        m_shown.lods.push_back(m_lods.at(entry->key));
        m_shown.keys.push_back(entry->key);
    }
    emit shownChanged();
}

} // namespace lockstep
