// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_feed.h"

#include <algorithm>
#include <charconv>

#include <QDateTime>
#include <QFile>

#include "core/base/text.h"
#include "core/remote/report_name.h"

namespace lockstep {

namespace {

// At most this much is read, from the end of each host's event file.
constexpr qint64 kMaxHistory_bytes = 48 << 20;

int64_t now_ns()
{
    return QDateTime::currentMSecsSinceEpoch() * 1'000'000;
}

// Returns the process ID in a report's file name, such as "worker_process_41613.2.nsys-rep" or
// "actor_rank0_pid41613_2.json.gz".
std::optional<int64_t> pidInName(std::string_view name)
{
    for (const std::string_view word : {"pid", "worker_process_"}) {
        const size_t at = name.rfind(word);
        if (at == name.npos) continue;
        int64_t pid = 0;
        const char* const end = name.data() + name.size();
        if (std::from_chars(name.data() + at + word.size(), end, pid).ec == std::errc()) return pid;
    }
    return std::nullopt;
}

// Appends the newest events of one file with seq up to `last`. Ignores a file that cannot be read, because
// the Run reports the error.
void readEvents(const std::filesystem::path& path, size_t host, uint64_t last, const Progress& progress,
                std::vector<std::pair<size_t, RunEvent>>& events)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) return;
    if (file.size() > kMaxHistory_bytes) {
        file.seek(file.size() - kMaxHistory_bytes);
        file.readLine();
    }
    while (!file.atEnd() && !progress.isCanceled()) {
        const QByteArray line = file.readLine();
        auto event = runEventFromLine({line.data(), static_cast<size_t>(line.size())});
        if (event && event->seq <= last) events.emplace_back(host, std::move(*event));
    }
}

} // namespace

RunFeed::RunFeed(Run& run, QObject* parent)
    : QObject(parent), m_run(run),
      m_history([this](const Result<History>& history) { applyHistory(history); })
{
    m_notifyTimer.setSingleShot(true);
    m_notifyTimer.setInterval(100);
    connect(&m_notifyTimer, &QTimer::timeout, this, &RunFeed::notify);
    connect(&run, &Run::eventArrived, this, [this](size_t host, const RunEvent& event) {
        if (isReadingHistory()) {
            m_deferred.emplace_back(host, event);
        } else {
            take(host, event);
        }
    });
    connect(&run, &Run::hostChanged, this, &RunFeed::noteHost);
    connect(&run, &Run::hostsAdded, this, &RunFeed::addHosts);
    connect(&run, &Run::ledgerChanged, this, [this] {
        m_ledgerChanged = true;
        if (!m_notifyTimer.isActive()) m_notifyTimer.start();
    });
    m_steps.setRecorded(sortedSteps(run.config()));
    findRanks();
    m_log.setRankFinder([this](const LogProcess& process) { return rankOf(process); });
    addHosts();
    readHistory();
}

void RunFeed::addHosts()
{
    m_samples.resize(m_run.hosts().size());
    m_links.resize(m_run.hosts().size());
    m_hostsChanged = true;
    if (!m_notifyTimer.isActive()) m_notifyTimer.start();
}

void RunFeed::readHistory()
{
    std::vector<std::pair<std::filesystem::path, uint64_t>> files;
    bool isAny = false;
    for (size_t host = 0; host < m_run.hosts().size(); ++host) {
        files.emplace_back(m_run.eventFile(host), m_run.hosts()[host].lastSeq);
        isAny = isAny || files.back().second > 0;
    }
    if (!isAny) return;
    m_history.start([files](const Progress& progress) -> Result<History> {
        History events;
        for (size_t host = 0; host < files.size(); ++host)
            readEvents(files[host].first, host, files[host].second, progress, events);
        std::ranges::stable_sort(events, {}, [](const auto& one) { return one.second.time_ns; });
        return events;
    });
}

void RunFeed::applyHistory(const Result<History>& history)
{
    if (history) {
        for (const auto& [host, event] : *history)
            take(host, event);
    }
    for (const auto& [host, event] : std::exchange(m_deferred, {}))
        take(host, event);
}

void RunFeed::receiveOutput(uint32_t host, const RunEvent& event)
{
    const LogStream stream =
        event.kind == EventKind::standardError ? LogStream::standardError : LogStream::standardOutput;
    m_log.addOutput({host, stream, event.command.value_or(0)}, event.time_ns, event.text);
    if (event.cut_bytes > 0) {
        m_log.addMessage(host, event.time_ns, LogTone::note,
                         tr("%1 of a long line omitted here; the log file on the host has the full line")
                             .arg(byteText(event.cut_bytes).c_str())
                             .toStdString());
    }
    for (size_t begin = 0; begin < event.text.size();) {
        const size_t end = std::min(event.text.find('\n', begin), event.text.size());
        if (const auto timings = stepTimingsOf(std::string_view(event.text).substr(begin, end - begin)))
            m_steps.noteTimings(*timings, event.time_ns);
        begin = end + 1;
    }
}

