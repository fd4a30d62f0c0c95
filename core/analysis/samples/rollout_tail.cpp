// SPDX-License-Identifier: Apache-2.0
// The `rollout_tail` analysis: how long the samples of a step or of a weight version took, which came last
// and why, and what the GPUs of the rollout engines lost by waiting for it.
#include "core/analysis/samples/rollout_tail.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/registry.h"
#include "core/analysis/samples/sample_groups.h"
#include "core/base/text.h"
#include "core/samples/request_replicas.h"
#include "core/samples/tail.h"
#include "core/trace/sample_names.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 4> kUnits{"auto", "step", "version", "all"};
constexpr AnalysisArgument kUnitArgument{"unit",
                                         "what a row covers; auto: step if recorded, else weight version",
                                         ArgumentType::choice,
                                         "auto",
                                         "",
                                         0,
                                         0,
                                         kUnits};
constexpr AnalysisArgument kGpusArgument{
    "gpus", "GPUs per replica, where the reports do not record them", ArgumentType::whole, "0", "GPUs", 0,
    100'000};
constexpr std::array kArguments{kUnitArgument, kGpusArgument};

constexpr size_t kFewest = 4;        // samples for percentiles
constexpr size_t kForHighRanks = 10; // samples for p90 and p99

// A sample in scope. All of these have times on one axis.
struct FoundSample {
    ReportKey report;
    SampleId id;
    TimedSample timed;
    std::string replica; // "" if unknown
};

// The samples of a row, and those that cannot be used.
struct Unit {
    std::vector<FoundSample> samples;
    size_t withoutTimes = 0;
    size_t unaligned = 0; // in reports whose clock has no relation to the others
};

class TailRows {
  public:
    TailRows(const AnalysisRequest& request, const Progress& progress)
        : m_request(request), m_progress(progress), m_withoutSteps(request.scope),
          m_replicas(request.workspace)
    {
        m_withoutSteps.steps.clear();
    }

    Result<AnalysisRows<TailRow>> run();

  private:
    // The group; the unit: unknown last, number, what it is.
    using Key = std::tuple<GroupKey, bool, int64_t, std::string>;

    Status collect(ReportKey key);
    bool isWanted(ReportKey key, const Sample& sample) const;
    Key unitOf(ReportKey report, const Sample& sample, std::string_view replica) const;
    bool isAnySample(const auto& test) const;
    TailRow rowOf(const Key& key, Unit& unit);
    void describeLast(TailRow& row, const Unit& unit, const SampleTail& tail) const;
    void addIdle(TailRow& row, Unit& unit, const SampleTail& tail) const;
    std::map<std::string, int64_t> gpusOfReplicas(std::span<const FoundSample> samples) const;

    const AnalysisRequest& m_request;
    const Progress& m_progress;
    Scope m_withoutSteps;
    RequestReplicas m_replicas;
    std::string_view m_unit;
    std::map<Key, Unit> m_units;
    SampleLevel m_level = SampleLevel::sample;
};

bool TailRows::isAnySample(const auto& test) const
{
    for (const ReportKey key : m_request.workspace.keys()) {
        if (std::ranges::any_of(m_request.workspace.report(key).samples.samples, test)) return true;
    }
    return false;
}

TailRows::Key TailRows::unitOf(ReportKey key, const Sample& sample, std::string_view replica) const
{
    const GroupBy by = m_request.scope.by;
    const GroupKey group =
        by == GroupBy::total ? GroupKey() : sampleGroupOf(by, m_request.workspace, key, sample, replica);
    if (m_unit == "all") return {group, false, 0, "all samples"};
    const Report& report = m_request.workspace.report(key);
    const bool isStep = m_unit == "step";
    int64_t number = isStep ? sample.step : sample.firstVersion;
    if (isStep && number == kUnrecorded && report.identity.step.isKnown())
        number = *report.identity.step.value;
    const std::string name = isStep ? "step" : "version";
    if (number == kUnrecorded) return {group, true, 0, name + " unknown"};
    return {group, false, number, name + " " + std::to_string(number)};
}

// A filter by step applies to the step of the sample if it is recorded, otherwise to that of the report.
bool TailRows::isWanted(ReportKey key, const Sample& sample) const
{
    if (sample.step == kUnrecorded)
        return isInScope(m_request.scope, m_request.workspace, key, sample.process);
    const auto hasStep = [&](NumberRange range) {
        return range.first <= sample.step && sample.step <= range.last;
    };
    const auto& steps = m_request.scope.steps;
    return (steps.empty() || std::ranges::any_of(steps, hasStep)) &&
           isInScope(m_withoutSteps, m_request.workspace, key, sample.process);
}

Status TailRows::collect(ReportKey key)
{
    const Report& report = m_request.workspace.report(key);
    const ClockMap& map = m_request.alignment.map(key);
    const auto window = windowOf(m_request.scope, m_request.alignment, key);
    const bool isAlone = m_request.workspace.size() == 1;
    for (uint32_t row = 0; row < report.samples.samples.size(); ++row) {
        if (row % 1024 == 0) LOCKSTEP_TRY(m_progress.check());
        const Sample& sample = report.samples.samples[row];
        if (sample.level != m_level) continue;
        if (!isWanted(key, sample)) continue;
        if ((sample.flags & sampleFlag::kEvaluation) != 0) continue;
        const std::string_view replica = m_replicas.of(report, SampleId(row));
        Unit& unit = m_units[unitOf(key, sample, replica)];
        if (!sample.isPlaced() || (sample.flags & sampleFlag::kGroupEnd) != 0) {
            ++unit.withoutTimes;
        } else if (!map.isPlaced() && !isAlone) {
            ++unit.unaligned;
        } else if (!window || isInWindow(m_request.scope, window, {{sample.start_ns}, {sample.end_ns}})) {
            FoundSample found{key, SampleId(row), timedSample(report, SampleId(row), map), {}};
            found.replica = replica;
            unit.samples.push_back(std::move(found));
        }
    }
    return {};
}

// The number of GPUs of each replica: from the latest row of the topology that begins before the end of the
// samples, else from the argument. Replicas without a number are absent.
std::map<std::string, int64_t> TailRows::gpusOfReplicas(std::span<const FoundSample> samples) const
{
    std::map<std::string, int64_t> gpus;
    std::map<std::string, std::pair<int64_t, int64_t>> stated; // by replica: time of the row, GPUs
    for (const ReportKey key : m_request.workspace.keys()) {
        const Report& report = m_request.workspace.report(key);
        for (const ReplicaGpu& gpu : report.samples.replicaGpus) {
            auto& [since, count] = stated[std::string(report.strings.at(gpu.replica))];
            if (count == 0 || gpu.validFrom_ns > since)
                std::tie(since, count) = std::tuple(gpu.validFrom_ns, 0);
            count += gpu.validFrom_ns == since ? 1 : 0;
        }
    }
    const int64_t given = m_request.arguments.whole(kGpusArgument.name);
    for (const FoundSample& sample : samples) {
        const auto found = stated.find(sample.replica);
        if (found != stated.end()) {
            gpus[sample.replica] = found->second.second;
        } else if (given > 0 && !sample.replica.empty()) {
            gpus[sample.replica] = given;
        }
    }
    return gpus;
}

void TailRows::describeLast(TailRow& row, const Unit& unit, const SampleTail& tail) const
{
    const FoundSample& last = unit.samples[tail.last];
    const Report& report = m_request.workspace.report(last.report);
    const Sample& sample = report.samples.samples[last.id.value];
    const auto text = [&](StringId id) { return id.isValid() ? std::string(report.strings.at(id)) : ""; };
    row.longest = {last.report, sample.slice};
    row.last = text(sample.id);
    row.prompt = text(sample.group);
    row.replica = last.replica;
    row.status = sampleStatusName(sample.status);
    if (!tail.reason.isKnown) {
        row.abstain("reason: spans cover less than 80 % of the last sample's time");
        return;
    }
    const TailReason& reason = tail.reason;
    row.excess_ns = reason.excess_ns[static_cast<size_t>(reason.largest)];
    row.reason = samplePartName(reason.largest);
    const bool isOutput = reason.largest == SamplePart::decode || reason.largest == SamplePart::generate;
    if (isOutput && reason.moreTokens_ns)
        row.reason += *reason.moreTokens_ns * 2 >= *row.excess_ns ? ": long output" : ": slow";
    if (sample.preemptions > 0) row.reason += ", preempted";
    if (sample.status == SampleStatus::aborted) row.reason += ", aborted";
    if ((sample.flags & sampleFlag::kPartial) != 0) row.reason += ", continued from another step";
    if (sample.attempts > 1) row.reason += ", retried";
}

void TailRows::addIdle(TailRow& row, Unit& unit, const SampleTail& tail) const
{
    const std::map<std::string, int64_t> known = gpusOfReplicas(unit.samples);
    std::vector<int64_t> gpus;
    std::map<std::string_view, uint32_t> numbers;
    for (const auto& [replica, count] : known) {
        numbers.emplace(replica, static_cast<uint32_t>(gpus.size()));
        gpus.push_back(count);
    }
    std::vector<TimedSample> timed;
    for (FoundSample& sample : unit.samples) {
        const auto number = numbers.find(sample.replica);
        if (number == numbers.end()) {
            row.abstain(sample.replica.empty()
                            ? "idle: the replica of a sample is unknown"
                            : "idle: the GPUs of a replica are unknown " + std::string("(argument gpus)"));
            return;
        }
        sample.timed.replica = number->second;
        timed.push_back(sample.timed);
    }
    const TailIdle idle = idleOf(timed, gpus, tail);
    const auto milli = [](__int128 ns) { return roundedQuotient(ns, 1'000'000); };
    row.gpus = 0;
    for (const int64_t count : gpus)
        *row.gpus += count;
    row.basis = idle.isOfEngine ? "engine" : "assigned";
    row.busy_ms = milli(idle.busy);
    row.idle_ms = milli(idle.idle);
    row.after50_ms = milli(idle.after50);
    row.after90_ms = milli(idle.after90);
}

TailRow TailRows::rowOf(const Key& key, Unit& unit)
{
    TailRow row;
    row.group = std::get<GroupKey>(key);
    row.unit = std::get<std::string>(key);
    row.count = static_cast<int64_t>(unit.samples.size());
    row.withoutTimes = static_cast<int64_t>(unit.withoutTimes + unit.unaligned);
    const size_t all = unit.samples.size() + unit.withoutTimes + unit.unaligned;
    if (unit.unaligned > 0) row.abstain("samples on clocks that are not aligned");
    if ((unit.withoutTimes + unit.unaligned) * 10 > all) {
        row.abstain(std::to_string((unit.withoutTimes + unit.unaligned) * 100 / all) +
                    " % of the samples have no start or end");
        return row;
    }
    if (unit.samples.size() < kFewest) {
        row.abstain("fewer than 4 samples");
        return row;
    }
    std::vector<TimedSample> timed;
    for (const FoundSample& sample : unit.samples)
        timed.push_back(sample.timed);
    const SampleTail tail = tailOf(timed);
    row.p50_ns = tail.p50_ns;
    row.max_ns = tail.max_ns;
    if (unit.samples.size() >= kForHighRanks) {
        row.p90_ns = tail.p90_ns;
        row.p99_ns = tail.p99_ns;
    } else {
        row.abstain("p90, p99: n too small");
    }
    row.window_ns = tail.window.length().ns;
    row.saved_ns = tail.saved_ns;
    row.discarded = static_cast<int64_t>(tail.discarded);
    describeLast(row, unit, tail);
    addIdle(row, unit, tail);
    return row;
}

Result<AnalysisRows<TailRow>> TailRows::run()
{
    m_unit = m_request.arguments.choice(kUnitArgument.name);
    if (m_unit == "auto") {
        const bool hasStep = isAnySample([](const Sample& s) { return s.step != kUnrecorded; });
        const bool hasVersion = isAnySample([](const Sample& s) { return s.firstVersion != kUnrecorded; });
        m_unit = hasStep ? "step" : hasVersion ? "version" : "all";
    }
    const bool hasSamples = isAnySample([](const Sample& s) { return s.level == SampleLevel::sample; });
    const bool hasRequests = isAnySample([](const Sample& s) { return s.level == SampleLevel::request; });
    m_level = hasSamples ? SampleLevel::sample : SampleLevel::request;
    for (const ReportKey key : m_request.workspace.keys())
        LOCKSTEP_TRY(collect(key));
    AnalysisRows<TailRow> out;
    for (auto& [key, unit] : m_units) {
        LOCKSTEP_TRY(m_progress.check());
        if (unit.samples.size() + unit.withoutTimes + unit.unaligned > 0)
            out.rows.push_back(rowOf(key, unit));
    }
    out.source.rows = "samples and requests";
    out.source.rules = {"percentiles by nearest rank: element ceil(p / 100 * n) of the sorted durations",
                        "reason: the part of the last sample that exceeds the median of this part most",
                        "idle + busy = GPUs * window, exactly; assigned: a replica is busy while a sample is "
                        "assigned to it, engine: while it generates",
                        "stopping at the time when 90 % had ended would save at most this much, and discard "
                        "these samples"};
    if (hasSamples && hasRequests)
        out.source.rules.push_back(
            "requests to inference servers are left out, because samples are recorded; they state the "
            "replicas of samples with the same request IDs");
    out.source.filters = m_request.scope.description();
    return out;
}

} // namespace

