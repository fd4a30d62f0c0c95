// SPDX-License-Identifier: Apache-2.0
// The analyses that describe a quantity over time by its distribution: queue length and memory bandwidth.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/api_calls.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/table.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

// DescribeColumns: count, mean, std, min, quartiles and max of a set of numbers, computed like describe() in
// pandas: sample standard deviation (divisor n - 1) and quantiles by linear interpolation.

class DescribeColumns {
  public:
    // Adds the columns for a set of numbers with this unit and description.
    DescribeColumns(Table& table, std::string unit, ColumnType type, int decimals, const std::string& of);
    // Sets the cells in the table's last row. O(n log n); sorts the values.
    void set(std::vector<double>& values);

  private:
    Table& m_table;
    size_t m_first;
    double m_scale;
};

double quantile(const std::vector<double>& sorted, double part)
{
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const double above = sorted[std::min(below + 1, sorted.size() - 1)];
    return sorted[below] + (above - sorted[below]) * (place - static_cast<double>(below));
}

DescribeColumns::DescribeColumns(Table& table, std::string unit, ColumnType type, int decimals,
                                 const std::string& of)
    : m_table(table), m_first(table.columnCount()), m_scale(std::pow(10.0, decimals))
{
    table.addColumn({"count", "", ColumnType::integer, 0, "number of " + of});
    const auto add = [&](const char* name, const std::string& doc) {
        table.addColumn({name, unit, type, decimals, doc});
    };
    add("mean", "mean of " + of);
    add("std", "sample standard deviation (divisor n - 1); empty for a single value");
    add("min", "minimum of " + of);
    add("25%", "first quartile");
    add("50%", "median");
    add("75%", "third quartile");
    add("max", "maximum of " + of);
}

void DescribeColumns::set(std::vector<double>& values)
{
    m_table.setNumber(m_first, static_cast<int64_t>(values.size()));
    if (values.empty()) return;
    std::ranges::sort(values);
    const auto count = static_cast<long double>(values.size());
    long double total = 0, squares = 0;
    for (const double value : values)
        total += value;
    const long double mean = total / count;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const auto put = [&](size_t column, long double value) {
        m_table.setNumber(m_first + column, std::llround(value * static_cast<long double>(m_scale)));
    };
    put(1, mean);
    if (values.size() > 1) put(2, std::sqrt(squares / (count - 1)));
    put(3, values.front());
    put(4, quantile(values, 0.25));
    put(5, quantile(values, 0.5));
    put(6, quantile(values, 0.75));
    put(7, values.back());
}

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
        const int64_t duration_ns = (events[i + 1].at - events[i].at).ns;
        history.lengthTimes_ns += __int128(length) * duration_ns;
        if (length >= full) history.full_ns += duration_ns;
    }
    return history;
}

