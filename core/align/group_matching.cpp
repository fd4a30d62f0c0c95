// SPDX-License-Identifier: Apache-2.0
#include "core/align/group_matching.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace lockstep {

namespace {

constexpr int64_t kSharedClockTrust_ns = 1'000'000;

struct Numbered {
    uint64_t sequence = 0;
    uint32_t owner = 0; // number within the group
    MatchedPart part;
};

std::vector<Numbered> numberedParts(const std::vector<CollectiveRank>& ranks, const GroupUnion& group)
{
    std::vector<Numbered> all;
    std::map<RankOwner, uint32_t> owners;
    for (const GroupMember member : group.members) {
        const uint32_t first = firstOfMember(ranks, member);
        const uint32_t owner =
            owners.try_emplace(ownerOf(ranks, member.rank), static_cast<uint32_t>(owners.size()))
                .first->second;
        const auto count = static_cast<uint32_t>(collectivesOfMember(ranks, member).size());
        for (uint32_t i = first; i < first + count; ++i) {
            all.push_back({ranks[member.rank].collectives[i].sequence, owner, {member.rank, i}});
        }
    }
    std::ranges::sort(all, [](const Numbered& a, const Numbered& b) {
        return std::tuple(a.sequence, a.owner, a.part.rank, a.part.collective) <
               std::tuple(b.sequence, b.owner, b.part.rank, b.part.collective);
    });
    return all;
}

class SequenceRun {
  public:
    SequenceRun(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition, GroupMatching& out)
        : m_ranks(ranks), m_partition(partition), m_out(out)
    {
    }

    // Handles all parts with the same sequence number, sorted by owner.
    void take(std::span<const Numbered> run)
    {
        const auto isSame = [](const Numbered& a, const Numbered& b) { return a.owner == b.owner; };
        const bool isRepeated = std::ranges::adjacent_find(run, isSame) != run.end();
        const bool waitsForAll = at(run.front().part).dependency == Dependency::all;
        if (!isRepeated || !waitsForAll || !takeByTime(run)) join(run);
    }

  private:
    const Collective& at(MatchedPart part) const { return m_ranks[part.rank].collectives[part.collective]; }
    ReportKey reportOf(const Numbered& n) const { return m_ranks[n.part.rank].report; }
    int64_t onAxis(const Numbered& n, TraceTime t) const
    {
        return t.ns + m_partition.hostToAxis_ns[reportOf(n)];
    }

    // Returns the largest possible difference between the recorded clocks of all these reports; nullopt if
    // any report has no clock.
    std::optional<int64_t> clockTrust_ns(std::span<const Numbered> run) const
    {
        const auto isShared = [&](const Numbered& n) {
            return m_partition.sharesClock(reportOf(n), reportOf(run.front()));
        };
        if (std::ranges::all_of(run, isShared)) return kSharedClockTrust_ns;
        const auto isPlaced = [&](const Numbered& n) { return m_partition.isPlaced[reportOf(n)]; };
        if (std::ranges::all_of(run, isPlaced)) return MatchOptions().clockTrust_ns;
        return std::nullopt;
    }

    // Parts of one collective overlap in time: no rank leaves before all have arrived. Therefore, the parts
    // with the same number are sorted by start and split wherever a part begins after an earlier one has
    // ended. Returns false if the clocks do not show which parts belong together.
    bool takeByTime(std::span<const Numbered> run)
    {
        const auto trust_ns = clockTrust_ns(run);
        if (!trust_ns) return false;
        std::vector<Numbered> byStart(run.begin(), run.end());
        std::ranges::stable_sort(byStart, {}, [&](const Numbered& n) { return onAxis(n, at(n.part).start); });
        for (size_t begin = 0; begin < byStart.size();) {
            size_t end = begin;
            int64_t firstEnd_ns = std::numeric_limits<int64_t>::max();
            while (end < byStart.size() &&
                   onAxis(byStart[end], at(byStart[end].part).start) - *trust_ns <= firstEnd_ns) {
                firstEnd_ns = std::min(firstEnd_ns, onAxis(byStart[end], at(byStart[end].part).end));
                ++end;
            }
            const auto met = std::span(byStart).subspan(begin, end - begin);
            std::ranges::sort(met, {}, &Numbered::owner);
            if (met.size() == 1) {
                ++m_out.group.repeated;
            } else {
                join(met);
            }
            begin = end;
        }
        return true;
    }

