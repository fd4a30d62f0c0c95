// SPDX-License-Identifier: Apache-2.0
#include "core/align/alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/align/align_methods.h"
#include "core/align/step_markers.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

struct NamedMode {
    AlignMode mode;
    std::string_view name;
};

constexpr std::array kModes{
    NamedMode{AlignMode::automatic, "auto"}, NamedMode{AlignMode::collectives, "collectives"},
    NamedMode{AlignMode::host, "host"},      NamedMode{AlignMode::wallclock, "wallclock"},
    NamedMode{AlignMode::step, "step"},      NamedMode{AlignMode::marker, "marker"},
    NamedMode{AlignMode::zero, "zero"},      NamedMode{AlignMode::manual, "manual"},
};

// Returns a map that places time `at` of a report at the zero of the axis.
ClockMap mapToZero(TraceTime at, AlignMethod method, std::string reason)
{
    ClockMap map;
    map.offset_ns = -at.ns;
    map.method = method;
    map.reason = std::move(reason);
    return map;
}

// Returns the step number that most reports share; on a tie, the smallest one. Returns nullopt if no report
// has steps.
std::optional<int64_t> commonStep(const std::vector<std::vector<StepMark>>& steps)
{
    std::vector<int64_t> numbers;
    for (const auto& marks : steps) {
        std::vector<int64_t> own;
        for (const StepMark& mark : marks)
            own.push_back(mark.number);
        std::ranges::sort(own);
        own.erase(std::unique(own.begin(), own.end()), own.end());
        numbers.insert(numbers.end(), own.begin(), own.end());
    }
    std::ranges::sort(numbers);
    std::optional<int64_t> best;
    std::ptrdiff_t most = 0;
    for (auto run = numbers.begin(); run != numbers.end();) {
        const auto end = std::upper_bound(run, numbers.end(), *run);
        if (end - run > most) {
            most = end - run;
            best = *run;
        }
        run = end;
    }
    return best;
}

void alignBySteps(const Workspace& workspace, const AlignOptions& options, Alignment& alignment)
{
    std::vector<std::vector<StepMark>> steps; // in report order
    for (const ReportKey key : workspace.keys())
        steps.push_back(findSteps(workspace.report(key)));
    const auto number = options.step ? options.step : commonStep(steps);
    alignment.basis = number ? "step " + std::to_string(*number) + " of every report starts at zero"
                             : "no report records training steps";
    for (size_t i = 0; i < steps.size(); ++i) {
        const ReportKey key = workspace.keys()[i];
        const auto mark =
            std::ranges::find_if(steps[i], [&](const StepMark& m) { return number && m.number == *number; });
        if (mark != steps[i].end()) {
            alignment.maps[key] = mapToZero(mark->range.begin, AlignMethod::step, alignment.basis);
        } else {
            const std::string missing = number ? "step " + std::to_string(*number) : std::string("steps");
            alignment.maps[key] = mapToZero(startOf(workspace.report(key)), AlignMethod::none,
                                            "the report has no " + missing + "; its start is placed at zero");
        }
    }
}

void alignByMarker(const Workspace& workspace, const AlignOptions& options, Alignment& alignment)
{
    const std::string name =
        "\"" + options.marker + "\"" +
        (options.occurrence > 0 ? " (occurrence " + std::to_string(options.occurrence + 1) + ")" : "");
    alignment.basis = "annotation " + name + " of every report starts at zero";
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        const auto at = findMarker(report, options.marker, options.occurrence);
        alignment.maps[key] =
            at ? mapToZero(*at, AlignMethod::marker, alignment.basis)
               : mapToZero(startOf(report), AlignMethod::none,
                           "the report has no annotation " + name + "; its start is placed at zero");
    }
}