void noteExcluded(size_t withoutCall, size_t early, Table& table)
{
    if (withoutCall > 0) {
        table.source.rules.push_back(std::to_string(withoutCall) + " rows that " +
                                     std::string(kLaunchCallsDoc) +
                                     " did not launch are left out, including those of graphs");
    }
    if (early > 0) {
        table.source.rules.push_back(std::to_string(early) +
                                     " rows that start before their call (host and GPU clocks "
                                     "disagree) are left out; :hta counts them");
    }
    if (early > 0) {
        table.source.whenEmpty = noneInScopeText("rows of GPU work", withoutCall + early) +
                                 " starts after a recorded launch call. Count rows that start before it " +
                                 optionText(kHtaArgument) + ".";
    } else if (withoutCall > 0) {
        table.source.whenEmpty = noLaunchCallText(withoutCall);
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
    size_t withoutCall = 0, early = 0;
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(work.report);
        std::map<int64_t, std::vector<QueueEvent>> streams;
        std::map<int64_t, SliceId> firstByStream;
        for (const WorkRow& row : work.rows) {
            if (!row.call.isValid() || !isLaunchCall(report.nameOf(row.call))) {
                ++withoutCall;
                continue;
            }
            const TraceTime called = report.slices.start(row.call);
            const TraceTime launched = isHta ? roundedByHta({called, called}).begin : called;
            // The clocks of host and GPU disagree here, so this row would make the queue length negative.
            if (!isHta && row.range.begin < launched) {
                ++early;
                continue;
            }
            firstByStream.try_emplace(row.stream, row.slice);
            streams[row.stream].push_back({launched, +1});
            streams[row.stream].push_back({row.range.begin, -1});
        }
        for (auto& [number, events] : streams) {
            QueueHistory history = historyOf(events, request.arguments.whole(kFullArgument.name));
            const int64_t whole_ns = history.range.length().ns;
            constexpr int64_t kMillionths = 1'000'000;
            columns.addRow(work, firstByStream[number]);
            table.setNumber(stream, number);
            describe.set(history.lengths);
            table.setNumber(rest, roundedQuotient(history.lengthTimes_ns * kMillionths, whole_ns));
            table.setNumber(rest + 1, history.full_ns);
            table.setNumber(rest + 2, roundedQuotient(__int128(history.full_ns) * 10'000, whole_ns));
        }
    }
    describeWork(request, works, table.source);
    noteExcluded(withoutCall, early, table);
    return table;
}

} // namespace

// The `queue_length` analysis: the number of operations on each stream that are launched but have not
// started, as in HTA's get_queue_length_summary.
Analysis queueLengthAnalysis()
{
    return {"queue_length", kQueueTitle, "launches of GPU work", kQueueArguments, queueRows};
}

namespace {

constexpr std::string_view kBandwidthTitle = "Memory bandwidth of copies and memsets";
constexpr std::array kBandwidthArguments{kAllStepsArgument, kHtaArgument};

struct Moved {
    std::vector<double> rates; // GB/s
    int64_t bytes = 0;
    double time_ns = 0;
    SliceId slowest;
    double least = 0;
};

// Rates of copies and memsets. Kineto computes them from nanoseconds, but its traces have whole microseconds;
// dividing the bytes by the rounded duration would give errors of up to 40% for small copies. The rate
// recorded in the file is therefore used if there is one.
class StatedRates {
  public:
    // Returns the rate of a row in GB/s; 0 if the file does not record it.
    double of(const Report& report, SliceId slice)
    {
        const auto stated = report.factsOf(slice).number(RowFact::bandwidth);
        ++(stated ? m_stated : m_computed);
        return stated ? static_cast<double>(*stated) / 1e9 : 0;
    }

    void describe(Table& table) const
    {
        if (m_stated == 0) return;
        table.source.rules.push_back(
            std::to_string(m_stated) + " of " + std::to_string(m_stated + m_computed) +
            " rates are the file's own \"memory bandwidth (GB/s)\"; the others are bytes / duration");
    }

  private:
    size_t m_stated = 0, m_computed = 0;
};

Result<Table> bandwidthRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kBandwidthTitle)};
    RankColumns columns(request, table);
    const size_t first =
        table.addColumn({"operation", "", ColumnType::text, 0, "direction of the copy, or memset"});
    DescribeColumns describe(table, "GB/s", ColumnType::real, 6,
                             "rates in 10^9 bytes per second: from the file, else bytes / duration");
    const size_t rest = table.addColumn({"bytes", "B", ColumnType::bytes, 0, "sum of the sizes"});
    table.markSums({"bytes"});
    table.addColumn(
        {"overall", "GB/s", ColumnType::real, 6, "bytes / sum of the durations that the rates imply"});
    columns.addReport();
    size_t without = 0;
    StatedRates stated;
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(work.report);
        std::vector<SliceId> copies;
        for (const WorkRow& row : work.rows) {
            const RowKind kind = report.slices.kind[row.slice.value];
            if (kind != RowKind::memcpy && kind != RowKind::memset) continue;
            const MemoryOp* const op = report.memoryOpOf(row.slice);
            const bool isUsable = op != nullptr && report.slices.duration(row.slice).ns > 0 &&
                                  op->size_bytes > 0 && op->size_bytes <= uint64_t(kAllTime.end.ns);
            if (isUsable) copies.push_back(row.slice);
            without += isUsable ? 0 : 1;
        }
        std::map<CopyKind, Moved> moved;
        for (const SliceId slice : copies) {
            const auto bytes = static_cast<int64_t>(report.memoryOpOf(slice)->size_bytes);
            const auto ns = static_cast<double>(report.slices.duration(slice).ns);
            const double recorded = stated.of(report, slice);
            const double rate = recorded > 0 ? recorded : static_cast<double>(bytes) / ns;
            Moved& of = moved[copyKindOf(report, slice)];
            if (of.rates.empty() || rate < of.least) std::tie(of.least, of.slowest) = std::tuple(rate, slice);
            of.rates.push_back(rate);
            of.bytes += bytes;
            of.time_ns += static_cast<double>(bytes) / rate;
        }
        for (auto& [kind, of] : moved) {
            columns.addRow(work, of.slowest);
            table.setText(first, copyKindName(kind));
            describe.set(of.rates);
            table.setNumber(rest, of.bytes);
            table.setNumber(rest + 1, std::llround(static_cast<double>(of.bytes) / of.time_ns * 1e6));
        }
    }
    describeWork(request, works, table.source);
    stated.describe(table);
    if (without > 0) {
        table.source.rules.push_back(std::to_string(without) +
                                     " operations without a size or a duration are left out");
        table.source.whenEmpty =
            noneInScopeText("copies and memsets", without) + " has both a size and a duration.";
    }
    return table;
}

} // namespace

// The `memory_bandwidth` analysis: bandwidth of copies and memsets by direction, as in HTA's
// get_memory_bw_summary.
Analysis memoryBandwidthAnalysis()
{
    return {"memory_bandwidth", kBandwidthTitle, "copies or memsets", kBandwidthArguments, bandwidthRows};
}

} // namespace lockstep
