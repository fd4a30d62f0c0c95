#include "core/align/clock_verdict.h"

#include <algorithm>
#include <cmath>

#include "core/align/sequence_shift.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr double kSignificance = 2; // errors that an offset must exceed to be worth correcting

std::string nsText(double ns)
{
    return durationText({static_cast<int64_t>(std::llround(ns))});
}

class ClockJudge {
  public:
    ClockJudge(const CollectiveMatches& matches, const ClockPartition& partition, const AnchorTable& table,
               ClockFit& fit, ClockBounds& bounds)
        : m_matches(matches), m_partition(partition), m_table(table), m_fit(fit), m_bounds(bounds)
    {
        m_isPlaced.assign(partition.domainCount, false);
        for (size_t i = 0; i < partition.domain.size(); ++i) {
            if (partition.isPlaced[i]) m_isPlaced[partition.domain[i]] = true;
        }
    }

    std::vector<DomainVerdict> run()
    {
        std::vector<DomainVerdict> verdicts(m_table.domainCount);
        for (uint32_t d = 0; d < m_table.domainCount; ++d) {
            verdicts[d].confidence = m_isPlaced[d] ? ClockConfidence::wallclock : ClockConfidence::none;
            judge(d, verdicts[d]);
        }
        // A reference that nobody could be measured against is an ordinary wall clock.
        for (uint32_t d = 0; d < m_table.domainCount; ++d) {
            if (verdicts[d].verdict == ClockVerdict::reference) describeReference(d, verdicts);
        }
        return verdicts;
    }

  private:
    void judge(uint32_t domain, DomainVerdict& out);
    void judgeUnfitted(uint32_t domain, DomainVerdict& out);
    void describeReference(uint32_t domain, std::vector<DomainVerdict>& verdicts) const;
    bool clamp(uint32_t domain);
    ClockConfidence confidenceOf(uint32_t domain) const;
    std::string refusalOf(uint32_t domain) const;

    const CollectiveMatches& m_matches;
    const ClockPartition& m_partition;
    const AnchorTable& m_table;
    ClockFit& m_fit;
    ClockBounds& m_bounds;
    std::vector<bool> m_isPlaced; // by domain
};

// What the matching said of the groups of this domain's jobs.
std::string ClockJudge::refusalOf(uint32_t domain) const
{
    for (const CollectiveRank& rank : m_matches.ranks) {
        if (m_partition.domain[rank.report.value] != domain) continue;
        for (const MatchedGroup& group : m_matches.groups) {
            if (group.world == rank.world && !group.refusal.empty()) {
                return (group.name.empty() ? std::string("unnamed groups") : "group " + group.name) + ": " +
                       group.refusal;
            }
        }
        return "no other open report takes part in its collectives";
    }
    return "it has no collectives";
}

bool ClockJudge::clamp(uint32_t domain)
{
    DomainBound& bound = m_bounds.domains[domain];
    double& offset = m_fit.domains[domain].line.offset_ns;
    double moved = 0;
    if (bound.greatest_ns && offset > *bound.greatest_ns) moved = *bound.greatest_ns - offset;
    if (bound.least_ns && offset < *bound.least_ns) moved = *bound.least_ns - offset;
    if (moved == 0) return false;
    offset += moved;
    if (bound.worst_ns) *bound.worst_ns += std::abs(moved);
    return true;
}

ClockConfidence ClockJudge::confidenceOf(uint32_t domain) const
{
    const DomainBound& bound = m_bounds.domains[domain];
    const auto anchors = m_table.ofDomain(domain);
    const bool isStated =
        std::ranges::all_of(anchors, [&](uint32_t i) { return m_table.anchors[i].isStated; });
    if (bound.isTwoSided() && bound.halfWidth_ns() <= kGoodHalfWidth_ns && isStated)
        return ClockConfidence::good;
    return ClockConfidence::fair;
}

// Bounds alone: one collective already says that no end lies before a start.
void ClockJudge::judgeUnfitted(uint32_t domain, DomainVerdict& out)
{
    const DomainBound& bound = m_bounds.domains[domain];
    const uint32_t anchors = m_fit.domains[domain].anchorCount;
    const std::string few = std::to_string(anchors) + " matched collectives are too few for an estimate";
    if (bound.isTwoSided() && bound.reference != domain && bound.halfWidth_ns() <= kFairError_ns) {
        out.error_ns = bound.halfWidth_ns();
        out.confidence = ClockConfidence::fair;
        const bool isPossible = *bound.least_ns <= 0 && 0 <= *bound.greatest_ns;
        if (isPossible && m_isPlaced[domain]) {
            out.verdict = ClockVerdict::nothingToCorrect;
            out.reason = few + "; the wall clock lies inside the interval of +- " + nsText(out.error_ns) +
                         " that they leave";
            return;
        }
        out.verdict = ClockVerdict::boundsOnly;
        out.offset_ns = (*bound.least_ns + *bound.greatest_ns) / 2;
        out.reason =
            few + "; placed in the middle of the interval of +- " + nsText(out.error_ns) + " that they leave";
        return;
    }
    if (bound.least_ns.has_value() != bound.greatest_ns.has_value() && bound.reference != domain) {
        out.verdict = ClockVerdict::oneSided;
        out.reason =
            "one-sided: only operations in one direction tie it to the others; its clock is ahead by " +
            (bound.greatest_ns ? "at most " + nsText(*bound.greatest_ns)
                               : "at least " + nsText(*bound.least_ns));
        return;
    }
    out.verdict = anchors > 0 ? ClockVerdict::tooFew : ClockVerdict::unmatched;
    out.reason = anchors > 0 ? "too few: " + few + " (10 are needed)" : refusalOf(domain);
}

