// SPDX-License-Identifier: Apache-2.0
#include "app/known_runs.h"

#include <algorithm>

#include <QFile>

#include "core/remote/run_event.h"

namespace lockstep {

namespace {

constexpr size_t kMostRuns = 50;
constexpr qint64 kTail_bytes = 64 << 10; // the last event is at most this long
constexpr int64_t kTwoWeeks_ns = 14LL * 24 * 3600 * 1'000'000'000;

// The end of a host's run is the last event of its log.
bool hasTold(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) return false;
    if (file.size() > kTail_bytes) file.seek(file.size() - kTail_bytes);
    const QByteArray tail = file.readAll().trimmed();
    const QByteArray line = tail.mid(tail.lastIndexOf('\n') + 1);
    const auto event = runEventFromLine({line.data(), static_cast<size_t>(line.size())});
    return event && event->isRunEnd;
}

} // namespace

bool isRunOver(const RunRecord& record)
{
    return std::ranges::all_of(record.hosts, [&record](const HostRecord& host) {
        return !host.wasStarted || hasTold(eventFileOf(record, host.host));
    });
}

std::vector<KnownRun> listKnownRuns()
{
    std::vector<KnownRun> runs;
    for (RunRecord& record : knownRuns()) {
        const bool isOver = isRunOver(record);
        runs.push_back({std::move(record), isOver});
        if (runs.size() == kMostRuns) break;
    }
    return runs;
}

const KnownRun* unfinishedRun(const std::vector<KnownRun>& runs, int64_t now_ns)
{
    const auto found = std::ranges::find_if(runs, [now_ns](const KnownRun& run) {
        return !run.isOver && now_ns - run.record.started_ns < kTwoWeeks_ns;
    });
    return found == runs.end() ? nullptr : &*found;
}

} // namespace lockstep
