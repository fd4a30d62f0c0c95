// SPDX-License-Identifier: Apache-2.0
// The `async_balance` analysis, from ranges and recorded phases, which have positions, and from logs with one
// value per step.
#include "core/analysis/samples/async_balance.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/registry.h"
#include "core/analysis/samples/balance_names.h"
#include "core/analysis/samples/weight_kernels.h"
#include "core/analysis/training/step_parts.h"
#include "core/base/text.h"
#include "core/lanes/phase_slices.h"
#include "core/lanes/rl_phase.h"
#include "core/samples/tail.h"
#include "core/session/recipes/framework_names.h"

namespace lockstep {

namespace {

constexpr AnalysisArgument kTrainedArgument{
    "trained",
    "weight version that a step trains, minus the number of the step; default: as recorded with weight updates",
    ArgumentType::text};
constexpr std::string_view kSizeDoc = "weights that an update moves, where the reports do not record it";
constexpr AnalysisArgument kSizeArgument{"size", kSizeDoc, ArgumentType::number, "0", "GB", 0, 1'000'000};
constexpr std::array kBalanceArguments{kStepsArgument, kTrainedArgument, kSizeArgument};

constexpr int64_t kSecond_ns = 1'000'000'000;

// All samples in scope by step, and the time of generation on the aligned axis.
struct UsedSamples {
    struct Versions {
        std::vector<int64_t> first, last;
    };
    std::map<int64_t, Versions> bySteps;
    IntervalSet generation;
    bool hasVersions = false;
};

class BalanceRows {
  public:
    BalanceRows(const AnalysisRequest& request, const Progress& progress)
        : m_request(request), m_progress(progress)
    {
    }

    Result<AnalysisRows<BalanceRow>> run();

  private:
    Status collectSamples();
    Status addTraces();
    std::string trainerOf(const StepParts& parts);
    Status findKernels(const StepParts& parts, const std::string& trainer);
    BalanceTimes timesOf(const ProcessTrace& trace) const;
    void addPart(const StepPart& part, const ProcessTrace& trace, const BalanceTimes& times);
    void addUpdates(BalanceRow& row, const ProcessTrace& trainer, const BalanceTimes& times) const;
    void addTimers(const Report& report);
    BalanceRow rowOfTimers(const StepTimerNames& names, const std::map<std::string_view, double>& values);
    void finish(BalanceRow& row) const;
    void addStaleness(BalanceRow& row) const;

