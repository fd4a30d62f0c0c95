// SPDX-License-Identifier: Apache-2.0
#include "core/align/align_methods.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/align/alignment_report.h"
#include "core/align/robust_statistics.h"
#include "core/base/text.h"
#include "core/trace/process_groups.h"

namespace lockstep {

namespace {

// possible difference between the readings of one host's wall clock by two processes
constexpr int64_t kWallCalibration_ns = 5'000;

int64_t rounded(double ns)
{
    return std::llround(ns);
}

std::string hostOf(const Workspace& workspace, ReportKey report)
{
    return workspace.identity(report).host.value.value_or("unknown");
}

// Returns "; host gpu-07 is only inferred (file name), ...": the reason why reports with the same host name
// do not share a clock.
std::string guessedHostText(const Workspace& workspace, ReportKey report)
{
    const auto& host = workspace.identity(report).host;
    return "; host " + *host.value + " is only inferred (" + host.source +
           "), so its reports are not assumed to share a clock";
}

bool isTied(ClockVerdict verdict)
{
    return verdict == ClockVerdict::reference || verdict == ClockVerdict::applied ||
           verdict == ClockVerdict::noCorrectionNeeded || verdict == ClockVerdict::boundsOnly;
}

// Returns true if the order of events bounds the clock, even without an estimate.
bool isBounded(ClockVerdict verdict)
{
    return isTied(verdict) || verdict == ClockVerdict::tooFew;
}

// Returns the distance between the fitted line and the map. They differ if the verdict keeps the wall clock.
double unapplied(const CollectiveFit& fit, uint32_t domain)
{
    return fit.verdicts[domain].isApplied() ? 0 : fit.fit.domains[domain].line.offset_ns;
}

// Coarse time c = T + line(T), so T = (c - offset) / (1 + drift) between jumps; T runs from the table's
// origin.
void applyLine(ClockMap& map, const CollectiveFit& fit, uint32_t domain, int64_t toAxis_ns)
{
    const ClockLine& line = fit.fit.domains[domain].line;
    const double offset = fit.verdicts[domain].offset_ns;
    map.offset_ns = toAxis_ns - rounded(offset);
    map.correction_ns = -rounded(offset);
    map.driftOrigin = {fit.table.origin_ns + rounded(offset) - toAxis_ns};
    map.drift_ppb = rounded(-line.drift / (1 + line.drift) * 1e9);
    map.driftError_ppb = rounded(fit.fit.domains[domain].driftError * 1e9);
    double before = 0;
    for (const ClockJump& jump : line.jumps) {
        const double ahead = line.offset_ns + line.drift * jump.time_ns + before + jump.jump_ns / 2;
        map.steps.push_back(
            {{fit.table.origin_ns + rounded(jump.time_ns + ahead) - toAxis_ns}, -rounded(jump.jump_ns)});
        before += jump.jump_ns;
    }
    if (map.drift_ppb == 0) map.driftError_ppb.reset();
}

void describeBounds(ClockMap& map, const CollectiveFit& fit, uint32_t domain)
{
    const DomainVerdict& verdict = fit.verdicts[domain];
    const DomainBound& bound = fit.bounds.domains[domain];
    map.confidence = verdict.confidence;
    map.anchorsUsed = fit.fit.domains[domain].anchorCount;
    map.violationsBefore = bound.violationsBefore;
    const bool isReference = verdict.verdict == ClockVerdict::reference;
    // True if the clock is moved relative to the other clocks.
    const bool isMoved = verdict.isApplied() || (isReference && fit.isAnyApplied());
    map.violationsAfter = isMoved ? bound.violationsAfter : bound.violationsBefore;
    if (isReference) {
        map.bound_ns = 0;
        return;
    }
    if (!isBounded(verdict.verdict)) return;
    if (isTied(verdict.verdict)) map.error_ns = rounded(verdict.error_ns);
    if (!bound.isTwoSided()) return;
    map.guaranteed = ClockInterval{rounded(std::floor(verdict.offset_ns - *bound.greatest_ns)),
                                   rounded(std::ceil(verdict.offset_ns - *bound.least_ns))};
    const double shift = fit.fit.domains[domain].isFitted ? unapplied(fit, domain) : 0;
    const double atOrigin = static_cast<double>(
        std::max(std::abs(map.guaranteed->earliest_ns), std::abs(map.guaranteed->latest_ns)));
    map.bound_ns = rounded(std::ceil(std::max(atOrigin, *bound.worst_ns + std::abs(shift))));
}

// Handles collectives that contradict a clock that the files record as shared. The alignment between the
// reports of this clock is then no better than the longest contradiction, and nothing is guaranteed.
void describeContradictions(ClockMap& map, const CollectiveFit& fit)
{
    const SharedClockCheck& check = fit.shared[map.domain];
    if (check.contradicted == 0) return;
    map.reason += "; " + contradictionText(check);
    if (fit.partition.domainCount < 2) {
        map.violationsBefore = map.violationsAfter = static_cast<uint32_t>(check.contradicted);
    }
    if (!check.isContradictory()) return;
    const auto attainable = static_cast<double>(check.worst_ns) <= kFairError_ns ? ClockConfidence::fair
                                                                                 : ClockConfidence::wallclock;
    map.confidence = std::min(map.confidence, attainable);
    map.domainError_ns = std::max(map.domainError_ns, check.worst_ns);
    map.bound_ns.reset();
    map.guaranteed.reset();
}

} // namespace

ByReport<ClockMap> mapsByWallClock(const Workspace& workspace, const ClockPartition& partition)
{
    ByReport<ClockMap> maps(workspace.slotCount());
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        ClockMap& map = maps[key];
        map.domain = partition.domain[key];
        map.offset_ns = partition.utcToAxis_ns[key];
        if (report.clock.utcAtZero_ns) {
            map.method = AlignMethod::wallclock;
            map.confidence = ClockConfidence::wallclock;
            map.reason =
                report.clock.utcSource + "; clocks of different hosts may disagree by milliseconds or more";
        } else {
            map.reason = "the file records no wall clock; placed at zero, its true position is unknown";
        }
    }
    return maps;
}

