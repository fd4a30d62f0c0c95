// SPDX-License-Identifier: Apache-2.0
#include "app/window/workspace_controller.h"

#include <algorithm>

#include <QThreadPool>

#include "app/cli/session_captures.h"
#include "core/trace/identity.h"

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

// Returns true if the report was requested but is neither open nor loading.
bool isWanting(const ReportEntry& entry)
{
    return entry.state == ReportState::failed || entry.state == ReportState::held;
}

std::vector<size_t> allOf(const FoundReports& found)
{
    std::vector<size_t> all(found.reports.size());
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    return all;
}

} // namespace

WorkspaceController::WorkspaceController(WorkDocument& document, const Workers& workers, MemoryBudget& memory,
                                         QObject* parent, LoadJob::Open open, SceneMaker::Align align,
                                         SceneMaker::Step step)
    : QObject(parent), m_document(document), m_memory(memory), m_openMemory(memory.force(0)),
      m_maker(workers, std::move(align), std::move(step)), m_walk(workers),
      m_loads(open ? std::move(open) : openWithSession(), memory, workers)
{
    m_trimTimer.setSingleShot(true);
    m_trimTimer.setInterval(1'000);
    connect(&m_trimTimer, &QTimer::timeout, this,
            [] { QThreadPool::globalInstance()->start(&returnFreeMemory); });
    m_notifyTimer.setSingleShot(true);
    connect(&m_notifyTimer, &QTimer::timeout, this, [this] {
        if (!m_maker.hasChange()) return m_list.changed(); // otherwise emitted with the scene
        m_maker.make();
    });
    connect(&document, &WorkDocument::changed, this, &WorkspaceController::applyWork);
    m_maker.setOrder([this] { return m_list.openKeys(); });
    connect(&m_maker, &SceneMaker::begun, &m_notifyTimer,
            &QTimer::stop); // the scene announces the change
    connect(&m_maker, &SceneMaker::made, this, &WorkspaceController::applyScene);
    connect(&m_maker, &SceneMaker::failed, this, &WorkspaceController::failed);
    connect(&m_walk, &FolderWalk::progressed, &m_list, &ReportList::progressed);
    connect(&m_walk, &FolderWalk::filesListed, this, &WorkspaceController::handleListedFiles);
    connect(&m_walk, &FolderWalk::found, this, &WorkspaceController::handleFound);
    connect(&m_loads, &LoadQueue::progressed, this, &WorkspaceController::pollProgress);
    connect(&m_loads, &LoadQueue::finished, this, &WorkspaceController::handleLoaded);
    connect(&m_loads, &LoadQueue::held, this, &WorkspaceController::handleHeld);
}

void WorkspaceController::open(const std::vector<std::filesystem::path>& paths)
{
    m_walk.start(paths);
    emit m_list.changed();
}

void WorkspaceController::handleListedFiles(const std::vector<NamedFile>& files)
{
    std::vector<LoadQueue::Item> items;
    for (const NamedFile& file : files) {
        if (const auto item = addFile(file.path, file.file)) items.push_back(*item);
    }
    m_loads.add(items);
    emit m_list.changed();
}

void WorkspaceController::handleFound(const Result<FoundReports>& found)
{
    if (!found) return emit m_list.changed();
    m_list.addSkippedFiles(found->skippedFiles);
    uint64_t memory_bytes = 0;
    for (const FoundFile& file : found->files)
        memory_bytes += file.memory_bytes;
    if (found->reports.size() <= kFewFiles && (m_memory.hasRoom(memory_bytes) || m_memory.hasDisk()))
        return openFound(*found, allOf(*found));
    emit m_list.changed();
    emit choiceNeeded(*found);
}

void WorkspaceController::openFound(const FoundReports& found, const std::vector<size_t>& chosen)
{
    std::vector<LoadQueue::Item> items;
    for (const size_t i : chosen) {
        if (const auto item = addFile(found.reports[i], found.files[i])) items.push_back(*item);
    }
    m_loads.add(items);
    emit m_list.changed();
}

std::optional<LoadQueue::Item> WorkspaceController::addFile(const std::filesystem::path& path,
                                                            const FoundFile& file)
{
    ReportEntry* entry = m_list.findFile(normalPath(path));
    if (entry == nullptr) {
        entry = &m_list.add(normalPath(path));
    } else if (!isWanting(*entry)) {
        return std::nullopt;
    }
    entry->state = ReportState::loading;
    entry->error = {};
    entry->memory_bytes = file.memory_bytes;
    return LoadQueue::Item{entry->key, entry->path, file.memory_bytes};
}

void WorkspaceController::handleLoaded(ReportKey key, const Result<OpenedFile>& outcome)
{
    ReportEntry* const entry = m_list.find(key);
    if (entry == nullptr) return;
    if (!outcome) {
        entry->state = ReportState::failed;
        entry->error = outcome.error();
        return scheduleScene();
    }
    const std::filesystem::path path = entry->path;
    const std::vector<ReportKey> keys = m_list.setOpened(key, *outcome);
    m_openMemory.resize(m_list.residentBytes()); // replaces the lease of the load, which ends now
    SceneChange opening;
    for (const ReportKey opened : keys) {
        const ReportEntry& one = *m_list.find(opened);
        opening.opened.push_back({opened, one.report, one.lod, one.identity});
    }
    m_maker.add(std::move(opening));
    std::map<ReportKey, Identity> stated;
    for (const ReportKey opened : keys) {
        const ReportEntry& one = *m_list.find(opened);
        if (one.identity && one.identity->stated != Identity()) stated[opened] = one.identity->stated;
    }
    if (!stated.empty()) m_document.adopt([&stated](Work& work) { work.stated.merge(stated); });
    if (outcome->isWorkspace) emit workspaceOpened(path, outcome->sections, keys);
    scheduleScene();
}

void WorkspaceController::handleHeld(const std::vector<LoadQueue::Held>& items)
{
    for (const LoadQueue::Held& item : items) {
        ReportEntry* const entry = m_list.find(item.key);
        if (entry == nullptr) continue;
        entry->state = ReportState::held;
        entry->error = item.why;
    }
    scheduleScene();
}

void WorkspaceController::scheduleScene()
{
    m_maker.setMoreComing(!m_loads.isIdle());
    if (m_loads.isIdle()) return m_notifyTimer.start(kMinPause_ms); // even if a longer pause has begun
    const int pause_ms = kTimesCost * m_maker.cost_ms();
    if (!m_notifyTimer.isActive()) m_notifyTimer.start(std::clamp(pause_ms, kMinPause_ms, kMaxPause_ms));
}

void WorkspaceController::cancel(ReportKey key)
{
    const ReportEntry* const entry = m_list.find(key);
    if (entry == nullptr || entry->state != ReportState::loading) return;
    m_loads.cancel(key);
    m_list.remove(key);
    emit m_list.changed();
}

void WorkspaceController::cancelAll()
{
    m_walk.cancel();
    m_loads.cancelAll();
    m_list.removeLoading();
    emit m_list.changed();
}

void WorkspaceController::retry(ReportKey key)
{
    ReportEntry* const entry = m_list.find(key);
    if (entry == nullptr || !isWanting(*entry)) return;
    const bool isForced = entry->state == ReportState::held;
    entry->state = ReportState::loading;
    entry->fraction.reset();
    entry->error = {};
    m_loads.add({{key, entry->path, entry->memory_bytes, isForced}});
    emit m_list.changed();
}

void WorkspaceController::dismiss(ReportKey key)
{
    const ReportEntry* const entry = m_list.find(key);
    if (entry == nullptr || !isWanting(*entry)) return;
    m_list.remove(key);
    emit m_list.changed();
}

void WorkspaceController::close(const std::vector<ReportKey>& keys)
{
    SceneChange closing;
    for (const ReportKey key : keys) {
        const ReportEntry* const entry = m_list.find(key);
        if (entry == nullptr || entry->state != ReportState::open) continue;
        m_list.remove(key);
        closing.closed.insert(key);
    }
    m_openMemory.resize(m_list.residentBytes());
    m_document.adopt([&closing](Work& work) {
        for (const ReportKey key : closing.closed)
            work.forget(key);
    });
    emit m_list.changed();
    m_maker.change(std::move(closing));
    m_trimTimer.start();
}

void WorkspaceController::changeScene(SceneChange change, bool waits)
{
    if (waits) return m_maker.add(std::move(change));
    m_maker.change(std::move(change));
}

void WorkspaceController::setLaneArrangement(LaneGrouping grouping, SampleLaneChoice samples)
{
    m_laneOptions.grouping = grouping;
    m_laneOptions.samples = samples;
    applyLaneOptions();
}

void WorkspaceController::setQueryLanes(QueryLaneList lanes)
{
    m_laneOptions.queryLanes = std::move(lanes);
    applyLaneOptions();
}

void WorkspaceController::applyLaneOptions()
{
    SceneChange arranging;
    arranging.laneOptions = m_laneOptions;
    m_maker.change(std::move(arranging));
}

void WorkspaceController::setShown(const std::vector<ReportKey>& keys, bool isShown)
{
    const int count = static_cast<int>(keys.size());
    m_document.edit(isShown ? tr("show %n report(s)", nullptr, count)
                            : tr("hide %n report(s)", nullptr, count),
                    [&](Work& work) {
                        for (const ReportKey key : keys) {
                            if (isShown) {
                                work.hidden.erase(key);
                            } else {
                                work.hidden.insert(key);
                            }
                        }
                    });
}

void WorkspaceController::applyWork(const Work& before)
{
    const Work& work = m_document.work();
    if (work.hidden != before.hidden) applyHidden();
    if (work.stated != before.stated) applyStated();
    if (work.alignment == before.alignment) return;
    m_maker.setOptions(work.alignment.options);
    m_maker.alignAnew();
}

void WorkspaceController::applyHidden()
{
    SceneChange showing;
    for (ReportEntry& entry : m_list.entries()) {
        const bool isShown = !m_document.work().hidden.contains(entry.key);
        if (entry.isShown == isShown) continue;
        entry.isShown = showing.shown[entry.key] = isShown;
    }
    if (showing.shown.empty()) return;
    emit m_list.changed();
    m_maker.change(std::move(showing));
}

void WorkspaceController::applyStated()
{
    SceneChange saying;
    for (ReportEntry& entry : m_list.entries()) {
        if (!entry.identity) continue;
        const auto found = m_document.work().stated.find(entry.key);
        const Identity stated = found == m_document.work().stated.end() ? Identity() : found->second;
        if (stated == entry.identity->stated) continue;
        entry.identity = std::make_shared<const ReportIdentity>(
            identityOf(*entry.report, stated, entry.identity->planned, entry.identity->processEdits));
        saying.stated[entry.key] = stated;
    }
    if (saying.stated.empty()) return;
    emit m_list.changed();
    m_maker.change(std::move(saying)); // matching collectives uses ranks, so the clocks may move too
}

void WorkspaceController::applyScene()
{
    const Scene& scene = *m_maker.scene();
    for (ReportEntry& entry : m_list.entries()) {
        if (!scene.open.has(entry.key)) continue;
        // Changes made while a scene is computed are part of the next scene.
        if (!m_maker.hasPendingIdentity(entry.key)) entry.identity = scene.open.sharedIdentity(entry.key);
        if (!m_maker.willShowOrHide(entry.key)) entry.isShown = scene.shown.has(entry.key);
        entry.clock = scene.alignment.map(entry.key);
    }
    emit m_list.changed();
    emit sceneChanged();
}

bool WorkspaceController::isBusy() const
{
    return m_walk.isRunning() || !m_loads.isIdle() || m_notifyTimer.isActive() || m_maker.isBusy();
}

void WorkspaceController::pollProgress()
{
    for (ReportEntry& entry : m_list.entries()) {
        if (entry.state == ReportState::loading) entry.fraction = m_loads.fraction(entry.key);
    }
    emit m_list.progressed();
}

} // namespace lockstep
