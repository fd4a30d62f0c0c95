// SPDX-License-Identifier: Apache-2.0
#include "core/align/group_matching.h"

#include <algorithm>
#include <array>
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
        if (!isRepeated || !waitsForAll || !splitByTime(run)) join(run);
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
    bool splitByTime(std::span<const Numbered> run)
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
        size_t votes = 0;
        for (const MatchedPart part : m_parts) {
            const uint32_t signature = at(part).signature;
            if (votes == 0) majority = signature;
            votes = signature == majority ? votes + 1 : votes - 1;
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

namespace {

// The operations between one member and one other rank, in chronological order.
struct PairList {
    std::vector<Collective> rows;
    std::vector<uint32_t> indices; // indices in the collectives of the rank
};

// Returns the same hash for a send and its receive, computed from sender and size.
uint32_t pairSignature(const Collective& c, bool isFirst)
{
    uint32_t direction = 3;
    if (c.dependency == Dependency::send) direction = isFirst ? 1 : 2;
    if (c.dependency == Dependency::receive) direction = isFirst ? 2 : 1;
    return c.signature ^ (direction * 0x9E3779B1u);
}

bool isNumbered(const PairList& list)
{
    return std::ranges::none_of(list.rows,
                                [](const Collective& c) { return c.sequence == CollectiveOp::kAbsentCount; });
}

// PairMatching matches the sends and receives of one group. Idea: the operations of each rank are divided by
// peer, so that each pair of ranks has two lists that answer each other. If all operations have numbers,
// equal numbers with opposite directions match. Otherwise findShift() compares the lists with signatures that
// are equal for a send and its receive. Invariant: a number that occurs twice on one side is not used, and
// the sender comes first if the direction is known. Cost: O(n log n) with numbers, otherwise that of
// findShift() for each pair of ranks.
class PairMatching {
  public:
    PairMatching(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                 const ClockPartition& partition, const MatchOptions& options)
        : m_ranks(ranks), m_group(group), m_partition(partition), m_options(options),
          m_isOfTwo(isGroupOfTwo(ranks, group))
    {
    }

    std::vector<GroupMatching> run()
    {
        for (size_t m = 0; m < m_group.members.size(); ++m)
            sortByPeer(m);
        std::multimap<int64_t, size_t> memberOfRank;
        for (size_t m = 0; m < m_group.members.size(); ++m)
            memberOfRank.emplace(nameOf(m), m);
        for (const auto& [key, list] : m_lists) {
            const auto [begin, end] = memberOfRank.equal_range(key.second);
            for (auto other = begin; other != end; ++other) {
                const auto answer = m_lists.find({other->second, nameOf(key.first)});
                if (key.first < other->second && answer != m_lists.end())
                    match(key.first, list, other->second, answer->second);
            }
        }
        addRest();
        return std::move(m_out);
    }

  private:
    const CollectiveRank& rankOf(size_t member) const { return m_ranks[m_group.members[member].rank]; }
    // Returns the number that peers use for a member: its rank, or its position if the group has two members
    // with unknown ranks.
    int64_t nameOf(size_t member) const
    {
        return m_isOfTwo ? static_cast<int64_t>(member) : int64_t(rankOf(member).rank);
    }

    void sortByPeer(size_t member)
    {
        const uint32_t first = firstOfMember(m_ranks, m_group.members[member]);
        const auto rows = collectivesOfMember(m_ranks, m_group.members[member]);
        m_total += rows.size();
        for (size_t i = 0; i < rows.size(); ++i) {
            int64_t peer = rows[i].peer;
            if (m_isOfTwo) {
                peer = static_cast<int64_t>(1 - member);
            } else if (rows[i].peer == CollectiveOp::kAbsent) {
                ++m_withoutPeer;
                continue;
            }
            PairList& list = m_lists[{member, peer}];
            list.rows.push_back(rows[i]);
            list.indices.push_back(first + static_cast<uint32_t>(i));
        }
    }

    void match(size_t a, PairList first, size_t b, PairList second)
    {
        for (Collective& c : first.rows)
            c.signature = pairSignature(c, true);
        for (Collective& c : second.rows)
            c.signature = pairSignature(c, false);
        GroupMatching matching = emptyMatching(m_group);
        matching.hasTwoRanks = true;
        matching.group.memberCount = 2;
        matching.group.members = {m_group.members[a].rank, m_group.members[b].rank};
        if (rankOf(a).rank >= 0 && rankOf(b).rank >= 0) {
            matching.group.ranks = {rankOf(a).rank, rankOf(b).rank};
            std::ranges::sort(matching.group.ranks);
        }
        const auto keep = [&](size_t i, size_t j) { add(a, first, i, b, second, j, matching); };
        if (isNumbered(first) && isNumbered(second)) {
            matchNumbers(first, second, keep);
        } else {
            matching.group.isByPattern = true;
            ShiftInput input = clocksOf(rankOf(a), rankOf(b), m_partition, m_options);
            input.first = first.rows;
            input.second = second.rows;
            const SequenceShift shift = findShift(input);
            if (shift.verdict == ShiftVerdict::found) {
                matchShifted(first, second, shift, keep);
            } else {
                matching.group.refusal =
                    std::to_string(std::min(first.rows.size(), second.rows.size())) +
                    " send/receive pairs not matched: " + std::string(shiftVerdictName(shift.verdict));
            }
        }
        m_matched += matching.group.matched;
        m_out.push_back(std::move(matching));
    }

    // A sequence number that occurs twice on one side does not identify a pair.
    template<class Keep>
    static void matchNumbers(const PairList& first, const PairList& second, const Keep& keep)
    {
        std::map<std::pair<uint64_t, Dependency>, std::vector<size_t>> firstByNumber, secondByNumber;
        for (size_t i = 0; i < first.rows.size(); ++i)
            firstByNumber[{first.rows[i].sequence, first.rows[i].dependency}].push_back(i);
        for (size_t i = 0; i < second.rows.size(); ++i)
            secondByNumber[{second.rows[i].sequence, second.rows[i].dependency}].push_back(i);
        for (const auto& [key, rows] : firstByNumber) {
            const Dependency answer = key.second == Dependency::send      ? Dependency::receive
                                      : key.second == Dependency::receive ? Dependency::send
                                                                          : key.second;
            const auto other = secondByNumber.find({key.first, answer});
            if (other != secondByNumber.end() && rows.size() == 1 && other->second.size() == 1)
                keep(rows[0], other->second[0]);
        }
    }

    template<class Keep>
    static void matchShifted(const PairList& first, const PairList& second, const SequenceShift& shift,
                             const Keep& keep)
    {
        for (size_t i = 0; i < first.rows.size(); ++i) {
            const auto j = shift.partnerOf(static_cast<int64_t>(i));
            if (!j) continue;
            const Collective& other = second.rows[static_cast<size_t>(*j)];
            const bool isAtEdge = first.rows[i].isAtEdge || other.isAtEdge;
            if (first.rows[i].signature == other.signature && !isAtEdge) keep(i, static_cast<size_t>(*j));
        }
    }

    void add(size_t a, const PairList& first, size_t i, size_t b, const PairList& second, size_t j,
             GroupMatching& matching) const
    {
        if (!first.rows[i].isUsable || !second.rows[j].isUsable) return;
        std::array parts{MatchedPart{m_group.members[a].rank, first.indices[i]},
                         MatchedPart{m_group.members[b].rank, second.indices[j]}};
        if (first.rows[i].dependency == Dependency::receive) std::swap(parts[0], parts[1]);
        matching.add(parts, first.rows[i].dependency == Dependency::exchange ? Dependency::exchange
                                                                             : Dependency::send);
    }

    // Adds a matching for the remaining, unpaired operations.
    void addRest()
    {
        if (m_total <= m_matched && !m_out.empty()) return;
        GroupMatching rest = emptyMatching(m_group);
        rest.group.unmatched = m_total - m_matched;
        if (m_withoutPeer > 0) {
            rest.group.refusal = std::to_string(m_withoutPeer) + " sends and receives have no recorded peer";
        } else if (m_out.empty()) {
            rest.group.refusal = "no open report contains the other side of its sends and receives";
        }
        m_out.push_back(std::move(rest));
    }

    const std::vector<CollectiveRank>& m_ranks;
    const GroupUnion& m_group;
    const ClockPartition& m_partition;
    const MatchOptions& m_options;
    const bool m_isOfTwo;
    std::map<std::pair<size_t, int64_t>, PairList> m_lists; // by (member, peer)
    std::vector<GroupMatching> m_out;
    uint64_t m_total = 0, m_matched = 0, m_withoutPeer = 0;
};

} // namespace

std::vector<GroupMatching> matchPointToPoint(const std::vector<CollectiveRank>& ranks,
                                             const GroupUnion& group, const ClockPartition& partition,
                                             const MatchOptions& options)
{
    return PairMatching(ranks, group, partition, options).run();
}

} // namespace lockstep