    // Joins parts sorted by owner. Omits owners that occur twice.
    void join(std::span<const Numbered> run)
    {
        m_parts.clear();
        for (size_t i = 0; i < run.size(); ++i) {
            const bool isTwice = (i > 0 && run[i - 1].owner == run[i].owner) ||
                                 (i + 1 < run.size() && run[i + 1].owner == run[i].owner);
            if (isTwice) {
                ++m_out.group.mismatched;
            } else {
                m_parts.push_back(run[i].part);
            }
        }
        std::ranges::sort(m_parts, {}, &MatchedPart::rank);
        dropMinority();
        const Dependency dependency = m_parts.empty() ? Dependency::none : at(m_parts[0]).dependency;
        const size_t before = m_parts.size();
        std::erase_if(m_parts, [&](MatchedPart part) { return !at(part).isUsable; });
        m_out.group.unusable += before - m_parts.size();
        m_out.add(m_parts, dependency);
    }

    // Drops parts with minority signatures. One pass of majority voting finds the only signature that more
    // than half of the parts can have.
    void dropMinority()
    {
        uint32_t majority = 0;
        size_t lead = 0;
        for (const MatchedPart part : m_parts) {
            const uint32_t signature = at(part).signature;
            if (lead == 0) majority = signature;
            lead = signature == majority ? lead + 1 : lead - 1;
        }
        const auto agree = static_cast<size_t>(
            std::ranges::count_if(m_parts, [&](MatchedPart part) { return at(part).signature == majority; }));
        const bool isDecided = agree * 2 > m_parts.size();
        const size_t dropped = isDecided ? m_parts.size() - agree : m_parts.size();
        if (dropped == 0) return;
        std::erase_if(m_parts,
                      [&](MatchedPart part) { return !isDecided || at(part).signature != majority; });
        m_out.group.mismatched += dropped;
    }

    const std::vector<CollectiveRank>& m_ranks;
    const ClockPartition& m_partition;
    GroupMatching& m_out;
    std::vector<MatchedPart> m_parts;
};

template<class Take>
void forEachNumber(std::span<const Numbered> all, const Take& take)
{
    for (size_t begin = 0; begin < all.size();) {
        size_t end = begin + 1;
        while (end < all.size() && all[end].sequence == all[begin].sequence)
            ++end;
        take(all.subspan(begin, end - begin));
        begin = end;
    }
}

// Numbers that are hashes ("Comms Id"), unlike counters, do not increase with time.
void sortByTime(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                const ClockPartition& partition, GroupMatching& matching)
{
    const bool isCounted = std::ranges::all_of(group.members, [&](GroupMember member) {
        return std::ranges::is_sorted(collectivesOfMember(ranks, member), {}, &Collective::sequence);
    });
    if (isCounted) return;
    const auto startOf = [&](const MatchedCollective& collective) {
        const MatchedPart first = matching.parts[collective.firstPart];
        return ranks[first.rank].collectives[first.collective].start.ns +
               partition.hostToAxis_ns[ranks[first.rank].report];
    };
    std::ranges::stable_sort(matching.collectives, {}, startOf);
}

} // namespace

RankOwner ownerOf(const std::vector<CollectiveRank>& ranks, uint32_t rank)
{
    if (ranks[rank].rank < 0) return {{}, -1 - static_cast<int64_t>(rank)};
    return {ranks[rank].world, ranks[rank].rank};
}