// Returns the rank in the run of the host's first process, or nullopt if it cannot be determined.
std::optional<int64_t> RunFeed::firstRankOn(size_t host) const
{
    const SessionConfig& config = m_run.config();
    if (m_run.hosts().size() == 1) return 0;
    const bool isJob =
        config.launcher.kind == LauncherKind::slurm || config.launcher.kind == LauncherKind::rayJob;
    if (config.framework != Framework::torchrun || isJob || host >= config.hosts.size()) return std::nullopt;
    int64_t first = 0;
    for (size_t i = 0; i < host; ++i) {
        const auto processes =
            config.torchrun.processesPerNode ? config.torchrun.processesPerNode : config.hosts[i].gpus;
        if (!processes) return std::nullopt;
        first += *processes;
    }
    return first;
}

std::optional<int64_t> RunFeed::rankOf(const LogProcess& process) const
{
    if (process.localRank) {
        const auto first = firstRankOn(process.host);
        return first ? std::optional(*first + *process.localRank) : std::nullopt;
    }
    if (!process.pid) return std::nullopt;
    for (size_t i = 0; i < m_run.hosts().size(); ++i) {
        const HostStatus& host = m_run.hosts()[i];
        const bool isHere = process.ip.empty() ? i == process.host
                                               : host.address == process.ip ||
                                                     std::ranges::count(host.clockAddresses, process.ip) > 0;
        const auto found = m_reportRanks.find({host.host, *process.pid});
        if (isHere && found != m_reportRanks.end()) return found->second;
    }
    return std::nullopt;
}

// Reads the ranks of processes from the ledger. The rank of an entry is certain if the report states it in
// its name or was opened; otherwise it is only the expected one.
void RunFeed::findRanks()
{
    m_isRanksStale = false;
    for (const LedgerEntry& entry : m_run.ledger().entries()) {
        if (!entry.rank || entry.path.empty()) continue;
        const std::string_view name = fileNameOfPath(entry.path);
        const auto pid = pidInName(name);
        if (pid && (entry.state == LedgerState::verified || name.find("rank") != name.npos))
            m_reportRanks.insert_or_assign({entry.host, *pid}, *entry.rank);
    }
    m_log.updateRanks();
}

QString RunFeed::endText(const RunEvent& event)
{
    if (event.isRunEnd) {
        return event.wasStopped ? tr("run stopped on this host, as requested")
                                : tr("run finished on this host");
    }
    const QString name = QString::fromStdString(event.name);
    if (!event.text.empty()) return tr("%1 ended: %2").arg(name, event.text.c_str());
    return tr("%1: exit status %2").arg(name).arg(event.code.value_or(-1));
}

void RunFeed::take(size_t index, const RunEvent& event)
{
    const auto host = static_cast<uint32_t>(index);
    const auto addLine = [&](LogTone tone, const QString& text) {
        m_log.addMessage(host, event.time_ns, tone, text.toStdString());
    };
    switch (event.kind) {
    case EventKind::standardOutput:
    case EventKind::standardError:
        receiveOutput(host, event);
        break;
    case EventKind::step:
        if (event.step) m_steps.noteStep(*event.step, event.time_ns);
        break;
    case EventKind::sample:
        m_samples[index].add(event.time_ns, event.use);
        break;
    case EventKind::report: // shown by the collection status
        m_reportTimes.insert_or_assign({m_run.hosts()[index].host, event.path}, event.time_ns);
        break;
    case EventKind::error:
        m_log.addMessage(host, event.time_ns, LogTone::bad, event.text);
        break;
    case EventKind::exit:
        if (event.isRunEnd) m_steps.noteEnd(event.time_ns);
        if (event.isRunEnd || event.code != 0)
            addLine(event.code == 0 ? LogTone::note : LogTone::bad, endText(event));
        break;
    default:
        break;
    }
    m_logChanged = m_hostsChanged = true;
    if (!m_notifyTimer.isActive()) m_notifyTimer.start();
}

void RunFeed::noteHost(size_t index)
{
    const HostStatus& host = m_run.hosts()[index];
    Link& link = m_links[index];
    const bool isLost = host.linkLost_ns != 0;
    if (isLost != link.isLost) {
        link.isLost = isLost;
        if (!isLost) link.back_ns = now_ns();
        m_log.addMessage(static_cast<uint32_t>(index), now_ns(), isLost ? LogTone::warn : LogTone::note,
                         (isLost ? tr("link lost; the run continues, and the host stores its events")
                                 : tr("link restored; fetching the missed events"))
                             .toStdString());
        m_logChanged = true;
    }
    m_hostsChanged = true;
    if (!m_notifyTimer.isActive()) m_notifyTimer.start();
}

std::optional<int64_t> RunFeed::reportTime_ns(const std::string& host, const std::string& path) const
{
    const auto found = m_reportTimes.find({host, path});
    return found == m_reportTimes.end() ? std::nullopt : std::optional(found->second);
}

void RunFeed::notify()
{
    m_isRanksStale = m_isRanksStale || m_ledgerChanged;
    if (m_isRanksStale && m_log.hasUnknownRanks()) findRanks();
    if (std::exchange(m_ledgerChanged, false)) emit ledgerChanged();
    if (std::exchange(m_hostsChanged, false)) emit hostsChanged();
    if (std::exchange(m_logChanged, false)) emit logChanged();
}

} // namespace lockstep
