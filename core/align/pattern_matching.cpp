// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>

#include "core/align/group_matching.h"
#include "core/align/sequence_shift.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// limit on the number of sets of matching members in the unnamed work of one world
constexpr size_t kMaxSets = 32;
// Wall clocks that differ by more than assumed (a time zone, no NTP) are overruled only if the ends of this
// many collectives coincide this closely. Equal work in a different step would scatter more.
constexpr double kCertainSpread_ns = 10'000;
constexpr size_t kMinCertain = 20;

constexpr int64_t kEdgeTolerance_ns = 20'000; // largest difference between the ends of one collective

int64_t endDifference_ns(const Collective& a, const Collective& b)
{
    return b.end.ns - a.end.ns;
}

// Returns true if the first and last collectives of the captures are complete. Usually these collectives are
// not trusted, because recording may have started or stopped in the middle of one of them. They are trusted
// if all ranks recorded the same list, and if they end at the same time on all ranks with the clock offset of
// the other collectives.
bool areEdgesComplete(std::span<const Collective> list, std::span<const std::span<const Collective>> others)
{
    for (const std::span<const Collective> other : others) {
        if (other.size() != list.size() || list.empty()) return false;
        std::vector<int64_t> differences;
        for (size_t i = 0; i < list.size(); ++i) {
            if (list[i].signature != other[i].signature) return false;
            if (!list[i].isAtEdge && !other[i].isAtEdge)
                differences.push_back(endDifference_ns(list[i], other[i]));
        }
        if (differences.empty()) return false;
        const auto middle = differences.begin() + static_cast<ptrdiff_t>(differences.size() / 2);
        std::ranges::nth_element(differences, middle);
        for (size_t i = 0; i < list.size(); ++i) {
            if (!list[i].isAtEdge && !other[i].isAtEdge) continue;
            if (std::abs(endDifference_ns(list[i], other[i]) - *middle) > kEdgeTolerance_ns) return false;
        }
    }
    return true;
}

size_t pairedCount(const SequenceShift& shift)
{
    size_t count = 0;
    for (const ShiftRun& run : shift.runs)
        count += static_cast<size_t>(run.end - run.begin);
    return count;
}

// PatternMatching finds ranks whose unnamed operations belong together. Idea: ranks of one group execute the
// same operations in the same order, but their captures begin and end at different times. The member with the
// most operations becomes a center. findShift() compares it with every other member of a similar composition
// (kMinLikeness), and the members that match form a set with it. This is repeated with the remaining members.
//
// Invariant: each member is in at most one set, and two captures of one rank never match the same operations
// of the center. Cost: one findShift() for each center and remaining member; if nothing matches, for all
// pairs, limited by maxPatternWork.
class PatternMatching {
  public:
    PatternMatching(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                    const ClockPartition& partition, const MatchOptions& options, const Progress& progress)
        : m_ranks(ranks), m_group(group), m_partition(partition), m_options(options), m_progress(progress),
          m_pool(group.members)
    {
        for (const GroupMember member : m_pool)
            m_counts[member] = countSignatures(listOf(member));
    }

    std::vector<GroupMatching> run();

  private:
    struct Partner {
        GroupMember member;
        SequenceShift shift;
    };

    const CollectiveRank& rankOf(GroupMember m) const { return m_ranks[m.rank]; }
    const CollectiveGroup& groupOf(GroupMember m) const { return rankOf(m).groups[m.group]; }
    std::span<const Collective> listOf(GroupMember m) const { return collectivesOfMember(m_ranks, m); }
    RankOwner rankOwnerOf(GroupMember m) const { return ownerOf(m_ranks, m.rank); }
    SequenceShift shiftOf(GroupMember center, GroupMember other) const;
    void keepOneOfEachRank(std::vector<Partner>& partners) const;
    std::vector<Partner> partnersOf(GroupMember center);
    GroupMatching join(GroupMember center, const std::vector<Partner>& partners);
    void remarkOn(GroupMember center, const Partner& partner, MatchedGroup& group) const;
    std::string nameOf(GroupMember m) const
    {
        return rankOf(m).rank < 0 ? std::string("a rank") : "rank " + std::to_string(rankOf(m).rank);
    }
    GroupMatching newMatching() const;
    std::string refusalText() const;

