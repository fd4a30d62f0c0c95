// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/queue_length.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/training/describe_columns.h"
#include "core/analysis/training/launch_calls.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kQueueTitle = "Queue length: work launched but not yet started, per stream";
constexpr AnalysisArgument kFullArgument{
    "full", "queue length that blocks the host", ArgumentType::whole, "1024", "", 1};
constexpr std::array kQueueArguments{kFullArgument, kHtaArgument, kAllStepsArgument};

struct QueueEvent {
    TraceTime at;
    int change = 0; // +1 at a launch, -1 at the start of the work
};

// The length of a queue after each of its events, and how long the queue kept that length.
struct QueueHistory {
    std::vector<double> lengths;
    TimeRange range;
    int64_t full_ns = 0;
    __int128 lengthTimes_ns = 0; // sum of length * time
};

QueueHistory historyOf(std::vector<QueueEvent>& events, int64_t full)
{
    // If a launch and the start of other work have the same time, the launch is sorted first.
    std::ranges::sort(events, {}, [](const QueueEvent& event) { return std::pair(event.at, -event.change); });
    QueueHistory history;
    history.range = {events.front().at, events.back().at};
    int64_t length = 0;
    for (size_t i = 0; i < events.size(); ++i) {
        length += events[i].change;
        history.lengths.push_back(static_cast<double>(length));
        if (i + 1 == events.size()) break;
        const int64_t held_ns = (events[i + 1].at - events[i].at).ns;
        history.lengthTimes_ns += __int128(length) * held_ns;
        if (length >= full) history.full_ns += held_ns;
    }
    return history;
}

void tellLeftOut(size_t uncalled, size_t early, Table& table)
{
    if (uncalled > 0) {
        table.source.rules.push_back(std::to_string(uncalled) + " rows that " + std::string(kLaunchCallsDoc) +
                                     " did not launch are left out, including those of graphs");
    }
    if (early > 0) {
        table.source.rules.push_back(std::to_string(early) +
                                     " rows that start before their call (host and GPU clocks "
                                     "disagree) are left out; :hta counts them");
    }
    if (early > 0) {
        table.source.whenEmpty = noneInScopeText("rows of GPU work", uncalled + early) +
                                 " starts after a recorded launch call. Count rows that start before it " +
                                 optionText(kHtaArgument) + ".";
    } else if (uncalled > 0) {
        table.source.whenEmpty = noLaunchCallText(uncalled);
    }
}

Result<Table> queueRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kQueueTitle)};
    RankColumns columns(request, table);
    const size_t stream =
        table.addColumn({"stream", "", ColumnType::integer, 0, "stream number from the file"});
    DescribeColumns describe(
        table, "", ColumnType::real, 6,
        "queue lengths, one sample after each launch and each start, not weighted by time");
    const size_t rest = table.columnCount();
    table.addColumn({"time_mean", "", ColumnType::real, 6, "mean length, weighted by time"});
    table.addColumn({"blocked_time", "ns", ColumnType::time, 0, "time during which the queue was full"});
    table.addColumn(
        {"blocked_pctg", "", ColumnType::percent, 2, "share of the time from the first event to the last"});
    columns.addReport();
    const bool isHta = request.arguments.flag(kHtaArgument.name);
    size_t uncalled = 0, early = 0;
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(work.report);
        std::map<int64_t, std::vector<QueueEvent>> streams;
        std::map<int64_t, SliceId> firsts;
        for (const WorkRow& row : work.rows) {
            if (!row.call.isValid() || !isLaunchCall(report.nameOf(row.call))) {
                ++uncalled;
                continue;
            }
            const TraceTime called = report.slices.start(row.call);
            const TraceTime launched = isHta ? roundedByHta({called, called}).begin : called;
            // The clocks of host and GPU disagree here, so this row would make the queue length negative.
            if (!isHta && row.range.begin < launched) {
                ++early;
                continue;
            }
            firsts.try_emplace(row.stream, row.slice);
            streams[row.stream].push_back({launched, +1});
            streams[row.stream].push_back({row.range.begin, -1});
        }
        for (auto& [number, events] : streams) {
            QueueHistory history = historyOf(events, request.arguments.whole(kFullArgument.name));
            const int64_t whole_ns = history.range.length().ns;
            constexpr int64_t kMillionths = 1'000'000;
            columns.addRow(work, firsts[number]);
            table.setNumber(stream, number);
            describe.set(history.lengths);
            table.setNumber(rest, roundedQuotient(history.lengthTimes_ns * kMillionths, whole_ns));
            table.setNumber(rest + 1, history.full_ns);
            table.setNumber(rest + 2, roundedQuotient(__int128(history.full_ns) * 10'000, whole_ns));
        }
    }
    describeWork(request, works, table.source);
    tellLeftOut(uncalled, early, table);
    return table;
}

} // namespace

Analysis queueLengthAnalysis()
{
    return {"queue_length", kQueueTitle, "launches of GPU work", kQueueArguments, queueRows};
}

} // namespace lockstep
