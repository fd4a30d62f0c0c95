// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "core/align/alignment_report.h"
#include "core/align/robust_statistics.h"
#include "core/align/sequence_shift.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kTimestampError_ns = 10'000;

struct SharedMoment {
    int64_t firstEnd_ns = std::numeric_limits<int64_t>::max();
    int64_t lastStart_ns = std::numeric_limits<int64_t>::min();
    ReportKey first;
    bool isOfSeveral = false; // true if several reports took part
};

} // namespace

std::vector<SharedClockCheck> checkSharedClocks(const CollectiveMatches& matches,
                                                const ClockPartition& partition)
{
    std::vector<SharedClockCheck> checks(partition.domainCount);
    std::map<uint32_t, SharedMoment> moments; // starts and ends of one collective, by domain
    for (const MatchedCollective& collective : matches.collectives) {
        if (collective.dependency != Dependency::all) continue;
        moments.clear();
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = matches.parts[collective.firstPart + i];
            const ReportKey report = matches.ranks[part.rank].report;
            const auto [found, isNew] = moments.try_emplace(partition.domain[report]);
            SharedMoment& moment = found->second;
            if (isNew) moment.first = report;
            moment.isOfSeveral = moment.isOfSeveral || moment.first != report;
            const int64_t toAxis_ns = partition.hostToAxis_ns[report];
            moment.firstEnd_ns = std::min(moment.firstEnd_ns, matches.at(part).end.ns + toAxis_ns);
            moment.lastStart_ns = std::max(moment.lastStart_ns, matches.at(part).start.ns + toAxis_ns);
        }
        for (const auto& [domain, moment] : moments) {
            if (!moment.isOfSeveral) continue;
            SharedClockCheck& check = checks[domain];
            ++check.collectives;
            const int64_t gap_ns = moment.lastStart_ns - moment.firstEnd_ns;
            if (gap_ns <= kTimestampError_ns) continue;
            ++check.contradicted;
            check.worst_ns = std::max(check.worst_ns, gap_ns);
        }
    }
    return checks;
}

std::string contradictionText(const SharedClockCheck& check)
{
    if (check.contradicted == 0) return {};
    return std::to_string(check.contradicted) + " of " + std::to_string(check.collectives) +
           " collectives contradict the shared clock: they ended in one report up to " +
           errorText(check.worst_ns) + " before they began in another";
}

namespace {

constexpr size_t kMaxRefusals = 3;
constexpr double kSignificance = 2; // an offset must be at least this many times its error to be corrected

class ClockJudge {
  public:
    ClockJudge(const CollectiveMatches& matches, const ClockPartition& partition,
               std::span<const SharedClockCheck> shared, const AnchorTable& table, ClockFit& fit,
               ClockBounds& bounds)
        : m_matches(matches), m_partition(partition), m_shared(shared), m_table(table), m_fit(fit),
          m_bounds(bounds), m_isPlaced(placedDomains(partition))
    {
    }