std::string countText(size_t count, const char* noun)
{
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Returns "; 4 reports are not aligned with the other 4: ..." if collectives align subsets only within
// themselves; empty if there is only one subset.
std::string componentsText(const CollectiveFit& fit, const ByReport<ClockMap>& maps)
{
    std::map<uint32_t, size_t> reports; // by component
    for (const ReportKey key : fit.partition.reports) {
        const DomainFit& domain = fit.fit.domains[fit.partition.domain[key]];
        if (domain.isFitted && maps[key].method != AlignMethod::exchange) ++reports[domain.component];
    }
    const size_t largest = reports[fit.fit.largestComponent()];
    std::string text;
    for (const auto& [component, count] : reports) {
        if (component == fit.fit.largestComponent() || count < 2) continue;
        text += "; " + countText(count, "report") + " are not aligned with the other " +
                std::to_string(largest) + ": no collective connects them, so only wall clocks place them";
    }
    return text;
}

// Returns the basis of the automatic mode, for the status bar.
std::string basisOf(const CollectiveFit& fit, const ByReport<ClockMap>& maps)
{
    if (fit.partition.reports.size() < 2) return "one report: its own clock";
    if (fit.partition.domainCount < 2) {
        const std::string contradicted = contradictionText(fit.shared.front());
        return "all reports use one host's clock" + (contradicted.empty() ? "" : "; " + contradicted);
    }
    std::set<uint32_t> exchanged; // domains that the clock exchange placed
    for (const ReportKey key : fit.partition.reports) {
        const AlignMethod method = maps[key].method;
        if (method == AlignMethod::exchange || method == AlignMethod::reference)
            exchanged.insert(maps[key].domain);
    }
    size_t applied = 0, agreed = 0, refused = 0;
    std::string first;
    for (const DomainVerdict& verdict : fit.verdicts) {
        if (verdict.isApplied()) {
            ++applied;
        } else if (verdict.verdict == ClockVerdict::noCorrectionNeeded) {
            ++agreed;
        } else if (verdict.verdict != ClockVerdict::reference &&
                   !exchanged.contains(static_cast<uint32_t>(&verdict - fit.verdicts.data()))) {
            ++refused;
            if (first.empty()) first = verdict.reason;
        }
    }
    std::string text;
    if (applied > 0) text += countText(applied, "clock") + " corrected by collectives; ";
    if (agreed > 0) text += countText(agreed, "clock") + " confirmed by collectives; ";
    if (refused > 0) text += countText(refused, "clock") + " placed by wall clock only (" + first + "); ";
    if (text.empty()) return exchanged.empty() ? "wall clocks" : "one report's clock";
    return text.substr(0, text.size() - 2) + componentsText(fit, maps);
}

constexpr std::string_view kAcceptedReason = "accepted earlier: ";
// prefix of the reason in workspaces from earlier versions
constexpr std::string_view kOldAcceptedReason = "kept as accepted: ";

void applyAccepted(const Workspace& workspace, const std::map<ReportKey, AcceptedClock>& accepted,
                   Alignment& alignment)
{
    for (const auto& [key, clock] : accepted) {
        if (!workspace.has(key)) continue;
        if (clock.utcAtZero_ns.has_value() != alignment.utcAtZero_ns.has_value()) continue;
        ClockMap& map = alignment.maps[key];
        const uint32_t domain = map.domain;
        map = clock.map;
        map.domain = domain;
        if (clock.utcAtZero_ns) map.offset_ns += *clock.utcAtZero_ns - *alignment.utcAtZero_ns;
        if (map.reason.starts_with(kOldAcceptedReason)) map.reason.erase(0, kOldAcceptedReason.size());
        if (!map.reason.starts_with(kAcceptedReason)) map.reason.insert(0, kAcceptedReason);
    }
}

void applyManualShifts(const Workspace& workspace, const ManualShifts& shifts, Alignment& alignment)
{
    for (const auto& [key, shift_ns] : shifts) {
        if (!workspace.has(key)) continue;
        ClockMap& map = alignment.maps[key];
        map.offset_ns += shift_ns;
        map.reason = "moved manually by " + durationText({shift_ns}, 9) + " from " +
                     std::string(alignMethodName(map.method)) + ": " + map.reason;
        map.method = AlignMethod::manual;
        map.confidence = ClockConfidence::none;
        map.bound_ns.reset();
        map.error_ns.reset();
        map.guaranteed.reset();
    }
}

} // namespace