    const std::vector<CollectiveRank>& m_ranks;
    const GroupUnion& m_group;
    const ClockPartition& m_partition;
    const MatchOptions& m_options;
    const Progress& m_progress;
    std::vector<GroupMember> m_pool;          // members that are not in a set yet
    std::map<ShiftVerdict, size_t> m_refused; // rejected comparisons of the last center, by reason
    std::map<GroupMember, SignatureCounts> m_counts;
    std::atomic<uint64_t> m_work = 0;
};

GroupMatching PatternMatching::newMatching() const
{
    GroupMatching matching = emptyMatching(m_group);
    matching.group.isByPattern = true;
    matching.group.isNamed = !m_group.name.empty();
    return matching;
}

SequenceShift PatternMatching::shiftOf(GroupMember center, GroupMember other) const
{
    ShiftInput input = clocksOf(rankOf(center), rankOf(other), m_partition, m_options);
    input.first = listOf(center);
    input.second = listOf(other);
    SequenceShift shift = findShift(input);
    const bool isOneHost = m_partition.sharesClock(rankOf(center).report, rankOf(other).report);
    if (shift.verdict == ShiftVerdict::found || !input.clockTrust_ns || isOneHost) return shift;
    input.clockTrust_ns.reset();
    SequenceShift candidate = findShift(input);
    candidate.work += shift.work;
    const size_t shorter = std::min(input.first.size(), input.second.size());
    const bool isCertain = candidate.spread_ns <= kCertainSpread_ns && candidate.overlap >= kMinCertain &&
                           candidate.overlap * 10 >= shorter * 9;
    if (candidate.verdict == ShiftVerdict::found && isCertain) return candidate;
    shift.work = candidate.work;
    return shift;
}

// Returns at most one partner per rank: the stream whose ends agree best. Ranks are compared in parallel.
std::vector<PatternMatching::Partner> PatternMatching::partnersOf(GroupMember center)
{
    std::map<uint32_t, std::vector<GroupMember>> byRank;
    for (const GroupMember member : m_pool) {
        if (rankOwnerOf(member) != rankOwnerOf(center)) byRank[member.rank].push_back(member);
    }
    const std::vector<std::pair<uint32_t, std::vector<GroupMember>>> candidates(byRank.begin(), byRank.end());
    const SignatureCounts& centerCounts = m_counts.at(center);
    std::vector<std::optional<Partner>> found(candidates.size());
    std::vector<std::optional<ShiftVerdict>> refused(candidates.size());
    m_progress.workers().run(candidates.size(), [&](size_t i, size_t) {
        for (const GroupMember member : candidates[i].second) {
            if (m_progress.isCanceled()) return;
            if (similarity(centerCounts, m_counts.at(member)) < kMinLikeness) continue;
            const SequenceShift shift = shiftOf(center, member);
            m_work += shift.work;
            if (shift.verdict != ShiftVerdict::found) {
                if (!refused[i] || shift.verdict == ShiftVerdict::ambiguous) refused[i] = shift.verdict;
                continue;
            }
            const bool isSameLane = groupOf(member).lane == groupOf(center).lane;
            if (!found[i] || shift.spread_ns < found[i]->shift.spread_ns * (isSameLane ? 1.5 : 1)) {
                found[i] = Partner{member, shift};
            }
        }
    });
    std::vector<Partner> partners;
    m_refused.clear();
    for (const auto& partner : found) {
        if (partner) partners.push_back(*partner);
    }
    keepOneOfEachRank(partners);
    for (size_t i = 0; i < candidates.size(); ++i) {
        // Another capture of a rank that matched does not count as an unmatched rank.
        const bool hasFit = std::ranges::any_of(partners, [&](const Partner& p) {
            return rankOwnerOf(p.member) == rankOwnerOf(candidates[i].second.front());
        });
        if (refused[i] && !found[i] && !hasFit) ++m_refused[*refused[i]];
    }
    return partners;
}

