// SPDX-License-Identifier: Apache-2.0
#include "core/remote/collector.h"

#include <algorithm>
#include <mutex>

#include <QPointer>
#include <QTimer>

#include "core/readers/reader.h"
#include "core/remote/file_fetch.h"
#include "core/remote/slurm_remote.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMaxSize_bytes = int64_t(1) << 46; // maximum size of one report: 64 TiB
constexpr size_t kLongestNode_bytes = 255;

std::set<std::string> existingPaths(std::set<std::string> places)
{
    std::error_code error;
    std::erase_if(places,
                  [&](const std::string& place) { return place.empty() || !fs::exists(place, error); });
    return places;
}

bool isDigest(std::string_view sha256)
{
    return sha256.size() == 64 && sha256.find_first_not_of("0123456789abcdef") == sha256.npos;
}

} // namespace

struct Collector::SharedFolder {
    std::mutex mutex;
    std::optional<CollectionFolder> folder;

    Result<const CollectionFolder*> opened(const fs::path& desired, const std::string& run)
    {
        const std::scoped_lock lock(mutex);
        if (!folder) folder.emplace(LOCKSTEP_TRY(CollectionFolder::open(desired, run)));
        return &*folder;
    }
};

Collector::Collector(Run& run, CollectOptions options, QObject* parent)
    : QObject(parent), m_run(run), m_options(std::move(options)), m_folder(std::make_shared<SharedFolder>()),
      m_files(static_cast<int>(m_options.parallelFiles)), m_verifications(2)
{
    if (m_options.chosen) m_chosen.emplace();
    for (const size_t entry : m_options.chosen.value_or(std::set<size_t>())) {
        const LedgerEntry& one = m_run.ledger().entries()[entry];
        m_chosen->emplace(one.host, one.path);
    }
    for (const LedgerEntry& entry : m_run.ledger().entries()) {
        if (!entry.localPath.empty()) m_sources.emplace(entry.localPath, std::pair(entry.host, entry.path));
    }
}

void Collector::begin()
{
    for (size_t host = 0; host < m_run.hosts().size(); ++host) {
        if (!m_run.record().hosts[host].wasStarted) continue; // the host has no reports from this run
        ++m_listing;
        listHost(host, 0);
    }
    QMetaObject::invokeMethod(this, &Collector::next, Qt::QueuedConnection);
}

void Collector::cancel()
{
    if (std::exchange(m_isOver, true)) return;
    m_queue.clear();
    for (QObject* child : QObjectList(children()))
        child->deleteLater();
    emit finished();
}

void Collector::listHost(size_t host, int tries)
{
    AgentClient* client = clientOf(host);
    client->list(
        m_run.agentRunDir(host), m_viaLogin.contains(host),
        [this, guard = QPointer<Collector>(this), host, tries,
         client](Result<std::vector<ListedReport>> reports) {
            if (!guard || m_isOver) return;
            if (!reports && isWorthRetrying(client->lastLinkFailure()) &&
                tries + 1 < m_options.triesPerFile) {
                QTimer::singleShot(1000 << std::min(tries, 4), this,
                                   [this, host, tries] { listHost(host, tries + 1); });
                return;
            }
            // The node is unreachable, but the files that it wrote to a shared disk are visible on the login
            // node.
            const bool isJobOver =
                !reports && m_run.loginClient(host) != nullptr && isJobGone(reports.error().message);
            if (isJobOver && m_viaLogin.insert(host).second) return listHost(host, 0);
            if (!reports) {
                --m_listing;
                noteListError(host, reports.error());
                return next();
            }
            if (const size_t lost = client->lostLines(); lost > 0) {
                m_notes.push_back(m_run.hosts()[host].host + ": unreadable lines in its list of reports: " +
                                  std::to_string(lost) + "; files may be missing");
            }
            if (const size_t unlisted = client->unlistedReports(); unlisted > 0) {
                m_notes.push_back(m_run.hosts()[host].host + ": its list has more than " +
                                  std::to_string(AgentClient::kMaxListed) +
                                  " reports; not collected: " + std::to_string(unlisted));
            }
            std::set<std::string> places;
            for (const LedgerEntry& entry : m_run.ledger().entries()) {
                if (!entry.localPath.empty()) places.insert(entry.localPath);
            }
            const auto listed = std::make_shared<const std::vector<ListedReport>>(std::move(*reports));
            m_files.start(
                [places = std::move(places)](const std::stop_token&) { return existingPaths(places); },
                [this, host, listed](const std::set<std::string>& here) {
                    if (m_isOver) return;
                    --m_listing;
                    applyList(host, *listed, here);
                    next();
                });
        });
}

AgentClient* Collector::clientOf(size_t host) const
{
    return m_viaLogin.contains(host) ? m_run.loginClient(host) : m_run.client(host);
}

