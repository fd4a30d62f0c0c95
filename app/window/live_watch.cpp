// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_watch.h"

#include <algorithm>

#include <QThread>
#include <QThreadPool>

#include "app/window/workspace_controller.h"

namespace lockstep {

namespace {

constexpr int64_t kActive_ns = 3'000'000'000; // the lag counts only processes that wrote within this time

LiveFeedOptions feedOptions(const Run& run)
{
    LiveFeedOptions options;
    options.agent = run.options().agent;
    options.folder = runFolderOf(run.record()) / "live";
    return options;
}

// Returns the hosts of the run, starting at index `first`.
std::vector<LiveFeedHost> feedHosts(const Run& run, size_t first)
{
    std::vector<LiveFeedHost> hosts;
    for (size_t i = first; i < run.record().hosts.size(); ++i) {
        const AgentClient* const client = run.client(i);
        if (client == nullptr) continue;
        const HostRecord& host = run.record().hosts[i];
        hosts.push_back({host.host, client->remote(), host.agentFolder, host.runDir});
    }
    return hosts;
}

} // namespace

LiveWatch::LiveWatch(WorkspaceController& reports, const Workers& workers, MemoryBudget& memory,
                     QObject* parent)
    : QObject(parent), m_reports(reports),
      m_read([this](const Result<Outcomes>& outcomes) { handleOutcomes(outcomes); }, workers),
      m_merging(workers, memory, [this](const MessageWithHelp& problem) { addProblem(problem); })
{
    m_clock.start();
    m_next.setSingleShot(true);
    m_tick.setInterval(500);
    connect(&m_next, &QTimer::timeout, this, &LiveWatch::read);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        emit figuresChanged();
        readSoon(); // needed even without new data, because open ranges grow
    });
    connect(&reports, &WorkspaceController::sceneChanged, this, &LiveWatch::applyScene);
    // A failed change becomes part of the next scene, which the next round requests.
    connect(&reports, &WorkspaceController::failed, this, [this] { m_isShowing = false; });
}

LiveWatch::~LiveWatch()
{
    stop();
}

void LiveWatch::begin(const Run& run)
{
    stop();
    clear(false);
    m_run = run.record().id;
    m_folder = feedOptions(run).folder;
    m_problems.clear();
    m_received.clear();
    m_files.begin(run);
    m_thread = new QThread;
    m_feed = new LiveFeed(feedHosts(run, 0), feedOptions(run));
    m_feed->moveToThread(m_thread);
    connect(m_thread, &QThread::started, m_feed, &LiveFeed::begin);
    connect(m_thread, &QThread::finished, m_feed, &QObject::deleteLater);
    connect(m_thread, &QThread::finished, m_thread, &QObject::deleteLater);
    const auto take = [this, watch = ++m_watch](const LiveState& state) {
        if (watch == m_watch && m_feed != nullptr) applyState(state);
    };
    connect(m_feed, &LiveFeed::advanced, this, take);
    m_runHosts = run.record().hosts.size();
    m_hostsAdded = connect(&run, &Run::hostsAdded, this, [this, &run] { addHosts(run); });
    m_thread->start();
    m_tick.start();
    emit figuresChanged();
}

// Adds the nodes of a Slurm job that has started.
void LiveWatch::addHosts(const Run& run)
{
    const size_t first = std::exchange(m_runHosts, run.record().hosts.size());
    m_files.add(run, first);
    QMetaObject::invokeMethod(m_feed, [feed = m_feed, hosts = feedHosts(run, first)] { feed->add(hosts); });
}

// The thread and its feed end asynchronously, so that an unresponsive disk cannot block the window.
void LiveWatch::stop()
{
    if (m_feed == nullptr) return;
    m_feed = nullptr;
    disconnect(m_hostsAdded);
    std::exchange(m_thread, nullptr)->quit();
    m_tick.stop();
    m_next.stop();
    m_read.cancel();
    m_merging.cancel();
    m_toMove.reset();
    m_isShowing = false;
    emit figuresChanged();
}

