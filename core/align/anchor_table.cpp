// SPDX-License-Identifier: Apache-2.0
#include "core/align/anchor_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lockstep {

namespace {

// Ratio of standard deviation to median |noise| for normal noise.
constexpr double kDeviationOfMedian = 1.4826;

struct PartTimes {
    uint32_t domain;
    double start;
    double end;
};

void indexDomains(AnchorTable& table)
{
    table.domainFirst.assign(table.domainCount + 1, 0);
    for (const Anchor& anchor : table.anchors)
        ++table.domainFirst[anchor.domain + 1];
    std::partial_sum(table.domainFirst.begin(), table.domainFirst.end(), table.domainFirst.begin());
    table.byDomain.resize(table.anchors.size());
    std::vector<uint32_t> next(table.domainFirst.begin(), table.domainFirst.end() - 1);
    for (uint32_t i = 0; i < table.anchors.size(); ++i)
        table.byDomain[next[table.anchors[i].domain]++] = i;
}

// Sorts moments by time and their anchors with them, and builds the index by domain.
void orderMoments(AnchorTable& table)
{
    std::ranges::sort(table.moments, [](const AnchorMoment& a, const AnchorMoment& b) {
        return std::pair(a.time_ns, a.collective) < std::pair(b.time_ns, b.collective);
    });
    std::vector<Anchor> ordered;
    ordered.reserve(table.anchors.size());
    for (uint32_t i = 0; i < table.moments.size(); ++i) {
        AnchorMoment& moment = table.moments[i];
        const auto first = table.anchors.begin() + moment.firstAnchor;
        moment.firstAnchor = static_cast<uint32_t>(ordered.size());
        ordered.insert(ordered.end(), first, first + moment.anchorCount);
        for (Anchor& anchor : std::span(ordered).last(moment.anchorCount))
            anchor.moment = i;
    }
    table.anchors = std::move(ordered);
    indexDomains(table);
}

class AnchorBuilder {
  public:
    AnchorBuilder(const CollectiveMatches& matches, const ClockPartition& partition)
        : m_matches(matches), m_partition(partition)
    {
        m_table.domainCount = partition.domainCount;
    }

    AnchorTable run()
    {
        findOrigin();
        std::vector<Anchor> unsorted;
        for (uint32_t i = 0; i < m_matches.collectives.size(); ++i) {
            const MatchedCollective& collective = m_matches.collectives[i];
            if (collective.dependency == Dependency::all || collective.endsTogether) addMoment(i, unsorted);
            if (collective.dependency != Dependency::all) addOneSided(collective);
        }
        m_table.anchors = std::move(unsorted);
        orderMoments(m_table);
        return std::move(m_table);
    }

  private:
    uint32_t domainOf(MatchedPart part) const
    {
        return m_partition.domain[m_matches.ranks[part.rank].report];
    }
    int64_t onAxis(MatchedPart part, TraceTime t) const
    {
        return t.ns + m_partition.hostToAxis_ns[m_matches.ranks[part.rank].report];
    }
    double relative(MatchedPart part, TraceTime t) const
    {
        return static_cast<double>(onAxis(part, t) - m_table.origin_ns);
    }
    std::span<const MatchedPart> partsOf(const MatchedCollective& c) const
    {
        return std::span(m_matches.parts).subspan(c.firstPart, c.partCount);
    }

    void findOrigin()
    {
        int64_t least = std::numeric_limits<int64_t>::max();
        int64_t greatest = std::numeric_limits<int64_t>::min();
        for (const MatchedCollective& collective : m_matches.collectives) {
            const MatchedPart part = partsOf(collective).front();
            const int64_t end = onAxis(part, m_matches.at(part).end);
            least = std::min(least, end);
            greatest = std::max(greatest, end);
        }
        if (least > greatest) return;
        m_table.origin_ns = least + (greatest - least) / 2;
        m_table.halfWindow_ns = static_cast<double>(greatest - least) / 2;
    }