void Collector::noteListError(size_t host, const Error& error)
{
    const std::string& name = m_run.hosts()[host].host;
    m_notes.push_back(name + ": cannot list its reports: " + error.message);
    for (size_t entry = 0; entry < m_run.ledger().entries().size(); ++entry) {
        const LedgerEntry& one = m_run.ledger().entries()[entry];
        if (one.host == name && one.localPath.empty() && one.state == LedgerState::complete)
            m_run.ledger().noteMissing(entry, "complete on its host, but not fetched: " + error.message);
    }
    m_run.ledgerWasChanged();
}

void Collector::applyList(size_t host, const std::vector<ListedReport>& reports,
                          const std::set<std::string>& here)
{
    Ledger& ledger = m_run.ledger();
    const std::string& name = m_run.hosts()[host].host;
    std::set<std::string> listed;
    for (const ListedReport& report : reports) {
        // Skips files older than the run, unless the host reported them as part of the run. The agent allows
        // for the coarse resolution of file times.
        if (report.modified_ns < m_run.beganOn_ns(host) && !ledger.find(name, report.path)) continue;
        if (!listed.insert(report.path).second) continue; // listed twice: only the first is fetched
        if (!m_viaLogin.contains(host)) m_nodes[host] = report.node.substr(0, kLongestNode_bytes);
        if (!ledger.hasRoomFor(name, report.path, report.kind)) continue;
        size_t entry = ledger.noteFound(name, report.path, report.kind, report.size_bytes, report.isComplete,
                                        report.reason, report.isFlushing);
        if (report.size_bytes == 0) { // nothing to fetch; the host provides the reason
            ledger.noteMissing(entry, report.reason.empty() ? "empty file" : report.reason);
            continue;
        }
        if (isDigest(report.sha256) && ledger.noteDifferent(entry, {name, report.path}, report.sha256)) {
            entry = ledger.noteFound(name, report.path, report.kind, report.size_bytes, report.isComplete,
                                     report.reason);
        }
        if (report.isShared) ledger.noteShared(entry);
        const bool isHere =
            !ledger.entries()[entry].localPath.empty() && ledger.entries()[entry].sha256 == report.sha256;
        ledger.noteDigest(entry, isDigest(report.sha256) ? report.sha256 : std::string());
        if (isDigest(report.sha256) &&
            !m_listed.note(ledger, report.sha256, report.size_bytes, {name, report.path}))
            continue;
        entry = *ledger.find(name, report.path);
        if (isHere && here.contains(ledger.entries()[entry].localPath)) continue;
        if (!isSelected(ledger.entries()[entry])) continue;
        if (!isDigest(report.sha256)) {
            ledger.noteMissing(entry, "the host could not read the entire file");
            continue;
        }
        if (report.size_bytes < 0 || report.size_bytes > kMaxSize_bytes) {
            ledger.noteMissing(entry, "the host reported an impossible size: " +
                                          std::to_string(report.size_bytes) + " bytes");
            continue;
        }
        // Incomplete reports are fetched, too, because their data can be opened and may be all that exists.
        m_queue.push_back({host, report});
        ++m_progress.files;
        m_progress.bytes += report.size_bytes;
    }
    noteUnlisted(host, listed);
    m_run.ledgerWasChanged();
    emit progressChanged();
}

// Marks reports as gone if the host reported them earlier but no longer lists them.
void Collector::noteUnlisted(size_t host, const std::set<std::string>& listed)
{
    const std::string& name = m_run.hosts()[host].host;
    Ledger& ledger = m_run.ledger();
    for (size_t entry = 0; entry < ledger.entries().size(); ++entry) {
        const LedgerEntry& one = ledger.entries()[entry];
        if (one.host != name || one.path.empty() || listed.contains(one.path)) continue;
        if (!m_viaLogin.contains(host)) {
            ledger.noteGone(name, std::string(one.path), std::nullopt);
        } else if (one.localPath.empty() && one.alsoAt.empty()) {
            ledger.noteMissing(entry, "on the local disk of node " + name +
                                          ", which cannot be reached after its job ended; copy the file "
                                          "from there");
        }
    }
}

bool Collector::isSelected(const LedgerEntry& entry) const
{
    if (!m_chosen && entry.state == LedgerState::found) return false;
    return !m_chosen || m_chosen->contains({entry.host, entry.path});
}

std::string Collector::sessionName(const std::string& node) const
{
    for (const auto& [host, name] : m_nodes) {
        if (!name.empty() && name == node) return m_run.hosts()[host].host;
    }
    return node;
}