ByReport<ClockMap> mapsByHost(const Workspace& workspace, const ClockPartition& partition)
{
    ByReport<ClockMap> maps = mapsByWallClock(workspace, partition);
    for (const ReportKey key : workspace.keys()) {
        ClockMap& map = maps[key];
        map.offset_ns = partition.hostToAxis_ns[key];
        if (partition.domainCount == 1 && workspace.size() > 1) {
            map.confidence = ClockConfidence::exact;
            map.bound_ns = 0;
        }
        const std::string host = hostOf(workspace, key);
        if (partition.basis[key] == ClockBasis::systemClock) {
            map.method = AlignMethod::host;
            map.reason = "host " + host + ": the system clock of one boot, recorded by its reports";
        } else if (partition.basis[key] == ClockBasis::hostWall) {
            map.method = AlignMethod::host;
            map.domainError_ns = kWallCalibration_ns;
            if (map.bound_ns) map.bound_ns = kWallCalibration_ns;
            map.reason = "host " + host + ": one wall clock, read by each process to within a few us";
        }
        if (partition.basis[key] == ClockBasis::own && partition.isHostGuessed[key]) {
            map.reason += guessedHostText(workspace, key);
        }
        if (partition.basis[key] != ClockBasis::own && partition.domainCount > 1) {
            map.reason += "; relative to other hosts by wall clock, which may be off by milliseconds or more";
        }
    }
    return maps;
}

ByReport<ClockMap> mapsByCollectives(const Workspace& workspace, const CollectiveFit& fit)
{
    ByReport<ClockMap> maps = mapsByHost(workspace, fit.partition);
    for (const ReportKey key : workspace.keys()) {
        ClockMap& map = maps[key];
        if (fit.partition.domainCount < 2) {
            describeContradictions(map, fit);
            continue;
        }
        const DomainVerdict& verdict = fit.verdicts[map.domain];
        describeBounds(map, fit, map.domain);
        if (verdict.isApplied()) {
            map.method = AlignMethod::collectives;
            applyLine(map, fit, map.domain, fit.partition.hostToAxis_ns[key]);
            map.reason = verdict.reason;
        } else if (verdict.verdict == ClockVerdict::reference) {
            map.method = AlignMethod::reference;
            map.reason = verdict.reason;
        } else {
            map.reason = verdict.reason + "; used instead: " + map.reason;
        }
        describeContradictions(map, fit);
    }
    return maps;
}