    void addMoment(uint32_t index, std::vector<Anchor>& out)
    {
        const MatchedCollective& collective = m_matches.collectives[index];
        m_parts.clear();
        AnchorMoment moment;
        moment.transfer_ns = std::numeric_limits<double>::max();
        for (const MatchedPart part : partsOf(collective)) {
            const Collective& c = m_matches.at(part);
            m_parts.push_back({domainOf(part), relative(part, c.start), relative(part, c.end)});
            moment.transfer_ns = std::min(moment.transfer_ns, static_cast<double>((c.end - c.start).ns));
        }
        std::ranges::sort(m_parts, [](const PartTimes& a, const PartTimes& b) {
            return std::pair(a.domain, a.end) < std::pair(b.domain, b.end);
        });
        if (m_parts.front().domain == m_parts.back().domain) return;
        moment.firstAnchor = static_cast<uint32_t>(out.size());
        moment.collective = index;
        moment.group = collective.group;
        moment.time_ns = m_parts.front().end;
        const MatchedGroup& group = m_matches.groups[collective.group];
        moment.isPair = collective.endsTogether;
        moment.pairNoise_ns = static_cast<float>(kDeviationOfMedian * group.pairs.scatter_ns);
        const double slack = moment.isPair ? group.pairs.slack_ns : 0;
        for (size_t begin = 0; begin < m_parts.size();) {
            size_t end = begin;
            double lastStart = m_parts[begin].start;
            for (; end < m_parts.size() && m_parts[end].domain == m_parts[begin].domain; ++end) {
                lastStart = std::max(lastStart, m_parts[end].start);
            }
            const double middle = (m_parts[(begin + end - 1) / 2].end + m_parts[(begin + end) / 2].end) / 2;
            const double spread = moment.isPair ? 2 * kPairUncertainty * group.pairs.scatter_ns
                                                : m_parts[end - 1].end - m_parts[begin].end;
            out.push_back({m_parts[begin].domain, 0, middle, m_parts[begin].end + slack, lastStart,
                           static_cast<float>(spread), group.isNamed});
            begin = end;
        }
        moment.anchorCount = static_cast<uint32_t>(out.size()) - moment.firstAnchor;
        m_table.moments.push_back(moment);
    }

    void limit(MatchedPart later, MatchedPart earlier)
    {
        if (domainOf(later) == domainOf(earlier)) return;
        const double end = relative(later, m_matches.at(later).end);
        m_table.oneSided.push_back(
            {domainOf(later), domainOf(earlier), end - relative(earlier, m_matches.at(earlier).start), end});
    }

    void addOneSided(const MatchedCollective& collective)
    {
        const auto parts = partsOf(collective);
        if (collective.dependency == Dependency::send) {
            limit(parts[1], parts[0]);
            return;
        }
        if (collective.dependency != Dependency::fromRoot && collective.dependency != Dependency::toRoot)
            return;
        const uint32_t rootRank = m_matches.at(parts[0]).peer;
        if (rootRank == CollectiveOp::kAbsent) return;
        const auto root = std::ranges::find_if(parts, [&](MatchedPart part) {
            return m_matches.ranks[part.rank].rank == static_cast<int64_t>(rootRank);
        });
        if (root == parts.end()) return;
        for (const MatchedPart part : parts) {
            if (part.rank == root->rank) continue;
            if (collective.dependency == Dependency::fromRoot) {
                limit(part, *root);
            } else {
                limit(*root, part);
            }
        }
    }

    const CollectiveMatches& m_matches;
    const ClockPartition& m_partition;
    AnchorTable m_table;
    std::vector<PartTimes> m_parts;
};

} // namespace

void retime(AnchorTable& table, std::span<const double> time_ns)
{
    for (size_t i = 0; i < table.moments.size(); ++i) {
        if (!std::isnan(time_ns[i])) table.moments[i].time_ns = time_ns[i];
    }
    orderMoments(table);
    table.halfWindow_ns = 0;
    for (const AnchorMoment& moment : table.moments) {
        table.halfWindow_ns = std::max(table.halfWindow_ns, std::abs(moment.time_ns));
    }
}

AnchorTable buildAnchors(const CollectiveMatches& matches, const ClockPartition& partition)
{
    return AnchorBuilder(matches, partition).run();
}

} // namespace lockstep