// Several captures of one rank may each match a part of the center's list. If two captures match the same
// collectives (because the steps of a training run look alike), the capture whose ends agree better is used.
void PatternMatching::keepOneOfEachRank(std::vector<Partner>& partners) const
{
    const auto claimedRun = [](const Partner& p) {
        return std::pair(p.shift.runs.front().begin, p.shift.runs.back().end);
    };
    std::vector<Partner> kept;
    std::ranges::stable_sort(partners, {}, [](const Partner& p) { return p.shift.spread_ns; });
    for (const Partner& partner : partners) {
        const auto [begin, end] = claimedRun(partner);
        const bool isTaken = std::ranges::any_of(kept, [&](const Partner& other) {
            const auto [otherBegin, otherEnd] = claimedRun(other);
            return rankOwnerOf(other.member) == rankOwnerOf(partner.member) && begin < otherEnd &&
                   otherBegin < end;
        });
        if (!isTaken) kept.push_back(partner);
    }
    std::ranges::sort(kept, {}, &Partner::member);
    partners = std::move(kept);
}

GroupMatching PatternMatching::join(GroupMember center, const std::vector<Partner>& partners)
{
    GroupMatching matching = newMatching();
    matching.group.memberCount = static_cast<uint32_t>(partners.size() + 1);
    matching.group.members = {center.rank};
    for (const Partner& partner : partners)
        matching.group.members.push_back(partner.member.rank);
    matching.hasTwoRanks = matching.group.isNamed ? isGroupOfTwo(m_ranks, m_group) : partners.size() == 1;
    if (!matching.group.isNamed) matching.group.name = "stream " + std::to_string(groupOf(center).lane);
    const auto list = listOf(center);
    const uint32_t first = firstOfMember(m_ranks, center);
    std::vector<std::span<const Collective>> lists;
    std::vector<uint32_t> firstIndices;
    for (const Partner& partner : partners) {
        lists.push_back(listOf(partner.member));
        firstIndices.push_back(firstOfMember(m_ranks, partner.member));
    }
    const bool isWhole = std::ranges::all_of(partners, [](const Partner& p) { return p.shift.isWhole(); }) &&
                         areEdgesComplete(list, lists);
    const auto isUsable = [&](const Collective& c) { return isWhole ? c.isUsable : c.isUsableByPattern(); };
    std::vector<MatchedPart> parts;
    for (size_t i = 0; i < list.size(); ++i) {
        parts.clear();
        if (isUsable(list[i])) {
            parts.push_back({center.rank, first + static_cast<uint32_t>(i)});
        } else {
            ++matching.group.unusable;
        }
        for (size_t p = 0; p < partners.size(); ++p) {
            const auto at = partners[p].shift.partnerOf(static_cast<int64_t>(i));
            if (!at) continue;
            const Collective& other = lists[p][static_cast<size_t>(*at)];
            if (other.signature != list[i].signature) {
                ++matching.group.mismatched;
            } else if (isUsable(other)) {
                parts.push_back({partners[p].member.rank, firstIndices[p] + static_cast<uint32_t>(*at)});
            } else {
                ++matching.group.unusable;
            }
        }
        std::ranges::sort(parts, {}, &MatchedPart::rank);
        matching.add(parts, list[i].dependency);
    }
    for (size_t p = 0; p < partners.size(); ++p) {
        matching.group.unmatched += lists[p].size() - pairedCount(partners[p].shift);
        remarkOn(center, partners[p], matching.group);
    }
    return matching;
}