DomainPairError errorBetweenDomains(const CollectiveFit& fit, uint32_t a, uint32_t b)
{
    DomainPairError error;
    if (!isBounded(fit.verdicts[a].verdict) || !isBounded(fit.verdicts[b].verdict)) return error;
    if (fit.bounds.domains[a].reference != fit.bounds.domains[b].reference) return error;
    if (isTied(fit.verdicts[a].verdict) && isTied(fit.verdicts[b].verdict)) {
        error.likely_ns =
            std::max(kHostFloor_ns, std::hypot(fit.verdicts[a].error_ns, fit.verdicts[b].error_ns));
    }
    if (!fit.bounds.pairs) return error;
    const double up = fit.bounds.pairs->at(a, b);
    const double down = fit.bounds.pairs->at(b, a);
    if (!std::isfinite(up) || !std::isfinite(down)) return error;
    const auto moved = [&](uint32_t d) {
        const double line = fit.fit.domains[d].line.offset_ns;
        return fit.verdicts[d].verdict == ClockVerdict::reference ? 0 : line - fit.verdicts[d].offset_ns;
    };
    const double shift = moved(a) - moved(b);
    const double drift =
        (fit.bounds.domains[a].driftBound + fit.bounds.domains[b].driftBound) * fit.table.halfWindow_ns;
    error.guaranteed_ns = std::max(std::abs(up + shift), std::abs(shift - down)) + drift;
    return error;
}

namespace {

// Smaller contradictions result from rounding and from timestamps in microseconds.
constexpr int64_t kContradiction_ns = 1'000;
constexpr int64_t kGoodBound_ns = 100'000;
constexpr int64_t kFairBound_ns = 1'000'000;

bool isEstimated(ClockVerdict verdict)
{
    return verdict == ClockVerdict::applied || verdict == ClockVerdict::noCorrectionNeeded;
}

// ExchangeMapper computes the intersection of both kinds of bounds for a domain, or finds that they
// contradict each other.
class ExchangeMapper {
  public:
    ExchangeMapper(const ExchangeFit& exchange, const CollectiveFit& fit) : m_exchange(exchange), m_fit(fit)
    {
    }

    void apply(ReportKey key, ClockMap& map) const;

  private:
    bool isOneReference(uint32_t domain) const
    {
        return domain < m_fit.bounds.domains.size() &&
               m_fit.bounds.domains[domain].reference == m_exchange.reference;
    }
    bool isNumbered(uint32_t domain) const;
    std::vector<ExchangeKnot> intersection(uint32_t domain, int64_t& contradiction_ns) const;
    void placeByExchange(ReportKey key, const ExchangeDomain& domain, ClockMap& map) const;
    void narrow(ReportKey key, const std::vector<ExchangeKnot>& knots, const ExchangeDomain& domain,
                ClockMap& map) const;
    int64_t toAxis_ns(ReportKey key) const { return m_fit.partition.hostToAxis_ns[key]; }