void Collector::next()
{
    if (m_isOver) return;
    while (!m_queue.empty() && m_active < m_options.parallelFiles) {
        const Waiting waiting = std::move(m_queue.front());
        m_queue.pop_front();
        ++m_active;
        if (m_options.mode == CollectMode::whole || !waiting.file.isComplete) {
            fetch(waiting, waiting.file, false);
            continue;
        }
        const std::string target =
            m_run.agentRunDir(waiting.host) + "/reduced/" + waiting.file.sha256.substr(0, 24) + ".lockstep";
        clientOf(waiting.host)
            ->reduce({waiting.file.path}, target,
                     [this, guard = QPointer<Collector>(this), waiting](Result<ListedReport> reduced) {
                         if (!guard || m_isOver) return;
                         // If the node cannot reduce a report, the whole file is fetched.
                         const bool isReduced = reduced && isDigest(reduced->sha256);
                         if (isReduced) m_progress.bytes += reduced->size_bytes - waiting.file.size_bytes;
                         fetch(waiting, isReduced ? *reduced : waiting.file, isReduced);
                     });
    }
    if (m_queue.empty() && m_active == 0 && m_listing == 0) {
        m_isOver = true;
        // The run has ended, so reports that are still incomplete will not be completed.
        if (m_run.state() == RunState::ended && !m_options.chosen)
            m_run.ledger().close("the host did not finish writing it");
        m_run.ledgerWasChanged();
        m_files.start(
            [folder = m_folder](const std::stop_token&) {
                if (folder->folder) folder->folder->removePartsFolder();
                return true;
            },
            [this](bool) { emit finished(); });
    }
}

size_t Collector::entryOf(const Waiting& waiting) const
{
    return *m_run.ledger().find(m_run.hosts()[waiting.host].host, waiting.file.path);
}

void Collector::fetch(const Waiting& waiting, const ListedReport& file, bool isReduced)
{
    const std::pair<std::string, std::string> from{m_run.hosts()[waiting.host].host, waiting.file.path};
    const auto findPlaces = [folder = m_folder, from, desired = m_options.folder, run = m_run.record().id,
                             ownFile = m_run.ledger().entries()[entryOf(waiting)].localPath,
                             ending =
                                 isReduced ? ".lockstep" : ""](const std::stop_token&) -> Result<Places> {
        const CollectionFolder& opened = *LOCKSTEP_TRY(folder->opened(desired, run));
        Places places;
        places.place = LOCKSTEP_TRY(opened.placeOf(from.first, from.second, ending));
        places.part = LOCKSTEP_TRY(opened.partOf(from.first, from.second, ending));
        places.ownFile = ownFile;
        return places;
    };
    m_files.start(findPlaces, [this, from, waiting, file, isReduced](const Result<Places>& places) {
        if (m_isOver) return;
        if (!places) return giveUp(waiting, places.error());
        // "/a//b" and "/a/b" map to the same local path.
        const auto [source, isNew] = m_sources.emplace(places->place, from);
        if (!isNew && source->second != from) {
            return giveUp(waiting, {ErrorKind::invalid,
                                    "its path maps to the same local file as " + source->second.second});
        }
        fetchTo(*places, waiting, file, isReduced);
    });
}

void Collector::fetchTo(const Places& places, const Waiting& waiting, const ListedReport& file,
                        bool isReduced)
{
    FetchOrder order{file.path, places.part, file.size_bytes, file.sha256};
    order.tries = m_options.triesPerFile;
    order.idleTimeout_s = m_run.options().giveUpConnecting_s;
    const bool isViaLogin = m_viaLogin.contains(waiting.host);
    auto* transfer = new FileFetch(clientOf(waiting.host)->remote(), std::move(order), m_files, this);
    connect(transfer, &FileFetch::bytesArrived, this, [this](qint64 count) {
        m_progress.bytesDone += count;
        emit progressChanged();
    });
    connect(transfer, &FileFetch::waits, this,
            [this, host = waiting.host](const std::string& text) { emit m_run.hostWaits(host, text); });
    connect(transfer, &FileFetch::finished, this,
            [this, transfer, waiting, file, places, isReduced, isViaLogin](const Error& error) {
                transfer->deleteLater();
                if (!isViaLogin && isJobGone(error.message) && m_run.loginClient(waiting.host) != nullptr) {
                    m_viaLogin.insert(waiting.host); // the job ended after the list was read
                    return fetch(waiting, file, isReduced);
                }
                if (!error.message.empty()) return giveUp(waiting, error);
                moveIntoPlace(waiting, places, isReduced);
            });
    transfer->begin();
}

void Collector::moveIntoPlace(const Waiting& waiting, const Places& places, bool isReduced)
{
    if (m_isOver) return;
    m_files.start(
        [folder = m_folder, places](const std::stop_token&) {
            return folder->folder->moveIntoPlace(places.part, places.place, places.ownFile);
        },
        [this, waiting, isReduced](const Result<fs::path>& path) {
            if (m_isOver) return;
            if (!path) return giveUp(waiting, path.error());
            m_run.ledger().noteFetched(entryOf(waiting), path->string(), isReduced);
            m_run.ledgerWasChanged();
            verify(waiting, *path);
        });
}