    std::vector<DomainVerdict> run()
    {
        std::vector<DomainVerdict> verdicts(m_table.domainCount);
        for (uint32_t d = 0; d < m_table.domainCount; ++d) {
            verdicts[d].confidence = m_isPlaced[d] ? ClockConfidence::wallclock : ClockConfidence::none;
            judge(d, verdicts[d]);
        }
        // A reference against which no clock was measured is an ordinary wall clock.
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
    bool isByPairs(uint32_t domain) const
    {
        return m_fit.domains[domain].anchorCount == m_fit.domains[domain].pairCount;
    }
    std::string anchorsText(uint32_t domain) const;
    std::string onlyFairText(uint32_t domain) const;
    std::string refusalsOf(uint32_t domain) const;
    std::string reasonWithoutMatches(uint32_t domain) const;

    const CollectiveMatches& m_matches;
    const ClockPartition& m_partition;
    std::span<const SharedClockCheck> m_shared;
    const AnchorTable& m_table;
    ClockFit& m_fit;
    ClockBounds& m_bounds;
    std::vector<bool> m_isPlaced; // by domain
};

// Returns the rejection reasons for the groups of this domain's ranks; empty if there are none.
std::string ClockJudge::refusalsOf(uint32_t domain) const
{
    const auto isOfDomain = [&](uint32_t rank) {
        return m_partition.domain[m_matches.ranks[rank].report] == domain;
    };
    std::set<std::string> listed;
    std::string text;
    for (const MatchedGroup& group : m_matches.groups) {
        if (group.refusal.empty() || std::ranges::none_of(group.members, isOfDomain)) continue;
        const std::string one = (group.name.empty() ? std::string("unnamed groups") : "group " + group.name) +
                                ": " + group.refusal;
        if (listed.insert(one).second && listed.size() <= kMaxRefusals)
            text += (text.empty() ? "" : "; ") + one;
    }
    if (listed.size() > kMaxRefusals)
        text += "; and " + std::to_string(listed.size() - kMaxRefusals) + " more";
    return text;
}

std::string ClockJudge::reasonWithoutMatches(uint32_t domain) const
{
    const auto isOfDomain = [&](const CollectiveRank& rank) {
        return m_partition.domain[rank.report] == domain;
    };
    const auto silent = std::ranges::count_if(m_matches.collectives, [&](const MatchedCollective& c) {
        const auto parts = std::span(m_matches.parts).subspan(c.firstPart, c.partCount);
        return c.dependency == Dependency::none &&
               std::ranges::any_of(parts, [&](MatchedPart p) { return isOfDomain(m_matches.ranks[p.rank]); });
    });
    if (silent > 0) {
        return std::to_string(silent) +
               " operations were matched, but they carry no clock information (uneven all-to-alls, "
               "SendRecv among several ranks, unknown kernels)";
    }
    if (const SharedClockCheck& check = m_shared[domain]; check.collectives > 0) {
        return "all " + std::to_string(check.collectives) +
               " matched collectives are between reports that share one clock" +
               (check.contradicted > 0 ? std::string() : std::string(", and they agree with that clock"));
    }
    const bool hasAny = std::ranges::any_of(m_matches.ranks, isOfDomain);
    return hasAny ? "no other open report takes part in its collectives" : "the report has no collectives";
}

// Returns a description of the anchors: "30 collectives and 33 send/receive pairs whose end times scatter by
// 22 us".
std::string ClockJudge::anchorsText(uint32_t domain) const
{
    const DomainFit& fit = m_fit.domains[domain];
    const std::string collectives = std::to_string(fit.anchorCount - fit.pairCount) + " collectives";
    if (fit.pairCount == 0) return collectives;
    std::vector<double> noises;
    for (const uint32_t i : m_table.ofDomain(domain)) {
        const AnchorMoment& moment = m_table.moments[m_table.anchors[i].moment];
        if (moment.isPair) noises.push_back(moment.pairNoise_ns);
    }
    const std::string pairs = std::to_string(fit.pairCount) +
                              " send/receive pairs whose end times scatter by " + nsText(median(noises));
    return isByPairs(domain) ? pairs : collectives + " and " + pairs;
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
    const auto isPair = [&](uint32_t i) { return m_table.moments[m_table.anchors[i].moment].isPair; };
    const bool isStated = !isByPairs(domain) && std::ranges::all_of(anchors, [&](uint32_t i) {
        return isPair(i) || m_table.anchors[i].isStated;
    });
    if (bound.isTwoSided() && bound.halfWidth_ns() <= kGoodHalfWidth_ns && isStated)
        return ClockConfidence::good;
    return ClockConfidence::fair;
}

// Judges a domain only by its bounds. Even a single collective gives bounds, because no end may be before a
// start.
void ClockJudge::judgeUnfitted(uint32_t domain, DomainVerdict& out)
{
    const DomainBound& bound = m_bounds.domains[domain];
    const uint32_t anchors = m_fit.domains[domain].anchorCount;
    const std::string few = anchors > 0
                                ? std::to_string(anchors) + " matched collectives are too few for an estimate"
                                : "only the order of single operations connects the clock with the others";
    const std::string refusals = refusalsOf(domain);
    const std::string unused = refusals.empty() ? "" : "; " + refusals;
    if (bound.isTwoSided() && bound.reference != domain && bound.halfWidth_ns() <= kFairError_ns) {
        out.error_ns = bound.halfWidth_ns();
        out.confidence = ClockConfidence::fair;
        const bool isPossible = *bound.least_ns <= 0 && 0 <= *bound.greatest_ns;
        if (isPossible && m_isPlaced[domain]) {
            out.verdict = ClockVerdict::noCorrectionNeeded;
            out.reason = few + "; the wall clock is within the allowed interval of +- " +
                         nsText(out.error_ns) + unused;
            return;
        }
        out.verdict = ClockVerdict::boundsOnly;
        out.offset_ns = (*bound.least_ns + *bound.greatest_ns) / 2;
        out.reason =
            few + "; placed in the middle of the allowed interval of +- " + nsText(out.error_ns) + unused;
        return;
    }
    if (bound.least_ns.has_value() != bound.greatest_ns.has_value() && bound.reference != domain) {
        out.verdict = ClockVerdict::oneSided;
        out.reason =
            "one-sided: only operations in one direction connect the clock with the others; it is ahead by " +
            (bound.greatest_ns ? "at most " + nsText(*bound.greatest_ns)
                               : "at least " + nsText(*bound.least_ns)) +
            unused;
        return;
    }
    out.verdict = anchors > 0 ? ClockVerdict::tooFew : ClockVerdict::unmatched;
    if (anchors > 0) {
        out.reason = "too few: " + few + " (10 needed)" + unused;
    } else {
        out.reason = refusals.empty() ? reasonWithoutMatches(domain) : refusals;
    }
}

void ClockJudge::judge(uint32_t domain, DomainVerdict& out)
{
    const DomainFit& fit = m_fit.domains[domain];
    const DomainBound& bound = m_bounds.domains[domain];
    if (m_bounds.isContradictory && fit.anchorCount > 0) {
        out.verdict = ClockVerdict::contradictory;
        out.reason = "contradictory: more than 1 % of " + std::to_string(m_bounds.momentCount) +
                     " matched collectives are inconsistent with any clock offsets";
        return;
    }
    if (!fit.isFitted) return judgeUnfitted(domain, out);
    if (m_fit.references[fit.component] == domain) {
        out.verdict = ClockVerdict::reference;
        return;
    }
    const bool wasClamped = clamp(domain);
    out.error_ns = std::max(
        {1.96 * fit.statistical_ns, fit.systematic_ns, isByPairs(domain) ? kPairFloor_ns : kHostFloor_ns});
    const std::string found =
        nsText(fit.line.offset_ns) + " +- " + nsText(out.error_ns) + " from " + anchorsText(domain);
    if (fit.spread_ns > kFairError_ns) {
        out.verdict = ClockVerdict::scattered;
        out.reason = "scattered: the end times of " + anchorsText(domain) + " differ by " +
                     nsText(fit.spread_ns) + " (limit: 1 ms)";
        return;
    }
    const double farthest =
        std::max({std::abs(fit.line.at(-m_table.halfWindow_ns)), std::abs(fit.line.offset_ns),
                  std::abs(fit.line.at(m_table.halfWindow_ns))});
    if (m_isPlaced[domain] && farthest <= kSignificance * out.error_ns) {
        out.verdict = ClockVerdict::noCorrectionNeeded;
        out.confidence = confidenceOf(domain);
        out.reason = "nothing to correct: the wall clock is off by " + found;
        return;
    }
    if (m_isPlaced[domain] && bound.violationsAfter > 0 && bound.violationsAfter >= bound.violationsBefore) {
        out.verdict = ClockVerdict::noGain;
        out.reason = "no gain: " + std::to_string(bound.violationsBefore) +
                     " causality violations with the wall clock, " + std::to_string(bound.violationsAfter) +
                     " with " + found;
        return;
    }
    out.verdict = ClockVerdict::applied;
    out.offset_ns = fit.line.offset_ns;
    out.confidence = wasClamped ? ClockConfidence::fair : confidenceOf(domain);
    out.reason = found + "; causality violations " + std::to_string(bound.violationsBefore) + " -> " +
                 std::to_string(bound.violationsAfter);
    if (wasClamped) out.reason += "; the estimate was moved to the edge of its guaranteed interval";
    if (!fit.line.jumps.empty()) {
        out.reason +=
            "; its clock was stepped by " + nsText(fit.line.jumps.front().jump_ns) + " during the recording";
    }
    if (out.confidence == ClockConfidence::fair && !wasClamped) out.reason += onlyFairText(domain);
}

std::string ClockJudge::onlyFairText(uint32_t domain) const
{
    const DomainBound& bound = m_bounds.domains[domain];
    if (isByPairs(domain))
        return "; confidence only fair: only sends and receives connect the clock with the others";
    if (!bound.isTwoSided()) return {};
    if (bound.halfWidth_ns() > kGoodHalfWidth_ns) {
        return "; confidence only fair: the guaranteed interval is +- " + nsText(bound.halfWidth_ns()) +
               ", because one side was always late";
    }
    return "; confidence only fair: the files record no group names, so the ranks were matched by pattern";
}

void ClockJudge::describeReference(uint32_t domain, std::vector<DomainVerdict>& verdicts) const
{
    const uint32_t component = m_fit.domains[domain].component;
    size_t measured = 0;
    for (uint32_t d = 0; d < verdicts.size(); ++d) {
        const ClockVerdict verdict = verdicts[d].verdict;
        const bool isMeasured =
            verdict == ClockVerdict::applied || verdict == ClockVerdict::noCorrectionNeeded;
        measured +=
            m_fit.domains[d].isFitted && m_fit.domains[d].component == component && isMeasured ? 1 : 0;
    }
    DomainVerdict& own = verdicts[domain];
    const std::string others =
        std::to_string(measured) + (measured == 1 ? " other clock is" : " other clocks are");
    if (measured > 0 && component != m_fit.largestComponent()) {
        own.reason =
            "reference of a subset: " + others +
            " measured against it, but no collective connects them with the other reports; only wall "
            "clocks place this subset";
    } else if (measured > 0) {
        own.confidence = ClockConfidence::exact;
        own.reason = "reference: " + others + " measured against it";
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
    case ClockVerdict::noCorrectionNeeded:
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
                                       std::span<const SharedClockCheck> shared, const AnchorTable& table,
                                       ClockFit& fit, ClockBounds& bounds)
{
    return ClockJudge(matches, partition, shared, table, fit, bounds).run();
}

namespace {

// reports of one host whose clocks differ by more than this do not share a clock
constexpr double kSameClock_ns = 50'000;
// beyond this offset, the product of drift and offset amounts to nanoseconds
constexpr double kRetimeOffset_ns = 100e6;
constexpr size_t kMinForSplit = 10;
constexpr uint64_t kMinRefuting = 3;

// Returns, for each report, the median delay of its ends relative to the median end of its domain; 0 if there
// are too few collectives.
ByReport<double> medianDelays(const CollectiveMatches& matches, const ClockPartition& partition)
{
    ByReport<std::vector<double>> differences(partition.domain.slotCount());
    std::map<uint32_t, std::vector<std::pair<ReportKey, double>>> ends; // by domain: (report, end)
    for (const MatchedCollective& collective : matches.collectives) {
        if (collective.dependency != Dependency::all) continue;
        ends.clear();
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = matches.parts[collective.firstPart + i];
            const ReportKey report = matches.ranks[part.rank].report;
            const int64_t end = matches.at(part).end.ns + partition.hostToAxis_ns[report];
            ends[partition.domain[report]].emplace_back(report, static_cast<double>(end));
        }
        for (auto& [domain, reportEnds] : ends) {
            if (reportEnds.front().first == reportEnds.back().first) continue;
            std::vector<double> values;
            for (const auto& [report, end] : reportEnds)
                values.push_back(end);
            const double middle = median(values);
            for (const auto& [report, end] : reportEnds)
                differences[report].push_back(end - middle);
        }
    }
    ByReport<double> delays(partition.domain.slotCount());
    for (const ReportKey key : partition.reports) {
        if (differences[key].size() >= kMinForSplit) delays[key] = median(differences[key]);
    }
    return delays;
}

// Returns true if most collectives contradict the shared clock and chance cannot explain it. The reports are
// then given separate clocks. Fewer contradictions are only reported, see SharedClockCheck.
bool isRefuted(const SharedClockCheck& check)
{
    return check.contradicted >= kMinRefuting && check.contradicted * 2 > check.collectives;
}

void splitContradictoryHosts(const Workspace& workspace, CollectiveFit& out)
{
    if (out.partition.domainCount == out.partition.reports.size()) return;
    const ByReport<double> delays = medianDelays(out.matches, out.partition);
    const std::vector<SharedClockCheck> checks = checkSharedClocks(out.matches, out.partition);
    std::set<uint32_t> domains;
    for (const ReportKey key : out.partition.reports) {
        const uint32_t domain = out.partition.domain[key];
        const bool isDelayed = std::abs(delays[key]) > kSameClock_ns;
        if (!isDelayed && !isRefuted(checks[domain])) continue;
        if (!domains.insert(domain).second) continue;
        out.splitHosts.push_back(
            "the reports of host " + workspace.identity(key).host.value.value_or("") +
            " are treated as having different clocks: " +
            (isDelayed ? "their collectives end more than 50 us apart" : contradictionText(checks[domain])));
    }
    for (const uint32_t domain : domains)
        splitDomain(out.partition, domain);
}

} // namespace

bool CollectiveFit::isAnyApplied() const
{
    return std::ranges::any_of(verdicts, &DomainVerdict::isApplied);
}

Result<std::shared_ptr<const CollectiveFit>>
fitCollectives(const Workspace& workspace, const MatchOptions& options, const Progress& progress)
{
    auto out = std::make_shared<CollectiveFit>();
    out->partition = partitionClocks(workspace);
    out->matches = matchCollectives(workspace, out->partition, options, progress);
    LOCKSTEP_TRY(progress.check());
    splitContradictoryHosts(workspace, *out);
    out->shared = checkSharedClocks(out->matches, out->partition);
    out->table = buildAnchors(out->matches, out->partition);
    const std::vector<bool> isPlaced = placedDomains(out->partition);
    LOCKSTEP_TRY(progress.check());
    out->fit = fitClocks(out->table, isPlaced, progress.workers());
    const bool isFar = std::ranges::any_of(out->fit.domains, [](const DomainFit& domain) {
        return std::abs(domain.line.offset_ns) > kRetimeOffset_ns;
    });
    if (isFar) {
        retime(out->table, out->fit.commonEnd_ns);
        out->fit = fitClocks(out->table, isPlaced, progress.workers());
    }
    LOCKSTEP_TRY(progress.check());
    out->bounds = LOCKSTEP_TRY(boundClocks(out->table, out->fit, progress));
    out->verdicts = judgeClocks(out->matches, out->partition, out->shared, out->table, out->fit, out->bounds);
    return out;
}

} // namespace lockstep