std::string_view alignModeName(AlignMode mode)
{
    const auto found = std::ranges::find(kModes, mode, &NamedMode::mode);
    return found == kModes.end() ? "unknown" : found->name;
}

Result<AlignMode> alignModeNamed(std::string_view name)
{
    const auto found = std::ranges::find(kModes, name, &NamedMode::name);
    if (found != kModes.end()) return found->mode;
    std::string words;
    for (const NamedMode& mode : kModes)
        words += (words.empty() ? "" : ", ") + std::string(mode.name);
    return makeError(ErrorKind::invalid, "alignment \"" + std::string(name) + "\" is not one of: " + words);
}

TimeRange Alignment::extent(const Workspace& workspace) const
{
    TimeRange all;
    bool any = false;
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        if (report.slices.size() == 0 && report.counters.size() == 0) continue;
        const TimeRange range = maps[key].alignedFromTrace(report.extent);
        all = any ? TimeRange{std::min(all.begin, range.begin), std::max(all.end, range.end)} : range;
        any = true;
    }
    return all;
}

namespace {

// Both errors are relative to the reference, so they are added.
PairError errorByExchange(const ClockMap& a, const ClockMap& b)
{
    PairError out;
    if (!a.bound_ns || !b.bound_ns) return out;
    out.guaranteed_ns = *a.bound_ns + *b.bound_ns + std::max(a.domainError_ns, b.domainError_ns);
    const auto likely = [](const ClockMap& map) { return map.error_ns.value_or(*map.bound_ns); };
    out.likely_ns = std::min(*out.guaranteed_ns, likely(a) + likely(b));
    return out;
}

} // namespace

PairError Alignment::errorBetween(ReportKey a, ReportKey b) const
{
    if (a == b) return {0, 0};
    const auto isByClock = [](const ClockMap& map) {
        return map.method == AlignMethod::wallclock || map.method == AlignMethod::host ||
               map.method == AlignMethod::reference || map.method == AlignMethod::collectives ||
               map.method == AlignMethod::exchange;
    };
    const ClockMap& first = map(a);
    const ClockMap& second = map(b);
    if (!isByClock(first) || !isByClock(second)) return {};
    const int64_t withinHost = std::max(first.domainError_ns, second.domainError_ns);
    const bool isShared = first.method != AlignMethod::wallclock || second.method != AlignMethod::wallclock;
    if (first.domain == second.domain && isShared) {
        const bool isContradicted = collectives && first.domain < collectives->shared.size() &&
                                    collectives->shared[first.domain].isContradictory();
        return isContradicted ? PairError{withinHost, {}} : PairError{withinHost, withinHost};
    }
    if (first.domain == second.domain) return {};
    if (!collectives || std::max(first.domain, second.domain) >= collectives->verdicts.size()) return {};
    if (first.method == AlignMethod::exchange || second.method == AlignMethod::exchange)
        return errorByExchange(first, second);
    const DomainPairError error = errorBetweenDomains(*collectives, first.domain, second.domain);
    PairError out;
    if (error.likely_ns) out.likely_ns = std::llround(*error.likely_ns) + withinHost;
    if (error.guaranteed_ns) out.guaranteed_ns = std::llround(std::ceil(*error.guaranteed_ns)) + withinHost;
    return out;
}

Alignment alignReports(const Workspace& workspace, const AlignOptions& options)
{
    return *alignReports(workspace, options, Progress());
}