    const ExchangeFit& m_exchange;
    const CollectiveFit& m_fit;
};

std::string boundText(const ExchangeDomain& domain, int64_t bound_ns)
{
    return "clock exchange: error at most " + errorText(bound_ns) + ", from " + domain.evidence +
           (domain.uncertainty.empty() ? "" : "; " + domain.uncertainty);
}

ClockConfidence confidenceOf(int64_t bound_ns)
{
    if (bound_ns <= kGoodBound_ns) return ClockConfidence::good;
    return bound_ns <= kFairBound_ns ? ClockConfidence::fair : ClockConfidence::wallclock;
}

// Returns true if the operations that connect the domain with others have numbers in the files. Otherwise the
// matching of these operations is only a well-founded guess.
bool ExchangeMapper::isNumbered(uint32_t domain) const
{
    return std::ranges::all_of(m_fit.table.ofDomain(domain), [this](uint32_t i) {
        const AnchorMoment& moment = m_fit.table.moments[m_fit.table.anchors[i].moment];
        return !m_fit.matches.groups[moment.group].isByPattern;
    });
}

std::vector<ExchangeKnot> ExchangeMapper::intersection(uint32_t domain, int64_t& contradiction_ns) const
{
    std::vector<ExchangeKnot> knots = m_exchange.domains[domain].knots;
    contradiction_ns = 0;
    if (!isOneReference(domain) || m_fit.bounds.isContradictory) return knots;
    const DomainBound& bound = m_fit.bounds.domains[domain];
    if (!bound.isTwoSided() || !bound.worst_ns || !m_fit.fit.domains[domain].isFitted) return knots;
    const ClockLine& line = m_fit.fit.domains[domain].line;
    const int64_t slack_ns = m_exchange.domains[domain].slack_ns;
    for (ExchangeKnot& knot : knots) {
        const auto time = static_cast<double>(knot.at_ns - m_fit.table.origin_ns) - line.offset_ns;
        // Collectives do not give any information for that time.
        if (std::abs(time) > m_fit.table.halfWindow_ns) continue;
        const auto least_ns = static_cast<int64_t>(std::floor(line.at(time) - *bound.worst_ns));
        const auto greatest_ns = static_cast<int64_t>(std::ceil(line.at(time) + *bound.worst_ns));
        const int64_t separation_ns =
            std::max(least_ns - knot.greatest_ns, knot.least_ns - greatest_ns) - slack_ns;
        contradiction_ns = std::max(contradiction_ns, separation_ns);
        knot.least_ns = std::max(knot.least_ns, least_ns);
        knot.greatest_ns = std::min(knot.greatest_ns, greatest_ns);
    }
    return knots;
}

void ExchangeMapper::placeByExchange(ReportKey key, const ExchangeDomain& domain, ClockMap& map) const
{
    const ExchangeLine line = lineThrough(domain);
    // Even if there are too few collectives for an estimate, they may give tighter bounds than a slow
    // network.
    // An estimate of a clock that is placed here was rejected: it contradicts the exchange.
    const bool isEstimate = isEstimated(m_fit.verdicts[map.domain].verdict);
    if (!isEstimate && isOneReference(map.domain) && map.method == AlignMethod::collectives && map.bound_ns &&
        *map.bound_ns <= line.bound_ns) {
        map.reason += "; the clock exchange is less precise: " + errorText(line.bound_ns);
        return;
    }
    const int64_t offset_ns = std::llround(line.offset_ns);
    map.method = AlignMethod::exchange;
    map.offset_ns = toAxis_ns(key) - offset_ns;
    map.correction_ns = -offset_ns;
    map.driftOrigin = {line.origin_ns - toAxis_ns(key)};
    map.drift_ppb = std::llround(-line.drift * 1e9);
    map.driftError_ppb.reset();
    map.steps.clear();
    for (const ExchangeStep& step : domain.steps)
        map.steps.push_back({{step.at_ns - toAxis_ns(key)}, -step.jump_ns});
    // Drift is rounded to whole parts per 10^9.
    const int64_t half_ns = (domain.knots.back().at_ns - domain.knots.front().at_ns) / 2;
    map.bound_ns = line.bound_ns + half_ns / 2'000'000'000 + 2;
    map.error_ns = map.bound_ns;
    map.guaranteed = ClockInterval{-*map.bound_ns, *map.bound_ns};
    map.confidence = confidenceOf(*map.bound_ns);
    map.reason = boundText(domain, *map.bound_ns) + "; collectives: " + map.reason;
}

// Keeps the estimate. Its error bound becomes its largest distance from the edge of the intersection.
void ExchangeMapper::narrow(ReportKey key, const std::vector<ExchangeKnot>& knots,
                            const ExchangeDomain& domain, ClockMap& map) const
{
    int64_t worst_ns = 0;
    for (const ExchangeKnot& knot : knots) {
        const TraceTime stamp{knot.at_ns - toAxis_ns(key)};
        const int64_t difference_ns = knot.at_ns - map.alignedFromTrace(stamp).ns;
        worst_ns = std::max({worst_ns, difference_ns - knot.least_ns, knot.greatest_ns - difference_ns});
    }
    worst_ns += domain.slack_ns;
    if (map.bound_ns && *map.bound_ns <= worst_ns) {
        map.reason += "; the clock exchange agrees to within " + errorText(worst_ns);
        return;
    }
    map.method = AlignMethod::exchange;
    map.bound_ns = worst_ns;
    map.guaranteed = ClockInterval{-worst_ns, worst_ns};
    if (map.error_ns) map.error_ns = std::min(*map.error_ns, worst_ns);
    map.confidence = std::max(map.confidence, confidenceOf(worst_ns));
    map.reason = boundText(domain, worst_ns) + "; collectives: " + map.reason;
}

void ExchangeMapper::apply(ReportKey key, ClockMap& map) const
{
    if (map.domain == m_exchange.reference) {
        const bool isTied = m_fit.verdicts[map.domain].verdict == ClockVerdict::reference;
        if (!isTied) map.reason = "reference of the clock exchange; " + map.reason;
        map.method = AlignMethod::reference;
        map.confidence = ClockConfidence::exact;
        map.bound_ns = 0;
        return;
    }
    const ExchangeDomain& domain = m_exchange.domains[map.domain];
    if (!domain.isMeasured()) return;
    int64_t contradiction_ns = 0;
    const std::vector<ExchangeKnot> knots = intersection(map.domain, contradiction_ns);
    const bool isEstimate = isOneReference(map.domain) && isEstimated(m_fit.verdicts[map.domain].verdict);
    if (contradiction_ns > kContradiction_ns && !isNumbered(map.domain)) {
        placeByExchange(key, domain, map);
        map.reason += "; the collectives were matched by pattern only and contradict the clock exchange by " +
                      errorText(contradiction_ns) + ", so they are not used";
    } else if (contradiction_ns > kContradiction_ns) {
        map.reason += "; the clock exchange contradicts the collectives by " + errorText(contradiction_ns) +
                      ": one of the clocks is not the one recorded in its file; the collectives are used (" +
                      domain.evidence + ")";
        map.confidence = std::min(map.confidence, ClockConfidence::fair);
    } else if (isEstimate) {
        narrow(key, knots, domain, map);
    } else {
        placeByExchange(key, domain, map);
    }
}

} // namespace

