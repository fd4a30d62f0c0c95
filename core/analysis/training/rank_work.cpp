// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/rank_work.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/empty_table.h"
#include "core/analysis/nvtx_ranges.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr RowKinds kWorkKinds =
    rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset, RowKind::graphLaunch});

// Returns the start of the last profiler step for each process with two or more.
std::map<ProcessId, TraceTime> lastSteps(const Report& report)
{
    std::map<ProcessId, std::set<StringId>> names;
    std::map<ProcessId, TraceTime> last;
    std::vector<bool> isStep(report.strings.size());
    for (size_t i = 0; i < isStep.size(); ++i)
        isStep[i] = report.strings.at(StringId(i)).starts_with("ProfilerStep");
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::ops) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            const StringId name = report.slices.name[row];
            if (!isStep[name.value]) continue;
            names[track.key.process].insert(name);
            TraceTime& begin =
                last.try_emplace(track.key.process, report.slices.start(SliceId(row))).first->second;
            begin = std::max(begin, report.slices.start(SliceId(row)));
        }
    }
    std::erase_if(last, [&](const auto& entry) { return names[entry.first].size() < 2; });
    return last;
}

class WorkCollector {
  public:
    WorkCollector(const AnalysisRequest& request, ReportKey key, WorkRows kinds)
        : m_request(request), m_key(key), m_report(request.workspace.report(key)),
          m_window(windowOf(request.scope, request.alignment, key)), m_isHta(request.arguments.flag("hta")),
          m_includesSync(kinds == WorkRows::allOfStreams)
    {
        if (!request.arguments.flag("allsteps")) m_lastSteps = lastSteps(m_report);
    }

    Status run(const Progress& progress, std::vector<RankWork>& out)
    {
        for (const Track& track : m_report.tracks) {
            LOCKSTEP_TRY(progress.check());
            const bool isSync = track.key.kind == TrackKind::gpuSync && track.key.lane >= 0;
            const bool isOfDevice = track.key.kind == TrackKind::gpuStream ||
                                    track.key.kind == TrackKind::gpuGraph || (m_includesSync && isSync);
            if (isOfDevice && isInScope(m_request.scope, m_request.workspace, m_key, track))
                LOCKSTEP_TRY(add(track, progress));
        }
        for (auto& [process, work] : m_found) {
            if (work.rows.empty() && work.excluded == 0) continue;
            work.report = m_key;
            work.process = process;
            work.group = groupKeyOf(m_request.scope.by, m_request.workspace, m_key, process);
            std::ranges::sort(work.rows, {},
                              [](const WorkRow& row) { return std::pair(row.range.begin, row.slice); });
            out.push_back(std::move(work));
        }
        return {};
    }

  private:
    Status add(const Track& track, const Progress& progress)
    {
        RankWork& work = m_found[track.key.process];
        const auto last = m_lastSteps.find(track.key.process);
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            const SliceId slice(row);
            if (row % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            const RowKind kind = m_report.slices.kind[row];
            const bool isSync = m_includesSync && kind == RowKind::synchronization;
            if (!holds(kWorkKinds, kind) && !isSync) continue;
            const TimeRange range = m_report.slices.range(slice);
            if (!isInWindow(m_request.scope, m_window, range)) continue;
            const SliceId call = launchOf(m_report, slice);
            if (last != m_lastSteps.end() &&
                (!call.isValid() || m_report.slices.start(call) >= last->second)) {
                ++work.excluded;
                continue;
            }
            work.rows.push_back(
                {m_isHta ? roundedByHta(range) : range, slice, call, track.key.lane,
                 m_isHta ? htaClassOf(m_report.nameOf(slice)) : kernelClassOf(m_report, slice)});
        }
        return {};
    }

    const AnalysisRequest& m_request;
    ReportKey m_key;
    const Report& m_report;
    std::optional<TimeRange> m_window;
    bool m_isHta;
    bool m_includesSync;
    std::map<ProcessId, TraceTime> m_lastSteps;
    std::map<ProcessId, RankWork> m_found;
};

} // namespace