void Collector::verify(const Waiting& waiting, const fs::path& path)
{
    m_verifications.start([path](const std::stop_token& stop) { return verifyContent(path, Progress(stop)); },
                          [this, waiting](ContentCheck check) {
                              if (m_isOver) return;
                              check.host = sessionName(check.host);
                              if (isOfAnotherRun(waiting.host, check)) {
                                  check.problem = "it belongs to run " + check.run + ", not to this run";
                                  check.isCut = false;
                              } else if (const std::string& other = waiting.file.otherRun;
                                         !other.empty() && check.run.empty()) {
                                  check.uncertainty =
                                      "run " + other +
                                      " wrote into the same folder at the same time, so it is unknown "
                                      "which run wrote this report";
                              }
                              done(m_run.ledger().noteCheck(entryOf(waiting), check));
                          });
}

// A different run ID is conclusive only if this run passed its own ID to its processes.
bool Collector::isOfAnotherRun(size_t host, const ContentCheck& check) const
{
    return !check.run.empty() && m_run.hasPassedRunId(host) && check.run != m_run.record().id;
}

void Collector::giveUp(const Waiting& waiting, const Error& error)
{
    if (m_isOver) return;
    const size_t entry = entryOf(waiting);
    m_run.ledger().noteMissing(entry, error.message);
    done(entry);
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

namespace {

// Returns whether the note says that the end of the file is missing.
bool isCut(const ImportNote& note)
{
    return note.severity == NoteSeverity::dataLoss &&
           (note.kind.ends_with("truncated") || note.kind.ends_with("cut_short") ||
            note.kind.ends_with("unreadable"));
}

// Returns whether the note says that blocks of a capture file are missing because its process was killed or
// the file was changed.
bool isIncompleteSpool(const ImportNote& note)
{
    return note.severity == NoteSeverity::dataLoss && note.kind.starts_with("spool.");
}

// Returns the losses that the capture itself recorded.
std::string lossOf(const Report& report)
{
    std::string text;
    for (const ImportNote& note : report.notes.all()) {
        if (note.severity != NoteSeverity::dataLoss || !note.kind.starts_with("capture.")) continue;
        text += (text.empty() ? "" : "; ") + std::to_string(note.count) + " " + note.text;
    }
    return text;
}

void fillFrom(ContentCheck& check, const Report& report)
{
    const auto rows = static_cast<int64_t>(report.slices.size() + report.counters.size());
    check.rows += rows + (report.memory ? static_cast<int64_t>(report.memory->entries.size()) : 0);
    const Identity& identity = report.identity;
    if (!check.rank && identity.rank.isKnown()) check.rank = *identity.rank.value;
    const bool isHostStated = identity.host.isKnown() && identity.host.confidence >= Confidence::stated;
    if (check.host.empty() && isHostStated) check.host = *identity.host.value;
    if (!check.step && identity.step.isKnown()) check.step = *identity.step.value;
    if (check.role.empty() && identity.role.isKnown()) check.role = *identity.role.value;
    const auto cut = std::ranges::find_if(report.notes.all(), isCut);
    if (cut != report.notes.all().end() && check.problem.empty()) {
        check.problem = cut->text + "; the data before the cut can be opened";
        check.isCut = true;
    }
    const auto incomplete = std::ranges::find_if(report.notes.all(), isIncompleteSpool);
    if (incomplete != report.notes.all().end() && check.problem.empty()) {
        check.problem = "incomplete: " + incomplete->text + "; the rest can be opened";
        check.isCut = true;
    }
    if (check.loss.empty()) check.loss = lossOf(report);
    if (report.provenance.kind == "lockstep capture" && identity.run.isKnown())
        check.run = *identity.run.value;
}

} // namespace

ContentCheck verifyContent(const std::filesystem::path& path, const Progress& progress)
{
    ContentCheck check;
    const auto reports = readReports(path, progress, ReadExtent::file);
    if (!reports) {
        check.problem = reports.error().message;
        // Opening a binary nsys report requires nsys on this machine. The node checked the report's end
        // marker, but the content has not been checked.
        check.isUnopened = reports.error().kind == ErrorKind::unsupported;
        return check;
    }
    for (const ReportKey key : reports->keys())
        fillFrom(check, reports->report(key));
    if (check.rows == 0) check.isCut = false; // the file has no usable content
    if (check.rows == 0 && check.problem.empty())
        check.problem = "it can be opened but contains no rows; nothing was recorded";
    return check;
}

} // namespace lockstep