std::shared_ptr<const ExchangeFit> fitExchange(const Workspace& workspace, const CollectiveFit& fit,
                                               const Workers& workers)
{
    std::optional<uint32_t> preferred;
    for (uint32_t d = 0; d < fit.verdicts.size() && !preferred; ++d) {
        if (fit.verdicts[d].verdict == ClockVerdict::reference) preferred = d;
    }
    return fitExchange(workspace, fit.partition, preferred, workers);
}

void applyExchange(const ExchangeFit& exchange, const CollectiveFit& fit, ByReport<ClockMap>& maps)
{
    const ExchangeMapper mapper(exchange, fit);
    for (const ReportKey key : fit.partition.reports)
        mapper.apply(key, maps[key]);
}

std::string exchangeText(const ExchangeFit& exchange, const ByReport<ClockMap>& maps)
{
    std::set<uint32_t> domains;
    std::vector<double> bounds;
    for (size_t slot = 0; slot < maps.slotCount(); ++slot) {
        const ReportKey key(static_cast<uint32_t>(slot));
        if (!maps.has(key) || maps[key].method != AlignMethod::exchange) continue;
        if (domains.insert(maps[key].domain).second && maps[key].bound_ns)
            bounds.push_back(static_cast<double>(*maps[key].bound_ns));
    }
    std::string text = std::to_string(domains.size()) + (domains.size() == 1 ? " clock" : " clocks") +
                       " bounded by " + std::to_string(exchange.rounds) + " rounds of clock exchange";
    if (!bounds.empty()) text += ", median bound " + errorText(std::llround(median(bounds)));
    if (exchange.outliers > 0)
        text += "; " + std::to_string(exchange.outliers) + " rounds contradicted others";
    return text;
}

