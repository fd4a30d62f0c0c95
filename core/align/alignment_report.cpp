// SPDX-License-Identifier: Apache-2.0
#include "core/align/alignment_report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/align/collective_fit.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

std::string_view basisName(ClockBasis basis)
{
    switch (basis) {
    case ClockBasis::own:
        return "own";
    case ClockBasis::systemClock:
        return "system clock";
    case ClockBasis::hostWall:
        return "host wall clock";
    }
    return "own";
}

std::string_view matchedByName(const MatchedGroup& group)
{
    if (!group.isByPattern) return "sequence";
    return group.isNamed ? "pattern" : "pattern, groups not recorded";
}

std::string pairsText(const MatchedGroup& group)
{
    if (!group.pairs.isUsed()) return {};
    const auto text = [](double ns) { return durationText({std::llround(ns)}); };
    return pairEndsText(group.pairs) + ", scatter " + text(group.pairs.scatter_ns) + "; " +
           (std::isinf(group.pairs.slack_ns)
                ? std::string("they bound only the receiver's clock")
                : "used as bounds with a tolerance of " + text(group.pairs.slack_ns));
}

std::string domainLabel(const Workspace& workspace, const ClockPartition& partition, uint32_t domain)
{
    const auto isOfDomain = [&](ReportKey key) { return partition.domain[key] == domain; };
    for (const ReportKey key : partition.reports) {
        if (!isOfDomain(key) || !workspace.has(key)) continue;
        const Report& report = workspace.report(key);
        const bool isShared = std::ranges::count_if(partition.reports, isOfDomain) > 1;
        const auto& host = workspace.identity(key).host.value;
        return isShared && host ? *host : report.provenance.path.filename().string();
    }
    return {};
}

// Keeps, of each run of points, the point farthest from zero, so that a plot does not lose its outliers.
void thin(std::vector<ResidualPoint>& points, size_t most)
{
    if (most == 0 || points.size() <= most) return;
    std::vector<ResidualPoint> kept;
    for (size_t i = 0; i < most; ++i) {
        const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i * points.size() / most);
        const auto end = points.begin() + static_cast<std::ptrdiff_t>((i + 1) * points.size() / most);
        kept.push_back(*std::max_element(begin, end, [](const ResidualPoint& a, const ResidualPoint& b) {
            return std::abs(a.residual_ns) < std::abs(b.residual_ns);
        }));
    }
    points = std::move(kept);
}

ResidualSeries residualsOf(const CollectiveFit& fit, uint32_t domain)
{
    ResidualSeries series;
    series.domain = domain;
    for (const uint32_t i : fit.table.ofDomain(domain)) {
        const Anchor& anchor = fit.table.anchors[i];
        const double commonEnd = fit.fit.commonEnd_ns[anchor.moment];
        if (std::isnan(commonEnd)) continue;
        series.points.push_back({{fit.table.origin_ns + std::llround(commonEnd)},
                                 std::llround(residualOf(fit.fit, fit.table, anchor))});
    }
    return series;
}

void describeFit(const Workspace& workspace, const CollectiveFit& fit, size_t maxResiduals,
                 AlignmentReport& out)
{
    for (const MatchedGroup& group : fit.matches.groups) {
        out.groups.push_back({group.world, group.name, ranksText(group.ranks), group.memberCount,
                              group.matched, group.unmatched, group.mismatched, matchedByName(group),
                              pairsText(group), group.refusal, group.remarks});
    }
    for (uint32_t domain = 0; domain < fit.partition.domainCount; ++domain) {
        ResidualSeries series = residualsOf(fit, domain);
        if (series.points.empty()) continue;
        series.label = domainLabel(workspace, fit.partition, domain);
        thin(series.points, maxResiduals);
        out.residuals.push_back(std::move(series));
    }
    out.collectiveCount = fit.table.moments.size();
    out.contradictions = fit.bounds.contradictions;
    out.violationsBefore = fit.bounds.violationsBefore;
    out.violationsAfter = fit.bounds.violationsAfter;
    out.noise_ns = std::llround(fit.fit.noise_ns);
    out.splitHosts = fit.splitHosts;
}

} // namespace

AlignmentReport describeAlignment(const Workspace& workspace, const Alignment& alignment,
                                  size_t maxResidualsPerDomain)
{
    AlignmentReport out;
    out.basis = alignment.basis;
    const CollectiveFit* fit = alignment.collectives.get();
    const ClockPartition partition = fit ? fit->partition : partitionClocks(workspace);
    for (const ReportKey key : workspace.keys()) {
        AlignmentRow row;
        row.report = key;
        row.host = workspace.identity(key).host.value.value_or("");
        row.rank = workspace.identity(key).rank.value;
        out.rows.push_back(std::move(row));
        if (!alignment.coversReport(key)) continue;
        AlignmentRow& described = out.rows.back();
        described.clock = basisName(partition.basis[key]);
        if (fit && partition.domainCount > 1) {
            const DomainFit& domain = fit->fit.domains[partition.domain[key]];
            described.verdict = clockVerdictName(fit->verdicts[partition.domain[key]].verdict);
            described.burstCount = domain.burstCount;
            if (domain.isFitted) described.residual_ns = std::llround(domain.spread_ns);
        }
    }
    if (fit) describeFit(workspace, *fit, maxResidualsPerDomain, out);
    return out;
}

ResidualSeries residualsOf(const Workspace& workspace, const Alignment& alignment, ReportKey report,
                           size_t maxResiduals)
{
    const CollectiveFit* fit = alignment.collectives.get();
    if (fit == nullptr || !alignment.coversReport(report)) return {};
    const uint32_t domain = fit->partition.domain[report];
    if (fit->partition.domainCount < 2 || fit->table.domainCount <= domain) return {};
    ResidualSeries series = residualsOf(*fit, domain);
    series.label = domainLabel(workspace, fit->partition, domain);
    thin(series.points, maxResiduals);
    return series;
}

std::string ranksText(const std::vector<int>& ranks)
{
    std::string text;
    for (size_t i = 0; i < ranks.size();) {
        size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
        if (end - i > 1) text += "-" + std::to_string(ranks[end - 1]);
        i = end;
    }
    return text;
}

std::string errorText(int64_t error_ns)
{
    int64_t unit = 1;
    while (error_ns / unit >= 1000)
        unit *= 10;
    return durationText({(error_ns + unit - 1) / unit * unit});
}

std::string differenceText(Duration difference, const PairError& error)
{
    const std::string value = durationText(difference);
    if (error.likely_ns && *error.likely_ns == 0) return value;
    const auto error_ns = error.likely_ns ? error.likely_ns : error.guaranteed_ns;
    return value + " \u00B1 " + (error_ns ? errorText(*error_ns) : std::string("?"));
}

bool isDecided(Duration difference, const PairError& error)
{
    const auto limit_ns = error.guaranteed_ns ? error.guaranteed_ns : error.likely_ns;
    return limit_ns && std::abs(difference.ns) > *limit_ns;
}

} // namespace lockstep