void LiveWatch::clear(bool waits)
{
    SceneChange leaving;
    for (const Spool& spool : m_spools) {
        for (const auto& [number, chunk] : spool.chunks)
            leaving.closed.insert(chunk.key);
        if (spool.isOpenShown) leaving.closed.insert(spool.open);
    }
    m_files.close(leaving);
    m_spools.clear();
    m_state = nullptr;
    if (!leaving.closed.empty() && m_feed == nullptr) {
        QThreadPool::globalInstance()->start([folder = m_folder] {
            std::error_code ignored; // leftovers are removed when the run is watched again
            std::filesystem::remove_all(folder, ignored);
        });
    }
    if (!leaving.closed.empty()) m_reports.changeScene(std::move(leaving), waits);
}

void LiveWatch::applyState(const LiveState& state)
{
    m_state = state;
    uint64_t received = 0;
    for (size_t host = 0; host < state->size(); ++host) {
        received += (*state)[host].received_bytes;
        for (const LiveSpool& spool : (*state)[host].spools) {
            const bool isKnown = std::ranges::any_of(m_spools, [&](const Spool& existing) {
                return existing.host == host && existing.id == spool.id;
            });
            if (isKnown) continue;
            Spool& added = m_spools.emplace_back();
            added.host = host;
            added.id = spool.id;
            added.isElsewhere = spool.isElsewhere;
            added.recording = std::make_shared<LiveRecording>(spool.path);
            added.open = m_reports.newKey();
        }
    }
    m_received.emplace_back(m_clock.elapsed(), received);
    while (m_received.size() > 2 && m_received.front().first < m_clock.elapsed() - 2000)
        m_received.pop_front();
    readSoon();
}

// Starts the next round after a pause. Rounds do not overlap; each round's data is in a scene before the next
// round starts.
void LiveWatch::readSoon()
{
    if (m_feed == nullptr || m_state == nullptr || m_read.isRunning() || m_isShowing || m_next.isActive())
        return;
    // Spend at most half of the time on reading data and showing it.
    const int since_ms = m_round.isValid() ? static_cast<int>(m_round.elapsed()) : kMaxPause_ms;
    m_next.start(std::max(0, std::clamp(2 * m_cost_ms, kMinPause_ms, kMaxPause_ms) - since_ms));
}

std::vector<LiveWatch::Order> LiveWatch::makeOrders()
{
    std::vector<Order> orders;
    for (size_t i = 0; i < m_spools.size(); ++i) {
        Spool& spool = m_spools[i];
        const LiveHostState& host = (*m_state)[spool.host];
        const auto received = std::ranges::find(host.spools, spool.id, &LiveSpool::id);
        if (received == host.spools.end() || spool.isQuiet) continue;
        Order order{i, spool.recording, {}, {}, {}};
        order.reach.bytes = received->bytes;
        order.reach.isCut =
            host.link == LiveHostState::Link::lost || host.link == LiveHostState::Link::failed;
        const bool hasNow =
            host.clock.has_value() && host.link != LiveHostState::Link::ended && !received->isDone;
        order.reach.now_ns = hasNow ? host.clock->now_ns() : received->newest_ns;
        // Extend open ranges only up to the time at which they are known to be open.
        if (hasNow && !order.reach.isCut)
            order.reach.now_ns =
                std::max(received->newest_ns, std::min(order.reach.now_ns, received->newestThere_ns));
        order.merged = m_merging.take(i);
        if (m_toMove && m_toMove->spool == i) order.moved = m_toMove->number;
        spool.isQuiet = received->isDone;
        orders.push_back(std::move(order));
    }
    m_toMove.reset();
    return orders;
}

void LiveWatch::read()
{
    if (m_feed == nullptr || m_state == nullptr || m_read.isRunning() || m_isShowing) return;
    m_round.start();
    m_files.update(*m_state);
    std::vector<Order> orders = makeOrders();
    m_read.start([orders = std::move(orders), files = m_files.round()](const Progress& progress) {
        return readAll(orders, files, progress);
    });
}

Result<LiveWatch::Outcomes> LiveWatch::readAll(const std::vector<Order>& orders,
                                               const LiveFiles::Round& files, const Progress& progress)
{
    Outcomes outcomes;
    outcomes.spools.resize(orders.size());
    outcomes.files.resize(files.size());
    // One worker reads each recording and each file.
    progress.workers().run(orders.size() + files.size(), [&](size_t i, size_t) {
        if (progress.isCanceled()) return;
        const Progress alone(progress.stopToken(), {}, {});
        if (i < orders.size()) {
            outcomes.spools[i] = readOne(orders[i], alone);
        } else {
            outcomes.files[i - orders.size()] = files.read(i - orders.size(), alone);
        }
    });
    LOCKSTEP_TRY(progress.check());
    return outcomes;
}

