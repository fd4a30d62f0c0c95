// SPDX-License-Identifier: Apache-2.0
#include "core/align/domain_clock.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr int64_t kCalibration_ns = 5'000; // possible error of a file's wall clock reading
constexpr std::string_view kRawClock = "CLOCK_MONOTONIC_RAW";

OffsetRange widened(OffsetRange range, int64_t by_ns)
{
    return {range.least_ns - by_ns, range.greatest_ns + by_ns};
}

OffsetRange hullOf(OffsetRange a, OffsetRange b)
{
    return {std::min(a.least_ns, b.least_ns), std::max(a.greatest_ns, b.greatest_ns)};
}

} // namespace

std::optional<DomainClock> DomainClock::of(const Workspace& workspace, const ClockPartition& partition,
                                           uint32_t domain, const HostClocks& clocks)
{
    DomainClock out;
    bool isFound = false;
    for (const ReportKey key : partition.reports) {
        if (partition.domain[key] != domain) continue;
        const auto& host = workspace.identity(key).host;
        if (!host.isKnown() || host.confidence < Confidence::stated) continue;
        const auto clock = clocks.clockOf(*host.value);
        const ClockDomain& stated = workspace.report(key).clock;
        const bool isExact = stated.utcAtZero_ns && stated.utcResolution_ns <= 1;
        if (!clock || !isExact || !partition.utcAtZero_ns || clocks.clocks()[*clock].path.isEmpty()) continue;
        const bool isRaw = stated.name == kRawClock;
        if (isFound && !isRaw) continue;
        isFound = true;
        out.m_clock = *clock;
        out.m_path = &clocks.clocks()[*clock].path;
        // Coarse time is a shifted timestamp of the first report. From the other reports, only properties
        // that all of them share are used.
        const int64_t toAxis_ns = partition.hostToAxis_ns[key];
        out.m_utcAtZero_ns = *stated.utcAtZero_ns - toAxis_ns;
        out.m_coarseMinusRaw = {toAxis_ns, toAxis_ns};
        out.m_kind = isRaw                                                 ? Kind::raw
                     : stated.name.find("Unix epoch") != std::string::npos ? Kind::wall
                                                                           : Kind::anchored;
        if (out.m_kind == Kind::anchored) {
            const int64_t start_ns = startOf(workspace.report(key)).ns;
            const OffsetRange raw =
                widened(out.m_path->rawAt(*stated.utcAtZero_ns + start_ns), kCalibration_ns);
            const int64_t coarse_ns = start_ns + toAxis_ns;
            out.m_coarseMinusRaw = {coarse_ns - raw.greatest_ns, coarse_ns - raw.least_ns};
        }
        if (isRaw) break;
    }
    return isFound ? std::optional(out) : std::nullopt;
}

OffsetRange DomainClock::rawAt(int64_t coarse_ns) const
{
    const OffsetRange byRaw{coarse_ns - m_coarseMinusRaw.greatest_ns, coarse_ns - m_coarseMinusRaw.least_ns};
    if (m_kind == Kind::raw) return byRaw;
    const OffsetRange byWall = widened(m_path->rawAt(coarse_ns + m_utcAtZero_ns), kCalibration_ns);
    return m_kind == Kind::wall ? byWall : hullOf(byRaw, byWall);
}

OffsetRange DomainClock::coarseAt(OffsetRange raw) const
{
    const OffsetRange byRaw{raw.least_ns + m_coarseMinusRaw.least_ns,
                            raw.greatest_ns + m_coarseMinusRaw.greatest_ns};
    if (m_kind == Kind::raw) return byRaw;
    const OffsetRange wall = hullOf(m_path->at(raw.least_ns), m_path->at(raw.greatest_ns));
    const OffsetRange byWall = widened(
        {coarseFromWall(raw.least_ns, wall.least_ns), coarseFromWall(raw.greatest_ns, wall.greatest_ns)},
        kCalibration_ns);
    return m_kind == Kind::wall ? byWall : hullOf(byRaw, byWall);
}

} // namespace lockstep
