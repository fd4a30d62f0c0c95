// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run_record.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <QSaveFile>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDateTime>

#include "core/base/json_fields.h"
#include "core/base/mapped_file.h"
#include "core/base/private_file.h"
#include "core/base/report_formats.h"
#include "core/base/sha256.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

// Parses the JSON of a record. Returns corrupt if it is invalid.
Result<RunRecord> runRecordFromJson(std::string_view text)
{
    const Json object = jsonFrom(text);
    if (!object.is_object() || !object.contains("lockstep_run"))
        return makeError(ErrorKind::corrupt, "not a valid run record");
    if (object["lockstep_run"] != 1)
        return makeError(ErrorKind::unsupported, "this run record was written by a newer Lockstep",
                         HelpTopic::newerVersion);
    RunRecord record;
    record.id = textAt(object, "id");
    record.session = textAt(object, "session");
    record.started_ns = numberAt(object, "started_ns").value_or(record.started_ns);
    record.slurmJob = textAt(object, "slurm_job");
    record.output = textAt(object, "output");
    for (const Json& host : listAt(object, "hosts")) {
        record.hosts.push_back({textAt(host, "host"), textAt(host, "address"), textAt(host, "run_dir"),
                                textAt(host, "slurm_node"), boolAt(host, "started"),
                                textAt(host, "agent_folder"),
                                static_cast<int>(numberAt(host, "slurm_component").value_or(-1))});
    }
    if (record.id.empty() || record.hosts.empty())
        return makeError(ErrorKind::corrupt, "this run record has no id or no hosts");
    return record;
}

} // namespace

std::string jsonFromRunRecord(const RunRecord& record)
{
    Json object{{"lockstep_run", 1},
                {"id", record.id},
                {"session", record.session},
                {"started_ns", record.started_ns},
                {"slurm_job", record.slurmJob},
                {"output", record.output.string()}};
    Json& hosts = object["hosts"] = Json::array();
    for (const HostRecord& host : record.hosts) {
        hosts.push_back({{"host", host.host},
                         {"address", host.address},
                         {"run_dir", host.runDir},
                         {"slurm_node", host.slurmNode},
                         {"started", host.wasStarted}});
        if (!host.agentFolder.empty()) hosts.back()["agent_folder"] = host.agentFolder;
        if (host.slurmComponent >= 0) hosts.back()["slurm_component"] = host.slurmComponent;
    }
    return indentedJson(object);
}

fs::path runsFolder()
{
    return userStateFolder() / "runs";
}

std::vector<RunRecord> knownRuns()
{
    std::vector<RunRecord> runs;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(runsFolder(), error)) {
        const auto file = MappedFile::open(entry.path() / "record.json");
        if (!file) continue;
        auto record = runRecordFromJson(file->text());
        // A run's files are located by its ID, so a record in a folder with a different name is ignored.
        if (record && record->id == entry.path().filename()) runs.push_back(std::move(*record));
    }
    std::ranges::sort(runs, std::greater(),
                      [](const RunRecord& run) { return std::pair(run.started_ns, run.id); });
    return runs;
}

Result<RunRecord> findRun(std::string_view idOrName)
{
    const std::vector<RunRecord> runs = knownRuns();
    std::vector<const RunRecord*> begins;
    for (const RunRecord& run : runs) {
        if (run.id == idOrName) return run;
        if (run.id.starts_with(idOrName)) begins.push_back(&run);
    }
    if (begins.size() == 1 && !idOrName.empty()) return *begins.front();
    for (const RunRecord& run : runs) {
        if (run.session == idOrName) return run;
    }
    std::string known;
    for (size_t i = 0; i < runs.size() && i < 5; ++i)
        known += (i > 0 ? ", " : "") + runs[i].id;
    return makeError(ErrorKind::notFound, "run '" + std::string(idOrName) + "' not found; " +
                                              (known.empty() ? "no runs have been started on this machine"
                                                             : "the newest runs are " + known));
}

fs::path runFolderOf(const RunRecord& record)
{
    return runsFolder() / record.id;
}

fs::path eventFileOf(const RunRecord& record, std::string_view host)
{
    return runFolderOf(record) / fileNameOf(host).append(formatNamed("run events").suffixes[0]);
}

std::string fileNameOf(std::string_view host)
{
    constexpr size_t kLongest = 120; // leaves room in the file name for prefixes and suffixes
    std::string name;
    for (const char c : host) {
        const bool isPlain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("._-@", c) != nullptr;
        if (isPlain && !(name.empty() && c == '.')) {
            name += c;
        } else {
            constexpr std::string_view kDigits = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(c);
            name += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    if (name.size() > kLongest) return name.substr(0, kLongest - 17) + "-" + Sha256::of(host).substr(0, 16);
    return name.empty() ? "this-machine" : name;
}

std::string newRunId(const std::string& session, int64_t now_ns)
{
    const QDateTime now = QDateTime::fromMSecsSinceEpoch(now_ns / 1'000'000, Qt::UTC);
    const std::string stem = now.toString("yyyy-MM-ddTHH-mm-ss").toStdString() + "-" +
                             (session.empty() ? "run" : fileNameOf(session));
    std::string id = stem;
    std::error_code error;
    for (int n = 2; fs::exists(runsFolder() / id, error); ++n)
        id = stem + "-" + std::to_string(n);
    return id;
}

std::string agentRunsFolder(const HostPlan& host, const HostFacts* facts)
{
    if (!host.agentFolder.empty()) return host.agentFolder + "/agent-runs/";
    const bool hasLocal = facts != nullptr && facts->home && !facts->home->localFolder.empty();
    return hasLocal ? facts->home->localFolder + "/agent-runs/" : ".local/state/lockstep/agent-runs/";
}

Status replaceFile(const fs::path& path, std::string_view text)
{
    LOCKSTEP_TRY(makePrivateFolders(path.parent_path()));
    QSaveFile file(QString::fromStdString(path.string()));
    const auto size = static_cast<qint64>(text.size());
    const auto ownerOnly = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
    if (!file.open(QIODevice::WriteOnly) || !file.setPermissions(ownerOnly) ||
        file.write(text.data(), size) != size || !file.commit())
        return makeError(ErrorKind::io,
                         path.string() + ": cannot be written: " + file.errorString().toStdString(),
                         HelpTopic::writeError);
    return {};
}

Result<RunLock> RunLock::take(const RunRecord& record)
{
    const fs::path path = runFolderOf(record) / "lock";
    LOCKSTEP_TRY(makePrivateFolders(path.parent_path()));
    RunLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (lock.m_fd < 0)
        return makeError(ErrorKind::io, path.string() + ": cannot be written: " + std::strerror(errno),
                         HelpTopic::writeError);
    // On file systems without locking, users must make sure that a run is not watched twice.
    if (::flock(lock.m_fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return makeError(ErrorKind::io, "another lockstep is watching run " + record.id +
                                            "; close it or stop watching there first");
    }
    return lock;
}

RunLock::~RunLock()
{
    if (m_fd >= 0) ::close(m_fd);
}

} // namespace lockstep
