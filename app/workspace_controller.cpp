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

WorkspaceController::WorkspaceController(QObject* parent, LoadJob::Open open, Align align)
    : QObject(parent),
      m_alignReports(align
                         ? std::move(align)
                         : qOverload<const Workspace&, const AlignOptions&, const Progress&>(&alignReports)),
      m_loads(open ? std::move(open) : openWithSession(), [this] { return residentBytes(); }),
      m_next([this](const Result<ScenePtr>& outcome) { takeScene(outcome); }),
      m_align([this](Result<Alignment> outcome) { takeAlignment(std::move(outcome)); })
{
    m_tell.setSingleShot(true);
    m_tell.setInterval(30);
    connect(&m_tell, &QTimer::timeout, this, [this] {
        if (m_change.isEmpty()) return entriesChanged(); // else told with the scene that has them
        makeNext();
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
    entry.key = ReportKey(m_nextKey++);
    entry.path = normalPath(path);
    m_entries.push_back(entry);
    return LoadQueue::Item{entry.key, entry.path, file.memory_bytes};
}

void WorkspaceController::takeLoaded(ReportKey key, const Result<OpenedFile>& outcome)
{
    ReportEntry* const entry = find(key);
    if (entry == nullptr) return;
    if (!outcome) {
        entry->state = ReportState::failed;
        entry->error = outcome.error();
    } else {
        const std::filesystem::path path = entry->path;
        const std::vector<ReportKey> keys =
            addOpened(static_cast<size_t>(entry - m_entries.data()), *outcome);
        if (outcome->isWorkspace) emit workspaceOpened(path, outcome->sections, keys);
    }
    if (!m_tell.isActive()) m_tell.start();
}

// The entry at `at` becomes the file's first report, the others follow it.
std::vector<ReportKey> WorkspaceController::addOpened(size_t at, const OpenedFile& file)
{
    const ReportEntry asked = m_entries[at];
    m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(at));
    std::vector<ReportKey> keys;
    for (const OpenedReport& opened : file.reports) {
        ReportEntry entry;
        entry.key = keys.empty() ? asked.key : ReportKey(m_nextKey++);
        entry.path = file.isWorkspace ? opened.report->provenance.path : asked.path;
        if (file.isWorkspace) entry.container = asked.path;
        entry.state = ReportState::open;
        entry.report = opened.report;
        entry.identity = std::make_shared<const ReportIdentity>(
            identityOf(*opened.report, opened.stated, opened.planned, opened.statedProcesses));
        entry.lod = opened.lod;
        keys.push_back(entry.key);
        m_change.opened.push_back({entry.key, entry.report, entry.lod, entry.identity});
        m_entries.insert(m_entries.begin() + static_cast<std::ptrdiff_t>(at++), std::move(entry));
    }
    m_change.order = openKeys();
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

void WorkspaceController::cancel(ReportKey key)
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

void WorkspaceController::retry(ReportKey key)
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

void WorkspaceController::dismiss(ReportKey key)
{
    const ReportEntry* const entry = find(key);
    if (entry == nullptr || (entry->state != ReportState::failed && entry->state != ReportState::held))
        return;
    removeEntry(key);
    emit entriesChanged();
}

void WorkspaceController::close(const std::vector<ReportKey>& keys)
{
    SceneChange closing;
    for (const ReportKey key : keys) {
        const ReportEntry* const entry = find(key);
        if (entry == nullptr || entry->state != ReportState::open) continue;
        m_choice.forget(key);
        removeEntry(key);
        closing.closed.insert(key);
    }
    emit entriesChanged();
    change(std::move(closing));
}

void WorkspaceController::setShown(const std::vector<ReportKey>& keys, bool isShown)
{
    SceneChange showing;
    for (const ReportKey key : keys) {
        ReportEntry* const entry = find(key);
        if (entry == nullptr) continue;
        entry->isShown = isShown;
        showing.shown[key] = isShown;
    }
    emit entriesChanged();
    change(std::move(showing));
}

void WorkspaceController::setAlignment(const AlignmentChoice& choice)
{
    m_choice = choice;
    std::erase_if(m_choice.options.shifts_ns, [](const auto& shift) { return shift.second == 0; });
    emit alignmentChanged();
    m_isOutOfDate = true;
    m_align.cancel(); // it would align as nobody wants any more
    alignAgain();
}

void WorkspaceController::setStated(const std::map<ReportKey, Identity>& stated)
{
    SceneChange saying;
    for (const auto& [key, said] : stated) {
        ReportEntry* const entry = find(key);
        if (entry == nullptr || !entry->identity) continue;
        entry->identity = std::make_shared<const ReportIdentity>(
            identityOf(*entry->report, said, entry->identity->planned, entry->identity->statedProcesses));
        saying.stated[key] = said;
    }
    emit statedChanged();
    emit entriesChanged();
    change(std::move(saying)); // what is matched goes by ranks: clocks may move too
}

std::vector<ReportKey> WorkspaceController::openKeys() const
{
    std::vector<ReportKey> keys;
    for (const ReportEntry& entry : m_entries) {
        if (entry.state == ReportState::open) keys.push_back(entry.key);
    }
    return keys;
}

Workspace WorkspaceController::openReports() const
{
    Workspace reports;
    for (const ReportEntry& entry : m_entries) {
        if (entry.state == ReportState::open) reports.add(entry.key, entry.report, entry.identity);
    }
    return reports;
}

void WorkspaceController::change(SceneChange change)
{
    m_change.add(std::move(change));
    makeNext();
}

// One scene at a time: what happens while it is made waits for the one after it.
void WorkspaceController::makeNext()
{
    if (m_next.isRunning() || m_change.isEmpty()) return;
    m_tell.stop(); // what it waits to tell comes with the scene
    m_movesClocks = m_change.changesReports();
    m_next.start([last = m_scene, change = std::exchange(m_change, {})](const Progress& progress) {
        return nextScene(last, change, progress);
    });
}

void WorkspaceController::takeScene(const Result<ScenePtr>& outcome)
{
    if (!outcome) return;
    m_scene = *outcome;
    m_isOutOfDate |= m_movesClocks;
    for (ReportEntry& entry : m_entries) {
        if (!m_scene->open.has(entry.key)) continue;
        // What was said while the scene was made is in the next one.
        if (!m_change.stated.contains(entry.key)) entry.identity = m_scene->open.sharedIdentity(entry.key);
        entry.clock = m_scene->alignment.map(entry.key);
    }
    emit entriesChanged();
    emit sceneChanged();
    if (!m_tell.isActive()) makeNext();
    alignAgain();
}

// One alignment at a time, which arrivals do not disturb: what changes meanwhile is taken up by one more.
void WorkspaceController::alignAgain()
{
    if (!m_isOutOfDate || m_align.isRunning()) return;
    m_isOutOfDate = false;
    m_align.start([align = m_alignReports, reports = m_scene->open, options = m_choice.options](
                      const Progress& progress) { return align(reports, options, progress); });
}

void WorkspaceController::takeAlignment(Result<Alignment> outcome)
{
    if (outcome) {
        SceneChange aligning;
        aligning.alignment = *std::move(outcome);
        change(std::move(aligning));
    }
    alignAgain();
}

size_t WorkspaceController::residentBytes() const
{
    size_t bytes = 0;
    for (const ReportEntry& entry : m_entries) {
        if (entry.report) bytes += entry.report->residentBytes() + entry.lod->residentBytes();
    }
    return bytes;
}

bool WorkspaceController::isBusy() const
{
    return m_walks > 0 || !m_loads.isIdle() || m_tell.isActive() || !m_change.isEmpty() ||
           m_next.isRunning() || m_isOutOfDate || m_align.isRunning();
}

std::pair<uint64_t, uint64_t> WorkspaceController::walked() const
{
    if (m_walks == 0) return {0, 0};
    return {m_walked->done.load(std::memory_order_relaxed), m_walked->total.load(std::memory_order_relaxed)};
}

ReportEntry* WorkspaceController::find(ReportKey key)
{
    const auto entry = std::ranges::find(m_entries, key, &ReportEntry::key);
    return entry == m_entries.end() ? nullptr : &*entry;
}

void WorkspaceController::removeEntry(ReportKey key)
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

} // namespace lockstep