LiveWatch::Outcome LiveWatch::readOne(const Order& order, const Progress& progress)
{
    Outcome outcome;
    outcome.spool = order.spool;
    const auto makeLod = [&progress](const LiveRecording::ReportPtr& report) {
        return BuiltReport{report, buildLod(*report, progress)};
    };
    for (const LiveMerging::Merged& merged : order.merged) {
        LiveRecording::Change change = order.recording->applyMerge(merged.merge, merged.built.report);
        for (const auto& chunk : change.added)
            outcome.built[chunk.number] = merged.built;
        std::ranges::copy(change.added, std::back_inserter(outcome.change.added));
        std::ranges::copy(change.removed, std::back_inserter(outcome.change.removed));
    }
    auto change = order.recording->read(order.reach, progress);
    if (!change) {
        outcome.problem = {change.error().message, change.error().help};
        return outcome;
    }
    for (const auto& chunk : change->added) {
        outcome.built[chunk.number] = makeLod(chunk.report);
        outcome.change.added.push_back(chunk);
    }
    outcome.open = makeLod(change->open);
    outcome.newest_ns = order.recording->newest_ns();
    if (order.moved) outcome.mergeRequest = order.recording->mergeOfOne(*order.moved);
    if (!outcome.mergeRequest) outcome.mergeRequest = order.recording->nextMerge();
    return outcome;
}

OpenedInScene LiveWatch::openedAs(ReportKey key, const BuiltReport& built, const Spool& spool) const
{
    Identity stated;
    if (built.report->identity.run.confidence < Confidence::stated)
        stated.run.learn(m_run, "run record", Confidence::stated);
    // On a shared disk, another host of the run may have written the capture.
    const auto& recorded = built.report->identity.host.value;
    const bool isRecorded =
        recorded && std::ranges::find(*m_state, *recorded, &LiveHostState::host) != m_state->end();
    const std::string& name = (*m_state)[spool.host].host;
    if (!isRecorded && !spool.isElsewhere)
        stated.host.learn(name, "watched on " + name, Confidence::confirmed);
    return {key, built.report, built.lod,
            std::make_shared<const ReportIdentity>(identityOf(*built.report, stated, {}))};
}

void LiveWatch::show(SceneChange& change, const Outcome& outcome)
{
    Spool& spool = m_spools[outcome.spool];
    for (const uint64_t number : outcome.change.removed) {
        const auto chunk = spool.chunks.find(number);
        if (chunk == spool.chunks.end()) continue;
        change.closed.insert(chunk->second.key);
        spool.chunks.erase(chunk);
    }
    for (const auto& [number, built] : outcome.built) {
        const Shown chunk{m_reports.newKey(), built.memory_bytes(), !built.report->place.isHeap()};
        spool.chunks[number] = chunk;
        change.opened.push_back(openedAs(chunk.key, built, spool));
    }
    if (outcome.open.report == nullptr) return;
    if (std::exchange(spool.isOpenShown, true)) change.closed.insert(spool.open);
    change.opened.push_back(openedAs(spool.open, outcome.open, spool));
    spool.newest_ns = outcome.newest_ns;
}

void LiveWatch::addProblem(const MessageWithHelp& problem)
{
    if (!problem.text.empty() && std::ranges::find(m_problems, problem) == m_problems.end())
        m_problems.push_back(problem);
}

void LiveWatch::handleOutcomes(const Result<Outcomes>& outcomes)
{
    if (m_feed == nullptr) return;
    if (!outcomes) {
        m_problems.push_back({outcomes.error().message, outcomes.error().help});
        return;
    }
    SceneChange change;
    for (const LiveFiles::Shown& shown : outcomes->files)
        addProblem(shown.problem);
    m_files.show(change, outcomes->files, [this] { return m_reports.newKey(); });
    for (const Outcome& outcome : outcomes->spools) {
        addProblem(outcome.problem);
        show(change, outcome);
        if (outcome.mergeRequest) requestMerge(outcome.spool, *outcome.mergeRequest);
    }
    m_isShowing = !change.isEmpty();
    if (m_isShowing) m_reports.changeScene(std::move(change), false);
    findRoom();
}

