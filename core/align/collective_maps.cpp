// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_maps.h"

#include <algorithm>
#include <cmath>

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
    const auto worth = static_cast<double>(check.worst_ns) <= kFairError_ns ? ClockConfidence::fair
                                                                            : ClockConfidence::wallclock;
    map.confidence = std::min(map.confidence, worth);
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

} // namespace lockstep
