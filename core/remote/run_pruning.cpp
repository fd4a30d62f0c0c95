// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run_pruning.h"

#include <algorithm>
#include <optional>
#include <set>

#include <QFile>
#include <QList>
#include <sys/stat.h>

#include "core/remote/run_event.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr qint64 kTail_bytes = 64 << 10; // longer than any last event

// Returns the last event in the log if it reports the end of the host's run.
std::optional<RunEvent> endEvent(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    if (file.size() > kTail_bytes) file.seek(file.size() - kTail_bytes);
    QList<QByteArray> lines = file.read(kTail_bytes).split('\n');
    for (; !lines.isEmpty(); lines.removeLast()) {
        const QByteArray& line = lines.last();
        auto event = runEventFromLine({line.data(), static_cast<size_t>(line.size())});
        if (!event) continue; // clock readings of the launcher are not events of the host
        return event->isRunEnd ? std::optional(*std::move(event)) : std::nullopt;
    }
    return std::nullopt;
}

StoredEnd endOfHost(const RunEvent& event)
{
    if (event.wasStopped) return StoredEnd::stopped;
    if (!event.code) return StoredEnd::unknown;
    return *event.code == 0 ? StoredEnd::succeeded : StoredEnd::failed;
}

} // namespace

StoredEnd storedEnd(const RunRecord& record)
{
    std::set<StoredEnd> ends;
    for (const HostRecord& host : record.hosts) {
        if (!host.wasStarted) {
            ends.insert(StoredEnd::unknown);
            continue;
        }
        const auto event = endEvent(eventFileOf(record, host.host));
        if (!event) return StoredEnd::none;
        ends.insert(endOfHost(*event));
    }
    for (const StoredEnd end : {StoredEnd::failed, StoredEnd::unknown, StoredEnd::stopped}) {
        if (ends.contains(end)) return end;
    }
    return ends.empty() ? StoredEnd::unknown : StoredEnd::succeeded;
}

bool isRunOver(const RunRecord& record)
{
    return storedEnd(record) != StoredEnd::none;
}

int64_t lastStored_ns(const RunRecord& record)
{
    int64_t last_ns = 0;
    for (const HostRecord& host : record.hosts) {
        struct stat status = {};
        if (::stat(eventFileOf(record, host.host).c_str(), &status) != 0 || status.st_size == 0) continue;
        last_ns = std::max(last_ns, int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec);
    }
    return last_ns;
}

uint64_t storedBytes(const RunRecord& record)
{
    uint64_t total_bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(runFolderOf(record), error), end; !error && entry != end;
         entry.increment(error)) {
        struct stat status = {};
        if (::lstat(entry->path().c_str(), &status) == 0)
            total_bytes += static_cast<uint64_t>(status.st_blocks) * 512;
    }
    return total_bytes;
}

Status removeStoredRun(const RunRecord& record)
{
    const fs::path folder = runFolderOf(record);
    const RunLock lock = LOCKSTEP_TRY(RunLock::take(record));
    const auto failed = [&folder](const std::error_code& error) {
        return makeError(ErrorKind::io, folder.string() + ": cannot be removed: " + error.message());
    };
    std::error_code error;
    std::vector<fs::path> parts;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().filename() != "record.json") parts.push_back(entry->path());
    }
    for (const fs::path& part : parts) {
        fs::remove_all(part, error);
        if (error) return failed(error);
    }
    fs::remove_all(folder, error);
    if (error) return failed(error);
    return {};
}

bool isOlderThan(const RunRecord& record, double days, int64_t now_ns)
{
    return static_cast<double>(now_ns - record.started_ns) >= days * 86'400e9;
}

RunPruning pruneRuns(std::span<const RunRecord> newestFirst, int64_t now_ns, uint64_t max_bytes)
{
    RunPruning done;
    std::vector<uint64_t> sizes;
    for (const RunRecord& record : newestFirst) {
        sizes.push_back(storedBytes(record));
        done.stored_bytes += sizes.back();
    }
    for (size_t i = newestFirst.size(); i-- > 0 && done.stored_bytes > max_bytes;) {
        const RunRecord& record = newestFirst[i];
        if (!isOlderThan(record, static_cast<double>(kMinRemovalAge_days), now_ns) || !isRunOver(record))
            continue;
        if (!removeStoredRun(record)) continue;
        done.removed.push_back(record.id);
        done.removed_bytes += sizes[i];
        done.stored_bytes -= sizes[i];
    }
    return done;
}

} // namespace lockstep
