#include "core/remote/collector.h"

#include <algorithm>

#include <QPointer>
#include <QTimer>

#include "core/remote/content_proof.h"
#include "core/remote/file_fetch.h"

namespace lockstep {

namespace fs = std::filesystem;

Collector::Collector(Run& run, CollectOptions options, QObject* parent)
    : QObject(parent), m_run(run), m_options(std::move(options))
{
    m_pool.setMaxThreadCount(2);
}

Collector::~Collector()
{
    m_stop.request_stop();
    m_pool.waitForDone();
}

void Collector::begin()
{
    for (size_t host = 0; host < m_run.hosts().size(); ++host) {
        if (!m_run.record().hosts[host].wasStarted) continue; // nothing of this run can be there
        ++m_listing;
        listHost(host, 0);
    }
    QMetaObject::invokeMethod(this, &Collector::next, Qt::QueuedConnection);
}

void Collector::cancel()
{
    if (std::exchange(m_isOver, true)) return;
    m_stop.request_stop();
    m_queue.clear();
    for (QObject* child : QObjectList(children()))
        child->deleteLater();
    emit finished();
}

void Collector::listHost(size_t host, int tries)
{
    AgentClient* client = m_run.client(host);
    client->list(m_run.agentRunDir(host), [this, guard = QPointer<Collector>(this), host, tries,
                                           client](Result<std::vector<ListedReport>> reports) {
        if (!guard || m_isOver) return;
        if (!reports && isWorthRetrying(client->lastLinkFailure()) && tries + 1 < m_options.triesPerFile) {
            QTimer::singleShot(1000 << std::min(tries, 4), this,
                               [this, host, tries] { listHost(host, tries + 1); });
            return;
        }
        --m_listing;
        if (reports) {
            takeList(host, *reports);
        } else {
            tellUnlisted(host, reports.error());
        }
        next();
    });
}

void Collector::tellUnlisted(size_t host, const Error& error)
{
    const std::string& name = m_run.hosts()[host].host;
    for (size_t entry = 0; entry < m_run.ledger().entries().size(); ++entry) {
        const LedgerEntry& one = m_run.ledger().entries()[entry];
        if (one.host == name && one.localPath.empty() && one.state == LedgerState::complete)
            m_run.ledger().noteMissing(entry, "complete on its host, but not fetched: " + error.message);
    }
    m_run.ledgerWasChanged();
}

void Collector::takeList(size_t host, const std::vector<ListedReport>& reports)
{
    Ledger& ledger = m_run.ledger();
    const std::string& name = m_run.hosts()[host].host;
    for (const ListedReport& report : reports) {
        if (report.modified_ns < m_run.beganOn_ns(host)) continue;
        const size_t entry = ledger.noteFound(name, report.path, report.kind, report.size_bytes,
                                              report.isComplete, report.reason);
        if (report.size_bytes == 0) { // nothing to fetch; the host's word says why
            ledger.noteMissing(entry, report.reason);
            continue;
        }
        const bool isHere =
            !ledger.entries()[entry].localPath.empty() && ledger.entries()[entry].sha256 == report.sha256;
        ledger.noteDigest(entry, report.sha256);
        std::error_code error;
        if (isHere && fs::exists(ledger.entries()[entry].localPath, error)) continue;
        // A report without its end is fetched, too: what it holds can be opened, and it may be all there is.
        if (!isWanted(entry) || report.sha256.empty()) continue;
        m_queue.push_back({host, entry, report});
        ++m_progress.files;
        m_progress.bytes += report.size_bytes;
    }
    m_run.ledgerWasChanged();
    emit progressChanged();
}

bool Collector::isWanted(size_t entry) const
{
    return !m_options.chosen || m_options.chosen->contains(entry);
}

void Collector::next()
{
    if (m_isOver) return;
    while (!m_queue.empty() && m_active < m_options.parallelFiles) {
        const Waiting waiting = std::move(m_queue.front());
        m_queue.pop_front();
        ++m_active;
        if (m_options.mode == CollectMode::whole || !waiting.file.isComplete) {
            fetch(waiting.entry, waiting.file, false);
            continue;
        }
        const std::string target =
            m_run.agentRunDir(waiting.host) + "/reduced/" + waiting.file.sha256.substr(0, 24) + ".lockstep";
        m_run.client(waiting.host)
            ->reduce({waiting.file.path}, target,
                     [this, guard = QPointer<Collector>(this), waiting](Result<ListedReport> reduced) {
                         if (!guard || m_isOver) return;
                         // What the node cannot reduce comes whole.
                         if (reduced) m_progress.bytes += reduced->size_bytes - waiting.file.size_bytes;
                         fetch(waiting.entry, reduced ? *reduced : waiting.file, reduced.has_value());
                     });
    }
    if (m_queue.empty() && m_active == 0 && m_listing == 0) {
        m_isOver = true;
        // What is still being written now has nobody who writes it.
        if (m_run.state() == RunState::ended && !m_options.chosen)
            m_run.ledger().close("its host has not completed it");
        m_run.ledgerWasChanged();
        emit finished();
    }
}

void Collector::fetch(size_t entry, const ListedReport& file, bool isReduced)
{
    const LedgerEntry& one = m_run.ledger().entries()[entry];
    const auto host = std::ranges::find(m_run.hosts(), one.host, &HostStatus::host) - m_run.hosts().begin();
    std::string name = one.path;
    name.erase(0, name.find_first_not_of('/'));
    const fs::path target = m_options.folder / fileNameOf(one.host) / (isReduced ? name + ".lockstep" : name);
    FetchOrder order{file.path, target, file.size_bytes, file.sha256};
    order.tries = m_options.triesPerFile;
    auto* transfer =
        new FileFetch(m_run.client(static_cast<size_t>(host))->remote(), std::move(order), m_pool, this);
    connect(transfer, &FileFetch::bytesArrived, this, [this](qint64 count) {
        m_progress.bytesDone += count;
        emit progressChanged();
    });
    connect(transfer, &FileFetch::finished, this,
            [this, transfer, entry, target, isReduced](const Error& error) {
                transfer->deleteLater();
                fetched(entry, target, isReduced, error);
            });
    transfer->begin();
}

void Collector::fetched(size_t entry, const fs::path& target, bool isReduced, const Error& error)
{
    if (m_isOver) return;
    if (!error.message.empty()) {
        m_run.ledger().noteMissing(entry, error.message);
        return done(entry);
    }
    m_run.ledger().noteFetched(entry, target.string(), isReduced);
    m_run.ledgerWasChanged();
    prove(entry, target);
}

void Collector::prove(size_t entry, const fs::path& path)
{
    m_pool.start([this, guard = QPointer<Collector>(this), entry, path, stop = m_stop.get_token()] {
        // The destructor waits for this; the answer goes to an object that is still there.
        ContentProof proof = proveContent(path, Progress(stop));
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this,
            [this, entry, proof = std::move(proof)] {
                if (m_isOver) return;
                done(m_run.ledger().noteProof(entry, proof));
            },
            Qt::QueuedConnection);
    });
}

void Collector::done(size_t entry)
{
    --m_active;
    ++m_progress.filesDone;
    m_run.ledgerWasChanged();
    emit fileDone(entry);
    emit progressChanged();
    next();
}

} // namespace lockstep