void LiveWatch::requestMerge(size_t spool, const LiveRecording::Merge& merge)
{
    uint64_t bytes = 0;
    for (const uint64_t number : merge.chunks) {
        const auto chunk = m_spools[spool].chunks.find(number);
        if (chunk != m_spools[spool].chunks.end()) bytes += chunk->second.memory_bytes;
    }
    m_merging.requestMerge({spool, merge, m_spools[spool].recording->path(), bytes});
}

// Chooses the chunk to move to disk, so that watched data stays within the memory limit.
void LiveWatch::findRoom()
{
    uint64_t inUse_bytes = m_files.memory_bytes();
    std::vector<LivePlacement::Chunk> chunks;
    for (size_t i = 0; i < m_spools.size(); ++i) {
        for (const auto& [number, chunk] : m_spools[i].chunks) {
            inUse_bytes += chunk.memory_bytes;
            if (!chunk.isOnDisk) chunks.push_back({i, number, chunk.memory_bytes});
        }
    }
    m_toMove = m_merging.toMove(chunks, inUse_bytes);
}

void LiveWatch::applyScene()
{
    if (!m_isShowing) return;
    // This function is also called for scenes that were started earlier. A round is considered shown once all
    // its chunks are in the scene.
    const Scene& scene = *m_reports.scene();
    for (const Spool& spool : m_spools) {
        for (const auto& [number, chunk] : spool.chunks) {
            if (!scene.open.has(chunk.key)) return;
        }
    }
    m_isShowing = false;
    m_cost_ms = static_cast<int>(m_round.elapsed());
    for (Spool& spool : m_spools)
        spool.newestShown_ns = spool.newest_ns;
    emit figuresChanged();
    readSoon();
}

LiveFigures LiveWatch::figures() const
{
    LiveFigures figures;
    figures.problems = m_problems;
    figures.isWatching = isWatching();
    if (m_state == nullptr) return figures;
    figures.hasEnded = true;
    figures.recordFiles = m_files.recordFiles();
    for (size_t host = 0; host < m_state->size(); ++host) {
        const LiveHostState& state = (*m_state)[host];
        figures.received_bytes += state.received_bytes;
        figures.hasEnded &= state.link == LiveHostState::Link::ended;
        if (state.link == LiveHostState::Link::connecting) {
            figures.awaited.push_back(state.host);
            if (!state.reason.text.empty())
                figures.awaitedReasons.push_back(state.host + ": " + state.reason.text);
        }
        if (state.link == LiveHostState::Link::lost) figures.lost.push_back(state.host);
        if (state.link == LiveHostState::Link::failed)
            figures.problems.push_back({state.host + ": " + state.reason.text, state.reason.help});
        for (const std::string& note : state.notes)
            figures.problems.push_back({state.host + ": " + note});
        for (const LiveSpool& received : state.spools)
            figures.skippedBlocks += received.skippedBlocks;
        for (const LiveRecordFile& received : state.records)
            figures.skippedRecords_bytes += received.skipped_bytes;
    }
    for (const Spool& spool : m_spools) {
        const LiveHostState& host = (*m_state)[spool.host];
        const auto received = std::ranges::find(host.spools, spool.id, &LiveSpool::id);
        ++figures.processes;
        // The clock of the sending host says nothing about another machine.
        if (received == host.spools.end() || received->isDone || !host.clock || spool.isElsewhere ||
            spool.newestShown_ns == INT64_MIN)
            continue;
        const int64_t now_ns = host.clock->now_ns();
        const bool isActive = std::max(received->newestThere_ns, received->newest_ns) > now_ns - kActive_ns ||
                              host.link == LiveHostState::Link::lost;
        if (isActive)
            figures.lag_s = std::max(figures.lag_s, static_cast<double>(now_ns - spool.newestShown_ns) / 1e9);
    }
    if (m_received.size() > 1) {
        const auto& [first_ms, first] = m_received.front();
        const auto& [last_ms, last] = m_received.back();
        if (last_ms > first_ms)
            figures.received_bytesPerS =
                static_cast<double>(last - first) * 1000 / static_cast<double>(last_ms - first_ms);
    }
    return figures;
}

} // namespace lockstep