Result<Alignment> alignReports(const Workspace& workspace, const AlignOptions& options,
                               const Progress& progress)
{
    Alignment alignment;
    alignment.maps = ByReport<ClockMap>(workspace.slotCount());
    alignment.isAligned = ByReport<bool>(workspace.slotCount());
    for (const ReportKey key : workspace.keys())
        alignment.isAligned[key] = true;
    if (options.mode == AlignMode::zero) {
        alignment.basis = "every report starts at zero, as requested";
        for (const ReportKey key : workspace.keys()) {
            alignment.maps[key] =
                mapToZero(startOf(workspace.report(key)), AlignMethod::zero, alignment.basis);
        }
    } else if (options.mode == AlignMode::step) {
        alignBySteps(workspace, options, alignment);
    } else if (options.mode == AlignMode::marker) {
        alignByMarker(workspace, options, alignment);
    } else if (options.mode == AlignMode::wallclock || options.mode == AlignMode::host ||
               options.mode == AlignMode::manual) {
        const ClockPartition partition = partitionClocks(workspace);
        alignment.utcAtZero_ns = partition.utcAtZero_ns;
        const bool isWall = options.mode == AlignMode::wallclock;
        alignment.maps = isWall ? mapsByWallClock(workspace, partition) : mapsByHost(workspace, partition);
        alignment.basis = isWall ? "the wall clock recorded in each file"
                                 : "clocks shared within a host, wall clocks between hosts";
    } else {
        alignment.collectives = LOCKSTEP_TRY(fitCollectives(workspace, options.matching, progress));
        alignment.utcAtZero_ns = alignment.collectives->partition.utcAtZero_ns;
        alignment.maps = mapsByCollectives(workspace, *alignment.collectives);
        alignment.exchange = fitExchange(workspace, *alignment.collectives, progress.workers());
        if (alignment.exchange) applyExchange(*alignment.exchange, *alignment.collectives, alignment.maps);
        alignSnapshots(workspace, alignment.maps);
        alignment.basis = basisOf(*alignment.collectives, alignment.maps);
        if (alignment.exchange) alignment.basis += "; " + exchangeText(*alignment.exchange, alignment.maps);
    }
    applyAccepted(workspace, options.accepted, alignment);
    applyManualShifts(workspace, options.shifts_ns, alignment);
    LOCKSTEP_TRY(progress.check());
    return alignment;
}

void placeNewReports(Alignment& alignment, const Workspace& workspace)
{
    constexpr uint32_t kOwnDomain = 0xFFFFFFFFu; // domains from this number on are not used by collectives
    std::vector<ReportKey> newReports;
    for (const ReportKey key : workspace.keys()) {
        if (!alignment.coversReport(key)) newReports.push_back(key);
    }
    const bool isAxisNew = newReports.size() == workspace.size() && !alignment.utcAtZero_ns;
    if (isAxisNew) alignment.basis = "wall clocks, until the clocks are aligned";
    for (const ReportKey key : newReports) {
        const Report& report = workspace.report(key);
        if (!isAxisNew || !report.clock.utcAtZero_ns) continue;
        const int64_t start_ns = *report.clock.utcAtZero_ns + startOf(report).ns;
        alignment.utcAtZero_ns = std::min(alignment.utcAtZero_ns.value_or(start_ns), start_ns);
    }
    for (const ReportKey key : newReports) {
        const Report& report = workspace.report(key);
        ClockMap map;
        if (alignment.utcAtZero_ns && report.clock.utcAtZero_ns) {
            map.offset_ns = *report.clock.utcAtZero_ns - *alignment.utcAtZero_ns;
            map.method = AlignMethod::wallclock;
            map.confidence = ClockConfidence::wallclock;
            map.reason = "placed by its wall clock until the clocks are aligned";
        } else {
            map = mapToZero(startOf(report), AlignMethod::none,
                            "its start is placed at zero until the clocks are aligned");
        }
        map.domain = kOwnDomain;
        alignment.maps.set(key, std::move(map));
    }
}

} // namespace lockstep