// Records how two ranks were matched if the match was ambiguous, and which collectives are missing on one of
// them.
void PatternMatching::remarkOn(GroupMember center, const Partner& partner, MatchedGroup& group) const
{
    const auto& runs = partner.shift.runs;
    if (partner.shift.isByClocks) {
        group.remarks.push_back(
            "the collectives of " + nameOf(center) + " and " + nameOf(partner.member) +
            " repeat, so several offsets fit; using the one at which their wall clocks agree within 20 ms");
    }
    const auto addMissing = [&](GroupMember lacking, GroupMember other, int64_t from, int64_t count) {
        const std::string numbers =
            std::to_string(from + 1) + (count > 1 ? " to " + std::to_string(from + count) : std::string());
        group.remarks.push_back(nameOf(lacking) + " lacks " + std::to_string(count) + " of the " +
                                std::to_string(listOf(other).size()) + " collectives of " + nameOf(other) +
                                ": number " + numbers);
    };
    for (size_t i = 1; i < runs.size(); ++i) {
        const int64_t begin = runs[i - 1].end, otherBegin = begin + runs[i - 1].shift;
        const int64_t gap = runs[i].begin - begin, otherGap = runs[i].begin + runs[i].shift - otherBegin;
        if (gap > 0) addMissing(partner.member, center, begin, gap);
        if (otherGap > 0) addMissing(center, partner.member, otherBegin, otherGap);
    }
}

// Returns why other ranks were not joined to the last center; empty if all ranks were joined.
std::string PatternMatching::refusalText() const
{
    std::string text;
    for (const auto& [verdict, count] : m_refused) {
        text += (text.empty() ? "" : "; ") + std::string(shiftVerdictName(verdict)) + " (" +
                std::to_string(count) + (count == 1 ? " rank)" : " ranks)");
    }
    return text;
}

std::vector<GroupMatching> PatternMatching::run()
{
    std::vector<GroupMatching> sets;
    std::vector<GroupMember> alone;
    std::string refusal;
    const auto isWorkLeft = [&] { return m_work < m_options.maxPatternWork; };
    while (!m_pool.empty() && sets.size() < kMaxSets && isWorkLeft() && !m_progress.isCanceled()) {
        const auto center =
            std::ranges::max_element(m_pool, {}, [&](GroupMember m) { return listOf(m).size(); });
        const GroupMember chosen = *center;
        m_pool.erase(center);
        const auto partners = partnersOf(chosen);
        if (partners.empty()) {
            alone.push_back(chosen);
            if (refusal.empty()) refusal = refusalText();
            continue;
        }
        std::erase_if(m_pool, [&](GroupMember m) {
            return std::ranges::any_of(partners, [&](const Partner& p) { return p.member == m; });
        });
        sets.push_back(join(chosen, partners));
        sets.back().group.refusal = refusalText();
    }
    if (m_pool.size() > 1 && (sets.size() >= kMaxSets || !isWorkLeft())) {
        refusal += (refusal.empty() ? "" : "; ") + groupedText(static_cast<int64_t>(m_pool.size())) +
                   " ranks were not compared by their unnamed operations: " +
                   (isWorkLeft() ? "too many sets of ranks" : "too many operations without a match");
    }
    alone.insert(alone.end(), m_pool.begin(), m_pool.end());
    if (alone.empty()) return sets;
    GroupMatching rest = newMatching();
    rest.group.memberCount = static_cast<uint32_t>(alone.size());
    rest.group.members.clear();
    for (const GroupMember member : alone) {
        rest.group.unmatched += listOf(member).size();
        rest.group.members.push_back(member.rank);
    }
    rest.group.refusal = refusal.empty() ? "no other rank has a similar pattern" : refusal;
    sets.push_back(std::move(rest));
    return sets;
}

} // namespace

std::vector<GroupMatching> matchByPattern(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                                          const ClockPartition& partition, const MatchOptions& options,
                                          const Progress& progress)
{
    return PatternMatching(ranks, group, partition, options, progress).run();
}

} // namespace lockstep