namespace {

constexpr int64_t kReadings_ns = 5'000; // possible difference between two readings of the same wall clock

// Returns true for memory snapshots; other files with memory have their own clocks.
bool isSnapshot(const Report& report)
{
    return report.memory != nullptr && report.memory->isOfAllocator();
}

bool isPlacedBetter(const ClockMap& map)
{
    return map.method == AlignMethod::collectives || map.method == AlignMethod::exchange ||
           map.method == AlignMethod::reference || map.method == AlignMethod::host;
}

TimeRange wallOf(const Report& report)
{
    const Duration zero{*report.clock.utcAtZero_ns};
    return {report.extent.begin + zero, report.extent.end + zero};
}

// Returns the report of the same process whose clock is the best known one for the snapshot; invalid if there
// is no such report.
ReportKey guideOf(const Workspace& workspace, const ByReport<ClockMap>& maps, ReportKey snapshot,
                  const ProcessGroup& group)
{
    ReportKey best;
    int64_t longest_ns = -1;
    for (const ProcessMember& member : group.members) {
        const Report& report = workspace.report(member.report);
        if (member.report == snapshot || isSnapshot(report) || !report.clock.utcAtZero_ns ||
            !isPlacedBetter(maps[member.report]))
            continue;
        const TimeRange both = wallOf(report).clippedTo(wallOf(workspace.report(snapshot)));
        const int64_t overlap_ns = std::max<int64_t>(0, both.length().ns);
        if (overlap_ns <= longest_ns) continue;
        longest_ns = overlap_ns;
        best = member.report;
    }
    return best;
}

// Returns the map for the timestamps of a clock that is behind the clock of another report by `ahead`, given
// the map of that report.
ClockMap movedMap(ClockMap map, Duration ahead)
{
    map.offset_ns += ahead.ns;
    map.driftOrigin = map.driftOrigin - ahead;
    for (ClockStep& step : map.steps)
        step.at = step.at - ahead;
    return map;
}

} // namespace

void alignSnapshots(const Workspace& workspace, ByReport<ClockMap>& maps)
{
    const auto isWallSnapshot = [&](ReportKey key) {
        const Report& report = workspace.report(key);
        return isSnapshot(report) && report.clock.utcAtZero_ns && maps[key].method == AlignMethod::wallclock;
    };
    if (std::ranges::none_of(workspace.keys(), isWallSnapshot)) return;
    for (const ProcessGroup& group : findProcessGroups(workspace)) {
        for (const ProcessMember& member : group.members) {
            if (!isWallSnapshot(member.report)) continue;
            const ReportKey guide = guideOf(workspace, maps, member.report, group);
            if (!guide.isValid()) continue;
            const ClockDomain& own = workspace.report(member.report).clock;
            const ClockDomain& other = workspace.report(guide).clock;
            ClockMap& map = maps[member.report];
            map = movedMap(maps[guide], {*own.utcAtZero_ns - *other.utcAtZero_ns});
            if (map.method == AlignMethod::reference) map.method = AlignMethod::host;
            map.anchorsUsed = map.violationsBefore = map.violationsAfter = 0;
            const int64_t readings_ns = std::max(kReadings_ns, own.utcResolution_ns + other.utcResolution_ns);
            map.domainError_ns += readings_ns;
            for (std::optional<int64_t>* const error : {&map.bound_ns, &map.error_ns}) {
                if (*error) **error += readings_ns;
            }
            if (map.guaranteed)
                map.guaranteed = ClockInterval{map.guaranteed->earliest_ns - readings_ns,
                                               map.guaranteed->latest_ns + readings_ns};
            map.reason = "the wall clock of the process's machine, recorded in " +
                         workspace.report(guide).provenance.path.filename().string() + ": " +
                         maps[guide].reason;
        }
    }
}

} // namespace lockstep