void ClockJudge::judge(uint32_t domain, DomainVerdict& out)
{
    const DomainFit& fit = m_fit.domains[domain];
    const DomainBound& bound = m_bounds.domains[domain];
    if (m_bounds.isContradictory && fit.anchorCount > 0) {
        out.verdict = ClockVerdict::contradictory;
        out.reason = "contradictory: more than 1 % of " + std::to_string(m_bounds.momentCount) +
                     " matched collectives cannot all be true of any clocks";
        return;
    }
    if (!fit.isFitted) return judgeUnfitted(domain, out);
    if (m_fit.references[fit.component] == domain) {
        out.verdict = ClockVerdict::reference;
        return;
    }
    const bool wasClamped = clamp(domain);
    out.error_ns = std::max({1.96 * fit.statistical_ns, fit.systematic_ns, kHostFloor_ns});
    const std::string found = nsText(fit.line.offset_ns) + " +- " + nsText(out.error_ns) + " from " +
                              std::to_string(fit.anchorCount) + " collectives";
    if (fit.spread_ns > kFairError_ns) {
        out.verdict = ClockVerdict::scattered;
        out.reason = "scattered: the ends of " + std::to_string(fit.anchorCount) + " collectives differ by " +
                     nsText(fit.spread_ns) + " (1 ms is the limit)";
        return;
    }
    const double farthest =
        std::max({std::abs(fit.line.at(-m_table.halfWindow_ns)), std::abs(fit.line.offset_ns),
                  std::abs(fit.line.at(m_table.halfWindow_ns))});
    if (m_isPlaced[domain] && farthest <= kSignificance * out.error_ns) {
        out.verdict = ClockVerdict::nothingToCorrect;
        out.confidence = confidenceOf(domain);
        out.reason = "nothing to correct: the wall clock is off by " + found;
        return;
    }
    if (m_isPlaced[domain] && bound.violationsAfter > 0 && bound.violationsAfter >= bound.violationsBefore) {
        out.verdict = ClockVerdict::noGain;
        out.reason = "no gain: " + std::to_string(bound.violationsBefore) +
                     " causality violations by wall clock, " + std::to_string(bound.violationsAfter) +
                     " with " + found;
        return;
    }
    out.verdict = ClockVerdict::applied;
    out.offset_ns = fit.line.offset_ns;
    out.confidence = wasClamped ? ClockConfidence::fair : confidenceOf(domain);
    out.reason = found + "; causality violations " + std::to_string(bound.violationsBefore) + " -> " +
                 std::to_string(bound.violationsAfter);
    if (wasClamped) out.reason += "; the estimate was moved to the border of its guaranteed interval";
    if (!fit.line.jumps.empty()) {
        out.reason +=
            "; its clock was stepped by " + nsText(fit.line.jumps.front().jump_ns) + " while it was recorded";
    }
    if (bound.isTwoSided() && out.confidence == ClockConfidence::fair && !wasClamped) {
        out.reason += bound.halfWidth_ns() > kGoodHalfWidth_ns
                          ? "; only fair: the guaranteed interval is +- " + nsText(bound.halfWidth_ns()) +
                                ", one side was always late"
                          : "; only fair: the ranks were matched by pattern, the files name no groups";
    }
}

void ClockJudge::describeReference(uint32_t domain, std::vector<DomainVerdict>& verdicts) const
{
    const uint32_t component = m_fit.domains[domain].component;
    size_t tied = 0;
    for (uint32_t d = 0; d < verdicts.size(); ++d) {
        const ClockVerdict verdict = verdicts[d].verdict;
        const bool isTied = verdict == ClockVerdict::applied || verdict == ClockVerdict::nothingToCorrect;
        tied += m_fit.domains[d].isFitted && m_fit.domains[d].component == component && isTied ? 1 : 0;
    }
    DomainVerdict& own = verdicts[domain];
    if (tied > 0) {
        own.confidence = ClockConfidence::exact;
        own.reason = "reference: " + std::to_string(tied) + " other clocks are measured against it";
    } else {
        own.verdict = ClockVerdict::unmatched;
        own.reason = "no other clock could be measured against it";
    }
}

} // namespace

std::string_view clockVerdictName(ClockVerdict verdict)
{
    switch (verdict) {
    case ClockVerdict::reference:
        return "reference";
    case ClockVerdict::applied:
        return "applied";
    case ClockVerdict::boundsOnly:
        return "bounds only";
    case ClockVerdict::nothingToCorrect:
        return "nothing to correct";
    case ClockVerdict::tooFew:
        return "too few";
    case ClockVerdict::oneSided:
        return "one-sided";
    case ClockVerdict::unmatched:
        return "unmatched";
    case ClockVerdict::contradictory:
        return "contradictory";
    case ClockVerdict::scattered:
        return "scattered";
    case ClockVerdict::noGain:
        return "no gain";
    }
    return "unknown";
}

std::vector<DomainVerdict> judgeClocks(const CollectiveMatches& matches, const ClockPartition& partition,
                                       const AnchorTable& table, ClockFit& fit, ClockBounds& bounds)
{
    return ClockJudge(matches, partition, table, fit, bounds).run();
}

} // namespace lockstep