namespace {

// Returns the double that a JSON parser gets if this number of ns is written as microseconds.
double microsecondsAsRead(int64_t ns)
{
    const std::string text = fixedPointText(ns, 3);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

// HTA computes ceil(ts) and floor(ts + dur) from microseconds that are stored as doubles. For current
// timestamps, doubles have a resolution of a quarter of a microsecond.
TimeRange roundedByHta(TimeRange range)
{
    constexpr int64_t kMicrosecond_ns = 1000;
    const double start = microsecondsAsRead(range.begin.ns);
    const double end = start + microsecondsAsRead(range.length().ns);
    return {{static_cast<int64_t>(std::ceil(start)) * kMicrosecond_ns},
            {static_cast<int64_t>(std::floor(end)) * kMicrosecond_ns}};
}

std::vector<WorkRow> RankWork::rowsOf(KernelClass of) const
{
    std::vector<WorkRow> out;
    std::ranges::copy_if(rows, std::back_inserter(out), [&](const WorkRow& row) { return row.of == of; });
    return out;
}

Result<std::vector<RankWork>> rankWorkInScope(const AnalysisRequest& request, const Progress& progress,
                                              WorkRows kinds)
{
    std::vector<RankWork> out;
    for (const ReportKey key : request.workspace.keys())
        LOCKSTEP_TRY(WorkCollector(request, key, kinds).run(progress, out));
    std::ranges::stable_sort(out, {}, &RankWork::group);
    return out;
}

std::vector<TimeRange> mergedRanges(std::span<const WorkRow> rows)
{
    std::vector<TimeRange> out;
    for (const WorkRow& row : rows) {
        if (out.empty() || row.range.begin > out.back().end) {
            out.push_back(row.range);
        } else {
            out.back().end = std::max(out.back().end, row.range.end);
        }
    }
    return out;
}

Duration lengthOf(std::span<const TimeRange> ranges)
{
    Duration length{0};
    for (const TimeRange& range : ranges)
        length.ns += range.length().ns;
    return length;
}

RankRow rankRowOf(const AnalysisRequest& request, const RankWork& work, SliceId slice)
{
    const Identity& identity = request.workspace.identity(work.report, work.process);
    RankRow row{work.group, {}, {}, request.workspace.report(work.report).provenance.path.string()};
    if (slice.isValid()) row.longest = {work.report, slice};
    if (identity.rank.isKnown()) row.rank = *identity.rank.value;
    return row;
}

RankColumns::RankColumns(const AnalysisRequest& request, Table& table) : m_request(request), m_table(table)
{
    table.headerStyle = HeaderStyle::identifier;
    addGroupColumn(table, request.scope.by);
    if (request.scope.by != GroupBy::rank) {
        m_rank = table.addColumn(
            {"rank", "", ColumnType::integer, 0, "rank in the job; empty if no file records it"});
    }
}

void RankColumns::addReport()
{
    if (m_request.scope.by != GroupBy::report)
        m_report = m_table.addColumn(
            {"report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report});
}

void RankColumns::addRow(const RankWork& work, SliceId slice)
{
    const RankRow row = rankRowOf(m_request, work, slice);
    m_table.addRow(row.longest);
    setGroup(m_table, m_request.scope.by, row.group);
    if (m_rank) setCell(m_table, *m_rank, row.rank);
    if (m_report) m_table.setText(*m_report, row.report);
}

void describeWork(const AnalysisRequest& request, std::span<const RankWork> works, TableSource& source)
{
    size_t excluded = 0, counted = 0;
    for (const RankWork& work : works) {
        excluded += work.excluded;
        counted += work.rows.size();
    }
    source.rows = "kernels, copies, memsets and whole graphs, by the process that launched them";
    auto& rules = source.rules;
    if (excluded > 0) {
        rules.push_back(std::to_string(excluded) +
                        " rows launched in or after the last ProfilerStep, or without a "
                        "recorded call, are left out: allsteps counts them");
        if (counted == 0) {
            source.whenEmpty =
                noneInScopeText("rows of GPU work", excluded) +
                " was launched by a recorded call before the last ProfilerStep. Count all of them " +
                optionText(kAllStepsArgument) + ".";
        }
    }
    if (request.arguments.flag("hta")) {
        rules.push_back("counted as in HTA: starts rounded up and ends down to "
                        "whole microseconds, classes by its name patterns");
    } else {
        rules.push_back("communication: kernels of NCCL, RCCL, HCCL, NVSHMEM, DeepEP and custom all-reduces; "
                        "memory: copies and memsets; computation: all other kernels and whole graphs");
    }
    if (request.scope.time) rules.push_back(windowRule(request.scope, "rows of work", ", in full"));
    if (request.scope.name) rules.push_back("the name filter does not apply: rows are ranks");
}

} // namespace lockstep