SignatureCounts countSignatures(std::span<const Collective> list)
{
    SignatureCounts counts;
    for (const Collective& c : list)
        ++counts[c.signature];
    return counts;
}

double similarity(const SignatureCounts& a, const SignatureCounts& b)
{
    size_t common = 0, left = 0, right = 0;
    for (const auto& [signature, count] : a) {
        left += count;
        const auto other = b.find(signature);
        if (other != b.end()) common += std::min(count, other->second);
    }
    for (const auto& [signature, count] : b)
        right += count;
    return left + right == 0 ? 0 : static_cast<double>(common) / static_cast<double>(std::min(left, right));
}

GroupMatching emptyMatching(const GroupUnion& group)
{
    GroupMatching matching;
    matching.group.world = group.world;
    matching.group.name = group.name;
    matching.group.ranks = group.ranks;
    matching.group.communicatorRanks = group.ranks;
    matching.group.memberCount = static_cast<uint32_t>(group.members.size());
    for (const GroupMember member : group.members)
        matching.group.members.push_back(member.rank);
    return matching;
}

bool isGroupOfTwo(const std::vector<CollectiveRank>& ranks, const GroupUnion& group)
{
    if (group.members.size() != 2) return false;
    if (!group.ranks.empty()) return group.ranks.size() == 2;
    return std::ranges::all_of(group.members,
                               [&](GroupMember m) { return ranks[m.rank].groups[m.group].size == 2; });
}

ShiftInput clocksOf(const CollectiveRank& first, const CollectiveRank& second,
                    const ClockPartition& partition, const MatchOptions& options)
{
    ShiftInput input;
    input.firstToAxis_ns = partition.hostToAxis_ns[first.report];
    input.secondToAxis_ns = partition.hostToAxis_ns[second.report];
    if (partition.sharesClock(first.report, second.report)) {
        input.clockTrust_ns = std::min(options.clockTrust_ns, kSharedClockTrust_ns);
    } else if (partition.isPlaced[first.report] && partition.isPlaced[second.report]) {
        input.clockTrust_ns = options.clockTrust_ns;
    }
    return input;
}

void GroupMatching::add(std::span<const MatchedPart> found, Dependency dependency)
{
    if (dependency == Dependency::exchange && !hasTwoRanks) {
        dependency = Dependency::none;
        ++multiPeerExchanges;
    }
    if (found.size() < 2) {
        group.unmatched += found.size();
        return;
    }
    collectives.push_back(
        {0, static_cast<uint32_t>(parts.size()), static_cast<uint32_t>(found.size()), dependency});
    parts.insert(parts.end(), found.begin(), found.end());
    group.matched += found.size();
}

std::span<const Collective> collectivesOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member)
{
    const auto& all = ranks[member.rank].collectives;
    const auto begin = std::ranges::lower_bound(all, member.group, {}, &Collective::group);
    const auto end = std::ranges::upper_bound(all, member.group, {}, &Collective::group);
    return {begin, end};
}

uint32_t firstOfMember(const std::vector<CollectiveRank>& ranks, GroupMember member)
{
    const auto& all = ranks[member.rank].collectives;
    return static_cast<uint32_t>(std::ranges::lower_bound(all, member.group, {}, &Collective::group) -
                                 all.begin());
}

GroupMatching matchBySequence(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                              const ClockPartition& partition)
{
    GroupMatching matching = emptyMatching(group);
    matching.hasTwoRanks = isGroupOfTwo(ranks, group);
    const auto all = numberedParts(ranks, group);
    SequenceRun run(ranks, partition, matching);
    forEachNumber(all, [&](std::span<const Numbered> parts) {
        if (parts[0].sequence != CollectiveOp::kAbsentCount) {
            run.take(parts);
        } else {
            matching.group.unmatched += parts.size();
        }
    });
    sortByTime(ranks, group, partition, matching);
    return matching;
}

} // namespace lockstep