Result<AnalysisRows<TailRow>> rolloutTail(const AnalysisRequest& request, const Progress& progress)
{
    return TailRows(request, progress).run();
}

namespace {

TableColumns<TailRow> tailColumns(const AnalysisRequest& request)
{
    TableColumns<TailRow> columns(HeaderStyle::identifier);
    const auto gpuSeconds = [](const char* name, const char* doc) {
        return TableColumn{name, "GPU-s", ColumnType::real, 3, doc};
    };
    columns.group(request.scope.by)
        .text(&TailRow::unit, "unit", "step or weight version of the first generation")
        .count(&TailRow::count, "samples", "samples, or requests, with start and end")
        .summed()
        .count(&TailRow::withoutTimes, "without_times",
               "samples that are left out: no start, end or aligned clock")
        .summed()
        .time(&TailRow::p50_ns, "p50", "half of the samples took at most this long")
        .time(&TailRow::p90_ns, "p90", "nine of ten samples took at most this long")
        .time(&TailRow::p99_ns, "p99", "99 of 100 samples took at most this long")
        .time(&TailRow::max_ns, "max", "longest sample")
        .text(&TailRow::last, "last", "sample that ended last")
        .text(&TailRow::prompt, "group", "its prompt or group")
        .text(&TailRow::replica, "replica", "rollout engine that ran it")
        .text(&TailRow::status, "status", "how it ended")
        .text(&TailRow::reason, "reason", "part in which it took longer than the median, most of all")
        .time(&TailRow::excess_ns, "excess", "time of this part beyond the median of the part")
        .time(&TailRow::window_ns, "window", "from the first start to the last end")
        .count(&TailRow::gpus, "gpus", "GPUs of the replicas")
        .text(&TailRow::basis, "basis", "engine or assigned: when a replica counts as busy")
        .add(&TailRow::busy_ms, gpuSeconds("busy", "GPU time with work"))
        .summed()
        .add(&TailRow::idle_ms, gpuSeconds("idle", "GPU time without work in the window"))
        .summed()
        .add(&TailRow::after50_ms, gpuSeconds("idle_after_p50", "idle after half of the samples had ended"))
        .summed()
        .add(&TailRow::after90_ms, gpuSeconds("idle_after_p90", "idle after 90 % of the samples had ended"))
        .summed()
        .time(&TailRow::saved_ns, "early_stop",
              "upper bound of the time saved by stopping when 90 % had ended")
        .count(&TailRow::discarded, "discarded", "samples that this would give up")
        .text(&TailRow::abstained, "not_computed", "cells that are empty, and why");
    return columns;
}

} // namespace

Analysis rolloutTailAnalysis()
{
    return withCharts({"rollout_tail", "Rollout tail: the samples that hold up a step", "samples", kArguments,
                       makeTable<rolloutTail, tailColumns>, RowOwner::sample},
                      {{ChartKind::bars, {"unit"}, {"max"}}});
}

} // namespace lockstep