    const AnalysisRequest& m_request;
    const Progress& m_progress;
    std::optional<int64_t> m_trained;
    UsedSamples m_samples;
    WeightKernels m_kernels;
    std::string m_kernelsOf; // the process
    std::set<std::string> m_rules;
    std::vector<BalanceRow> m_rows;
};

// Requests count only if no samples are recorded.
Status BalanceRows::collectSamples()
{
    const auto hasSamples = [&](ReportKey key) {
        const auto& samples = m_request.workspace.report(key).samples.samples;
        return std::ranges::find(samples, SampleLevel::sample, &Sample::level) != samples.end();
    };
    const SampleLevel level = std::ranges::any_of(m_request.workspace.keys(), hasSamples)
                                  ? SampleLevel::sample
                                  : SampleLevel::request;
    std::vector<TimeRange> ranges;
    for (const ReportKey key : m_request.workspace.keys()) {
        const Report& report = m_request.workspace.report(key);
        const ClockMap& map = m_request.alignment.map(key);
        const bool isPlaced = map.isPlaced() || m_request.workspace.size() == 1;
        for (uint32_t row = 0; row < report.samples.samples.size(); ++row) {
            if (row % 1024 == 0) LOCKSTEP_TRY(m_progress.check());
            const Sample& sample = report.samples.samples[row];
            if ((sample.flags & sampleFlag::kEvaluation) != 0) continue;
            if (sample.isPlaced() && isPlaced)
                ranges.push_back(map.alignedFromTrace(TimeRange{{sample.start_ns}, {sample.end_ns}}));
            if (sample.level != level || sample.firstVersion == kUnrecorded) continue;
            m_samples.hasVersions = true;
            if (sample.step == kUnrecorded) continue;
            UsedSamples::Versions& versions = m_samples.bySteps[sample.step];
            versions.first.push_back(sample.firstVersion);
            versions.last.push_back(sample.lastVersion == kUnrecorded ? sample.firstVersion
                                                                      : sample.lastVersion);
        }
    }
    m_samples.generation = IntervalSet::unionOf(std::move(ranges));
    return {};
}

// Returns the process whose phases tell most about a step: that of the controller, or the first of several
// trainers that record the same phases. Returns "" if no process trains and also waits or updates weights.
std::string BalanceRows::trainerOf(const StepParts& parts)
{
    std::map<std::string, std::set<BalancePart>> found;
    std::vector<std::string> order;
    for (const ProcessTrace& trace : parts.traces) {
        const std::string member = stepMemberOf(m_request, trace.report, trace.process);
        if (!found.contains(member)) order.push_back(member);
        for (const auto& [phase, names] : trace.phaseNames) {
            if (const auto part = balancePartOf(phase)) found[member].insert(*part);
        }
    }
    std::string best;
    size_t most = 1;
    for (const std::string& member : order) {
        if (!found[member].contains(BalancePart::train) || found[member].size() <= most) continue;
        most = found[member].size();
        best = member;
    }
    return best;
}

// Chooses the trainer's own kernels, else those of the process of an actor with the lowest rank.
Status BalanceRows::findKernels(const StepParts& parts, const std::string& trainer)
{
    std::vector<TimeRange> updates;
    std::optional<std::pair<int, std::string>> chosen; // rank, member
    for (const ProcessTrace& trace : parts.traces) {
        const std::string member = stepMemberOf(m_request, trace.report, trace.process);
        const ClockMap& map = m_request.alignment.map(trace.report);
        for (const PhaseSegment& segment : trace.phases.segments()) {
            if (member == trainer && segment.phase == RlPhase::weightSync)
                updates.push_back(map.alignedFromTrace(segment.range));
        }
        const Identity& identity = m_request.workspace.identity(trace.report, trace.process);
        const std::string role = identity.role.value.value_or("");
        const bool trains = role.starts_with("actor") || role.starts_with("train");
        if (!trace.hasDevice || (member != trainer && !trains)) continue;
        const std::pair candidate{member == trainer ? -1 : identity.rank.value.value_or(INT_MAX), member};
        if (!chosen || candidate < *chosen) chosen = candidate;
    }
    if (!chosen || updates.empty()) return {};
    const IntervalSet within = IntervalSet::unionOf(std::move(updates));
    for (const ProcessTrace& trace : parts.traces) {
        if (stepMemberOf(m_request, trace.report, trace.process) != chosen->second) continue;
        const Report& report = m_request.workspace.report(trace.report);
        LOCKSTEP_TRY(addWeightKernels(report, trace.process, m_request.alignment.map(trace.report), within,
                                      m_progress, m_kernels));
    }
    m_kernelsOf = chosen->second;
    return {};
}

BalanceTimes BalanceRows::timesOf(const ProcessTrace& trace) const
{
    const Report& report = m_request.workspace.report(trace.report);
    std::array<std::vector<TimeRange>, static_cast<size_t>(BalancePart::count)> phases;
    for (const PhaseSegment& segment : trace.phases.segments()) {
        if (const auto part = balancePartOf(segment.phase))
            phases[static_cast<size_t>(*part)].push_back(segment.range);
    }
    std::array<std::vector<TimeRange>, kWeightParts> parts;
    std::vector<TimeRange> bufferWaits;
    BalanceNames names(report);
    for (const Track& track : report.tracks) {
        if (track.key.process != trace.process || !PhaseNames::mayHavePhases(track)) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            const BalanceNames::Meaning& meaning = names.of(report.slices.name[row]);
            const SampleSpan* const span =
                report.slices.kind[row] == RowKind::span ? report.samples.spanOf(SliceId(row)) : nullptr;
            const auto part =
                span != nullptr && weightPartOf(span->kind) ? weightPartOf(span->kind) : meaning.part;
            if (part) parts[static_cast<size_t>(*part)].push_back(report.slices.range(SliceId(row)));
            if (meaning.isBufferWait) bufferWaits.push_back(report.slices.range(SliceId(row)));
        }
    }
    BalanceTimes times;
    const auto unionOf = [&](BalancePart part) {
        return IntervalSet::unionOf(std::move(phases[static_cast<size_t>(part)]));
    };
    times.train = unionOf(BalancePart::train);
    times.waiting = unionOf(BalancePart::exposedGeneration);
    times.weightSync = unionOf(BalancePart::weightSync);
    if (!bufferWaits.empty()) times.bufferWait = IntervalSet::unionOf(std::move(bufferWaits));
    const bool isRecorded = std::ranges::any_of(parts, [](const auto& ranges) { return !ranges.empty(); });
    const ClockMap& map = m_request.alignment.map(trace.report);
    for (size_t i = 0; i < kWeightParts; ++i) {
        for (const TimeRange& range : m_kernels.parts[i]) {
            if (!isRecorded) parts[i].push_back(map.traceFromAligned(range));
        }
        times.parts[i] = IntervalSet::unionOf(std::move(parts[i]));
    }
    return times;
}

void BalanceRows::addPart(const StepPart& part, const ProcessTrace& trace, const BalanceTimes& times)
{
    const ClockMap& map = m_request.alignment.map(trace.report);
    BalanceRow row;
    if (part.naming != StepNaming::unknown) row.step = part.number;
    row.isTrainingStep = part.naming == StepNaming::training;
    row.from = part.from;
    row.balance = balanceWithin(part.range, times);
    for (const auto& [phase, names] : trace.phaseNames) {
        if (const auto of = balancePartOf(phase)) row.recorded.insert(*of);
    }
    row.longest = {trace.report, part.mark};
    row.shown = part.range;
    if (map.isPlaced() || m_request.workspace.size() == 1) row.time = map.alignedFromTrace(part.range);
    const int64_t generation_ns = m_samples.generation.lengthWithin(row.time).ns;
    if (generation_ns > 0) {
        row.generation_ns = generation_ns;
        if (row.balance.exposed_ns <= generation_ns) {
            row.overlap =
                roundedQuotient(__int128(generation_ns - row.balance.exposed_ns) * 10'000, generation_ns);
        } else {
            row.abstain("overlap: the trainer waited longer than the recorded samples were generated");
        }
    }
    addUpdates(row, trace, times);
    finish(row);
    m_rows.push_back(std::move(row));
}

// The weight updates that end within the step state the version that it trained. All ranks may record the
// same update, so only the trainer's own say how much was moved.
void BalanceRows::addUpdates(BalanceRow& row, const ProcessTrace& trainer, const BalanceTimes& times) const
{
    const ClockMap& own = m_request.alignment.map(trainer.report);
    for (const ReportKey key : m_request.workspace.keys()) {
        const Report& report = m_request.workspace.report(key);
        const ClockMap& map = m_request.alignment.map(key);
        if (!map.isPlaced() && m_request.workspace.size() > 1) continue;
        for (const WeightUpdate& update : report.samples.weightUpdates) {
            const TraceTime end = map.alignedFromTrace(report.slices.end(update.slice));
            if (!row.time.contains(end)) continue;
            const auto of =
                trainedVersion(update.version, own.traceFromAligned(end), *row.shown, times.train);
            row.trained = std::max(row.trained, of);
            const ProcessId process = report.track(report.trackOf(update.slice)).key.process;
            if (key == trainer.report && process == trainer.process && update.size_bytes != kUnrecorded)
                row.size_bytes = row.size_bytes.value_or(0) + update.size_bytes;
        }
    }
    if (row.size_bytes) return;
    for (const auto& [at, size_bytes] : m_kernels.messages) {
        if (row.time.contains(at)) row.size_bytes = row.size_bytes.value_or(0) + size_bytes;
    }
}

BalanceRow BalanceRows::rowOfTimers(const StepTimerNames& names,
                                    const std::map<std::string_view, double>& values)
{
    BalanceRow row;
    std::vector<StepTimer> timers;
    std::vector<std::string> words; // lower-case names; timers refer to them
    words.reserve(values.size());
    int64_t wall_ns = 0;
    const auto& waits = frameworkNames().bufferWaits;
    for (const auto& [name, value] : values) {
        const auto groups = names.values.fullMatch(name);
        const std::string_view timer = groups ? (*groups)["name"] : std::string_view();
        if (timer.empty() || !std::isfinite(value) || std::abs(value) > 1e9) continue;
        const int64_t time_ns = std::llround(value * static_cast<double>(kSecond_ns));
        if (timer == names.step) wall_ns = time_ns;
        const bool isConcurrent = std::ranges::find(names.concurrent, timer) != names.concurrent.end();
        row.isAsync = row.isAsync || isConcurrent;
        if (timer == names.step || isConcurrent) continue;
        const std::string_view word = words.emplace_back(lowerAscii(timer));
        const auto phase = rlPhaseOf(word, "", PhaseSource::record);
        timers.push_back({word, time_ns, phase ? balancePartOf(*phase) : std::nullopt,
                          std::ranges::find(waits, word) != waits.end()});
    }
    std::vector<std::string> subtracted;
    for (const StepTimer& timer : timers) {
        if (timer.part) row.recorded.insert(*timer.part);
    }
    row.balance = balanceOfTimers(wall_ns, timers, names.inside, subtracted);
    for (const std::string& pair : subtracted)
        m_rules.insert("timers that nest count once: subtracted " + pair);
    if (const auto mean = values.find(names.staleness); mean != values.end() && std::isfinite(mean->second))
        row.staleMean = std::llround(mean->second * 100);
    return row;
}

void BalanceRows::addTimers(const Report& report)
{
    std::map<int64_t, std::map<std::string_view, double>> steps;
    for (const StepValue& value : report.samples.stepValues)
        steps[value.step][report.strings.at(value.name)] = value.value;
    const auto isInSteps = [&](int64_t step) {
        const auto& wanted = m_request.scope.steps;
        return wanted.empty() || std::ranges::any_of(wanted, [&](NumberRange range) {
                   return range.first <= step && step <= range.last;
               });
    };
    const auto hasTimes = [](const BalanceRow& row) { return row.shown.has_value(); };
    const auto isOther = [&](const BalanceRow& row) { return hasTimes(row) && !row.isTrainingStep; };
    if (!steps.empty() && std::ranges::any_of(m_rows, isOther)) {
        m_rules.insert(
            "logs with one value per step are left out: their steps may be those of the ranges, which "
            "are numbered differently");
        return;
    }
    for (const StepTimerNames& names : frameworkNames().timers) {
        for (const auto& [step, values] : steps) {
            if (!isInSteps(step)) continue;
            BalanceRow row = rowOfTimers(names, values);
            if (row.balance.wall_ns <= 0) continue;
            const auto known = std::ranges::find_if(
                m_rows, [&](const BalanceRow& other) { return hasTimes(other) && other.step == step; });
            if (known != m_rows.end()) { // the same step, with times
                if (!known->staleMean) known->staleMean = row.staleMean;
                continue;
            }
            row.step = step;
            row.from = "timers of the step, without positions";
            finish(row);
            m_rows.push_back(std::move(row));
            if (m_request.scope.time)
                m_rules.insert("steps of logs have no times, so the time range does not apply to them");
        }
    }
}

void BalanceRows::addStaleness(BalanceRow& row) const
{
    if (m_trained && row.step) row.trained = *row.step + *m_trained;
    const auto used = row.step ? m_samples.bySteps.find(*row.step) : m_samples.bySteps.end();
    if (used == m_samples.bySteps.end()) {
        if (!row.staleMean)
            row.abstain(m_samples.hasVersions ? "staleness: the step that used a sample is not recorded"
                                              : "staleness: no weight versions of samples");
        return;
    }
    const auto count = static_cast<int64_t>(used->second.first.size());
    row.samples = count;
    if (!row.trained) {
        row.abstain("staleness: the version that the step trained is not recorded (argument trained)");
        return;
    }
    std::vector<int64_t> oldest;
    int64_t sum = 0, newest = 0;
    for (size_t i = 0; i < used->second.first.size(); ++i) {
        oldest.push_back(*row.trained - used->second.first[i]);
        sum += oldest.back();
        newest += *row.trained - used->second.last[i];
    }
    std::ranges::sort(oldest);
    row.staleMean = roundedQuotient(__int128(sum) * 100, count);
    row.newestMean = roundedQuotient(__int128(newest) * 100, count);
    row.stale50 = nearestRank(oldest, 50);
    row.stale90 = nearestRank(oldest, 90);
    row.staleMax = oldest.back();
}

// Which side of an asynchronous run holds up the other. A trainer that waits says nothing about GPUs if it
// takes turns with the generation.
std::string shortSide(BalanceRow& row)
{
    const StepBalance& balance = row.balance;
    const bool waits = balance.exposed_ns * 10 >= balance.wall_ns; // a tenth of the step
    if (!row.overlap && !row.isAsync) {
        if (waits) row.abstain("lacks_gpus: the records do not show whether generation and training overlap");
        return "";
    }
    if (waits) return row.overlap && *row.overlap < 100 ? "neither: they take turns" : "rollout";
    if (!row.generation_ns) return "";
    return *row.generation_ns * 10 < balance.wall_ns * 9 ? "training" : "neither";
}

void BalanceRows::finish(BalanceRow& row) const
{
    addStaleness(row);
    StepBalance& balance = row.balance;
    if (!balance.isConsistent()) {
        const int64_t percent = roundedQuotient(__int128(-balance.other_ns) * 100, balance.wall_ns);
        row.abstain("the parts exceed the step by " + std::to_string(percent) + " %: timers that overlap");
        row.isUsable = false;
        return;
    }
    balance.other_ns = std::max<int64_t>(0, balance.other_ns);
    if (row.recorded.empty()) row.abstain("parts: the step has no timer with a known name");
    row.shortOf = shortSide(row);
    const double size_gb = m_request.arguments.number(kSizeArgument.name);
    if (!row.size_bytes && size_gb > 0) row.size_bytes = std::llround(size_gb * 1e9);
    if (!balance.hasParts) {
        if (balance.weightSync_ns > 0) row.abstain("weight sync: split not recorded");
        return;
    }
    for (size_t i = 0; i < kWeightParts; ++i) {
        if (balance.parts_ns[i] > 0) row.parts_ns[i] = balance.parts_ns[i];
    }
    const int64_t transfer_ns = balance.parts_ns[static_cast<size_t>(WeightPart::transfer)];
    if (row.size_bytes && transfer_ns > 0)
        row.perSecond_bytes = roundedQuotient(__int128(*row.size_bytes) * kSecond_ns, transfer_ns);
}

Status BalanceRows::addTraces()
{
    const StepParts parts = LOCKSTEP_TRY(stepPartsInScope(m_request, m_progress));
    const std::string trainer = trainerOf(parts);
    if (trainer.empty()) return {};
    m_rules.insert("phases and steps of " + trainer +
                   ", the process that records most of training, waiting and weight updates");
    LOCKSTEP_TRY(findKernels(parts, trainer));
    if (!m_kernelsOf.empty())
        m_rules.insert(
            "parts of weight updates that are not recorded: all-gathers (gather), broadcasts and sends "
            "(transfer) and copies (reshard) of " +
            m_kernelsOf);
    std::optional<size_t> current;
    BalanceTimes times;
    for (const StepPart& part : parts.parts) {
        const ProcessTrace& trace = parts.traceOf(part);
        if (stepMemberOf(m_request, trace.report, trace.process) != trainer) continue;
        LOCKSTEP_TRY(m_progress.check());
        if (current != part.trace) times = timesOf(trace);
        current = part.trace;
        addPart(part, trace, times);
    }
    return {};
}

Result<AnalysisRows<BalanceRow>> BalanceRows::run()
{
    if (const std::string_view trained = m_request.arguments.text(kTrainedArgument.name); !trained.empty()) {
        m_trained = parseInt(trained);
        if (!m_trained)
            return makeError(ErrorKind::invalid,
                             "async_balance: trained=" + std::string(trained) + ": not a whole number");
    }
    LOCKSTEP_TRY(collectSamples());
    LOCKSTEP_TRY(addTraces());
    Scope ofReports = m_request.scope; // steps are selected by the numbers in the log
    ofReports.steps.clear();
    for (const ReportKey key : m_request.workspace.keys()) {
        if (isInScope(ofReports, m_request.workspace, key, ProcessId()))
            addTimers(m_request.workspace.report(key));
    }
    const GroupBy by = m_request.scope.by;
    if (by != GroupBy::total && by != GroupBy::step)
        m_rules.insert("not grouped by " + std::string(groupByName(by)) +
                       ": each row is a step of the whole run");
    AnalysisRows<BalanceRow> out;
    out.rows = std::move(m_rows);
    out.source.rows = "steps";
    out.source.rules = {
        "train: forward passes and updates of actor, critic and ref; exposed generation: the trainer waits for "
        "samples; other: the rest of the step",
        "a time in several parts counts once: as train, else as weight sync, else as exposed generation",
        "staleness: weight version that the step trained, minus that of the sample's first generation (newest: of "
        "its last)",
        "lacks GPUs: rollout if the trainer waits for a tenth of the step or more, training if generation stands "
        "still for more than a tenth"};
    out.source.rules.insert(out.source.rules.end(), m_rules.begin(), m_rules.end());
    out.source.filters = m_request.scope.description();
    return out;
}

} // namespace

Result<AnalysisRows<BalanceRow>> asyncBalance(const AnalysisRequest& request, const Progress& progress)
{
    return BalanceRows(request, progress).run();
}

namespace {

void addWeightColumns(TableColumns<BalanceRow>& columns)
{
    const auto part = [](WeightPart which) {
        return [which](const BalanceRow& row) { return row.parts_ns[static_cast<size_t>(which)]; };
    };
    columns
        .time(
            [](const BalanceRow& row) {
                return row.usable(BalancePart::weightSync, row.balance.weightSync_ns);
            },
            "weight_sync", "update of the rollout engines' weights, while the trainer does not train")
        .summed()
        .time(part(WeightPart::pause), "pause", "of it: stopping the rollout engines")
        .summed()
        .time(part(WeightPart::gather), "gather", "of it: collecting the trainer's shards")
        .summed()
        .time(part(WeightPart::reshard), "reshard", "of it: rearranging them for the rollout engines")
        .summed()
        .time(part(WeightPart::transfer), "transfer", "of it: moving them")
        .summed()
        .time(part(WeightPart::resume), "resume", "of it: starting the rollout engines again")
        .summed()
        .time(
            [](const BalanceRow& row) {
                return row.balance.hasParts ? row.usable(row.balance.unattributed_ns) : std::nullopt;
            },
            "unattributed", "the rest of weight_sync; empty if no part is recorded")
        .summed()
        .add(
            [](const BalanceRow& row) {
                return row.size_bytes ? std::optional(roundedQuotient(*row.size_bytes, 1'000'000))
                                      : std::nullopt;
            },
            {"moved", "GB", ColumnType::real, 3, "weights that the update moved; 1 GB = 10^9 bytes"})
        .add(
            [](const BalanceRow& row) {
                return row.perSecond_bytes ? std::optional(roundedQuotient(*row.perSecond_bytes, 10'000'000))
                                           : std::nullopt;
            },
            {"bandwidth", "GB/s", ColumnType::real, 2, "moved / transfer"});
}

TableColumns<BalanceRow> balanceColumns(const AnalysisRequest&)
{
    const auto versions = [](const char* name, const char* doc) {
        return TableColumn{name, "", ColumnType::real, 2, doc};
    };
    const auto percent = [](const char* name, const char* doc) {
        return TableColumn{name, "", ColumnType::percent, 2, doc};
    };
    const auto share = [](int64_t StepBalance::*time, BalancePart part) {
        return [time, part](const BalanceRow& row) {
            const auto time_ns = row.usable(part, row.balance.*time);
            return time_ns ? std::optional(roundedQuotient(__int128(*time_ns) * 10'000, row.balance.wall_ns))
                           : std::nullopt;
        };
    };
    TableColumns<BalanceRow> columns(HeaderStyle::identifier);
    columns.count(&BalanceRow::step, "step", "number of the step; empty if unknown")
        .time([](const BalanceRow& row) { return row.balance.wall_ns; }, "wall", "duration of the step")
        .summed()
        .time([](const BalanceRow& row) { return row.usable(BalancePart::train, row.balance.train_ns); },
              "train", "forward passes and updates of actor, critic and ref")
        .summed()
        .time(
            [](const BalanceRow& row) {
                return row.usable(BalancePart::exposedGeneration, row.balance.exposed_ns);
            },
            "exposed_generation", "the trainer waits for samples")
        .summed()
        .time([](const BalanceRow& row) { return row.isUsable ? row.balance.bufferWait_ns : std::nullopt; },
              "buffer_wait", "of it: no sample is ready")
        .summed();
    addWeightColumns(columns);
    columns
        .time([](const BalanceRow& row) { return row.usable(row.balance.other_ns); }, "other",
              "the rest of the step")
        .summed()
        .add(share(&StepBalance::train_ns, BalancePart::train), percent("train_share", "train / wall"))
        .add(share(&StepBalance::exposed_ns, BalancePart::exposedGeneration),
             percent("exposed_share", "exposed_generation / wall"))
        .add(share(&StepBalance::weightSync_ns, BalancePart::weightSync),
             percent("weight_sync_share", "weight_sync / wall"))
        .time(&BalanceRow::generation_ns, "generation",
              "time in which samples were generated during the step")
        .summed()
        .add(&BalanceRow::overlap, percent("overlap", "generation for which the trainer did not wait"))
        .count(&BalanceRow::trained, "trained_version", "weight version that the step trained")
        .count(&BalanceRow::samples, "samples", "samples of the step with a weight version")
        .summed()
        .add(&BalanceRow::staleMean, versions("staleness", "mean age of the samples, in weight versions"))
        .count(&BalanceRow::stale50, "staleness_p50", "half of the samples are at most this old")
        .count(&BalanceRow::stale90, "staleness_p90", "nine of ten samples are at most this old")
        .count(&BalanceRow::staleMax, "staleness_max", "age of the oldest sample")
        .add(&BalanceRow::newestMean, versions("newest", "mean age by the last generation of each sample"))
        .text(&BalanceRow::shortOf, "lacks_gpus", "the side for which the other waits")
        .text(&BalanceRow::from, "source", "how the step and its parts are known")
        .text(&BalanceRow::abstained, "not_computed", "cells that are empty, and why")
        .range(&BalanceRow::shown);
    return columns;
}

} // namespace

Analysis asyncBalanceAnalysis()
{
    return withCharts(
        {"async_balance", "Balance: training, waiting for samples, and weight updates by step",
         "steps of a process that trains and also waits for samples or updates weights", kBalanceArguments,
         makeTable<asyncBalance, balanceColumns>},
        {{ChartKind::stacked, {"step"}, {"train_share", "exposed_share", "weight_sync_share"}}});
}

} // namespace lockstep
